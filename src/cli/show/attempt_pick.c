#include "attempt_pick.h"

#include "parse.h"

static bool has_failed(const struct attempt_state *attempt)
{
    return attempt->ended.at_ms != 0 && attempt->class != VERDICT_SUCCESS;
}

/* Looking back from the latest attempt of step `last` to step `first`. */
static void pick_latest(const struct task_state *task, int first, int last,
                        struct attempt_pick *pick)
{
    pick->step = last;
    pick->attempt = 0;
    for (int step = last; step >= first; step--) {
        for (size_t i = task->steps[step].attempt_count; i > 0; i--) {
            const struct attempt_state *attempt = &task->steps[step].attempts[i - 1];
            bool failed = has_failed(attempt);
            if (failed || pick->attempt == 0) {
                pick->step = step;
                pick->attempt = attempt->number;
            }
            if (failed)
                return;
        }
    }
}

static bool pick_named(const struct task_state *task, const char *word, int step,
                       struct attempt_pick *pick, struct err *err)
{
    int64_t latest = (int64_t)task->steps[step].attempt_count;
    int64_t attempt = 0;
    if (latest == 0)
        return err_set(err, ERR_INVALID, "step %d has had no try yet", step + 1);
    if (!parse_i64(word, 1, latest, &attempt, err))
        return err_hint(err, "step %d has had %lld tr%s", step + 1, (long long)latest,
                        latest == 1 ? "y" : "ies");
    pick->step = step;
    pick->attempt = (int)attempt;
    return true;
}

bool attempt_pick(const struct run_state *state, int task, const struct attempt_words *words,
                  struct attempt_pick *out, struct err *err)
{
    const struct task_state *it = &state->tasks[task];
    struct attempt_pick pick = {.task = task};
    int current = run_state_step_number(state, task);
    int64_t step = current + 1;
    if (words->step && !parse_i64(words->step, 1, state->plan->tasks[task].step_count, &step, err))
        return err_hint(err, "%s has %d step%s", state->plan->tasks[task].id,
                        state->plan->tasks[task].step_count,
                        state->plan->tasks[task].step_count == 1 ? "" : "s");
    int last = (int)step - 1;
    /* A step that has not begun gives way to the one before it. */
    while (!words->step && last > 0 && it->steps[last].attempt_count == 0)
        last--;
    if (words->try && !pick_named(it, words->try, last, &pick, err))
        return false;
    if (!words->try)
        pick_latest(it, words->step ? last : 0, last, &pick);
    *out = pick;
    return true;
}
