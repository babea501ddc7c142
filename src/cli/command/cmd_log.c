/* cmd_log.c - devs log: prints the output of an attempt. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "fail.h"
#include "follower.h"
#include "parse.h"
#include "target.h"
#include "text.h"
#include "watch.h"

/* The options. */
struct log_words {
    const char *try, *step;
    bool follow;
    bool raw;
    bool times;
};

/* Chooses the step and the attempt of chosen->task: the given ones, or else the current step and
 * its latest attempt, falling back from a step that has not started to the previous step. Sets the
 * attempt to 0 if there is none yet. */
static bool choose_attempt(const struct run_state *state, const struct log_words *words,
                           struct log_output_key *chosen, struct err *err)
{
    const struct step_state *steps = state->tasks[chosen->task].steps;
    int64_t step = 0;
    const int step_count = state->plan->tasks[chosen->task].step_count;
    if (words->step && !parse_i64(words->step, 1, step_count, &step, err))
        return false;
    chosen->step = words->step ? (int)step - 1 : run_state_step_number(state, chosen->task);
    while (!words->step && !words->try && chosen->step > 0 &&
           steps[chosen->step].attempt_count == 0)
        chosen->step--;
    const int64_t latest = (int64_t)steps[chosen->step].attempt_count;
    int64_t attempt = latest;
    if (latest > 0 && words->try && !parse_i64(words->try, 1, latest, &attempt, err)) {
        (void)err_hint(err, "step %d has had %lld tr%s", chosen->step + 1, (long long)latest,
                       latest == 1 ? "y" : "ies");
        return false;
    }
    chosen->attempt = (int)attempt;
    return true;
}

/* The attempt to print, and its run. */
struct printing {
    struct follower *follower;
    const struct log_words *words;
    struct log_output_key key;
};

/* Sets *silent if the attempt has written nothing. With --follow, an attempt that may still write
 * does not count as silent. */
static bool look_for_words(const struct printing *printing, const struct log_output_key *key,
                           bool *silent, struct err *err)
{
    const struct run_state *state = follower_state(printing->follower);
    const struct attempt_state *attempt =
        step_state_find_attempt(&state->tasks[key->task].steps[key->step], key->attempt);
    struct output_page page = {0};
    *silent = !attempt || attempt->ended.at_ms != 0 || !printing->words->follow;
    bool ok =
        !attempt || log_reader_output(follower_reader(printing->follower), key, 0, &page, err);
    *silent = *silent && page.count == 0;
    output_page_done(&page);
    return ok;
}

/* If the attempt wrote nothing, goes back to the last step that has output, unless a step or try
 * was requested or no agent ran before. A silent check would otherwise hide the agent's output. */
static bool pass_silence(struct printing *printing, struct err *err)
{
    const struct run_state *state = follower_state(printing->follower);
    const struct plan_task *plan = &state->plan->tasks[printing->key.task];
    const int present = printing->key.step;
    struct log_output_key at = printing->key;
    bool silent = true;
    if (printing->words->step || printing->words->try ||
        plan_task_agent_step(plan, present - 1) < 0)
        return true;
    while (true) {
        if (!look_for_words(printing, &at, &silent, err))
            return false;
        if (!silent || at.step == 0)
            break;
        at.step--;
        at.attempt = (int)state->tasks[at.task].steps[at.step].attempt_count;
    }
    if (silent || at.step == present)
        return true;
    warn("step %d %s has no output; showing step %d %s", present + 1,
         phase_name(plan->steps[present].phase), at.step + 1,
         phase_name(plan->steps[at.step].phase));
    printing->key = at;
    return true;
}

/* An attempt's recorded output being printed to stdout: all streams from the start, and then new
 * output. */
struct output_print {
    struct log_reader *reader; /* borrowed */
    struct log_output_key key;
    bool times;      /* prefix each line with its time and stream */
    int open_stream; /* with times: the stream of the unfinished line; 0 = none */
    int64_t after;   /* last row printed */
    int64_t next[LOG_STREAM_COUNT + 1]; /* by stream: the next expected offset */
    struct output_page page;
};

static void print_bytes(const char *bytes, size_t len)
{
    if (!isatty(STDOUT_FILENO)) {
        (void)fwrite(bytes, 1, len, stdout); /* a closed pipe is not an error here */
        return;
    }
    struct str clean = {0};
    text_clean(&clean, bytes, len);
    (void)fwrite(str_text(&clean), 1, clean.len, stdout);
    str_done(&clean);
}

/* Prints output with the time and the stream before each line. If another stream interrupts a line,
 * the rest of the line gets its own time. */
static void print_timed(struct output_print *print, const struct log_output_row *row,
                        const char *bytes, size_t len)
{
    static const char *const names[] = {
        [LOG_STREAM_OUT] = "out", [LOG_STREAM_ERR] = "err", [LOG_STREAM_AGENT] = "agent"};
    char time[CLOCK_TEXT_MAX];
    while (len > 0) {
        const char *feed = memchr(bytes, '\n', len);
        const size_t part = feed ? (size_t)(feed - bytes) + 1 : len;
        if (print->open_stream != row->stream)
            (void)printf("%s%s %s ", print->open_stream != 0 ? "\n" : "",
                         clock_hms_ms(row->at_ms, time), names[row->stream]);
        print_bytes(bytes, part);
        print->open_stream = feed ? 0 : row->stream;
        bytes += part;
        len -= part;
    }
}

