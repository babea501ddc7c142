/* event.c - the names of event kinds, events with copies of their strings, and the arguments of
 * controls as JSON. */
#include "event.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "control.h"
#include "json.h"
#include "policy.h"
#include "str.h"
#include "xalloc.h"

static const char *const names[] = {
    [EVENT_NONE] = "none",
    [EVENT_RUN_STARTED] = "run_started",
    [EVENT_RUN_ENDED] = "run_ended",
    [EVENT_ATTEMPT_STARTED] = "attempt_started",
    [EVENT_ATTEMPT_PLACED] = "attempt_placed",
    [EVENT_ATTEMPT_RUNNING] = "attempt_running",
    [EVENT_ATTEMPT_ENDED] = "attempt_ended",
    [EVENT_ATTEMPT_JUDGED] = "attempt_judged",
    [EVENT_WAIT_STARTED] = "wait_started",
    [EVENT_WAIT_ENDED] = "wait_ended",
    [EVENT_STEP_ENDED] = "step_ended",
    [EVENT_STEP_REOPENED] = "step_reopened",
    [EVENT_TASK_BLOCKED] = "task_blocked",
    [EVENT_TASK_HELD] = "task_held",
    [EVENT_TASK_RELEASED] = "task_released",
    [EVENT_CANCEL_ASKED] = "cancel_asked",
    [EVENT_CONTROL_ANSWERED] = "control_answered",
    [EVENT_ATTEMPT_QUIET] = "attempt_quiet",
    [EVENT_ATTEMPT_HEARD] = "attempt_heard",
    [EVENT_NOTE] = "note",
    [EVENT_GATE_CLOSED] = "gate_closed",
    [EVENT_GATE_OPENED] = "gate_opened",
    [EVENT_CLASS_CORRECTED] = "class_corrected",
    [EVENT_RUN_RECOVERED] = "run_recovered",
    [EVENT_LOOP_SUSPECTED] = "loop_suspected",
    [EVENT_WORKSPACE_MADE] = "workspace_made",
    [EVENT_WORKSPACE_SAVED] = "workspace_saved",
    [EVENT_WORKSPACE_RESET] = "workspace_reset",
    [EVENT_TREE_PROVEN] = "tree_proven",
    [EVENT_WORKSPACE_CHANGED] = "workspace_changed",
    [EVENT_RESULT_KEPT] = "result_kept",
    [EVENT_SANDBOX_LACKS] = "sandbox_lacks",
    [EVENT_TIME_STOPPED] = "time_stopped",
    [EVENT_HOST_STATE] = "host_state",
    [EVENT_CONTACT_LOST] = "contact_lost",
    [EVENT_CONTACT_FOUND] = "contact_found",
    [EVENT_JOB_STATE] = "job_state",
    [EVENT_AFTER_ENDED] = "after_ended",
    [EVENT_DAY_COST] = "day_cost",
    [EVENT_SECRETS_CUT] = "secrets_cut",
    [EVENT_AGENT_SESSION] = "agent_session",
    [EVENT_AGENT_USED] = "agent_used",
    [EVENT_AGENT_CALL] = "agent_call",
    [EVENT_BUDGET] = "budget",
    [EVENT_ROUND_STARTED] = "round_started",
    [EVENT_TASK_ADDED] = "task_added",
    [EVENT_HINT_GIVEN] = "hint_given",
};
static_assert(ARRAY_LEN(names) == EVENT_KIND_COUNT, "every kind has a name");

const char *event_kind_name(enum event_kind kind)
{
    bool in_table = (size_t)kind < ARRAY_LEN(names);
    return in_table ? names[kind] : "?";
}

enum event_kind event_kind_named(const char *name, size_t len)
{
    for (int i = EVENT_NONE + 1; i < EVENT_KIND_COUNT; i++) {
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return (enum event_kind)i;
    }
    return EVENT_UNKNOWN;
}

bool event_kind_is_known(enum event_kind kind)
{
    return kind > EVENT_NONE && kind < EVENT_KIND_COUNT;
}

const char *take_up_name(enum take_up take_up)
{
    static const char *const take_ups[] = {
        [TAKE_UP_OPEN] = "open",
        [TAKE_UP_REST] = "rest",
        [TAKE_UP_FAILED] = "failed",
        [TAKE_UP_ASKED] = "asked",
    };
    static_assert(ARRAY_LEN(take_ups) == TAKE_UP_COUNT, "each has a name");
    return take_ups[take_up];
}

bool event_kind_is_fact(enum event_kind kind)
{
    return (kind >= EVENT_WORKSPACE_MADE && kind <= EVENT_AGENT_CALL) ||
           (kind >= EVENT_HOST_STATE && kind <= EVENT_DAY_COST);
}

/* Events with copies of their strings. */

enum { EVENT_STRINGS_MAX = 16 }; /* strings of an event; a verdict has most */

static void measure_text(void *ctx, const char **text)
{
    *(size_t *)ctx += strlen(*text) + 1;
}

/* The strings of an event, where they are in it. */
struct places {
    const char **items[EVENT_STRINGS_MAX];
    size_t sizes[EVENT_STRINGS_MAX]; /* including the NUL */
    size_t count, bytes;
};

static void find_text(void *ctx, const char **text)
{
    struct places *places = ctx;
    assert(places->count < EVENT_STRINGS_MAX);
    const size_t size = strlen(*text) + 1;
    places->items[places->count] = text;
    places->sizes[places->count++] = size;
    places->bytes += size;
}

