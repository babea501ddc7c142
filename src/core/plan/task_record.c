/* task_record.c - writes an added task for the log, redacted and truncated.
 *
 * The record must fit into the text of an event, so it is written with smaller and smaller limits
 * for strings and lists until it does. A truncated value has a digest of the whole. */
#include "task_record.h"

#include <string.h>

#include "event.h"
#include "sha256.h"
#include "text.h"
#include "xalloc.h"

enum { DIGEST_SHOWN = 8 }; /* bytes shown of the digest of a truncated value */

/* How much of the task is kept. */
struct measure {
    size_t text; /* maximum bytes of a string */
    size_t list; /* maximum elements of a list, or members of an environment */
};

/* The first measure that makes the record short enough is used. */
static const struct measure measures[] = {
    {2000, 200}, {1000, 64}, {300, 32}, {TASK_RECORD_ID_MAX, 12}};

struct recording {
    const struct task_record *record;
    struct str stdin_words; /* owned; replaces the bytes */
    struct measure measure;
    struct str *out;
};

static void add_digest(struct str *out, const char *bytes, size_t len)
{
    unsigned char digest[SHA256_BYTES];
    sha256_of(bytes, len, digest);
    str_add(out, "sha256 ");
    for (int i = 0; i < DIGEST_SHOWN; i++)
        str_addf(out, "%02x", digest[i]);
}

static void clean_text(const struct recording *recording, const char *bytes, size_t len,
                       struct str *out)
{
    struct str once = {0};
    if (!recording->record->own) {
        redact_text(recording->record->redactor, bytes, len, out, NULL);
        return;
    }
    redact_text(recording->record->own, bytes, len, &once, NULL);
    redact_text(recording->record->redactor, str_text(&once), once.len, out, NULL);
    str_done(&once);
}

/* Appends the string without secrets, in at most `max` bytes; 0 = in full. */
static void add_text(const struct recording *recording, const char *text, size_t max)
{
    struct str whole = {0};
    struct str cut = {0};
    clean_text(recording, text, strlen(text), &whole);
    size_t len = whole.len;
    if (max > 0 && len > max) {
        len = text_cut(whole.data, whole.len, max);
        str_add_n(&cut, whole.data, len);
        str_addf(&cut, "... (%zu bytes more, ", whole.len - len);
        add_digest(&cut, whole.data, whole.len);
        str_add_char(&cut, ')');
        str_add_json(recording->out, cut.data, cut.len);
    } else {
        str_add_json(recording->out, str_text(&whole), len);
    }
    str_done(&whole);
    str_done(&cut);
}

/* Appends a string in place of the elements of the list from `first` on: their number and a digest
 * of the whole list. */
static void add_rest(const struct recording *recording, const struct json *list, size_t first)
{
    struct str all = {0};
    struct str whole = {0};
    struct str words = {0};
    json_write(&all, list);
    clean_text(recording, str_text(&all), all.len, &whole);
    str_addf(&words, "... (%zu more, ", json_count(list) - first);
    add_digest(&words, str_text(&whole), whole.len);
    str_add_char(&words, ')');
    str_add_json(recording->out, str_text(&words), words.len);
    str_done(&all);
    str_done(&whole);
    str_done(&words);
}

/* Appends the value in full, without secrets. */
static void add_whole(const struct recording *recording, const struct json *value)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    switch (json_kind(value)) {
    case JSON_KIND_OBJECT:
        str_add_char(recording->out, '{');
        while (json_next(value, &iter, &key, &member)) {
            str_json_key(recording->out, key);
            add_whole(recording, member);
        }
        str_add_char(recording->out, '}');
        break;
    case JSON_KIND_ARRAY:
        str_add_char(recording->out, '[');
        for (size_t i = 0; i < json_count(value); i++) {
            if (i > 0)
                str_add_char(recording->out, ',');
            add_whole(recording, json_at(value, i));
        }
        str_add_char(recording->out, ']');
        break;
    case JSON_KIND_STRING:
        add_text(recording, json_text(value, ""), 0);
        break;
    default:
        json_write(recording->out, value);
        break;
    }
}

static void add_run(const struct recording *recording, const struct json *run)
{
    if (json_kind(run) != JSON_KIND_ARRAY) {
        add_text(recording, json_text(run, ""), recording->measure.text);
        return;
    }
    const size_t count = json_count(run);
    str_add_char(recording->out, '[');
    for (size_t i = 0; i < count && i < recording->measure.list; i++) {
        if (i > 0)
            str_add_char(recording->out, ',');
        add_text(recording, json_text(json_at(run, i), ""), recording->measure.text);
    }
    if (count > recording->measure.list) {
        str_add_char(recording->out, ',');
        add_rest(recording, run, recording->measure.list);
    }
    str_add_char(recording->out, ']');
}

