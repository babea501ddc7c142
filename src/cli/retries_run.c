#include "retries_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "exit_code.h"
#include "fail.h"
#include "follower.h"
#include "log_word.h"
#include "retries_text.h"
#include "retry_log.h"
#include "shown.h"
#include "xalloc.h"

/* Where its time went, as the Timeline has it: by the fold of all its events. */
static bool add_time(const struct place *place, int64_t run, struct time_spent *to, struct err *err)
{
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
        time_spent_add(to, &spent);
    }
    follower_close(follower);
    return ok;
}

static bool add_run(struct log_reader *reader, int64_t run, struct retries *out, struct err *err)
{
    return retry_log_add(reader, run, &out->help, err) &&
           add_time(log_reader_place(reader), run, &out->spent, err);
}

static bool add_all(struct log_reader *reader, struct retries *out, struct err *err)
{
    enum { RUNS_AT_ONCE = 16 };
    struct log_run_info runs[RUNS_AT_ONCE];
    int64_t before = 0;
    size_t count = 0;
    bool ok = true;
    do {
        ok = log_reader_runs(reader, before, runs, RUNS_AT_ONCE, &count, err);
        for (size_t i = 0; ok && i < count; i++) {
            before = runs[i].number;
            ok = add_run(reader, before, out, err);
        }
        for (size_t i = 0; i < count; i++)
            log_run_info_done(&runs[i]);
    } while (ok && count == RUNS_AT_ONCE);
    return ok;
}

static bool add_named(struct log_reader *reader, const struct debug_call *call, struct retries *out,
                      struct err *err)
{
    for (int i = 0; i < call->operand_count; i++) {
        struct target target;
        struct log_run_info run = {0};
        if (!target_parse(call->operands[i], &target, err))
            return false;
        if (target.task[0] != '\0')
            return err_set(err, ERR_INVALID, "'%s' is no run", call->operands[i]) ||
                   err_hint(err, "devs runs lists them");
        if (!log_reader_run(reader, target.run, &run, err))
            return false;
        const bool ok = add_run(reader, run.number, out, err);
        log_run_info_done(&run);
        if (!ok)
            return false;
    }
    return true;
}

/* A FILE alone stands for all its runs. */
static bool read_retries(const struct debug_call *call, struct retries *out, struct err *err)
{
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    struct place place;
    struct target target;
    struct log_reader *reader = NULL;
    bool ok = log_word_find(call->globals, word, &place, &target, err) &&
              log_reader_open(&reader, &place, err);
    const bool is_named = target.run != 0 || target.task[0] != '\0' || call->operand_count > 1;
    if (ok)
        ok = is_named ? add_named(reader, call, out, err) : add_all(reader, out, err);
    log_reader_close(reader);
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
        (void)fputs(str_text(&text), stdout); /* numbers and words of ours */
    str_done(&text);
    free(retries);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
