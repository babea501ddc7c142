/* attempt_judge.c - gathers the evidence when an attempt ends, and gives its verdict. */
#define _GNU_SOURCE /* memmem */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapter.h"
#include "attempt.h"
#include "plan.h"
#include "repair.h"
#include "scheduler.h"
#include "str.h"
#include "text.h"
#include "tree_folder.h"
#include "xalloc.h"
#include "zone.h"

/* Checks the files that a step has to produce (expect_files). Any thread. Blocks on the disk. */

enum {
    EXPECT_FILES_BYTES_MAX = 8 * 1024 * 1024
}; /* maximum bytes of a file whose content is checked */

static void add_fault(struct str *out, const struct plan_expected_file *file, const char *why)
{
    str_addf(out, "%s: %s\n", file->path, why);
}

/* Opens the file without blocking. Returns -1 after adding the reason to `out`. */
static int open_file(struct tree_folder *folder, const struct plan_expected_file *file,
                     struct stat *info, struct str *out)
{
    const char *name = NULL;
    int parent = -1;
    errno = 0;
    int fd = -1;
    if (tree_folder_reach(folder, file->path, &parent, &name, NULL))
        fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        const int number = errno;
        if (number == ENOENT)
            add_fault(out, file, "missing");
        else if (number == ELOOP || number == ENOTDIR)
            add_fault(out, file, "it is a link, or one of its parents is not a folder");
        else if (number == ENXIO) /* a socket, or a FIFO without a writer */
            add_fault(out, file, "not a regular file");
        else
            add_fault(out, file, strerror(number));
        return -1;
    }
    if (fstat(fd, info) == 0 && S_ISREG(info->st_mode))
        return fd;
    add_fault(out, file, S_ISDIR(info->st_mode) ? "it is a folder" : "not a regular file");
    (void)close(fd); /* opened for reading only */
    return -1;
}

