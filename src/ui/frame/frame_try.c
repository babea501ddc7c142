/* frame_try.c - one try in words, for the preview and for Detail. */
#include "attr.h"
#include "clock.h"
#include "failure_class.h"
#include "frame_parts.h"

/* Eighths of a cell, from the lowest; nothing new has none. */
static const char *share_bar(int permille)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇"};
    enum { PERMILLE = 1000, STEPS = (int)ARRAY_LEN(bars) };
    int step = permille * STEPS / PERMILLE;
    return bars[step < STEPS ? step : STEPS - 1];
}

void frame_add_share(const struct attempt_state *attempt, bool ascii, struct str *out)
{
    int permille = attempt->new_permille;
    if (permille < 0)
        str_add(out, ascii ? "-" : "—");
    shown_new(permille, out);
    if (permille >= 0 && !ascii)
        str_addf(out, " %s", share_bar(permille));
}

bool frame_is_same_fault(const struct attempt_state *attempts, int index)
{
    const struct attempt_state *attempt = &attempts[index];
    return index > 0 && attempt->class != VERDICT_SUCCESS &&
           digest_is_same(attempt->fingerprint, attempts[index - 1].fingerprint);
}

void frame_add_try_class(const struct attempt_state *attempt, struct str *out)
{
    const struct failure_class class = failure_class_of(attempt);
    const size_t before = out->len;
    if (attempt->class != VERDICT_SUCCESS || attempt->correction)
        failure_class_word(&class, out);
    if (out->len == before)
        str_add(out, shown_word(SHOWN_PASSED));
    failure_class_original(attempt, out);
}

bool frame_add_proof(const struct frame_input *input, int task, int number, struct str *out)
{
    const struct run_state *state = input->facts->state;
    const struct plan_step *plan = &state->plan->tasks[task].steps[number];
    const struct step_state *step = &state->tasks[task].steps[number];
    const struct attempt_state *attempt = step_state_attempt(step);
    if (step->status != STEP_ENDED || step->end != DECISION_SUCCEEDED || !attempt)
        return false;
    const bool failure = plan->expect.what == PLAN_EXPECT_FAILURE;
    str_addf(out, "%s (try %d), ", failure ? "failed as expected" : "passed", attempt->number);
    if (input->view->times != SHOWN_TIMES_AGO || frame_stands(input)) {
        char hms[CLOCK_TEXT_MAX];
        str_addf(out, "at %s", clock_hms(attempt->ended.at_ms, hms));
        return true;
    }
    shown_duration(frame_now(input).mono_ms - attempt->ended.mono_ms, out);
    str_add(out, " ago");
    return true;
}
