#define _GNU_SOURCE /* sigabbrev_np */

#include "crash_line.h"

#include <signal.h>
#include <string.h>

#include "fail.h"
#include "follower.h"
#include "log_reader.h"
#include "place.h"

enum {
    LOOK_AT_RUNS = 16,
    PIDS_NAMED = 20, /* the others are counted */
};

/* The run that the process was at; 0 = none. */
static int64_t find_run(const struct place *place, pid_t pid)
{
    struct log_reader *reader = NULL;
    struct log_run_info runs[LOOK_AT_RUNS];
    size_t count = 0;
    int64_t number = 0;
    if (!log_reader_open(&reader, place, NULL))
        return 0;
    if (!log_reader_runs(reader, 0, runs, LOOK_AT_RUNS, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].pid == pid && runs[i].ended_at_ms == 0 && number == 0)
            number = runs[i].number;
        log_run_info_done(&runs[i]);
    }
    log_reader_close(reader);
    return number;
}

static void add_left(const struct run_state *state, struct str *out)
{
    int left = 0;
    for (int i = 0; i < state->plan->task_count; i++) {
        const struct step_state *step = run_state_step(state, i);
        const struct attempt_state *attempt = step ? step_state_attempt(step) : NULL;
        if (!attempt || attempt->pid <= 0 || attempt->ended.at_ms != 0 ||
            kill((pid_t)attempt->pid, 0) != 0)
            continue;
        if (left++ < PIDS_NAMED)
            str_addf(out, "%s%lld", left == 1 ? "" : ", ", (long long)attempt->pid);
    }
    if (left > PIDS_NAMED)
        str_addf(out, " and %d more", left - PIDS_NAMED);
    if (left == 0)
        str_add(out, "none");
}

void crash_line(const char *db, pid_t pid, int signal_number)
{
    struct place place;
    struct follower *follower = NULL;
    struct str left = {0};
    const char *name = sigabbrev_np(signal_number);
    const int64_t run = place_find(db, false, &place, NULL) ? find_run(&place, pid) : 0;
    if (run == 0) {
        warn("pid %d was ended by signal %s", (int)pid, name ? name : "?");
        return;
    }
    if (follower_open(&follower, &place, run, NULL) &&
        follower_read(follower, 0, NULL, NULL, NULL, NULL))
        add_left(follower_state(follower), &left);
    else
        str_add(&left, "who knows: the log cannot be read");
    follower_close(follower);
    warn("pid %d was ended by signal %s; the log is %s; processes left: %s; "
         "devs run --continue %lld ends them and goes on",
         (int)pid, name ? name : "?", place.db, str_text(&left), (long long)run);
    str_done(&left);
}