/* Reads the whole file, but at most EXPECT_FILES_BYTES_MAX + 1 bytes. */
static bool read_all(int fd, char *bytes, size_t *len)
{
    *len = 0;
    while (*len <= EXPECT_FILES_BYTES_MAX) {
        const ssize_t got = read(fd, bytes + *len, EXPECT_FILES_BYTES_MAX + 1 - *len);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return false;
        *len += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static void check_file(struct tree_folder *folder, const struct plan_expected_file *file,
                       struct str *out)
{
    struct stat info = {0};
    size_t len = 0;
    const int fd = open_file(folder, file, &info, out);
    if (fd < 0)
        return;
    if (file->min_lines > 0 || file->contains) {
        char *bytes = xcalloc(EXPECT_FILES_BYTES_MAX + 1, 1);
        if (read_all(fd, bytes, &len)) {
            int64_t lines = 0;
            for (size_t i = 0; i < len; i++)
                lines += bytes[i] == '\n';
            lines += len > 0 && bytes[len - 1] != '\n'; /* an unterminated last line counts */
            if (len > EXPECT_FILES_BYTES_MAX)
                str_addf(out, "%s: too large to check, more than %d MiB\n", file->path,
                         EXPECT_FILES_BYTES_MAX / (1024 * 1024));
            else if (lines < file->min_lines)
                str_addf(out, "%s: %" PRId64 " line%s, expected at least %" PRId64 "\n", file->path,
                         lines, lines == 1 ? "" : "s", file->min_lines);
            else if (file->contains && !memmem(bytes, len, file->contains, strlen(file->contains)))
                str_addf(out, "%s: does not contain '%.80s'\n", file->path, file->contains);
        } else {
            add_fault(out, file, strerror(errno));
        }
        free(bytes);
    }
    (void)close(fd); /* opened for reading only */
}

/* Checks the expected files in the folder `dir` and appends one line for each that is not as
 * expected: "report.md: missing". Appends nothing if all are as expected. Follows no links and
 * opens only regular files, because a step may have left anything there. */
static void expect_files_check(const char *dir, const struct plan_step *step, struct str *out)
{
    struct tree_folder folder;
    const int top = tree_folder_open(AT_FDCWD, dir);
    if (top < 0) {
        str_addf(out, "%s: %s\n", dir, strerror(errno));
        return;
    }
    tree_folder_init(&folder, top);
    for (int i = 0; i < step->file_count; i++)
        check_file(&folder, &step->files[i], out);
    tree_folder_done(&folder);
    (void)close(top); /* a folder opened for reading; nothing to flush */
}

enum {
    EXIT_TIMEOUT = 124,    /* like timeout(1) */
    EXIT_NO_START = 125,   /* the machine lacked the resources */
    EXIT_NO_PROGRAM = 126, /* found, but not executable */
    EXIT_NOT_FOUND = 127,
    EXIT_SIGNAL = 128,
};

/* Returns the end of a stream, without output of a discarded start. */
static struct classify_text find_tail(const struct attempt *attempt, int stream, size_t max)
{
    const struct output *output = &attempt->streams[stream];
    const int64_t bytes = output->bytes - attempt->judged_from[stream];
    return output_tail(output, bytes < (int64_t)max ? (size_t)bytes : max);
}

/* Returns whether an earlier attempt of the step ended with this result. The log shows that even
 * after the memory of the task's output was dropped at the end of its run. */
static bool was_result_seen(const struct attempt *attempt, struct digest fingerprint)
{
    const struct step_state *step =
        &attempt->setting->state->tasks[attempt->task].steps[attempt->step];
    for (size_t i = step->attempt_count; i-- > 0;) {
        const struct attempt_state *before = &step->attempts[i];
        if (before->number < attempt->number && digest_is_known(before->fingerprint) &&
            digest_equal(before->fingerprint, fingerprint))
            return true;
    }
    return false;
}

/* Records the attempt as a step in the trajectory of its task. */
static void take_fact(struct attempt *attempt, struct input *input)
{
    const struct attempt_setting *setting = attempt->setting;
    const struct plan_task *task = &setting->call.plan->tasks[attempt->task];
    const bool failed = input->verdict.class != VERDICT_SUCCESS;
    struct fingerprint *fingerprint = attempt_fingerprint(attempt);
    /* If there is more output than the fingerprint covers, includes its end. */
    for (int i = 0; i < FINGERPRINT_STREAMS; i++) {
        const bool is_words = attempt->agent && i == 0;
        const struct output *output = is_words ? &attempt->agent->words : &attempt->streams[i];
        struct classify_text tail = output_tail(output, OUTPUT_RING_BYTES);
        fingerprint_add_tail(fingerprint, i, tail.bytes, tail.len);
    }
    const struct fingerprint_result result =
        fingerprint_finish(fingerprint, input->outcome.kind, input->outcome.code);
    input->fingerprint = result.digest;
    if (!digest_equal(result.digest, result.masked_digest))
        input->masked_fingerprint = result.masked_digest;
    input->masks = result.masked;
    input->partial = result.partial;
    input->skipped_bytes = result.skipped_bytes;

    /* If the first attempt of a task is also its last, nothing can be a repeat of it. */
    const bool may_be_followed = failed || attempt->plan->expect.what != PLAN_EXPECT_SUCCESS ||
                                 attempt->step < task->step_count - 1 ||
                                 gains_find(setting->gains, attempt->task);
    input->has_fact = circles_counts(input->outcome.kind) && may_be_followed;
    if (!input->has_fact)
        return;
    const struct entropy_end end = {.failed = failed,
                                    .transient = input->verdict.class == VERDICT_TRANSIENT,
                                    .result = result.masked_digest};
    entropy_memory_end(attempt_memory(attempt), &end, &input->fact);
    input->fact.raw = result.raw;
    if (input->fact.new_permille > 0 && was_result_seen(attempt, input->fingerprint))
        input->fact.new_permille = 0;
}

static_assert((int)CONTRACT_OUTPUT_MAX <= (int)OUTPUT_RING_BYTES, "all that can fit is kept");

/* Checks the agent's final result, or stdout, against the contract of its step. */
static void check_contract(struct attempt *attempt, struct verdict *verdict)
{
    struct str result = {0};
    int64_t written = attempt->streams[0].bytes;
    if (attempt->agent) { /* not the raw output of its CLI */
        (void)agent_stream_final(attempt->agent->stream, &result, NULL);
        written = (int64_t)result.len;
    } else {
        const struct classify_text kept = output_tail(&attempt->streams[0], OUTPUT_RING_BYTES);
        if (kept.len > 0)
            str_add_n(&result, kept.bytes, kept.len);
    }
    const struct contract_output output = {
        .bytes = result.data, .len = result.len, .written = written};
    violations_done(&attempt->violations);
    contract_judge(attempt->plan->contract->schema, &output, verdict, &attempt->violations);
    str_done(&result);
}

/* Redacts the verdict again: a secret that was split by escape sequences may be whole now, and a
 * contract may contain one. */
static void cut_verdict(const struct attempt *attempt, struct verdict *verdict)
{
    const struct {
        char *text;
        size_t size;
    } texts[] = {{verdict->match, sizeof(verdict->match)},
                 {verdict->violations, sizeof(verdict->violations)}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct str cut = {0};
        attempt_redact(attempt, texts[i].text, strlen(texts[i].text), &cut);
        const size_t len = text_cut(str_text(&cut), cut.len, texts[i].size - 1);
        memcpy(texts[i].text, str_text(&cut), len);
        texts[i].text[len] = '\0';
        str_done(&cut);
    }
}

void attempt_check_files(struct attempt *attempt, struct verdict *verdict)
{
    struct str faults = {0};
    if (attempt->plan->file_count == 0 || verdict->class != VERDICT_SUCCESS)
        return;
    expect_files_check(attempt->call.cwd, attempt->plan, &faults);
    if (faults.len > 0) {
        verdict_set_persistent(verdict, REASON_CONTRACT, "EXPECT_FILES", EXPECT_FILES_RULE);
        verdict->stream = VERDICT_STREAM_NONE;
        for (const char *at = faults.data; *at != '\0'; at += strcspn(at, "\n") + 1) {
            if (!verdict_add_line(verdict, at, strcspn(at, "\n")))
                break;
        }
        faults.data[strcspn(faults.data, "\n")] = '\0';
        verdict_set_match(verdict, faults.data);
        cut_verdict(attempt, verdict);
    }
    str_done(&faults);
}

/* Returns whether the output has the text that the step expects. Secrets in the output have been
 * replaced by marks, so replaces them in the expected text as well. */
static bool is_output_matched(const struct attempt *attempt, const struct classify_input *evidence)
{
    const struct classify_text *const texts[] = {&evidence->out, &evidence->err};
    const char *wanted = attempt->plan->expect.match;
    struct str match = {0};
    bool found = false;
    if (!wanted)
        return false;
    attempt_redact(attempt, wanted, strlen(wanted), &match);
    for (size_t i = 0; !found && i < ARRAY_LEN(texts); i++)
        found = texts[i]->len > 0 &&
                memmem(texts[i]->bytes, texts[i]->len, str_text(&match), strlen(str_text(&match)));
    str_done(&match);
    return found;
}

void attempt_judge(struct attempt *attempt, const struct attempt_setting *setting,
                   struct input *input)
{
    input->outcome = attempt->end.outcome;
    if (attempt->is_idle && input->outcome.kind == OUTCOME_TIMEOUT)
        input->outcome.quiet_ms = attempt->plan->quiet_ms;
    if (attempt->is_hopeless && input->outcome.kind == OUTCOME_CANCELLED)
        input->outcome.stop = STOP_HOPELESS;
    if (attempt->agent) {
        input->outcome.own_retries = agent_stream_retries_in_row(attempt->agent->stream);
        input->outcome.own_wait_ms = attempt->agent->own_wait_ms;
    }
    input->start_why = attempt->start_why;
    for (int i = 0; i < 2; i++) {
        input->outcome.bytes[i] = attempt->streams[i].bytes;
        input->outcome.lines[i] = attempt->streams[i].lines;
    }
    const char *program = adapter_program_of(attempt->call.argv[0]);
    /* A step that runs a program directly is matched by the program's name. */
    const struct adapter *adapter =
        attempt->agent ? attempt->plan->agent->adapter
                       : adapters_of_program(attempt->setting->call.plan->adapters, program);
    const struct classify_input evidence = {
        .outcome = input->outcome,
        .out = find_tail(attempt, 0, CLASSIFY_TAIL_MAX),
        .err = find_tail(attempt, 1, CLASSIFY_TAIL_MAX),
        .program = program,
        .argv = attempt->agent ? NULL : attempt->call.argv,
        .agent = adapter,
        .stream = attempt->agent ? attempt->agent->stream : NULL,
        .one_shot = attempt->agent != NULL,
        .checks = classify_checks_of(&setting->state->plan->tasks[attempt->task], attempt->step),
        .memory_killed = attempt->memory_killed,
        .cpu_s = attempt->plan->sandbox->cpu_s,
        .in_container = sandbox_kind_is_container(attempt->plan->sandbox->kind),
        .now_ms = input->now.at_ms,
        .zone_offset = zone_offset,
    };
    classify(setting->classifier, &evidence, &input->verdict);
    if (input->outcome.cause == CAUSE_CANCELLED && attempt->end.canceller[0] != '\0')
        (void)snprintf(input->verdict.match, sizeof(input->verdict.match),
                       "its job was cancelled by %s", attempt->end.canceller);
    if (attempt->plan->contract)
        check_contract(attempt, &input->verdict);
    if (!attempt_has_output(attempt)) /* the output file may be expected, but does not exist yet */
        attempt_check_files(attempt, &input->verdict);
    cut_verdict(attempt, &input->verdict);
    input->expectation_met = is_output_matched(attempt, &evidence);
    take_fact(attempt, input);
}

static int start_failure_code(int number)
{
    switch (number) {
    case ENOENT:
        return EXIT_NOT_FOUND;
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case START_SANDBOX_FAILED:
    case START_TIMED_OUT:
    case START_DAEMON_DOWN:
    case START_IMAGE_MISSING:
    case START_WORKSPACE_FAILED:
    case START_CONFLICT:
    case START_NO_SPACE:
    case START_TOO_LARGE:
    case START_EXECUTOR_DOWN:
    case START_EXECUTOR_REFUSED:
    case START_HAND_MISSING:
    case START_NO_FOLDER:
        return EXIT_NO_START;
    default:
        return EXIT_NO_PROGRAM;
    }
}

int attempt_exit_code(const struct outcome *outcome)
{
    switch (outcome->kind) {
    case OUTCOME_EXIT:
        return outcome->code;
    case OUTCOME_SIGNAL:
        return EXIT_SIGNAL + outcome->code;
    case OUTCOME_NOT_STARTED:
        return start_failure_code(outcome->code);
    case OUTCOME_TIMEOUT:
        return EXIT_TIMEOUT;
    case OUTCOME_CANCELLED:
    case OUTCOME_INTERRUPTED:
    case OUTCOME_LOST:
    case OUTCOME_KIND_COUNT:
        break;
    }
    return RUN_EXIT_STOPPED;
}