static void add_env(const struct recording *recording, const struct json *env)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *value = NULL;
    size_t count = 0;
    str_add_char(recording->out, '{');
    while (count < recording->measure.list && json_next(env, &iter, &name, &value)) {
        const char *text = json_text(value, "");
        str_json_key(recording->out, name);
        /* A variable whose name says that it is secret is treated as secret, whatever its value. */
        if (redactor_hides(recording->record->redactor, name) && *text) {
            struct str mark = {0};
            str_addf(&mark, "[cut:%.*s]", REDACT_NAME_MAX, name);
            str_add_json(recording->out, mark.data, mark.len);
            str_done(&mark);
        } else {
            add_text(recording, text, recording->measure.text);
        }
        count++;
    }
    if (json_count(env) > count) {
        str_json_key(recording->out, "(cut)"); /* not a name that a real variable would have */
        add_rest(recording, env, count);
    }
    str_add_char(recording->out, '}');
}

static void add_step(const struct recording *recording, const struct json *step)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    str_add_char(recording->out, '{');
    while (json_next(step, &iter, &key, &value)) {
        if (recording->stdin_words.len > 0 && strcmp(key, "stdin") == 0)
            continue;
        str_json_key(recording->out, key);
        if (strcmp(key, "run") == 0)
            add_run(recording, value);
        else if (strcmp(key, "env") == 0)
            add_env(recording, value);
        else if (strcmp(key, "cwd") == 0 || strcmp(key, "stdin") == 0)
            add_text(recording, json_text(value, ""), recording->measure.text);
        else
            add_whole(recording, value);
    }
    if (recording->stdin_words.len > 0)
        str_json_text(recording->out, "stdin", recording->stdin_words.data);
    str_add_char(recording->out, '}');
}

static void add_task(const struct recording *recording, const struct json *task)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    str_add_char(recording->out, '{');
    while (json_next(task, &iter, &key, &value)) {
        str_json_key(recording->out, key);
        if (strcmp(key, "steps") != 0) {
            add_whole(recording, value);
            continue;
        }
        str_add_char(recording->out, '[');
        for (size_t i = 0; i < json_count(value); i++) {
            if (i > 0)
                str_add_char(recording->out, ',');
            add_step(recording, json_at(value, i));
        }
        str_add_char(recording->out, ']');
    }
    str_add_char(recording->out, '}');
}

bool task_record_write(const struct task_record *record, struct str *out, struct err *err)
{
    struct str text = {0};
    struct recording recording = {.record = record, .out = &text};
    bool fits = false;
    if (record->stdin_bytes) {
        struct str whole = {0};
        clean_text(&recording, record->stdin_bytes, record->stdin_len, &whole);
        str_addf(&recording.stdin_words, "(%zu bytes, ", record->stdin_len);
        add_digest(&recording.stdin_words, str_text(&whole), whole.len);
        str_add_char(&recording.stdin_words, ')');
        str_done(&whole);
    }
    for (size_t i = 0; !fits && i < ARRAY_LEN(measures); i++) {
        recording.measure = measures[i];
        str_clear(&text);
        add_task(&recording, record->task);
        fits = text.len <= EVENT_TEXT_MAX;
    }
    if (fits)
        str_add_n(out, text.data, text.len);
    else
        (void)err_set(err, ERR_LIMIT, "the task has too many parts to be recorded in the log");
    str_done(&text);
    str_done(&recording.stdin_words);
    return fits;
}

/* Returns the variables of all steps as NAME=value, terminated by NULL. The caller frees. */
static char **list_variables(const struct json *task)
{
    const struct json *steps = json_get(task, "steps");
    char **list = NULL;
    size_t cap = 0;
    size_t count = 0;
    for (size_t i = 0; i < json_count(steps); i++) {
        void *iter = NULL;
        const char *name = NULL;
        const struct json *value = NULL;
        while (json_next(json_get(json_at(steps, i), "env"), &iter, &name, &value)) {
            struct str text = {0};
            str_addf(&text, "%s=%s", name, json_text(value, ""));
            list = xgrow(list, &cap, count + 2, sizeof(char *));
            list[count++] = text.data;
            list[count] = NULL;
        }
    }
    return list;
}

bool task_record_redactor(const struct json *task, struct redactor **out, struct err *err)
{
    char **variables = list_variables(task);
    const struct redact_setting setting = {.environment = variables};
    *out = NULL;
    bool ok = !variables || redactor_open(out, &setting, err);
    text_list_free(variables);
    return ok;
}
