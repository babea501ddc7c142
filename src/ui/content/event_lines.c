/*
 * event_lines.c - events of the log, and the ends of attempts, as lines of text.
 */
#include "event_lines.h"

#include <string.h>

#include "clock.h"
#include "run_state.h"
#include "shown.h"
#include "text.h"

enum { WHAT_CAME_RECORDS = 2 }; /* number of events shown */

void event_lines_done(struct event_lines *lines)
{
    str_done(&lines->text);
    *lines = (struct event_lines){0};
}

void event_lines_begin(struct event_lines *lines, int64_t run)
{
    str_clear(&lines->text);
    lines->run = run;
    lines->count = 0;
    lines->trouble = (struct err){0};
}

bool event_lines_add(struct event_lines *lines, const struct run_state *state,
                     const struct event *event)
{
    struct str words = {0};
    if (lines->count == EVENT_LINES_MAX)
        return false;
    event_words(state, event, &words);
    struct event_line *line = &lines->items[lines->count++];
    *line = (struct event_line){.seq = event->seq,
                                .at = event->at,
                                .task = event->task,
                                .level = event_level(event),
                                .start = lines->text.len};
    const size_t len = text_cut(words.data, words.len, EVENT_LINE_BYTES_MAX);
    text_clean(&lines->text, words.data, len);
    str_add_char(&lines->text, '\0');
    str_done(&words);
    return lines->count < EVENT_LINES_MAX;
}

bool event_lines_cover(const struct event_lines *lines, int64_t run, int64_t at, int64_t count)
{
    if (lines->run != run)
        return false;
    if (lines->count == 0)
        return count == 0 || lines->trouble.code != ERR_NONE;
    const int64_t first = lines->items[0].seq;
    const int64_t last = lines->items[lines->count - 1].seq;
    const bool has_above = first <= 1 || at - first >= EVENT_LINES_MARGIN;
    const bool has_below = last >= count || last - at >= EVENT_LINES_MARGIN;
    return has_above && has_below;
}

int64_t event_lines_after(int64_t at)
{
    const int64_t after = at - EVENT_LINES_MAX / 2;
    return after > 0 ? after : 0;
}

int event_lines_find(const struct event_lines *lines, int64_t at)
{
    for (int i = (int)lines->count - 1; i >= 0; i--) {
        if (lines->items[i].seq <= at)
            return i;
    }
    return -1;
}

const char *event_lines_text(const struct event_lines *lines, int index)
{
    return lines->text.data + lines->items[index].start;
}

void what_came_begin(struct what_came *came, int64_t run, int64_t after, int task)
{
    str_clear(&came->words);
    came->run = run;
    came->after = after;
    came->task = task;
    came->left = WHAT_CAME_RECORDS;
}

bool what_came_add(struct what_came *came, const struct run_state *state, const struct event *event)
{
    char at[CLOCK_TEXT_MAX];
    const bool tells = event->kind == EVENT_ATTEMPT_STARTED ||
                       event->kind == EVENT_ATTEMPT_JUDGED || event->kind == EVENT_STEP_ENDED;
    if (event->task != came->task || !tells)
        return true;
    str_addf(&came->words, "%s%s try %d ", came->words.len > 0 ? "; " : "",
             clock_hms(event->at.at_ms, at), event->attempt);
    event_words_alone(state, event, &came->words);
    came->left--;
    return came->left > 0;
}

bool attempt_events_read(struct log_reader *reader, const struct log_output_key *key,
                         int64_t last_seq, struct event_page *out, struct err *err)
{
    if (!log_reader_attempt_events(reader, key, out, err))
        return false;
    while (out->count > 0 && out->events[out->count - 1].seq > last_seq)
        out->count--;
    return true;
}

const struct event *attempt_events_last(const struct event_page *events, enum event_kind kind)
{
    for (size_t i = events->count; i > 0; i--) {
        if (events->events[i - 1].kind == kind)
            return &events->events[i - 1];
    }
    return NULL;
}

struct json *attempt_events_parse(const char *text)
{
    struct json *json = NULL;
    if (!text || !json_parse_data(text, strlen(text), &json, NULL, NULL))
        return NULL;
    return json;
}

static const struct step_state *step_of(const struct run_state *state,
                                        const struct log_output_key *key)
{
    return &state->tasks[key->task].steps[key->step];
}

const struct attempt_state *log_words_attempt(const struct run_state *state,
                                              const struct log_output_key *key)
{
    return key->attempt > 0 ? step_state_find_attempt(step_of(state, key), key->attempt) : NULL;
}

