/* debug_retries.c - devs debug --retries: whether retrying helps, and where the time went. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "debug_mode.h"
#include "fail.h"
#include "follower.h"
#include "retry_help.h"
#include "retry_log.h"
#include "shown.h"
#include "str.h"
#include "target.h"
#include "timeline.h"
#include "xalloc.h"

/* The statistics of the runs that were read. */
struct retries {
    struct retry_help help;
    struct time_spent spent;
    size_t timed;   /* runs whose time was summed; the others would take too long */
    int64_t events; /* events folded so far for these sums */
};
/* No further run is folded after this many events, about one second's work. */
enum { RETRIES_TIMED_EVENTS = 400 * 1000 };

/* columns of the table, 80 in total */
enum { CLASS_COLUMNS = 13, SHARE_COLUMNS = 20, TIME_COLUMNS = 8 };

static void pad_column(struct str *out, size_t from, size_t columns)
{
    while (out->len - from < columns)
        str_add_char(out, ' ');
}

static void add_time(struct str *out, int64_t ms)
{
    struct str text = {0};
    shown_duration(ms, &text);
    str_add_char(out, ' ');
    str_addf(out, "%*s", TIME_COLUMNS, str_text(&text));
    str_done(&text);
}

/* Appends "   94% (89 to 97%)", padded to SHARE_COLUMNS, or that there are too few cases. */
static void add_share(struct str *out, struct retry_count count)
{
    const size_t from = out->len;
    if (count.cases >= RETRY_CASES_MIN) {
        const struct retry_share share = retry_share_of(count);
        struct str percent = {0};
        retry_percent(share.share, &percent);
        str_addf(out, " %5s (%.0f to ", str_text(&percent), share.low * 100.0);
        retry_percent(share.high, out);
        str_add_char(out, ')');
        str_done(&percent);
    } else {
        str_add(out, "   too few to say");
    }
    pad_column(out, from, SHARE_COLUMNS);
}

/* Appends the row of the class, and below it the details, indented. */
static void add_class(struct str *out, const struct retry_class *class)
{
    const struct retry_count count = retry_class_count(class, RETRY_OF_ALL, 0, 0);
    const size_t from = out->len;
    struct str text = {0};
    failure_class_word(&class->class, &text);
    str_add(out, str_text(&text));
    pad_column(out, from, CLASS_COLUMNS);
    str_addf(out, " %6lld %5lld %6lld", (long long)class->failed, (long long)count.cases,
             (long long)count.passed);
    add_share(out, count);
    add_time(out, class->waited_ms);
    add_time(out, class->ran_ms);
    add_time(out, class->in_vain_ms);
    str_add_char(out, '\n');
    str_clear(&text);
    retry_class_words(class, &text);
    for (const char *lines = str_text(&text); *lines != '\0';) {
        const size_t len = strcspn(lines, "\n");
        str_add(out, "  ");
        str_add_n(out, lines, len);
        str_add_char(out, '\n');
        lines += len + (lines[len] == '\n');
    }
    str_done(&text);
}

/* Appends a table with a row for each class, each followed by its details. */
static void retries_text(const struct retries *retries, struct str *out)
{
    const struct retry_help *help = &retries->help;
    struct str time = {0};
    shown_count(help->runs, "run", "runs", out);
    str_add(out, ", ");
    shown_count(help->attempts, "try", "tries", out);
    str_addf(out, ", %lld failed\n", (long long)help->failed);
    if (help->class_count > 0)
        str_addf(out, "%-*s FAILED AGAIN PASSED   %-*s %*s %*s %*s\n", CLASS_COLUMNS, "CLASS",
                 SHARE_COLUMNS - 3, "SHARE", TIME_COLUMNS, "WAITED", TIME_COLUMNS, "RAN",
                 TIME_COLUMNS, "IN VAIN");
    for (int i = 0; i < help->class_count; i++)
        add_class(out, &help->classes[i]);
    if (help->untold > 0)
        str_addf(out, "%lld more failures, in classes beyond the first %d\n",
                 (long long)help->untold, RETRY_CLASSES_MAX);
    time_spent_words(&retries->spent, &time);
    if (time.len > 0 && (int64_t)retries->timed < help->runs)
        str_addf(out, "time of %zu of these runs: %s\n", retries->timed, time.data);
    else if (time.len > 0)
        str_addf(out, "time: %s\n", time.data);
    str_done(&time);
}

