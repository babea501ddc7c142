#include "event_look.h"

#include <string.h>

#include "json_scan.h"

struct event_look event_look_up(const struct run_state *state, const struct event *event,
                                struct json **tree, struct str *out)
{
    struct event_look look = {.state = state, .event = event, .tree = tree, .out = out};
    if (event->task < 0 || event->task >= state->plan->task_count)
        return look;
    const struct plan_task *plan = &state->plan->tasks[event->task];
    if (event->step < 0 || event->step >= plan->step_count)
        return look;
    look.plan = &plan->steps[event->step];
    look.step = &state->tasks[event->task].steps[event->step];
    look.attempt = step_state_find_attempt(look.step, event->attempt);
    return look;
}

const struct json *event_look_text(const struct event_look *look)
{
    const char *text = look->event->text;
    if (text && !*look->tree && !json_parse(text, strlen(text), look->tree, NULL, NULL))
        *look->tree = NULL; /* a line without its details is better than none */
    return *look->tree;
}

/* One member of its text, found without parsing the rest: for kinds that most of a log consists
 * of. */
static struct json_piece member_of(const struct event_look *look, const char *key)
{
    const char *text = look->event->text;
    return text ? json_scan_get(text, strlen(text), key) : (struct json_piece){0};
}

bool event_look_say(const struct event_look *look, const char *before, const char *key,
                    const char *behind)
{
    const size_t start = look->out->len;
    str_add(look->out, before);
    const size_t text = look->out->len;
    if (!json_scan_text(member_of(look, key), look->out) || look->out->len == text) {
        str_cut(look->out, start);
        return false;
    }
    str_add(look->out, behind);
    return true;
}

static bool event_is_before_verdict(const struct event *event)
{
    return event->kind == EVENT_ATTEMPT_STARTED || event->kind == EVENT_ATTEMPT_ENDED;
}

bool event_look_is_there(const struct event_look *look)
{
    switch (look->event->kind) {
    case EVENT_ATTEMPT_STARTED:
    case EVENT_ATTEMPT_ENDED:
    case EVENT_ATTEMPT_JUDGED:
    case EVENT_WAIT_STARTED:
        return look->attempt && (look->step->verdict_json || event_is_before_verdict(look->event));
    case EVENT_STEP_ENDED:
        return look->step != NULL;
    default: /* the rest needs no attempt */
        return true;
    }
}

void event_look_error(const struct event_look *look, struct str *out)
{
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(look->step, &room);
    if (verdict && verdict->match[0] != '\0')
        str_add(out, verdict->match);
    else
        outcome_words(&look->attempt->outcome, out);
}

struct event_retry event_look_retry(const struct event_look *look)
{
    int64_t at = json_scan_i64(member_of(look, "used"), 1);
    int64_t allowed = json_scan_i64(member_of(look, "allowed"), 0);
    return (struct event_retry){.at = at, .max = allowed > at ? allowed - 1 : at};
}
