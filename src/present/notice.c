/*
 * notice.c - selects the events that are notices, and writes their text and JSON.
 *
 * The state after a whole turn decides, not the event alone: a step that has failed may begin
 * another round.
 */
#include "notice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "lines.h"
#include "shown.h"
#include "text.h"
#include "ui_settings.h"
#include "xalloc.h"

/* The events, the most urgent first. */
static const struct {
    unsigned flag;
    enum event_kind kind;    /* the kind of log event that reports it */
    enum task_status status; /* with EVENT_STEP_ENDED: the task's status after the turn */
    const char *predicate;
} events[] = {
    {NOTIFY_NEEDS_YOU, EVENT_STEP_ENDED, TASK_NEEDS_YOU, "needs you"},
    {NOTIFY_STUCK, EVENT_STEP_ENDED, TASK_STUCK, "is stuck"},
    {NOTIFY_GAVE_UP, EVENT_STEP_ENDED, TASK_GAVE_UP, "gave up"},
    {NOTIFY_BUDGET, EVENT_BUDGET, 0, "has used most of its budget"},
    {NOTIFY_ENDED, EVENT_RUN_ENDED, 0, "has ended"},
};
static_assert(ARRAY_LEN(events) == NOTIFY_COUNT, "every event that notifies has a row");

/* Returns the flag of the notification, or 0 if there is none. `status` is 0 unless the kind is
 * EVENT_STEP_ENDED. */
static unsigned find_flag(enum event_kind kind, enum task_status status)
{
    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        if (events[i].kind == kind && events[i].status == status)
            return events[i].flag;
    }
    return 0;
}

unsigned notice_of_status(enum task_status status)
{
    return find_flag(EVENT_STEP_ENDED, status);
}

unsigned notice_of(const struct run_state *state, const struct event *event)
{
    if (event->kind != EVENT_STEP_ENDED)
        return find_flag(event->kind, 0);
    return event->step_ended.decision == DECISION_SUCCEEDED
               ? 0
               : notice_of_status(state->tasks[event->task].status);
}

/* Copies one line, at most NOTICE_LINE_MAX bytes, without control characters. */
static char *copy_line(const char *text, size_t len)
{
    struct str clean = {0};
    text_clean_line(&clean, text, len);
    str_cut(&clean, text_cut(str_text(&clean), clean.len, NOTICE_LINE_MAX));
    char *copy = xstrdup(str_text(&clean));
    str_done(&clean);
    return copy;
}

/* Appends "3 of 3 tries used (test-fail)". The engine's state does not keep the inputs of
 * decisions, so they are taken from the event. */
static void add_end(const struct run_state *state, const struct event *event, struct str *out)
{
    struct step_state step = state->tasks[event->task].steps[event->step];
    const struct decision_inputs *inputs = &event->step_ended.inputs;
    struct step_formulas formulas = {.inputs = *inputs,
                                     .refused = (char *)(uintptr_t)inputs->refused};
    struct str class = {0};
    step.formulas = &formulas;
    shown_end(&state->plan->tasks[event->task].steps[event->step], &step, out);
    shown_class(state, event->task, &class);
    if (class.len > 0)
        str_addf(out, out->len > 0 ? " (%s)" : "%s", class.data);
    str_done(&class);
}