void event_keep(struct event *event, struct str *room)
{
    struct places places;
    places.count = places.bytes = 0; /* the rest is not initialized: this runs for every event */
    event_each_text(event, find_text, &places);
    str_clear(room);
    if (places.bytes == 0)
        return;
    str_reserve(room, places.bytes);
    for (size_t i = 0; i < places.count; i++) {
        const size_t from = room->len;
        str_add_n(room, *places.items[i], places.sizes[i]);
        *places.items[i] = room->data + from;
    }
}

struct event *event_list_add(struct event_list *list, const struct event *event)
{
    const size_t had = list->cap;
    if (list->count == had) {
        size_t cap = had;
        list->items = xgrow(list->items, &list->cap, had + 1, sizeof(*list->items));
        list->texts = xgrow(list->texts, &cap, list->cap, sizeof(*list->texts));
        memset(list->texts + had, 0, (list->cap - had) * sizeof(*list->texts));
    }
    struct event *kept = &list->items[list->count];
    *kept = *event;
    event_keep(kept, &list->texts[list->count++]);
    return kept;
}

void event_list_drop(struct event_list *list, size_t count)
{
    assert(count <= list->count);
    for (size_t i = 0; i < count; i++)
        str_done(&list->texts[i]);
    list->count -= count;
    memmove(list->items, list->items + count, list->count * sizeof(*list->items));
    memmove(list->texts, list->texts + count, list->count * sizeof(*list->texts));
    memset(list->texts + list->count, 0, count * sizeof(*list->texts));
}

void event_list_done(struct event_list *list)
{
    for (size_t i = 0; i < list->cap; i++)
        str_done(&list->texts[i]);
    free(list->items);
    free(list->texts);
    *list = (struct event_list){0};
}

static void forget_text(void *ctx, const char **text)
{
    (void)ctx;
    *text = NULL;
}

static bool fits_row(const struct event *event)
{
    struct str out = {0};
    event_write(event, &out);
    const bool fits = out.len <= EVENT_DATA_MAX;
    str_done(&out);
    return fits;
}

void event_limit(struct event *event)
{
    enum {
        ESCAPED_MAX = 6,
        NUMBERS_MAX = 2048
    }; /* maximum bytes of a character as JSON, and of all numbers together */
    size_t bytes = 0;
    event_each_text(event, measure_text, &bytes);
    if (bytes * ESCAPED_MAX + NUMBERS_MAX <= EVENT_DATA_MAX || fits_row(event))
        return;
    event_each_text(event, forget_text, NULL);
}

/* Controls. */

static const char *const verb_names[] = {
    [CONTROL_CANCEL] = "cancel",   [CONTROL_RETRY] = "retry",       [CONTROL_HOLD] = "hold",
    [CONTROL_RELEASE] = "release", [CONTROL_SEND_ONE] = "send-one", [CONTROL_CORRECT] = "correct",
};
static_assert(ARRAY_LEN(verb_names) == CONTROL_VERB_COUNT, "every verb has a name");

static const char *const mode_names[] = {
    [CANCEL_STOP] = "stop",
    [CANCEL_TERM] = "term",
    [CANCEL_KILL] = "kill",
};
static_assert(ARRAY_LEN(mode_names) == CANCEL_MODE_COUNT, "every mode has a name");

const char *control_verb_name(enum control_verb verb)
{
    assert(verb >= CONTROL_CANCEL);
    assert(verb < CONTROL_VERB_COUNT);
    return verb_names[verb];
}

const char *cancel_mode_name(enum cancel_mode mode)
{
    assert(mode < CANCEL_MODE_COUNT);
    return mode_names[mode];
}

void control_args(const struct control *control, struct str *out)
{
    const char *key = NULL;
    const char *word = NULL;
    if (control->verb == CONTROL_RETRY && (control->hint[0] != '\0' || control->tries != 0)) {
        str_add_char(out, '{');
        if (control->hint[0] != '\0')
            str_json_text(out, "hint", control->hint);
        if (control->tries > 0)
            str_json_i64(out, "attempts", control->tries);
        str_add_char(out, '}');
    } else if (control->verb == CONTROL_CANCEL) {
        key = "mode";
        word = cancel_mode_name(control->mode);
    } else if (control->verb == CONTROL_CORRECT) {
        key = "class";
        word = verdict_label_word(&control->label);
    }
    if (!key)
        return;
    str_add_char(out, '{');
    str_json_text(out, key, word);
    str_add_char(out, '}');
}

static bool read_args(const struct json *args, struct control *control)
{
    if (control->verb == CONTROL_CORRECT)
        return verdict_label_parse(json_text(json_get(args, "class"), ""), &control->label);
    if (control->verb == CONTROL_RETRY) {
        const char *hint = json_text(json_get(args, "hint"), "");
        const struct json *attempts = json_get(args, "attempts");
        const int64_t tries = json_i64(attempts, 0);
        const size_t len = strlen(hint);
        if (len >= sizeof(control->hint) || (attempts && tries < 1) || tries > POLICY_ATTEMPTS_MAX)
            return false;
        memcpy(control->hint, hint, len + 1);
        control->tries = (int)tries;
        return true;
    }
    const struct json *mode = json_get(args, "mode");
    if (!mode)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(mode_names); i++) {
        if (strcmp(mode_names[i], json_text(mode, "")) == 0) {
            control->mode = (enum cancel_mode)i;
            return true;
        }
    }
    return false;
}

bool control_args_parse(const char *args, struct control *control)
{
    struct json *json = NULL;
    if (args && !json_parse(args, strlen(args), &json, NULL, NULL))
        return false;
    bool ok = read_args(json, control);
    json_free(json);
    return ok;
}
