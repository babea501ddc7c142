/* cmd_runs.c - devs runs: lists the runs in the log. */
#include <stdio.h>

#include "clock.h"
#include "command.h"
#include "fail.h"
#include "log_reader.h"
#include "rows.h"
#include "show.h"
#include "target.h"

static struct rows rows_of(const struct log_run_info *info)
{
    const struct shown_time time = {.date = clock_date};
    const struct run_facts facts = run_facts_of(info);
    struct rows rows = {0};
    rows_run(&rows, &facts, &time);
    return rows;
}

static void print_text(const struct log_run_info *run)
{
    struct rows rows = rows_of(run);
    (void)printf("%-6s %s  %8s  %-11s %5d %-5s %6lld %-5s %5lld passed %4lld failed  ",
                 rows_value(&rows, "run"), rows_value(&rows, "started"),
                 rows_value(&rows, "lasted"), rows_value(&rows, "state"), run->tasks,
                 run->tasks == 1 ? "task" : "tasks", (long long)run->attempts,
                 run->attempts == 1 ? "try" : "tries", (long long)run->passed,
                 (long long)run->failed);
    say(rows_value(&rows, "name"));
    (void)putchar('\n');
    rows_done(&rows);
}

static bool print_json(struct log_reader *reader, const struct log_run_info *run, struct err *err)
{
    struct str out = {0};
    struct log_run_sum sum;
    if (!log_reader_sum(reader, run->number, &sum, err))
        return false;
    str_add_char(&out, '{');
    str_json_i64(&out, "v", 1);
    str_json_i64(&out, "run", run->number);
    str_json_text(&out, "uid", run->uid);
    str_json_text(&out, "name", run->name);
    str_json_text(&out, "kind", run->kind);
    struct rows rows = rows_of(run);
    str_json_text(&out, "state", rows_value(&rows, "state"));
    rows_done(&rows);
    str_json_text(&out, "dir", run->dir);
    str_json_text(&out, "command", run->command);
    str_json_i64(&out, "pid", run->pid);
    seed_json(run->seed, &out);
    str_json_i64(&out, "started_at_ms", run->started_at_ms);
    if (run->ended_at_ms != 0) {
        str_json_i64(&out, "ended_at_ms", run->ended_at_ms);
        str_json_i64(&out, "exit_code", run->exit_code);
    }
    str_json_i64(&out, "tasks", run->tasks);
    str_json_i64(&out, "attempts", run->attempts);
    str_json_i64(&out, "passed", run->passed);
    str_json_i64(&out, "failed", run->failed);
    str_json_i64(&out, "cancelled", run->cancelled);
    str_json_i64(&out, "ran_ms", sum.ran_ms);
    str_json_i64(&out, "waited_ms", run->waited_ms);
    str_json_i64(&out, "events", run->last_seq);
    str_add(&out, "}\n");
    say_json(out.data);
    str_done(&out);
    return true;
}

static bool print_runs(struct log_reader *reader, bool json, struct err *err)
{
    static const size_t page = LOG_PAGE_RUNS;
    struct log_run_info runs[LOG_PAGE_RUNS];
    int64_t before = 0;
    size_t count = 0;
    bool ok = true;
    do {
        if (!log_reader_runs(reader, before, runs, page, &count, err))
            return false;
        for (size_t i = 0; i < count; i++) {
            before = runs[i].number;
            if (ok && json)
                ok = print_json(reader, &runs[i], err);
            else if (ok)
                print_text(&runs[i]);
            log_run_info_done(&runs[i]);
        }
    } while (ok && count == page);
    return ok;
}

int cmd_runs(struct globals *globals, int argc, char **argv)
{
    bool json = false;
    const struct option_spec specs[] = {
        {"json", 0, NULL, "print a JSON object for each run", &json, NULL},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 0};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct subject subject;
    const bool ok = subject_open(&subject, globals->command, globals->db, NULL, &err) &&
                    print_runs(subject.reader, json, &err);
    subject_close(&subject);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
