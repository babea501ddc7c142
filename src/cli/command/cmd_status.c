/* cmd_status.c - devs status: a run at a glance. */
#include <stdio.h>

#include "appearance.h"
#include "bundle.h"
#include "clock.h"
#include "command.h"
#include "fail.h"
#include "follower.h"
#include "log_own.h"
#include "show.h"
#include "target.h"

/* Prints the counts by symbol on one line, for a status bar. */
static void print_line(const struct status *status)
{
    struct overview tasks = status->overview.tasks;
    struct shown_look look = status_look(status);
    struct rows rows = {0};
    /* if there is no follower, no gate holds anything back: log_reader_overview() */
    look.is_brief = true;
    if (status->follower)
        rows_gates(&rows, follower_state(status->follower), &look);
    if (!status->is_brief)
        overview_of_state(&tasks, follower_state(status->follower), status->orphaned);
    say(status_run(status)->name);
    for (int i = 0; i < SHOWN_COUNT; i++) {
        if (tasks.counts[i] > 0)
            (void)printf(" %s%d", shown_sign((enum shown)i, status->ascii), tasks.counts[i]);
    }
    if (*rows_value(&rows, "gate") != '\0') {
        (void)putchar(' ');
        say(rows_value(&rows, "gate"));
    }
    (void)putchar('\n');
    rows_done(&rows);
}

/* Reads the overview that the log keeps beside the events, if the run has enough tasks and the
 * overview exists. In that case there is no follower. The time to show is the end of the run, or
 * its last sign of life, if no clock is running. */
static bool ask_overview(struct status *status, int64_t *run, struct err *err)
{
    struct log_run_info info;
    if (!log_reader_run_row(status->reader, *run, &info, err))
        return false;
    *run = info.number;
    status->is_brief = status->is_brief && info.tasks > STATUS_TASKS_MAX;
    log_run_info_done(&info);
    if (!status->is_brief || !log_reader_overview(status->reader, *run, &status->overview, err))
        return !status->is_brief;
    status->orphaned = status->overview.orphaned;
    const struct log_run_info *row = &status->overview.run;
    if (row->ended_at_ms != 0)
        status->now = (struct moment){.at_ms = row->ended_at_ms};
    else if (status->orphaned)
        status->now = (struct moment){.at_ms = row->last_at_ms};
    else
        status->now = clock_now();
    return true;
}

int cmd_status(struct globals *globals, int argc, char **argv)
{
    bool all = false, json = false, one_line = false;
    const struct option_spec specs[] = {
        {"all", 0, NULL, "list all tasks, even if there are many", &all, NULL},
        {"json", 0, NULL, "print one JSON object", &json, NULL},
        {"line", 0, NULL, "print the counts in one line, for a status bar", &one_line, NULL},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (json && one_line)
        return fail_usage("choose one", "status: --json and --line are mutually exclusive");
    struct err err = {0};
    struct subject subject;
    int64_t run = 0;
    struct status status = {.ascii = appearance_print_ascii(globals), .is_brief = !all && !json};
    static const char hint[] =
        "use a number from devs runs, or last; devs why explains a single task";
    bool ok = target_parse_run(line.operands > 0 ? argv[0] : NULL, hint, &run, &err) &&
              subject_open(&subject, globals->command, globals->db, NULL, &err);
    if (ok) {
        status.reader = subject.reader; /* `status` owns it from here on */
        ok = ask_overview(&status, &run, &err) &&
             (status.overview.is_known || status_read(&status, run, &err));
    }
    struct log_live live = {0};
    if (ok && log_reader_live(status.follower ? follower_reader(status.follower) : status.reader,
                              &live, NULL))
        status.live_runs = live.count;
    status.needs_adopting =
        ok && !log_own_check(&subject.place, NULL) && !bundle_is_one(&subject.place);
    if (!ok) {
        code = fail(&err);
    } else if (json) {
        struct str out = {0};
        status_json(&status, &out);
        str_add_char(&out, '\n');
        say_json(out.data);
        str_done(&out);
    } else if (one_line) {
        print_line(&status);
    } else {
        status_print(&status);
    }
    if (ok)
        code = status_tell_trouble(&status);
    if (!status.follower)
        log_reader_close(status.reader);
    follower_close(status.follower);
    log_run_info_done(&status.overview.run);
    return code;
}
