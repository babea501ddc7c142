/* cmd_runs.c - devs runs: lists the runs in the log. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "command.h"
#include "fail.h"
#include "log_reader.h"
#include "rows.h"
#include "show.h"
#include "target.h"
#include "text.h"

/* Widths of the columns. */
enum { RUN = 6, LASTED = 8, STATE = 11, TASKS = 5, TRIES = 6, PASSED = 5, FAILED = 4, WIDEST = 11 };

/* Fills the column that begins at `from` with blanks, after its text or before it. printf() would
 * take a third of the time in which a long list is printed. */
static void align(struct str *line, size_t from, size_t width, bool is_right)
{
    static const char blanks[WIDEST + 1] = "           ";
    const size_t used = line->len - from;
    if (used >= width)
        return;
    str_add_n(line, blanks, width - used);
    if (is_right) {
        memmove(line->data + from + width - used, line->data + from, used);
        memset(line->data + from, ' ', width - used);
    }
}

static void add_count(struct str *line, size_t width, int64_t count, const char *word)
{
    const size_t from = line->len;
    str_add_i64(line, count);
    align(line, from, width, true);
    str_add_char(line, ' ');
    str_add(line, word);
}

static void print_text(const struct log_run_info *run, struct str *line)
{
    const struct run_facts facts = run_facts_of(run);
    char date[CLOCK_TEXT_MAX];
    str_clear(line);
    shown_run_number(facts.number, 0, line);
    align(line, 0, RUN, false);
    str_add_char(line, ' ');
    str_add(line, clock_date(facts.started_at_ms, date));
    str_add(line, "  ");
    size_t from = line->len;
    shown_duration(facts.lasted_ms, line);
    align(line, from, LASTED, true);
    str_add(line, "  ");
    from = line->len;
    str_add(line, shown_run_state(facts.state));
    align(line, from, STATE, false);
    str_add_char(line, ' ');
    add_count(line, TASKS, facts.tasks, facts.tasks == 1 ? "task  " : "tasks ");
    add_count(line, TRIES, facts.tries, facts.tries == 1 ? "try   " : "tries ");
    add_count(line, PASSED, facts.passed, "passed ");
    add_count(line, FAILED, facts.failed, "failed  ");
    text_clean(line, facts.name, strlen(facts.name));
    str_add_char(line, '\n');
    (void)fputs(str_text(line), stdout);
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
    str_json_text(&out, "state", shown_run_state(run_facts_of(run).state));
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

struct printing {
    struct log_reader *reader;
    bool json;
    struct str line; /* owned */
};

static bool print_run(void *ctx, const struct log_run_info *run, struct err *err)
{
    struct printing *printing = ctx;
    if (printing->json)
        return print_json(printing->reader, run, err);
    print_text(run, &printing->line);
    return true;
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
    bool ok = subject_open(&subject, globals->command, globals->db, NULL, &err);
    struct printing printing = {.reader = subject.reader, .json = json};
    ok = ok && log_reader_each_run(subject.reader, print_run, &printing, &err);
    str_done(&printing.line);
    subject_close(&subject);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
