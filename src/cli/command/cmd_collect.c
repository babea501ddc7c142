/* cmd_collect.c - devs collect: copies the runs of other logs into this one. */
#include <inttypes.h>

#include "command.h"
#include "fail.h"
#include "far.h"
#include "shown.h"
#include "target.h"

/* Prints what was collected from a host. */
static void print_sum(const struct far_place *far, const struct log_copy *copy)
{
    const struct log_copy_sum sum = log_copy_sum(copy);
    struct log_copy_run run;
    struct str text = {0};
    for (size_t at = 0; log_copy_next(copy, &at, &run);) {
        str_addf(&text, "#%" PRId64 "  %s's #%" PRId64 "  ", run.run, far->host, run.far_run);
        shown_count(run.events, "event", "events", &text);
        str_add(&text, run.is_new ? "" : " more");
        str_add(&text, run.has_ended ? "\n" : ", not ended yet\n");
    }
    far_place_words(far, &text);
    str_add(&text, ": ");
    shown_count(sum.runs, "run, ", "runs, ", &text);
    str_addf(&text, "%" PRId64 " new, %" PRId64 " continued, %" PRId64 " unchanged", sum.added,
             sum.continued, sum.unchanged);
    if (sum.ours > 0)
        str_addf(&text, ", %" PRId64 " recorded here", sum.ours);
    str_add(&text, "; ");
    shown_count(sum.events, "event, ", "events, ", &text);
    size_text_add(sum.output_bytes, &text);
    str_add(&text, " of output\n");
    say(str_text(&text));
    str_done(&text);
}

static void print_json(const struct far_place *far, const struct log_copy *copy,
                       const struct err *err)
{
    const struct log_copy_sum sum = log_copy_sum(copy);
    struct log_copy_run run;
    struct str text = {0};
    bool is_first = true;
    str_add(&text, "{");
    str_json_i64(&text, "v", 1);
    str_json_text(&text, "host", far->host);
    str_json_text(&text, "dir", far->dir);
    str_json_bool(&text, "ok", err->code == ERR_NONE);
    if (err->code != ERR_NONE)
        str_json_text(&text, "error", err->message);
    str_json_i64(&text, "runs", sum.runs);
    str_json_i64(&text, "new", sum.added);
    str_json_i64(&text, "continued", sum.continued);
    str_json_i64(&text, "unchanged", sum.unchanged);
    str_json_i64(&text, "recorded_here", sum.ours);
    str_json_i64(&text, "refused", sum.refused);
    str_json_i64(&text, "events", sum.events);
    str_json_i64(&text, "output_bytes", sum.output_bytes);
    str_json_key(&text, "collected");
    str_add(&text, "[");
    for (size_t at = 0; log_copy_next(copy, &at, &run); is_first = false) {
        str_add(&text, is_first ? "{" : ",{");
        str_json_i64(&text, "run", run.run);
        str_json_i64(&text, "there", run.far_run);
        str_json_text(&text, "uid", run.uid);
        str_json_i64(&text, "events", run.events);
        str_json_bool(&text, "new", run.is_new);
        str_json_bool(&text, "ended", run.has_ended);
        str_add(&text, "}");
    }
    str_add(&text, "]}\n");
    say_json(str_text(&text));
    str_done(&text);
}

/* Collects from one host. Returns the exit code. */
static int collect_from(const struct place *place, const char *word, bool json)
{
    struct far_place far;
    struct log_copy *copy = NULL;
    struct err err = {0};
    struct str host = {0};
    if (!far_place_parse(word, &far, &err))
        return fail(&err);
    far_place_words(&far, &host);
    if (!log_copy_open(&copy, place, str_text(&host), false, &err)) {
        str_done(&host);
        return fail(&err);
    }
    (void)!far_collect(&far, copy, &err);
    const int64_t refused = log_copy_sum(copy).refused;
    if (err.code == ERR_NONE && refused > 0) {
        (void)err_set(&err, ERR_INVALID,
                      "%s: %lld runs here have the uids of runs there, but other events", far.host,
                      (long long)refused);
    }
    if (json)
        print_json(&far, copy, &err);
    else if (err.code == ERR_NONE || log_copy_sum(copy).events > 0)
        print_sum(&far, copy);
    log_copy_close(copy);
    str_done(&host);
    return err.code == ERR_NONE ? EXIT_ALL_PASSED : fail(&err);
}

int cmd_collect(struct globals *globals, int argc, char **argv)
{
    bool json = false;
    const struct option_spec specs[] = {
        {"json", 0, NULL, "print a JSON object for each host", &json, NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = -1};
    struct place place;
    struct err err = {0};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct far_place far;
    for (int i = 0; i < line.operands; i++) { /* all of them, before anything is written */
        if (!far_place_parse(argv[i], &far, &err))
            return fail(&err);
    }
    if (!find_log(globals->db, true, &place, &err))
        return fail(&err);
    stop_signal_watch();
    for (int i = 0; i < line.operands && stop_signal() == 0; i++) {
        const int one = collect_from(&place, argv[i], json);
        code = code == EXIT_ALL_PASSED ? one : code;
    }
    return stop_signal() != 0 ? 128 + stop_signal() : code;
}
