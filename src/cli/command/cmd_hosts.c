/* cmd_hosts.c - devs hosts: the machines that run the tasks of a run. */
#include <stdio.h>

#include "appearance.h"
#include "command.h"
#include "fail.h"
#include "follower.h"
#include "show.h"
#include "target.h"

static void print_json(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    const struct log_run_info *run = status_run(status);
    const struct shown_look look = status_look(status);
    struct rows rows = {0};
    struct str out = {0};
    status_rows(status, &rows);
    str_add_char(&out, '{');
    str_json_i64(&out, "v", 1);
    str_json_i64(&out, "run", run->number);
    str_json_text(&out, "uid", run->uid);
    str_json_text(&out, "name", rows_value(&rows, "name"));
    str_json_text(&out, "state", rows_value(&rows, "state"));
    hosts_json(state, &look, &out);
    str_add(&out, "}\n");
    say_json(out.data);
    str_done(&out);
    rows_done(&rows);
}

int cmd_hosts(struct globals *globals, int argc, char **argv)
{
    bool json = false;
    const struct option_spec specs[] = {
        {"json", 0, NULL, "print one JSON object", &json, NULL},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct subject subject;
    int64_t run = 0;
    struct status status = {.ascii = appearance_print_ascii(globals)};
    static const char hint[] = "use a number from devs runs, or last";
    bool ok = target_parse_run(line.operands > 0 ? argv[0] : NULL, hint, &run, &err) &&
              subject_open(&subject, globals->command, globals->db, NULL, &err);
    if (ok) {
        status.reader = subject.reader; /* `status` owns it from here on */
        ok = status_read(&status, run, &err);
    }
    if (!ok)
        code = fail(&err);
    else if (json)
        print_json(&status);
    else if (follower_state(status.follower)->plan->executor_count == 0)
        (void)puts("this plan has no executors: all tasks run on this machine");
    else
        status_print_hosts(&status);
    if (ok)
        code = status_tell_trouble(&status);
    if (!status.follower)
        log_reader_close(status.reader);
    follower_close(status.follower);
    return code;
}
