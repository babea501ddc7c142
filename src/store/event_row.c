/*
 * event_row.c - writes events as rows, and encodes the common phrases of their texts.
 *
 * Event texts repeat the same JSON keys. Each phrase is one byte below 0x20, which a JSON string
 * cannot contain unescaped. A log of an older format gets plain text.
 */
#include "event_row.h"

#include <assert.h>
#include <string.h>

#include "db.h"
#include "event.h"
#include "json.h"

static_assert(EVENT_PHRASES_TEXT_MAX == EVENT_TEXT_MAX, "all of a text that is ours is spelled");

enum { PHRASE_BYTES = 0x20 }; /* phrases are encoded as bytes below this */

struct phrase {
    const char *text; /* NULL: the byte stands for itself */
    size_t len;
};

#define PHRASE_ROW(byte, phrase) [byte] = {phrase, sizeof(phrase) - 1},

static const struct phrase phrases[PHRASE_BYTES] = {EVENT_PHRASES_ALL(PHRASE_ROW)};

static const struct phrase *phrase_of(char c)
{
    const struct phrase *phrase = &phrases[(unsigned char)c % PHRASE_BYTES];
    return (unsigned char)c < PHRASE_BYTES && phrase->text ? phrase : NULL;
}

/* Returns the byte that stands for the phrase at the beginning of the text, 0 if there is none. All
 * phrases begin with a bracket, a comma or a quote. */
static char find_phrase(const char *text, size_t len)
{
    if (*text != '{' && *text != ',' && *text != '"')
        return 0;
    for (int i = 0; i < PHRASE_BYTES; i++) {
        const struct phrase *phrase = &phrases[i];
        if (phrase->text && phrase->len <= len && phrase->text[2] == text[2] &&
            memcmp(phrase->text, text, phrase->len) == 0)
            return (char)i;
    }
    return 0;
}

size_t event_phrases_pack(const char *text, char *out)
{
    const char *end = text + strlen(text);
    size_t len = 0;
    while (text < end) {
        const char byte = find_phrase(text, (size_t)(end - text));
        if (byte != 0)
            out[len++] = byte;
        else
            out[len++] = phrase_of(*text) ? ' ' : *text;
        text += byte != 0 ? phrases[(unsigned char)byte].len : 1;
    }
    return len;
}

bool event_phrases_spell(const char *bytes, size_t len, size_t max, struct str *out)
{
    const size_t from = out->len;
    while (len > 0) {
        const struct phrase *phrase = phrase_of(*bytes);
        size_t taken = 1;
        while (!phrase && taken < len && !phrase_of(bytes[taken])) /* up to the next phrase */
            taken++;
        const size_t more = phrase ? phrase->len : taken;
        if (more > max - (out->len - from))
            return false;
        str_add_n(out, phrase ? phrase->text : bytes, more);
        bytes += taken;
        len -= taken;
    }
    return true;
}

enum { TEXT_COLUMN = 16 }; /* in EVENT_ROW_SQL */

bool event_row_put(const struct db *db, sqlite3_stmt *put, int64_t run, const struct event *event,
                   struct err *err)
{
    const int64_t facts[] = {event->a, event->b, event->c, event->d, event->e};
    const bool has_text = event->text && event->text[0] != '\0';
    char packed[EVENT_TEXT_MAX]; /* until the end of the step */
    (void)sqlite3_bind_int64(put, 1, run);
    (void)sqlite3_bind_int64(put, 2, event->seq);
    (void)sqlite3_bind_int64(put, 3, event->at.at_ms);
    (void)sqlite3_bind_int64(put, 4, event->at.mono_ms);
    (void)sqlite3_bind_int(put, 5, (int)event->kind);
    db_bind_unless(put, 6, event->task, -1);
    db_bind_unless(put, 7, event->step, -1);
    db_bind_unless(put, 8, event->round, 0);
    db_bind_unless(put, 9, event->grant, 0);
    db_bind_unless(put, 10, event->attempt, 0);
    for (int i = 0; i < (int)ARRAY_LEN(facts); i++)
        db_bind_unless(put, 11 + i, facts[i], 0);
    assert(!has_text || strlen(event->text) <= EVENT_TEXT_MAX); /* the event's creator ensures it */
    if (has_text && db->format >= SCHEMA_PHRASES) {
        const size_t len = event_phrases_pack(event->text, packed);
        (void)sqlite3_bind_text64(put, TEXT_COLUMN, packed, len, SQLITE_STATIC, SQLITE_UTF8);
    } else {
        db_bind_text(put, TEXT_COLUMN, has_text ? event->text : NULL);
    }
    return db_run(db, put, err);
}

bool event_row_put_session(const struct db *db, int64_t run, const struct event *event,
                           struct err *err)
{
    static const char *const sql = "INSERT INTO session(run, task, agent, session, at_ms, json)"
                                   " VALUES(?,?,?,?,?,?)";
    struct json *words = NULL;
    bool ok = true;
    if (!event->text || !json_parse(event->text, strlen(event->text), &words, NULL, NULL))
        return true;
    if (json_text(json_get(words, "session"), NULL) && event->task >= 0) {
        sqlite3_stmt *put = NULL;
        ok = db_prepare(db, &sql, 1, &put, err);
        if (ok) {
            (void)sqlite3_bind_int64(put, 1, run);
            (void)sqlite3_bind_int(put, 2, event->task);
            db_bind_text(put, 3, json_text(json_get(words, "agent"), ""));
            db_bind_text(put, 4, json_text(json_get(words, "session"), ""));
            (void)sqlite3_bind_int64(put, 5, event->at.at_ms);
            db_bind_text(put, 6, event->text);
            ok = db_run(db, put, err);
        }
        db_finalize(&put, 1);
    }
    json_free(words);
    return ok;
}