static void print_row(struct output_print *print, const struct log_output_row *row)
{
    const char *bytes = str_text(&print->page.text) + row->start;
    size_t len = row->len;
    int64_t *next = &print->next[row->stream];

    if (row->offset > *next) {
        (void)printf("%s[%" PRId64 " bytes were not kept]\n",
                     print->times && print->open_stream == 0 ? "" : "\n", row->offset - *next);
        print->open_stream = 0;
    }
    /* bytes of this row already printed: a tail can overlap the head */
    int64_t seen = *next - row->offset;
    if (seen > 0) {
        size_t skip = (size_t)seen < len ? (size_t)seen : len;
        bytes += skip;
        len -= skip;
    }
    if (print->times)
        print_timed(print, row, bytes, len);
    else
        print_bytes(bytes, len);
    if (row->offset + (int64_t)row->len > *next)
        *next = row->offset + (int64_t)row->len;
}

/* Prints new output. A terminal gets text without control bytes, a file or pipe gets the bytes
 * unchanged. A line says how many bytes were not kept. */
ATTR_MUST_USE static bool output_print_more(struct output_print *print, struct err *err)
{
    size_t count = 0;
    do {
        if (!log_reader_output(print->reader, &print->key, print->after, &print->page, err))
            return false;
        count = print->page.count;
        for (size_t i = 0; i < count; i++) {
            print->after = print->page.rows[i].id;
            if (!print->page.rows[i].replaceable)
                print_row(print, &print->page.rows[i]);
        }
    } while (count > 0);
    (void)fflush(stdout);
    return true;
}

static bool follow_output(struct follower *follower, const struct log_output_key *chosen,
                          struct output_print *print, struct err *err)
{
    enum { ORPHAN_LOOK_MS = 1000 };
    for (;;) {
        /* check for the end before reading output, so that none is lost */
        const struct run_state *state = follower_state(follower);
        const struct step_state *step = &state->tasks[chosen->task].steps[chosen->step];
        const struct attempt_state *attempt = step_state_find_attempt(step, chosen->attempt);
        const bool over = !attempt || attempt->ended.at_ms != 0 || follower_is_orphaned(follower);
        if (!output_print_more(print, err))
            return false;
        if (over || ferror(stdout))
            return true;
        struct pollfd fd = {.fd = follower_fd(follower), .events = POLLIN};
        (void)poll(&fd, 1, fd.fd < 0 ? WATCH_POLL_MS : ORPHAN_LOOK_MS);
        (void)follower_heard(follower);
        if (!follower_read(follower, 0, NULL, NULL, NULL, err))
            return false;
    }
}

static bool print_log(const struct subject *subject, const struct log_words *words, struct err *err)
{
    struct follower *follower = subject->follower;
    const struct run_state *state = follower_state(follower);
    struct printing printing = {.follower = follower,
                                .words = words,
                                .key = {.run = follower_run(follower)->number,
                                        .task = subject->task,
                                        .readable = !words->raw}};
    struct log_output_key *key = &printing.key;
    if (!choose_attempt(state, words, key, err))
        return false;
    if (key->attempt == 0) {
        warn("step %d of %s has not been tried yet", key->step + 1,
             state->plan->tasks[key->task].id);
        return true;
    }
    if (!pass_silence(&printing, err))
        return false;
    struct output_print print = {
        .reader = follower_reader(follower), .key = printing.key, .times = words->times};
    bool ok = words->follow ? follow_output(follower, &printing.key, &print, err)
                            : output_print_more(&print, err);
    if (print.open_stream != 0)
        (void)putchar('\n');
    output_page_done(&print.page);
    return ok;
}

int cmd_log(struct globals *globals, int argc, char **argv)
{
    struct log_words words = {0};
    const struct option_spec specs[] = {
        {"try", 0, "N", "number of the try (default: the latest)", NULL, &words.try},
        {"step", 0, "N",
         "number of the step (default: the current one; after an agent, the last one with output)",
         NULL, &words.step},
        {"raw", 0, NULL, "print an agent's raw output instead of readable text", &words.raw, NULL},
        {"times", 0, NULL, "prefix each line with its time and stream", &words.times, NULL},
        {"follow", 'f', NULL, "keep printing until the try ends", &words.follow, NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct subject subject;
    bool ok = subject_open(&subject, globals->command, globals->db, argv[0], &err);
    if (ok && words.follow) { /* read output that was written before the watch began */
        follower_watch(subject.follower);
        ok = follower_read(subject.follower, 0, NULL, NULL, NULL, &err);
    }
    ok = ok && print_log(&subject, &words, &err);
    subject_close(&subject);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