void notice_make(const struct run_state *state, const struct event *event, int64_t run,
                 const char *output, struct notice *out)
{
    struct str reason = {0};
    struct str command = {0};
    const char *id = event->task >= 0 ? state->plan->tasks[event->task].id : NULL;
    *out = (struct notice){.event = notice_of(state, event), .task = id ? xstrdup(id) : NULL};
    if (event->kind == EVENT_RUN_ENDED) {
        shown_passed(state, &reason);
    } else if (event->kind == EVENT_BUDGET) {
        const struct budget_use use = {
            .kind = event->budget.kind, .used = event->budget.used, .limit = event->budget.limit};
        str_add(&reason, event->budget.is_spent ? "budget spent: " : "budget: ");
        budget_use_words(&use, &reason);
    } else {
        add_end(state, event, &reason);
    }
    out->reason = copy_line(str_text(&reason), reason.len);
    if (event->kind == EVENT_STEP_ENDED) {
        /* The line that decided: the matched output, else the most telling line. */
        struct verdict room;
        const struct verdict *verdict =
            step_state_verdict(&state->tasks[event->task].steps[event->step], &room);
        const char *line = verdict && verdict->match[0] != '\0' ? verdict->match : NULL;
        size_t len = line ? strlen(line) : 0;
        if (!line && output)
            line = line_telling(output, strlen(output), &len);
        out->line = line ? copy_line(line, len) : xstrdup("");
        str_addf(&command, "devs why %lld/%s", (long long)run, id);
    } else {
        out->line = xstrdup("");
        str_addf(&command, "devs status %lld", (long long)run);
    }
    out->command = xstrdup(str_text(&command));
    str_done(&command);
    str_done(&reason);
}

void notice_done(struct notice *notice)
{
    if (!notice)
        return;
    free(notice->task);
    free(notice->reason);
    free(notice->line);
    free(notice->command);
    *notice = (struct notice){0};
}

const struct notice *notice_chief(const struct notice_list *list)
{
    const struct notice *chief = &list->items[0];
    for (size_t i = 1; i < list->count; i++) {
        if (list->items[i].event < chief->event)
            chief = &list->items[i];
    }
    return chief;
}

const char *notice_predicate(unsigned flags)
{
    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        if ((flags & events[i].flag) != 0)
            return events[i].predicate;
    }
    return NULL;
}

/* Always includes the end of the run. */
void notice_message(const struct notice_list *list, struct str *out)
{
    size_t named = 0;
    size_t ends = 0;
    if (list->name)
        str_addf(out, "#%lld %s: ", (long long)list->run, list->name);
    for (size_t i = 0; i < list->count; i++) {
        const struct notice *notice = &list->items[i];
        const bool is_end = notice->event == NOTIFY_ENDED;
        ends += is_end;
        if (!is_end && named >= NOTICE_NAMED_MAX)
            continue;
        named += !is_end;
        str_addf(out, "%s%s", named + ends > 1 ? "; " : "",
                 notice->task ? notice->task : "the run");
        /* The reason of a budget already says what happened. */
        if (notice->event != NOTIFY_BUDGET || !notice->reason)
            str_addf(out, " %s", notice_predicate(notice->event));
        if (notice->reason && notice->reason[0] != '\0')
            str_addf(out, ": %s", notice->reason);
    }
    const size_t left = list->total - named - ends;
    if (left > 0)
        str_addf(out, "; and %zu more", left);
    str_cut(out, text_cut(str_text(out), out->len, NOTICE_MESSAGE_MAX));
}

static void add_members(const struct notice *notice, struct str *out)
{
    str_json_text(out, "event", ui_notify_name(notice->event));
    if (notice->task)
        str_json_text(out, "task", notice->task);
    str_json_text(out, "reason", notice->reason);
    str_json_text(out, "line", notice->line);
    str_json_text(out, "command", notice->command);
}

void notice_json(const struct notice_list *list, struct str *out)
{
    struct str message = {0};
    notice_message(list, &message);
    str_addf(out, "{\"v\":1,\"run\":%lld", (long long)list->run);
    str_json_text(out, "name", list->name);
    str_json_text(out, "dir", list->dir);
    add_members(notice_chief(list), out);
    str_json_text(out, "message", str_text(&message));
    str_json_i64(out, "count", (int64_t)list->total);
    str_json_key(out, "events");
    for (size_t i = 0; i < list->count; i++) {
        str_add_char(out, i == 0 ? '[' : ',');
        str_add_char(out, '{');
        add_members(&list->items[i], out);
        str_add_char(out, '}');
    }
    str_add(out, "]}");
    str_done(&message);
}
