/* shown_circles.c - looping, in words. */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "attr.h"
#include "json.h"
#include "normaliser.h"
#include "shown.h"

static const struct {
    const char *brief; /* short enough for "brief 99x" in a column */
    const char *equal;
} rungs[] = {
    [ENTROPY_RUNG_NONE] = {"", ""},
    [ENTROPY_RUNG_REPEAT] = {"same", "the call and its result"},
    [ENTROPY_RUNG_CYCLE] = {"cycle", "the calls of each lap and their results"},
    [ENTROPY_RUNG_FAILURE] = {"fault", "the call and how it fails"},
    [ENTROPY_RUNG_BARREN] = {"no news", "no result has a line that was not there before"},
    [ENTROPY_RUNG_PAUSE] = {"pauses", "nothing is done but to wait"},
    [ENTROPY_RUNG_MONOLOGUE] = {"alike", "what the messages say"},
    [ENTROPY_RUNG_CHANT] = {"chants", "the parts of one message"},
};
static_assert(ARRAY_LEN(rungs) == ENTROPY_RUNG_COUNT, "every rung has its words");

static int count_of(const struct json *inputs, const char *key, int otherwise)
{
    int64_t count = json_i64(json_get(inputs, key), otherwise);
    return count >= 0 && count <= INT_MAX ? (int)count : otherwise;
}

bool shown_circles_read(const struct json *inputs, int step, int attempt, struct shown_circle *out)
{
    struct entropy_verdict verdict = {
        .level = ENTROPY_STUCK,
        .rung = entropy_rung_named(json_text(json_get(inputs, "rung"), "")),
        .count = count_of(inputs, "count", 0),
        .period = count_of(inputs, "period", 0),
        .masked = json_bool(json_get(inputs, "masked"), false),
        .poll = json_bool(json_get(inputs, "poll"), false),
    };
    int first = count_of(inputs, "first", attempt);
    bool has_window = count_of(inputs, "window", 0) > 0 || count_of(inputs, "same_stops", 0) > 0;
    if (strcmp(json_text(json_get(inputs, "of"), ""), "agent") == 0)
        return false; /* only the agent's own loop guard knows what repeats */
    if (verdict.rung == ENTROPY_RUNG_NONE && has_window) {
        verdict.rung = ENTROPY_RUNG_REPEAT;
        verdict.count = count_of(inputs, "same", 0);
        first = attempt - verdict.count + 1;
    }
    if (verdict.rung == ENTROPY_RUNG_NONE)
        return false;
    verdict.first_number = first;
    verdict.last_number = count_of(inputs, "last", attempt);
    *out = (struct shown_circle){.verdict = verdict,
                                 .first_step = count_of(inputs, "first_step", step),
                                 .last_step = count_of(inputs, "last_step", step),
                                 .masks = (unsigned)count_of(inputs, "masks", 0),
                                 .of_calls =
                                     strcmp(json_text(json_get(inputs, "of"), ""), "calls") == 0};
    return true;
}

/* As the decision has it: by a rung, or by the policy's window. */
static bool ended_in_circles(const struct run_state *state, int task, struct shown_circle *out)
{
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct json *inputs = NULL;
    if (step->status != STEP_ENDED || step->end != DECISION_ENTROPY || !attempt)
        return false;
    const char *text = step_state_formulas(step)->end_json;
    if (text && !json_parse(text, strlen(text), &inputs, NULL, NULL))
        inputs = NULL;
    bool found =
        shown_circles_read(inputs, run_state_step_number(state, task), attempt->number, out);
    json_free(inputs);
    return found;
}

/* While its agent is at it, and what it was stopped for. */
static bool circles_of_calls(const struct run_state *state, int task, const struct circles *calls,
                             struct shown_circle *out)
{
    const enum task_status status = state->tasks[task].status;
    const bool matters = status == TASK_STUCK || !task_status_is_final(status);
    if (!calls || calls->verdict.level == ENTROPY_OK || !matters)
        return false;
    *out = (struct shown_circle){.verdict = calls->verdict, .of_calls = true};
    return true;
}

bool shown_circles_of(const struct run_state *state, int task, struct shown_circle *out)
{
    const struct circles *circles = state->tasks[task].circles;
    const struct task_agent *agent = state->tasks[task].agent;
    *out = (struct shown_circle){0};
    if (agent && circles_of_calls(state, task, agent->calls, out))
        return true;
    if (ended_in_circles(state, task, out))
        return true;
    /* Once a task is over, a suspicion is no news. */
    bool goes_on = !task_status_is_final(state->tasks[task].status);
    if (!goes_on || !circles || circles->verdict.level == ENTROPY_OK)
        return false;
    *out = (struct shown_circle){.verdict = circles->verdict,
                                 .first_step = circles->first_step,
                                 .last_step = circles->last_step};
    return true;
}

