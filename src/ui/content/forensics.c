/* forensics.c - collects what is known about the end of an attempt, in sections of lines.
 *
 * A table lists the sections; forensics_sections.c fills them. This file reads the capture, and
 * breaks long lines into pieces that fit on a small screen. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "content_internal.h"
#include "event_lines.h"
#include "log_lines.h"
#include "run_state.h"
#include "shown.h"
#include "text.h"
#include "xalloc.h"

static const struct section {
    const char *name, *title;
    forensics_section_fn *make;
} sections[] = {
    [FORENSICS_VERDICT] = {"verdict", "VERDICT", forensics_verdict},
    [FORENSICS_END] = {"at the end", "AT THE END", forensics_end},
    [FORENSICS_COMMAND] = {"command, env", "COMMAND", forensics_command},
    [FORENSICS_TREE] = {"tree", "TREE", forensics_tree},
    [FORENSICS_DIFF] = {"diff", "WHAT IT CHANGED", forensics_diff},
    [FORENSICS_OUT] = {"out tail", "END OF STDOUT", forensics_out},
    [FORENSICS_ERR] = {"err tail", "END OF STDERR", forensics_err},
    [FORENSICS_TESTS] = {"test report", "TEST REPORT", forensics_tests},
    [FORENSICS_PROCESSES] = {"processes", "PROCESSES AT THE END", forensics_processes},
    [FORENSICS_MACHINE] = {"machine", "MACHINE, VERSIONS", forensics_machine},
};
static_assert(ARRAY_LEN(sections) == FORENSICS_SECTION_COUNT, "every section is made");

const char *forensics_name(enum forensics_section section)
{
    return sections[section].name;
}

const char *forensics_title(enum forensics_section section)
{
    return sections[section].title;
}

const char *forensics_line(const struct forensics *forensics, size_t index)
{
    assert(index < forensics->count);
    return str_text(&forensics->text) + forensics->lines[index].start;
}

void forensics_done(struct forensics *forensics)
{
    if (!forensics)
        return;
    str_done(&forensics->head);
    str_done(&forensics->secrets);
    str_done(&forensics->nothing);
    str_done(&forensics->text);
    free(forensics->lines);
    *forensics = (struct forensics){0};
}

/* Appends a capture, or its second part, as JSON text; nothing if there is none. */
typedef bool read_fn(struct log_reader *reader, const struct log_output_key *key, struct str *out,
                     struct err *err);

static bool read_json(read_fn *read, struct log_reader *reader, const struct log_output_key *key,
                      struct forensics_facts *facts, struct json **out, struct err *err)
{
    struct str text = {0};
    bool ok = read(reader, key, &text, err);
    if (ok && text.len > 0) {
        *out = attempt_events_parse(text.data);
        facts->captured_bytes += text.len;
    }
    str_done(&text);
    return ok;
}

static bool read_facts(struct forensics_facts *facts, const struct log_output_key *key,
                       struct log_reader *reader, struct err *err)
{
    const struct event *end = attempt_events_last(facts->events, EVENT_STEP_ENDED);
    bool is_captured = end && end->step_ended.capture;
    bool has_changes = is_captured || attempt_events_last(facts->events, EVENT_WORKSPACE_CHANGED);
    facts->judged = attempt_events_last(facts->events, EVENT_ATTEMPT_JUDGED);
    return (!is_captured ||
            read_json(log_reader_capture, reader, key, facts, &facts->capture, err)) &&
           (!has_changes ||
            read_json(log_reader_changes, reader, key, facts, &facts->changes, err));
}

static void say_nothing(struct forensics *out, const struct forensics_facts *facts)
{
    int number = facts->attempt->number;
    struct str *text = &out->nothing;
    if (facts->capture)
        return;
    if (facts->attempt->ended.mono_ms == 0)
        str_addf(text, "Try %d is still running. It is captured when it ends.", number);
    else if (facts->attempt->class == VERDICT_SUCCESS)
        str_addf(text, "Try %d passed: passing tries are not captured.", number);
    else if (!attempt_events_last(facts->events, EVENT_STEP_ENDED))
        str_addf(text, "Try %d did not end its step: %s was captured; see the log for the rest.",
                 number, facts->changes ? "only its diff" : "nothing");
    else
        str_addf(text, "The log has no capture of try %d.", number);
}