static void add_object(struct str *out, const char *key, struct retry_count count)
{
    str_json_key(out, key);
    str_add_char(out, '{');
    retry_count_json(count, out);
    str_add_char(out, '}');
}

static void add_class_json(struct str *out, const struct retry_class *class)
{
    struct str word = {0};
    struct retry_tail tail;
    failure_class_word(&class->class, &word);
    str_json_text(out, "class", str_text(&word));
    str_done(&word);
    str_json_i64(out, "failed", class->failed);
    retry_count_json(retry_class_count(class, RETRY_OF_ALL, 0, 0), out);
    str_json_i64(out, "waited_ms", class->waited_ms);
    str_json_i64(out, "ran_ms", class->ran_ms);
    str_json_i64(out, "in_vain_ms", class->in_vain_ms);
    str_json_key(out, "tries");
    str_add_char(out, '[');
    for (int try = 2; try <= RETRY_TRIES_MAX; try++) {
        const struct retry_count count = retry_class_count(class, RETRY_OF_ALL, try, try);
        if (count.cases == 0)
            continue;
        str_add(out, out->data[out->len - 1] == '[' ? "{" : ",{");
        str_json_i64(out, "try", try);
        retry_count_json(count, out);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
    if (retry_class_tail(class, &tail)) {
        str_json_key(out, "none_passed");
        str_addf(out, "{\"from\":%d,\"to\":%d,\"again\":%lld}", tail.from, tail.to,
                 (long long)tail.count.cases);
    }
    add_object(out, "same_fault", retry_class_count(class, RETRY_OF_SAME_FAULT, 0, 0));
    add_object(out, "new_fault", retry_class_count(class, RETRY_OF_NEW_FAULT, 0, 0));
    add_object(out, "hint", retry_class_count(class, RETRY_OF_HINTED, 0, 0));
    add_object(out, "no_hint", retry_class_count(class, RETRY_OF_PLAIN, 0, 0));
    add_object(out, "new_round", class->new_round);
}

/* Appends one object, {"v":1,...}, and a line feed. */
static void retries_json(const struct retries *retries, struct str *out)
{
    const struct retry_help *help = &retries->help;
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "runs", help->runs);
    str_json_i64(out, "attempts", help->attempts);
    str_json_i64(out, "failed", help->failed);
    str_json_key(out, "classes");
    str_add_char(out, '[');
    for (int i = 0; i < help->class_count; i++) {
        str_add(out, i == 0 ? "{" : ",{");
        add_class_json(out, &help->classes[i]);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
    if (help->untold > 0)
        str_json_i64(out, "untold", help->untold);
    str_json_key(out, "time");
    str_add_char(out, '{');
    str_json_i64(out, "runs", (int64_t)retries->timed);
    time_spent_json(&retries->spent, out);
    str_add(out, "}}\n");
}

/* Adds the run's time by use, as shown on the Timeline screen, by folding all its events. Does
 * nothing if enough events have been folded. */
static bool add_spent_time(const struct place *place, int64_t run, struct retries *to,
                           struct err *err)
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
        const struct moment clock = clock_now();
        const struct moment now = shown_moment(state, orphaned, &clock);
        struct time_spent spent;
        time_spent_of_run(&spent, state, &now, orphaned);
        time_spent_add(&to->spent, &spent);
        to->timed++;
        to->events += state->last_seq;
    }
    follower_close(follower);
    return ok;
}

/* Without operands, reads all runs of the log, or of the FILE. */
static bool read_retries(const struct debug_call *call, struct retries *out, struct err *err)
{
    struct log_reader *reader = NULL;
    struct run_choice choice = {0};
    char all[] = "all";
    char *words[] = {call->operand_count > 0 ? call->operands[0] : all, all};
    const bool is_file = call->operand_count == 1 && access(words[0], F_OK) == 0;
    const bool is_all = call->operand_count == 0 || is_file;
    bool ok = run_choice_find(call->globals, is_all ? words : call->operands,
                              call->operand_count + (is_all ? 1 : 0), &reader, &choice, err);
    for (size_t i = 0; ok && i < choice.count; i++)
        ok = retry_log_add(reader, choice.runs[i], &out->help, err) &&
             add_spent_time(log_reader_place(reader), choice.runs[i], out, err);
    log_reader_close(reader);
    run_choice_done(&choice);
    retry_help_sort(&out->help);
    return ok;
}

int debug_retries(const struct debug_call *call)
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
        say_json(str_text(&text)); /* contains only our own numbers and text */
    str_done(&text);
    free(retries);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
