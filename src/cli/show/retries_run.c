#include "retries_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "exit_code.h"
#include "fail.h"
#include "follower.h"
#include "retries_text.h"
#include "retry_log.h"
#include "run_choice.h"
#include "shown.h"
#include "xalloc.h"

/* Where its time went, as the Timeline has it: by the fold of all its events. */
static bool add_time(const struct place *place, int64_t run, struct retries *to, struct err *err)
{
    if (to->events > RETRIES_TIMED_EVENTS)
        return true;
    struct follower *follower = NULL;
    if (!follower_open(&follower, place, run, err))
        return false;
    const bool ok = follower_read(follower, 0, NULL, NULL, NULL, err);
    if (ok) {
        const struct run_state *state = follower_state(follower);
        const bool orphaned = follower_is_orphaned(follower);
        const struct moment now = state->ended                    ? state->ended_at
                                  : shown_counts(state, orphaned) ? clock_now()
                                                                  : state->heard;
        struct time_spent spent;
        time_spent_of_run(&spent, state, &now, orphaned);
        time_spent_add(&to->spent, &spent);
        to->timed++;
        to->events += state->last_seq;
    }
    follower_close(follower);
    return ok;
}

static bool add_run(struct log_reader *reader, int64_t run, struct retries *out, struct err *err)
{
    return retry_log_add(reader, run, &out->help, err) &&
           add_time(log_reader_place(reader), run, out, err);
}

/* Without a run all are meant: those of the log, or of the FILE that is named. */
static bool choose_runs(const struct debug_call *call, struct log_reader **reader,
                        struct run_choice *out, struct err *err)
{
    char all[] = "all";
    char *words[] = {call->operand_count > 0 ? call->operands[0] : all, all};
    const bool is_file = call->operand_count == 1 && access(words[0], F_OK) == 0;
    if (call->operand_count == 0 || is_file)
        return run_choice_find(call->globals, words, call->operand_count + 1, reader, out, err);
    return run_choice_find(call->globals, call->operands, call->operand_count, reader, out, err);
}

static bool read_retries(const struct debug_call *call, struct retries *out, struct err *err)
{
    struct log_reader *reader = NULL;
    struct run_choice choice = {0};
    bool ok = choose_runs(call, &reader, &choice, err);
    for (size_t i = 0; ok && i < choice.count; i++)
        ok = add_run(reader, choice.runs[i], out, err);
    log_reader_close(reader);
    run_choice_done(&choice);
    retry_help_sort(&out->help);
    return ok;
}

int retries_run(const struct debug_call *call)
{
    struct err err = {0};
    struct str text = {0};
    struct retries *retries = xcalloc(1, sizeof(*retries));
    bool ok = read_retries(call, retries, &err);
    if (ok && call->words->json)
        retries_json(retries, &text);
    else if (ok)
        retries_text(retries, &text);
    if (ok)
        say_json(str_text(&text)); /* numbers and text of ours */
    str_done(&text);
    free(retries);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
