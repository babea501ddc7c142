/* cmd_what_if.c - devs what-if: applies a policy to one or several runs, and prints the
 * differences.
 *
 * Each run is also decided without the change, to separate differences caused by the change from
 * differences between this build and the build that recorded the run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "debug_mode.h"
#include "fail.h"
#include "target.h"
#include "text_file.h"
#include "what_if.h"
#include "what_if_log.h"
#include "xalloc.h"

enum { WIDTH = 80, MOST_CHANGED = 10 };

/* One of several runs. */
struct changed_run {
    int64_t number;
    char *name; /* owned */
    struct what_if_sum sum;
};

/* One invocation of the command. */
struct what_if_call {
    const char *file;
    const struct policy_change *change;
    struct log_reader *reader;
    struct run_choice choice;
    bool json;
    struct what_if_sum all;
    int64_t unlike;      /* decisions that this build makes differently even without the change */
    int64_t unlike_runs; /* runs with such decisions */
    struct changed_run most[MOST_CHANGED]; /* the runs with the most changes, in descending order */
    size_t most_count;
    struct str each; /* with `json` and several runs: a JSON object for each run */
};

static const struct what_if_look look = {.width = WIDTH, .hms = clock_hms};

static void print_head(const struct what_if_call *call, const char *of)
{
    struct str head = {0};
    str_addf(&head, "what-if: %s\npolicy B: ", of);
    policy_change_words(call->change, &head);
    str_addf(&head, " (%s)\n", call->file);
    say(str_text(&head));
    str_done(&head);
}

static void begin_json(const struct what_if_call *call, struct str *out)
{
    struct str words = {0};
    policy_change_words(call->change, &words);
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_text(out, "file", call->file);
    str_json_text(out, "policy", str_text(&words));
    str_done(&words);
}

static void print_one(const struct what_if_call *call, const struct log_run_info *run,
                      const struct what_if *other, const struct what_if *same)
{
    struct what_if_sum unchanged;
    struct str text = {0};
    what_if_sum(same, &unchanged);
    if (call->json) {
        begin_json(call, &text);
        str_json_i64(&text, "run", run->number);
        str_json_i64(&text, "differ_unchanged", unchanged.differ);
        what_if_json(other, &text);
        str_add(&text, "}\n");
        say_json(str_text(&text));
    } else {
        str_addf(&text, "run #%" PRId64 " %s", run->number, run->name);
        print_head(call, str_text(&text));
        str_clear(&text);
        what_if_lines(other, &look, &text);
        what_if_doubt(same, run->number, &look, &text);
        say(str_text(&text));
    }
    str_done(&text);
}

/* Returns true if run `a` changes by more tries than `b`, or by as many tries and more waiting. */
static bool changes_more(const struct what_if_sum *a, const struct what_if_sum *b)
{
    const int64_t tries_a = llabs(a->recorded.tries - a->other.tries) + a->goes_on;
    const int64_t tries_b = llabs(b->recorded.tries - b->other.tries) + b->goes_on;
    if (tries_a != tries_b)
        return tries_a > tries_b;
    return llabs(a->recorded.waited_ms - a->other.waited_ms) >
           llabs(b->recorded.waited_ms - b->other.waited_ms);
}

static void keep_most(struct what_if_call *call, const struct log_run_info *run,
                      const struct what_if_sum *sum)
{
    size_t at = call->most_count;
    while (at > 0 && changes_more(sum, &call->most[at - 1].sum))
        at--;
    if (sum->differ == 0 || at == MOST_CHANGED)
        return;
    if (call->most_count == MOST_CHANGED)
        free(call->most[--call->most_count].name);
    memmove(&call->most[at + 1], &call->most[at], (call->most_count - at) * sizeof(call->most[0]));
    call->most[at] =
        (struct changed_run){.number = run->number, .name = xstrdup(run->name), .sum = *sum};
    call->most_count++;
}

static bool look_at_run(struct what_if_call *call, int64_t number, struct err *err)
{
    struct log_run_info run;
    struct what_if *other = NULL;
    struct what_if *same = NULL;
    if (!log_reader_run(call->reader, number, &run, err))
        return false;
    const bool ok = what_if_new(&other, run.plan_text, run.seed, call->change, err) &&
                    what_if_new(&same, run.plan_text, run.seed, NULL, err) &&
                    what_if_take_run(call->reader, number, other, same, err);
    if (ok) {
        struct what_if_sum sum;
        what_if_sum(same, &sum);
        call->unlike += sum.differ;
        call->unlike_runs += sum.differ > 0;
        what_if_sum(other, &sum);
        what_if_sum_add(&call->all, &sum);
        keep_most(call, &run, &sum);
        if (call->json) {
            str_add(&call->each, call->each.len > 0 ? "," : "");
            str_add_char(&call->each, '{');
            str_json_i64(&call->each, "run", number);
            what_if_sum_json(&sum, &call->each);
            str_add_char(&call->each, '}');
        }
    }
    if (ok && call->choice.count == 1)
        print_one(call, &run, other, same);
    what_if_free(same);
    what_if_free(other);
    log_run_info_done(&run);
    return ok;
}