void shown_circles_span(const struct shown_circle *circle, int step, struct str *out)
{
    const long long first = circle->verdict.first_number;
    const long long last = circle->verdict.last_number;
    if (circle->verdict.level == ENTROPY_OK || first < 1)
        return;
    if (circle->of_calls) {
        str_addf(out, first == last ? "call or message %lld" : "calls and messages %lld to %lld",
                 first, last);
        return;
    }
    if (circle->first_step != step || circle->last_step != step)
        str_addf(out, "step %d try %lld to step %d try %lld", circle->first_step + 1, first,
                 circle->last_step + 1, last);
    else if (first == last)
        str_addf(out, "try %lld", last);
    else
        str_addf(out, "tries %lld to %lld", first, last);
}

void shown_circle_words(const struct shown_circle *circle, struct str *out)
{
    const struct entropy_verdict *verdict = &circle->verdict;
    const bool of_calls = circle->of_calls;
    if (verdict->level == ENTROPY_OK)
        return;
    switch (verdict->rung) {
    case ENTROPY_RUNG_REPEAT:
        str_addf(out, "same result %d times", verdict->count);
        break;
    case ENTROPY_RUNG_CYCLE:
        str_addf(out, "%d laps of %d %s", verdict->count, verdict->period,
                 of_calls ? "calls" : "steps");
        break;
    case ENTROPY_RUNG_FAILURE:
        str_addf(out, "same failure %d times", verdict->count);
        break;
    case ENTROPY_RUNG_BARREN:
        str_addf(out, "nothing new in %d %s", verdict->count, of_calls ? "calls" : "tries");
        break;
    case ENTROPY_RUNG_PAUSE:
        str_addf(out, "%d pauses and nothing else", verdict->count);
        break;
    case ENTROPY_RUNG_MONOLOGUE:
        str_addf(out, "%d messages alike", verdict->count);
        break;
    case ENTROPY_RUNG_CHANT:
        str_add(out, "one message says the same over and over");
        break;
    case ENTROPY_RUNG_NONE:
    case ENTROPY_RUNG_COUNT:
        break;
    }
}

void shown_circles_brief(const struct entropy_verdict *verdict, struct str *out)
{
    if (verdict->level == ENTROPY_OK)
        return;
    if (verdict->level == ENTROPY_SUSPECT)
        str_addf(out, "loop? %dx", verdict->count);
    else if (verdict->rung == ENTROPY_RUNG_CHANT)
        str_add(out, rungs[verdict->rung].brief);
    else
        str_addf(out, "%s %dx", rungs[verdict->rung].brief, verdict->count);
}

/* "2 refused": calls that the agents of a task that runs or has passed were not allowed. */
static void add_refused(const struct task_state *task, struct str *out)
{
    const bool goes_well = task->status == TASK_RUNNING || task->status == TASK_PASSED;
    const int64_t refused = task->agent ? task_agent_used(task->agent).refused : 0;
    if (goes_well && refused > 0)
        str_addf(out, "%lld refused", (long long)refused);
}

void shown_circles_or_class(const struct run_state *state, int task, struct str *out)
{
    struct shown_circle circle;
    const size_t before = out->len;
    if (shown_circles_of(state, task, &circle))
        shown_circles_brief(&circle.verdict, out);
    else
        shown_class(state, task, out);
    if (out->len == before)
        add_refused(&state->tasks[task], out);
}

const char *shown_circles_equal(const struct entropy_verdict *verdict)
{
    assert(verdict->rung < ENTROPY_RUNG_COUNT);
    return verdict->level == ENTROPY_OK ? "" : rungs[verdict->rung].equal;
}

void shown_masks(unsigned masks, struct str *out)
{
    const char *comma = "";
    for (int i = 0; i < NORMALISER_MASK_COUNT; i++) {
        if ((masks & 1U << i) == 0)
            continue;
        str_addf(out, "%s%s", comma, normaliser_mask_words((enum normaliser_mask)i));
        comma = ", ";
    }
}

/* Cut, not rounded: .99 is not everything. */
void shown_new(int permille, struct str *out)
{
    enum { PERMILLE = 1000, PER_HUNDRED = 10 };
    if (permille < 0)
        return;
    if (permille >= PERMILLE)
        str_add(out, "1.0");
    else
        str_addf(out, ".%02d", permille / PER_HUNDRED);
}