static void add_secrets(struct forensics *out, const struct forensics_facts *facts)
{
    const struct event *cut = attempt_events_last(facts->events, EVENT_SECRETS_CUT);
    const char *names = cut && cut->secrets.names ? cut->secrets.names : "";
    struct str words = {0};
    while (*names) {
        char *name;
        const long long count = strtoll(names, &name, 10);
        const size_t len = strcspn(++name, "\n");
        str_addf(&words, "%s%.*s %lld times", words.len > 0 ? ", " : "", (int)len, name, count);
        names = name + len + (name[len] == '\n');
    }
    if (cut && cut->secrets.count > 0) {
        struct str line = {0};
        shown_count(cut->secrets.count, "secret", "secrets", &line);
        str_addf(&line, " cut before anything was written: %s", str_text(&words));
        text_clean(&out->secrets, line.data, line.len);
        str_done(&line);
    }
    str_done(&words);
}

static void add_head(struct forensics *out, const struct forensics_facts *facts)
{
    const struct attempt_state *attempt = facts->attempt;
    const struct event *cut = attempt_events_last(facts->events, EVENT_SECRETS_CUT);
    char hms[CLOCK_TEXT_MAX];
    struct str *head = &out->head;
    if (attempt->ended.mono_ms == 0) {
        str_add(head, "running");
        return;
    }
    outcome_words(&attempt->outcome, head);
    str_add(head, "  ");
    shown_try_class(attempt, head);
    str_addf(head, "  %s  ran ", clock_hms(attempt->ended.at_ms, hms));
    shown_ran(&attempt->outcome, head);
    int captures = (facts->capture != NULL) + (facts->changes != NULL);
    if (captures > 0) {
        str_add(head, "  ");
        shown_count(captures, "capture, ", "captures, ", head);
        size_text_add((int64_t)facts->captured_bytes, head);
    }
    if (cut && cut->secrets.count > 0) {
        str_add(head, ", ");
        shown_count(cut->secrets.count, "secret cut", "secrets cut", head);
    }
}

static bool make_forensics(struct forensics *out, const struct run_state *state,
                           const struct log_output_key *key, struct log_reader *reader,
                           struct err *err)
{
    struct event_page events = {0};
    struct output_page output = {0};
    struct forensics_facts facts = {.state = state, .events = &events, .output = &output};
    facts.plan = &state->plan->tasks[key->task].steps[key->step];
    facts.step = &state->tasks[key->task].steps[key->step];
    facts.attempt = step_state_find_attempt(facts.step, key->attempt);
    const bool ok = attempt_events_read(reader, key, state->last_seq, &events, err) &&
                    read_facts(&facts, key, reader, err) &&
                    log_reader_output_tail(reader, key, LOG_TAIL_BYTES, &output, err);
    if (ok) {
        say_nothing(out, &facts);
        add_secrets(out, &facts);
        add_head(out, &facts);
    }
    for (int i = 0; i < FORENSICS_SECTION_COUNT && ok; i++) {
        out->sections[i].first = out->count;
        sections[i].make(out, &facts);
        out->sections[i].count = out->count - out->sections[i].first;
        for (size_t k = out->sections[i].first; k < out->count; k++)
            out->sections[i].there =
                out->sections[i].there || out->lines[k].mark != FORENSICS_LACKS;
    }
    json_free(facts.capture);
    json_free(facts.changes);
    event_page_done(&events);
    output_page_done(&output);
    return ok;
}

bool forensics_read(struct forensics *out, const struct run_state *state,
                    const struct log_output_key *key, struct log_reader *reader, struct err *err)
{
    struct forensics made = {.key = *key};
    struct err why = {0};
    const struct step_state *step = &state->tasks[key->task].steps[key->step];
    bool ok = true;
    if (!step_state_find_attempt(step, key->attempt)) {
        made.key.attempt = 0;
        str_add(&made.nothing, "No tries yet: nothing captured.");
    } else if (!make_forensics(&made, state, key, reader, &why)) {
        forensics_done(&made);
        made.key = (struct log_output_key){.run = key->run, .task = key->task, .step = key->step};
        str_addf(&made.nothing, "Cannot read the captures: %s", why.message);
        ok = err_set(err, why.code, "%s", why.message) || err_hint(err, "%s", why.hint);
    }
    forensics_done(out);
    *out = made;
    return ok;
}

void forensics_to_text(const struct forensics *forensics, struct str *out)
{
    const struct str *const lines[] = {&forensics->head, &forensics->nothing, &forensics->secrets};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        if (lines[i]->len > 0)
            str_addf(out, "%s\n", lines[i]->data);
    }
    for (int i = 0; i < FORENSICS_SECTION_COUNT && forensics->key.attempt > 0; i++) {
        str_addf(out, "\n%s\n", sections[i].title);
        bool goes_on = false;
        for (size_t k = 0; k < forensics->sections[i].count; k++) {
            const struct forensics_line *line = &forensics->lines[forensics->sections[i].first + k];
            const char *sign = line->mark == FORENSICS_LACKS ? "- " : "  ";
            str_add(out, line->len > 0 && !goes_on ? sign : "");
            str_add_n(out, str_text(&forensics->text) + line->start, line->len);
            goes_on = line->goes_on;
            str_add(out, goes_on ? "" : "\n");
        }
    }
}

