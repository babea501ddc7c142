/*
 * classify_row.c - classifies an attempt that is described by a JSON object, and writes the
 * verdict.
 */
#include "classify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "calendar.h"
#include "classify_internal.h"
#include "json.h"
#include "json_repair.h"
#include "xalloc.h"

enum { TIME_TEXT_MAX = 32, EXIT_CODE_MAX = 255, ROW_ARGV_MAX = 64 };

static bool is_given(const struct json *value)
{
    return value && json_kind(value) != JSON_KIND_NULL;
}

static bool read_outcome(const struct json *row, struct outcome *out, struct err *err)
{
    enum { SIGNAL_LAST = 64 };
    const struct json *code = json_get(row, "exit");
    const struct json *signal = json_get(row, "signal");
    *out = (struct outcome){.kind = OUTCOME_EXIT, .code = 1};
    if (is_given(code)) {
        const int64_t number = json_i64(code, -1);
        if (number < 0 || number > EXIT_CODE_MAX)
            return err_set(err, ERR_INVALID, "exit must be a whole number from 0 to %d",
                           EXIT_CODE_MAX);
        out->code = (int)number;
        return true;
    }
    if (is_given(signal)) {
        out->kind = OUTCOME_SIGNAL;
        int64_t number = json_i64(signal, 0);
        if (json_kind(signal) == JSON_KIND_STRING)
            number = facts_signal_number(json_text(signal, ""));
        if (number < 1 || number > SIGNAL_LAST)
            return err_set(err, ERR_INVALID,
                           "signal must be a number from 1 to %d or a name such as SIGTERM",
                           SIGNAL_LAST);
        out->code = (int)number;
        return true;
    }
    return is_given(json_get(row, "text")) ||
           err_set(err, ERR_INVALID, "exit is missing; it may be null only with a signal");
}

static struct classify_text text_of(const struct json *value)
{
    const char *text = json_text(value, "");
    return (struct classify_text){.bytes = text, .len = strlen(text)};
}

static void add_text(struct str *out, const char *key, const char *text)
{
    if (text[0] != '\0') {
        str_json_text(out, key, text);
        return;
    }
    str_json_key(out, key);
    str_add(out, "null");
}

static void add_number(struct str *out, const char *key, int64_t value, bool is_set)
{
    str_json_key(out, key);
    if (is_set)
        str_add_i64(out, value);
    else
        str_add(out, "null");
}

/* Adds a time as RFC 3339 in UTC. */
static void add_time(struct str *out, const char *key, int64_t at_ms)
{
    char text[TIME_TEXT_MAX] = "";
    if (at_ms >= 0) {
        int year = 0;
        int month = 0;
        int day = 0;
        const int64_t seconds = at_ms / 1000;
        calendar_date(seconds / CALENDAR_DAY_S, &year, &month, &day);
        const int of_day = (int)(seconds % CALENDAR_DAY_S);
        int len = snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d", year, month, day,
                           of_day / 3600, of_day / 60 % 60, of_day % 60);
        if (at_ms % 1000 != 0)
            len += snprintf(text + len, sizeof(text) - (size_t)len, ".%03d", (int)(at_ms % 1000));
        (void)snprintf(text + len, sizeof(text) - (size_t)len, "Z");
    }
    add_text(out, key, text);
}

/* Adds the verdict. own_retries is the number of the agent CLI's own retries; -1 if there is no
 * agent. */
static void add_verdict(struct str *out, const struct json *row, const struct verdict *verdict,
                        int64_t own_retries)
{
    const bool has_place = verdict->stream != VERDICT_STREAM_NONE;
    char *id = json_brief(json_get(row, "id"), SIZE_MAX);
    str_add(out, "{");
    str_json_key(out, "id");
    str_add(out, json_get(row, "id") ? id : "null");
    free(id);
    str_json_text(out, "verdict", verdict_class_name(verdict->class));
    add_text(out, "type", transient_type_name(verdict->type));
    add_text(out, "subtype", verdict->subtype);
    add_text(out, "reason", reason_name(verdict->reason));
    add_text(out, "rule", verdict->rule);
    add_text(out, "stream", verdict_stream_name(verdict->stream));
    add_number(out, "offset", verdict->offset, has_place);
    add_text(out, "match", verdict->match);
    add_number(out, "retry_after_ms", verdict->retry_after_ms, verdict->retry_after_ms >= 0);
    add_time(out, "resume_at", verdict->resume_at_ms);
    if (own_retries >= 0)
        add_number(out, "own_retries", own_retries, true);
    str_json_key(out, "near");
    str_add_char(out, '[');
    for (int i = 0; i < verdict->near_count; i++) {
        const struct verdict_near *near = &verdict->near[i];
        str_add(out, i > 0 ? ",{" : "{");
        str_json_text(out, "rule", near->rule);
        str_json_text(out, "why", near_why_name(near->why));
        add_text(out, "stream", verdict_stream_name(near->stream));
        add_number(out, "offset", near->offset, near->stream != VERDICT_STREAM_NONE);
        str_add_char(out, '}');
    }
    str_add(out, "]}\n");
}

