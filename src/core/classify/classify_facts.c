#include "classify_facts.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "attr.h"

/* Why a program could not be started. What is not in the table is persistent. */
static const struct {
    int number;
    enum transient_type type; /* NONE: persistent */
    enum reason reason;
    const char *subtype;
} start_errors[] = {
    {ENOENT, TRANSIENT_NONE, REASON_NOT_FOUND, "ENOENT"},
    {ENOTDIR, TRANSIENT_NONE, REASON_NOT_FOUND, "ENOTDIR"},
    {EACCES, TRANSIENT_NONE, REASON_PERMISSION, "EACCES"},
    {EPERM, TRANSIENT_NONE, REASON_PERMISSION, "EPERM"},
    {E2BIG, TRANSIENT_NONE, REASON_TOO_LARGE, "E2BIG"},
    {EAGAIN, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "EAGAIN"},
    {ENOMEM, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "ENOMEM"},
    {EMFILE, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "EMFILE"},
    {ENFILE, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "ENFILE"},
    {ETXTBSY, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "ETXTBSY"},
    {ENOSPC, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "ENOSPC"},
    {EDQUOT, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "EDQUOT"},
    {START_SANDBOX_FAILED, TRANSIENT_NONE, REASON_SETUP, "SANDBOX"},
    {START_TIMED_OUT, TRANSIENT_SANDBOX_START_TIMEOUT, REASON_NONE, "START_TIMEOUT"},
    {START_DAEMON_DOWN, TRANSIENT_DOCKER_SOCKET_UNAVAILABLE, REASON_NONE, "DAEMON_DOWN"},
    {START_IMAGE_MISSING, TRANSIENT_NONE, REASON_SETUP, "IMAGE_MISSING"},
    {START_WORKSPACE_FAILED, TRANSIENT_NONE, REASON_SETUP, "WORKSPACE"},
    {START_CONFLICT, TRANSIENT_NONE, REASON_CONFLICT, "MERGE_CONFLICT"},
    {START_NO_SPACE, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "NO_SPACE"},
    {START_TOO_LARGE, TRANSIENT_NONE, REASON_TOO_LARGE, "SNAPSHOT"},
    {START_LEFT_ALIVE, TRANSIENT_NONE, REASON_SETUP, "LEFT_ALIVE"},
    {START_SECRET_MISSING, TRANSIENT_NONE, REASON_SETUP, "SECRET_MISSING"},
    {START_STDIN_GONE, TRANSIENT_NONE, REASON_SETUP, "STDIN_GONE"},
};

/* What only a person can put right: no try of ours would go otherwise. */
static bool asks_a_person(int code)
{
    return code == START_IMAGE_MISSING || code == START_CONFLICT || code == START_LEFT_ALIVE ||
           code == START_SECRET_MISSING || code == START_STDIN_GONE;
}

/* Linux' numbers, as outcomes hold them. A program that ended itself so has
 * crashed; the last four came from outside. */
static const struct {
    int number;
    const char *name;
    enum reason reason;
} signals[] = {
    {11, "SIGSEGV", REASON_CRASH}, {6, "SIGABRT", REASON_CRASH}, {7, "SIGBUS", REASON_CRASH},
    {4, "SIGILL", REASON_CRASH},   {8, "SIGFPE", REASON_CRASH},  {31, "SIGSYS", REASON_CRASH},
    {5, "SIGTRAP", REASON_CRASH},  {9, "SIGKILL", REASON_CRASH}, {24, "SIGXCPU", REASON_LIMIT},
    {25, "SIGXFSZ", REASON_LIMIT}, {15, "SIGTERM", REASON_NONE}, {2, "SIGINT", REASON_NONE},
    {1, "SIGHUP", REASON_NONE},    {13, "SIGPIPE", REASON_NONE},
};

int facts_signal_number(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        if (strcmp(signals[i].name, name) == 0)
            return signals[i].number;
    }
    return 0;
}

static void judge_start(int number, struct verdict *out)
{
    out->ask = asks_a_person(number);
    for (size_t i = 0; i < ARRAY_LEN(start_errors); i++) {
        if (start_errors[i].number != number)
            continue;
        if (start_errors[i].type != TRANSIENT_NONE)
            verdict_set_transient(out, start_errors[i].type, start_errors[i].subtype,
                                  "known.start");
        else
            verdict_set_persistent(out, start_errors[i].reason, start_errors[i].subtype,
                                   "known.start");
        return;
    }
    verdict_set_persistent(out, REASON_NONE, "", "known.start");
}

static void judge_signal(int number, struct verdict *out)
{
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        if (signals[i].number == number) {
            verdict_set_persistent(out, signals[i].reason, signals[i].name, "known.signal");
            return;
        }
    }
    verdict_set_persistent(out, REASON_NONE, "", "known.signal");
}

static void judge_timeout(const struct outcome *outcome, struct verdict *out)
{
    if (outcome->quiet_ms > 0)
        verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "SILENT", "known.silence");
    else
        verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "TIMEOUT", "known.timeout");
}

/* A spent budget is given again by a person only. */
static void judge_stop(enum outcome_stop stop, struct verdict *out)
{
    if (stop == STOP_LOOP)
        verdict_set_persistent(out, REASON_LOOP, "CALLS", "known.loop");
    else if (stop == STOP_BUDGET)
        verdict_set_persistent(out, REASON_BUDGET, "", "known.budget");
    else
        verdict_set_persistent(out, REASON_CANCELLED, "", "known.cancelled");
    out->ask = stop == STOP_BUDGET;
}

/* The kernel ends what has used up its CPU time with SIGXCPU, and what ignores that with SIGKILL.
 * A shell or a sandbox around it says 128 + n. */
static bool is_out_of_cpu(const struct classify_input *input)
{
    enum { XCPU = 24, KILL = 9, SHELL_SIGNAL = 128, MS_PER_S = 1000 };
    const struct outcome *outcome = &input->outcome;
    const int number =
        outcome->kind == OUTCOME_SIGNAL ? outcome->code : outcome->code - SHELL_SIGNAL;
    const bool has_used_it = outcome->cpu_ms >= input->cpu_s * MS_PER_S;
    return input->cpu_s > 0 && (number == XCPU || (number == KILL && has_used_it));
}

bool facts_judge(const struct classify_input *input, struct verdict *out)
{
    switch (input->outcome.kind) {
    case OUTCOME_TIMEOUT:
        judge_timeout(&input->outcome, out);
        return true;
    case OUTCOME_INTERRUPTED:
        verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "INTERRUPTED", "known.interrupted");
        return true;
    case OUTCOME_CANCELLED:
        judge_stop(input->outcome.stop, out);
        return true;
    case OUTCOME_NOT_STARTED:
        judge_start(input->outcome.code, out);
        return true;
    case OUTCOME_SIGNAL:
    case OUTCOME_EXIT:
    case OUTCOME_KIND_COUNT:
        break;
    }

    bool success = input->outcome.kind == OUTCOME_EXIT && input->outcome.code == 0;
    if (input->memory_killed == 1 && !success)
        verdict_set_transient(out, TRANSIENT_CONTAINER_OOM, "OOM_KILL", "known.memory");
    else if (is_out_of_cpu(input))
        verdict_set_persistent(out, REASON_LIMIT, "CPU_LIMIT", "known.cpu");
    else if (input->outcome.kind == OUTCOME_SIGNAL)
        judge_signal(input->outcome.code, out);
    else
        return false;
    return true;
}