const struct verdict *log_words_verdict(const struct run_state *state,
                                        const struct log_output_key *key, struct verdict *room)
{
    const struct step_state *step = step_of(state, key);
    for (size_t i = step->attempt_count; i > 0; i--) {
        const struct attempt_state *attempt = &step->attempts[i - 1];
        const bool has_failed = attempt->ended.mono_ms != 0 && attempt->class != VERDICT_SUCCESS;
        if (has_failed)
            return attempt->number == key->attempt ? step_state_verdict(step, room) : NULL;
    }
    return NULL;
}

void log_words_command(const struct run_state *state, const struct log_output_key *key,
                       struct str *out)
{
    char *const *argv = state->plan->tasks[key->task].steps[key->step].argv;
    if (!log_words_attempt(state, key) || !argv || !argv[0])
        return;
    const bool is_shell =
        strcmp(argv[0], "/bin/sh") == 0 && argv[1] && strcmp(argv[1], "-c") == 0 && argv[2];
    str_add(out, "$");
    if (is_shell) {
        str_addf(out, " %s", argv[2]);
        return;
    }
    for (; *argv; argv++) {
        str_add_char(out, ' ');
        shell_word_add(*argv, out);
    }
}

void log_words_end(const struct run_state *state, const struct log_output_key *key, struct str *out)
{
    const struct attempt_state *attempt = log_words_attempt(state, key);
    if (!attempt || attempt->ended.mono_ms == 0)
        return;
    const struct outcome *outcome = &attempt->outcome;
    str_add(out, "-- ");
    outcome_words(outcome, out);
    if (outcome->kind == OUTCOME_NOT_STARTED)
        return;
    if (!outcome_is_seen(outcome)) {
        str_add(out, ": devs died, end not recorded");
        return;
    }
    str_add(out, " after ");
    shown_ran(outcome, out);
    str_add(out, "; ");
    shown_count(outcome->lines[0], "line to out", "lines to out", out);
    str_addf(out, ", %lld to err", (long long)outcome->lines[1]);
    if (outcome->rss_kib_max > 0) {
        str_add(out, "; ");
        shown_size_kib(outcome->rss_kib_max, out);
        str_add(out, " peak");
    }
}

static void add_class(const struct attempt_state *attempt, const struct verdict *verdict,
                      struct str *out)
{
    if (!verdict) {
        shown_try_class(attempt, out);
        return;
    }
    shown_attempt_class(attempt, verdict, out);
    failure_class_original(attempt, out);
}

static void add_try_number(const struct run_state *state, const struct log_output_key *key,
                           const struct attempt_state *attempt, struct str *out)
{
    const struct task_agent *agent = state->tasks[key->task].agent;
    const bool has_rounds = agent && agent->rounds > 1;
    struct try_count count = {.number = attempt->number};
    if (!has_rounds)
        count = run_state_try_count(state, key->task, key->step, attempt->number);
    str_add(out, ", try ");
    shown_try_count(&count, " of ", out);
    if (has_rounds)
        str_addf(out, " in round %d", attempt->round);
}

/* Appends what preceded the next attempt of the step, ", then round 3" or ", waited 15 s for try
 * 4"; nothing if there was no next attempt. */
static void add_next_try(const struct step_state *step, const struct attempt_state *attempt,
                         struct str *out)
{
    const struct attempt_state *next = attempt + 1;
    if (next >= step->attempts + step->attempt_count)
        return;
    if (next->round != attempt->round) {
        str_addf(out, ", then round %d", next->round);
        return;
    }
    str_add(out, ", waited ");
    shown_seconds(next->waited_ms, out);
    str_addf(out, " for try %d", next->number);
}

void log_words_decision(const struct run_state *state, const struct log_output_key *key,
                        struct str *out)
{
    const struct task_state *task = &state->tasks[key->task];
    const struct step_state *step = step_of(state, key);
    const struct attempt_state *attempt = log_words_attempt(state, key);
    const bool is_last = attempt && attempt == step_state_attempt(step);
    if (!attempt || attempt->ended.mono_ms == 0 || (is_last && !step->judged))
        return;
    struct verdict room;
    struct str text = {0};
    str_add(out, "== engine: ");
    add_class(attempt, log_words_verdict(state, key, &room), out);
    add_try_number(state, key, attempt, out);
    if (!is_last) {
        add_next_try(step, attempt, out);
    } else if (step->status == STEP_WAITING) {
        str_add(out, ", waits ");
        shown_seconds(step_state_formulas(step)->delay.delay_ms, out);
        shown_formula(step, &text);
        if (text.len > 0)
            str_addf(out, " (%s)", text.data);
    } else if (step->status == STEP_ENDED && key->step == run_state_step_number(state, key->task)) {
        if (task->status == TASK_CANCELLED) /* the class already says that it was cancelled */
            str_addf(&text, "by %s", shown_person(task->by));
        else
            shown_ending(state, key->task, &text);
        if (text.len > 0)
            str_addf(out, ", %s", text.data);
    }
    str_done(&text);
}