enum {
    HANG = 2,          /* extra indentation of continuation rows, for lines without a label */
    PIECE_BYTES = 192, /* maximum length that fits on a small screen */
};

/* Returns the length of the next piece of a long line: it ends after a blank if that is not too far
 * back, and never within a character. */
static size_t piece_len(const char *text, size_t len)
{
    size_t at = 0;
    size_t blank = 0;
    while (at < len) {
        uint32_t rune;
        size_t bytes = (size_t)text_rune(text + at, len - at, &rune);
        if (at + bytes > PIECE_BYTES)
            return blank > PIECE_BYTES / 2 ? blank : at;
        at += bytes;
        blank = rune == ' ' ? at : blank;
    }
    return len;
}

/* Adds a line, in several pieces if it is long, with the mark and the indentation of `like`. */
static void add_line(struct forensics *out, const struct forensics_line *like, const char *text,
                     size_t len)
{
    const size_t first = out->text.len;
    size_t start = first;
    text_clean(&out->text, text, len);
    const size_t end = out->text.len;
    do {
        size_t piece = piece_len(str_text(&out->text) + start, end - start);
        out->lines = xgrow(out->lines, &out->cap, out->count + 1, sizeof(*out->lines));
        struct forensics_line *line = &out->lines[out->count++];
        *line = *like;
        line->start = start;
        line->len = piece;
        line->goes_on = start + piece < end;
        line->is_rest = start > first;
        start += piece;
    } while (start < end);
}

static void add_free_line(struct forensics *out, enum forensics_mark mark, const char *text,
                          size_t len)
{
    struct forensics_line like = {.mark = mark};
    while ((size_t)like.hang < len && text[like.hang] == ' ')
        like.hang++;
    like.hang += HANG;
    add_line(out, &like, text, len);
}

static void add_pair(struct forensics *out, enum forensics_mark mark, const char *text)
{
    const struct forensics_line like = {.mark = mark, .hang = FORENSICS_LABEL_COLUMNS};
    add_line(out, &like, text, strlen(text));
}

void forensics_add(struct forensics *out, enum forensics_mark mark, const char *text, size_t len)
{
    const char *end = text + len;
    do {
        const char *feed = len > 0 ? memchr(text, '\n', (size_t)(end - text)) : NULL;
        const char *stop = feed ? feed : end;
        add_free_line(out, mark, text, (size_t)(stop - text));
        text = stop + 1;
    } while (text < end);
}

void forensics_addf(struct forensics *out, enum forensics_mark mark, const char *fmt, ...)
{
    char text[TEXT_LINE_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    add_free_line(out, mark, text, strlen(text));
}

void forensics_pair(struct forensics *out, const char *label, const char *fmt, ...)
{
    char text[TEXT_LINE_MAX];
    va_list args;
    int used = snprintf(text, sizeof(text), "%-*s", FORENSICS_LABEL_COLUMNS, label);
    va_start(args, fmt);
    (void)vsnprintf(text + used, sizeof(text) - (size_t)used, fmt, args);
    va_end(args);
    for (char *at = text; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    add_pair(out, FORENSICS_PLAIN, text);
}

static void add_row_line(void *ctx, const char *label, const char *text, enum row_style style)
{
    (void)style;
    forensics_pair(ctx, label, "%s", text);
}

void forensics_rows(struct forensics *out, const struct rows *rows)
{
    rows_each(rows, add_row_line, out);
}

const struct json *forensics_item(const struct forensics_facts *facts, const char *item)
{
    return json_get(facts->capture, item);
}

void forensics_lacks(struct forensics *out, const struct forensics_facts *facts, const char *label,
                     const char *item)
{
    const char *why = json_text(json_get(forensics_item(facts, "missing"), item), "");
    if (*why == '\0')
        why = facts->capture ? "not captured by the devs version that wrote this log"
                             : "not captured";
    char text[TEXT_LINE_MAX];
    (void)snprintf(text, sizeof(text), "%-*s%s", FORENSICS_LABEL_COLUMNS, label, why);
    add_pair(out, FORENSICS_LACKS, text);
}

void forensics_note(struct forensics *out, enum forensics_section section, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(out->sections[section].note, FORENSICS_NOTE_MAX, fmt, args);
    va_end(args);
}

void forensics_size_kib(int64_t kib, struct str *out)
{
    enum { KIB_BYTES = 1024 };
    size_text_add(kib < INT64_MAX / KIB_BYTES ? kib * KIB_BYTES : INT64_MAX, out);
}