static void print_all(const struct what_if_call *call)
{
    struct str text = {0};
    if (call->json) {
        begin_json(call, &text);
        str_json_i64(&text, "runs", (int64_t)call->choice.count);
        str_json_i64(&text, "differ_unchanged", call->unlike);
        what_if_sum_json(&call->all, &text);
        str_json_key(&text, "each");
        str_addf(&text, "[%s]}\n", str_text(&call->each));
        say_json(str_text(&text));
    } else {
        str_addf(&text, "%zu runs", call->choice.count);
        print_head(call, str_text(&text));
        str_clear(&text);
        what_if_table(&call->all, &look, &text);
        what_if_notes(&call->all, &look, &text);
        if (call->unlike > 0)
            str_addf(&text,
                     " even with the same policies, this devs decides differently than recorded\n "
                     "%" PRId64 " times, in %" PRId64 " runs: see devs verify RUN\n",
                     call->unlike, call->unlike_runs);
        if (call->most_count > 0)
            str_add(&text, " runs that change most:\n");
        for (size_t i = 0; i < call->most_count; i++) {
            const struct changed_run *run = &call->most[i];
            str_addf(&text, "  #%-5" PRId64 " tries %" PRId64 " to %" PRId64 ", wait ", run->number,
                     run->sum.recorded.tries, run->sum.other.tries);
            shown_duration(run->sum.recorded.waited_ms, &text);
            str_add(&text, " to ");
            shown_duration(run->sum.other.waited_ms, &text);
            str_addf(&text, ", %" PRId64 " of %" PRId64 " differ  %s\n", run->sum.differ,
                     run->sum.decisions, run->name);
        }
        say(str_text(&text));
    }
    str_done(&text);
}

static bool read_change(const char *file, struct policy_change **out, struct violations *wrong,
                        struct err *err)
{
    struct str text = {0};
    struct err why = {0};
    bool ok = read_text_input(file, POLICY_CHANGE_BYTES_MAX, &text, &why);
    if (ok)
        ok = policy_change_read(str_text(&text), text.len, out, wrong);
    else
        (void)err_set(err, why.code, "%s: %s", file, why.message);
    str_done(&text);
    return ok;
}

static int look_at_runs(struct what_if_call *call, const struct debug_call *debug)
{
    struct err err = {0};
    bool ok = run_choice_find(debug->globals, debug->operands, debug->operand_count, &call->reader,
                              &call->choice, &err);
    for (size_t i = 0; ok && i < call->choice.count; i++)
        ok = look_at_run(call, call->choice.runs[i], &err);
    if (ok && call->choice.count != 1)
        print_all(call);
    for (size_t i = 0; i < call->most_count; i++)
        free(call->most[i].name);
    str_done(&call->each);
    run_choice_done(&call->choice);
    log_reader_close(call->reader);
    if (!ok)
        return fail(&err);
    return call->all.differ > 0 ? EXIT_WOULD_CHANGE : EXIT_ALL_PASSED;
}

int debug_what_if(const struct debug_call *call)
{
    struct err err = {0};
    struct violations wrong = {0};
    struct policy_change *change = NULL;
    const char *file = call->words->what_if;
    int code = EXIT_USAGE;
    if (read_change(file, &change, &wrong, &err)) {
        struct what_if_call *own = xcalloc(1, sizeof(*own));
        *own = (struct what_if_call){.file = file, .change = change, .json = call->words->json};
        code = look_at_runs(own, call);
        free(own);
    } else if (wrong.count > 0) {
        code = fail_violations(file, "nothing was examined", &wrong);
    } else {
        code = fail(&err);
    }
    violations_done(&wrong);
    policy_change_free(change);
    return code;
}

static void what_if_help(void)
{
    (void)puts("\nPOLICY.json is a policy, such as {\"max_attempts\": 2}, or a\n"
               "devs.config.json.");
    debug_runs_help();
}

int cmd_what_if(struct globals *globals, int argc, char **argv)
{
    struct debug_words words = {0};
    const struct option_spec specs[] = {
        {"json", 0, NULL, "print one JSON object", &words.json, NULL},
    };
    struct command_line line = {.specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .min_operands = 1,
                                .max_operands = -1,
                                .print_more = what_if_help};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    words.what_if = argv[0];
    const struct debug_call call = {.globals = globals,
                                    .words = &words,
                                    .name = "what-if",
                                    .operands = argv + 1,
                                    .operand_count = line.operands - 1};
    return debug_what_if(&call);
}