/* Reads "now", in seconds since 1970, before the year 10000. Leaves *out alone if the row has
 * none. */
static bool read_now(const struct json *row, int64_t *out, struct err *err)
{
    static const double year_10000_s = 253402300800.0;
    const struct json *now = json_get(row, "now");
    const double now_s = json_number(now, -1);
    if (!is_given(now))
        return true;
    if (!(now_s >= 0 && now_s < year_10000_s))
        return err_set(err, ERR_INVALID, "now must be seconds since 1970, before the year 10000");
    if (now_s > 0)
        *out = (int64_t)(now_s * 1000);
    return true;
}

/* Reads the command line of a row, NULL-terminated and perhaps empty. The caller frees the words,
 * even after an error. */
static bool read_argv(char *out[ROW_ARGV_MAX + 1], const struct json *argv, struct err *err)
{
    const size_t count = json_count(argv);
    memset(out, 0, (ROW_ARGV_MAX + 1) * sizeof(*out));
    if (is_given(argv) && (json_kind(argv) != JSON_KIND_ARRAY || count > ROW_ARGV_MAX))
        return err_set(err, ERR_INVALID, "argv must be a list of at most %d strings", ROW_ARGV_MAX);
    for (size_t i = 0; i < count; i++) {
        const char *word = json_text(json_at(argv, i), NULL);
        if (!word)
            return err_set(err, ERR_INVALID, "argv must be a list of strings");
        out[i] = xstrdup(word);
    }
    return true;
}

static bool read_input(const struct json *row, const struct classify_edge *edge, char *const *argv,
                       struct classify_input *out, struct err *err)
{
    static const char *const texts[] = {"stderr", "stdout", "agent", "program", "text"};
    const struct json *text = json_get(row, "text");
    const char *agent = json_text(json_get(row, "agent"), NULL);
    *out = (struct classify_input){
        .out = text_of(json_get(row, "stdout")),
        .err = text_of(is_given(text) ? text : json_get(row, "stderr")),
        .program = json_text(json_get(row, "program"), NULL),
        .agent = adapters_find(edge->adapters, agent),
        .one_shot = true,
        .memory_killed = -1,
        .now_ms = edge->now_ms,
        .zone_offset = edge->zone_offset,
        .zone_ctx = edge->zone_ctx,
    };
    if (agent && !out->agent)
        out->agent = adapters_find(NULL, "generic"); /* any agent */
    if (argv[0]) {
        out->argv = argv;
        out->program = out->program ? out->program : adapter_program_of(argv[0]);
    }
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        const struct json *value = json_get(row, texts[i]);
        const enum json_kind kind = json_kind(value);
        if (value && kind != JSON_KIND_STRING && kind != JSON_KIND_NULL)
            return err_set(err, ERR_INVALID, "%s must be a string or null, got %s", texts[i],
                           json_kind_name(value));
    }
    return read_outcome(row, &out->outcome, err) && read_now(row, &out->now_ms, err);
}

static bool judge_row(const struct classifier *classifier, const struct json *row,
                      const struct classify_edge *edge, struct verdict *out,
                      int64_t *own_retries_out, struct err *err)
{
    char *argv[ROW_ARGV_MAX + 1];
    struct classify_input input;
    const bool ok =
        read_argv(argv, json_get(row, "argv"), err) && read_input(row, edge, argv, &input, err);
    if (ok) {
        classify(classifier, &input, out);
        *own_retries_out = input.agent ? classify_own_retries(&input) : -1;
        /* Reports a time to retry even if no rule matched; whether to retry is up to the verdict.
         */
        const bool is_undecided =
            out->class == VERDICT_PERSISTENT &&
            (strcmp(out->rule, "default") == 0 || strcmp(out->rule, "exit.words") == 0);
        if ((is_given(json_get(row, "text")) || is_undecided) && out->retry_after_ms < 0)
            out->retry_after_ms = classify_hint(classifier, &input);
    }
    for (int i = 0; argv[i]; i++)
        free(argv[i]);
    return ok;
}

bool classify_row(const struct classifier *classifier, const struct str *row,
                  const struct classify_edge *edge, struct str *out, struct err *err)
{
    struct json *json = NULL;
    struct verdict verdict;
    int64_t own_retries = -1;
    struct str repaired = {0};
    json_repair(&repaired, str_text(row), row->len);
    bool ok = json_parse(str_text(&repaired), repaired.len, &json, NULL, err);
    if (ok && json_kind(json) != JSON_KIND_OBJECT)
        ok = err_set(err, ERR_INVALID, "expected an object, got %s", json_kind_name(json));
    ok = ok && judge_row(classifier, json, edge, &verdict, &own_retries, err);
    if (ok)
        add_verdict(out, json, &verdict, own_retries);
    json_free(json);
    str_done(&repaired);
    return ok;
}
