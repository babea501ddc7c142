/* log_reader_events.c - events by pages, those of a run that spills too. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "event_phrases.h"
#include "log_read.h"
#include "log_reader.h"
#include "xalloc.h"

void event_page_done(struct event_page *page)
{
    if (!page)
        return;
    free(page->events);
    str_done(&page->texts);
    *page = (struct event_page){0};
}

/* The texts move while the page grows, so they are pointed to afterwards; until
 * then an event that has one holds this. */
static const char has_text[] = "";

/* False: it is longer than a text may be. */
static bool take_text(struct event_page *page, const char *bytes, size_t len)
{
    const size_t from = page->texts.len;
    const bool ok = event_phrases_spell(bytes, len, EVENT_TEXT_MAX, &page->texts);
    if (ok)
        str_add_char(&page->texts, '\0');
    else
        str_cut(&page->texts, from);
    return ok;
}

static void point_to_texts(struct event_page *page)
{
    const char *at = str_text(&page->texts);
    for (size_t i = 0; i < page->count; i++) {
        if (!page->events[i].text)
            continue;
        page->events[i].text = at;
        at += strlen(at) + 1;
    }
}

/* Whose event it is. */
static bool read_names(sqlite3_stmt *row, struct event *out)
{
    return log_read_int(row, 4, -1, INT_MAX, &out->task) &&
           log_read_int(row, 5, -1, INT_MAX, &out->step) &&
           log_read_int(row, 6, 0, INT_MAX, &out->round) &&
           log_read_int(row, 7, 0, INT_MAX, &out->grant) &&
           log_read_int(row, 8, 0, INT_MAX, &out->attempt);
}

/* A time that can be: what is reckoned with it stays a number. */
static bool read_time(sqlite3_stmt *row, int at, int64_t *out)
{
    *out = sqlite3_column_int64(row, at);
    return *out >= 0 && *out <= LOG_NUMBER_MAX;
}

static bool take_event(sqlite3_stmt *row, struct event_page *page, struct err *err)
{
    int64_t kind = sqlite3_column_int64(row, 3);
    bool fits = kind >= 0 && kind <= INT_MAX;
    struct event event = {
        .seq = sqlite3_column_int64(row, 0),
        .kind = (enum event_kind)(fits ? kind : INT_MAX),
        .a = sqlite3_column_int64(row, 9),
        .b = sqlite3_column_int64(row, 10),
        .c = sqlite3_column_int64(row, 11),
        .d = sqlite3_column_int64(row, 12),
        .e = sqlite3_column_int64(row, 13),
    };
    if (!read_time(row, 1, &event.at.at_ms) || !read_time(row, 2, &event.at.mono_ms) ||
        !read_names(row, &event))
        return err_set(err, ERR_DAMAGED, "event %lld in the log cannot be true",
                       (long long)event.seq);
    const char *text = (const char *)sqlite3_column_text(row, 14);
    if (text && take_text(page, text, strlen(text)))
        event.text = has_text;
    page->events = xgrow(page->events, &page->cap, page->count + 1, sizeof(*page->events));
    page->events[page->count++] = event;
    return true;
}

static void empty_page(struct event_page *page)
{
    page->count = 0;
    str_clear(&page->texts);
}

/* The rows of a statement that was bound, behind those that are there. */
static bool add_events(struct log_reader *reader, sqlite3_stmt *query, struct event_page *page,
                       struct err *err)
{
    bool row = true;
    bool ok = true;
    while (ok && row) {
        ok = db_next(&reader->db, query, &row, err);
        if (ok && row)
            ok = take_event(query, page, err);
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

static bool add_events_after(struct log_reader *reader, int64_t run, int64_t after,
                             struct event_page *page, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_EVENTS];
    (void)sqlite3_bind_int64(query, 1, run);
    (void)sqlite3_bind_int64(query, 2, after);
    (void)sqlite3_bind_int64(query, 3, LOG_PAGE_EVENTS - (int64_t)page->count);
    return add_events(reader, query, page, err);
}

/* What the log lacks, if it follows on what is there. */
static bool add_spilled(struct log_reader *reader, int64_t run, int64_t after,
                        struct event_page *page)
{
    const size_t count = page->count;
    const size_t texts_len = page->texts.len;
    struct log_reader *spill = log_read_spill(reader, run);
    bool ok = spill && add_events_after(spill, run, after, page, NULL) && page->count > count &&
              page->events[count].seq == after + 1;
    if (!ok) {
        page->count = count;
        str_cut(&page->texts, texts_len);
    }
    return ok;
}

/* A damaged page hides what is on it, not what comes before. */
bool log_reader_events(struct log_reader *reader, int64_t run, int64_t after,
                       struct event_page *page, struct err *err)
{
    struct err why = {0};
    empty_page(page);
    bool ok = add_events_after(reader, run, after, page, &why);
    int64_t last = page->count > 0 ? page->events[page->count - 1].seq : after;
    if (page->count < LOG_PAGE_EVENTS)
        (void)add_spilled(reader, run, last, page);
    point_to_texts(page);
    return ok || page->count > 0 || err_set(err, why.code, "%s", why.message);
}

bool log_reader_attempt_events(struct log_reader *reader, const struct log_output_key *key,
                               struct event_page *page, struct err *err)
{
    struct log_reader *const readers[] = {reader, log_read_spill(reader, key->run)};
    bool ok = true;
    empty_page(page);
    for (size_t i = 0; ok && i < ARRAY_LEN(readers) && readers[i]; i++) {
        sqlite3_stmt *query = readers[i]->queries[LOG_QUERY_ATTEMPT_EVENTS];
        (void)sqlite3_bind_int64(query, 1, key->run);
        (void)sqlite3_bind_int(query, 2, key->task);
        (void)sqlite3_bind_int(query, 3, key->step);
        (void)sqlite3_bind_int(query, 4, key->attempt);
        (void)sqlite3_bind_int(query, 5, EVENT_AGENT_CALL);
        (void)sqlite3_bind_int64(query, 6, LOG_PAGE_EVENTS - (int64_t)page->count);
        ok = add_events(readers[i], query, page, err);
    }
    if (!ok)
        page->count = 0;
    point_to_texts(page);
    return ok;
}
