/* capture_end.c - a capture's part about the end. */
#define _GNU_SOURCE /* sigabbrev_np */

#include "capture_parts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHELL_SIGNAL = 128, /* a shell's code for a program that a signal ended, less its number */
    SIGNALS_MAX = 64,
};

/* Who sent a signal that we did not send. */
static const struct sender {
    int signal;
    const char *who, *why;
} senders[] = {
    {SIGXCPU, "kernel", "its CPU time was used up"},
    {SIGXFSZ, "kernel", "a file would have grown past its limit"},
    {SIGSEGV, "kernel", "a fault of its own: memory that is not there"},
    {SIGBUS, "kernel", "a fault of its own: memory that cannot be had"},
    {SIGFPE, "kernel", "a fault of its own: arithmetic"},
    {SIGILL, "kernel", "a fault of its own: no instruction"},
    {SIGSYS, "kernel", "a system call that is not allowed"},
    {SIGPIPE, "kernel", "it wrote to a pipe that nobody reads"},
    {SIGABRT, "itself", "abort(), as a failed assertion does"},
};

static void add_signal(struct str *out, const char *key, int number)
{
    const char *name = number > 0 ? sigabbrev_np(number) : NULL;
    if (name)
        str_json_text(out, key, name);
    else
        str_json_i64(out, key, number);
}

static void add_sender(struct str *out, const char *who, const char *why)
{
    str_json_text(out, "sender", who);
    str_json_text(out, "sender_why", why);
}

/* A signal that ended it and was not ours. */
static void add_foreign_signal(const struct capture_writer *writer)
{
    const struct outcome *outcome = &writer->attempt->outcome;
    int memory_killed = writer->facts->memory_killed;
    int64_t cpu_s = writer->plan->sandbox->cpu_s;
    struct str *out = writer->out;
    add_signal(out, "signal", outcome->code);
    for (size_t i = 0; i < ARRAY_LEN(senders); i++) {
        if (senders[i].signal == outcome->code) {
            add_sender(out, senders[i].who, senders[i].why);
            return;
        }
    }
    if (outcome->code == SIGKILL && memory_killed == 1)
        add_sender(out, "kernel", "out of memory");
    else if (outcome->code == SIGKILL && cpu_s > 0 && outcome->cpu_ms >= cpu_s * 1000)
        add_sender(out, "kernel", "its CPU time was used up");
    else if (outcome->code == SIGKILL && memory_killed < 0)
        add_sender(out, "unknown", "not devs: another process, or the kernel for want of memory");
    else
        add_sender(out, "unknown", "not devs: another process");
}

/* We ended it: by what it went, if that was a signal. */
static void add_our_end(const struct capture_writer *writer, const char *why)
{
    int code = writer->attempt->outcome.code;
    if (code > SHELL_SIGNAL && code <= SHELL_SIGNAL + SIGNALS_MAX)
        add_signal(writer->out, "signal", code - SHELL_SIGNAL);
    add_sender(writer->out, "devs", why);
}

static void add_exit(const struct capture_writer *writer)
{
    int code = writer->attempt->outcome.code;
    add_sender(writer->out, "itself", "an exit of its own");
    bool by_shell = code > SHELL_SIGNAL && code <= SHELL_SIGNAL + SIGNALS_MAX;
    if (by_shell && sigabbrev_np(code - SHELL_SIGNAL))
        add_signal(writer->out, "inner_signal", code - SHELL_SIGNAL);
}

/* How it ended in words, and who made it end. */
static void add_cause(const struct capture_writer *writer)
{
    const struct outcome *outcome = &writer->attempt->outcome;
    struct str words = {0};
    outcome_words(outcome, &words);
    str_json_key(writer->out, "end");
    str_add_char(writer->out, '{');
    str_json_text(writer->out, "how", str_text(&words));
    switch (outcome->kind) {
    case OUTCOME_EXIT:
        add_exit(writer);
        break;
    case OUTCOME_SIGNAL:
        add_foreign_signal(writer);
        break;
    case OUTCOME_NOT_STARTED:
        add_sender(writer->out, "none", "nothing ran");
        break;
    case OUTCOME_TIMEOUT:
        add_our_end(writer, "its time was used up");
        break;
    case OUTCOME_CANCELLED:
        add_our_end(writer, "a person asked");
        break;
    case OUTCOME_INTERRUPTED:
    case OUTCOME_KIND_COUNT:
        add_sender(writer->out, "unknown", "devs was not there when it ended");
        break;
    }
    str_add_char(writer->out, '}');
    str_done(&words);
}

static void add_processes(struct str *out, const char *key, const struct proc_facts *found,
                          int count)
{
    str_json_key(out, key);
    str_add_char(out, '[');
    /* What a sandbox says is left is counted, not named. */
    for (int i = 0; i < count && i < CHILD_LEFT_MAX && found[i].pid != 0; i++) {
        const char state[] = {found[i].state, '\0'};
        str_add(out, i > 0 ? ",{" : "{");
        str_json_i64(out, "pid", found[i].pid);
        str_json_i64(out, "parent", found[i].parent);
        str_json_text(out, "name", found[i].name);
        str_json_text(out, "state", state);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

/* What else ran when it ended, and what of it outlived all that was done about it. */
static void add_all_processes(struct capture_writer *writer)
{
    const struct attempt *attempt = writer->facts->attempt;
    if (!attempt) {
        capture_lacks(writer, "processes", "it was over before: nobody looked");
        return;
    }
    const struct child_end *end = &attempt->end;
    str_json_i64(writer->out, "ran", end->ran_count);
    add_processes(writer->out, "ran_processes", end->ran, end->ran_count);
    str_json_i64(writer->out, "left", end->outcome.left);
    add_processes(writer->out, "left_processes", end->left, end->outcome.left);
}

static void add_memory(struct capture_writer *writer)
{
    const struct outcome *outcome = &writer->attempt->outcome;
    static const char *const words[] = {"not known", "no", "yes"};
    const int killed = writer->facts->memory_killed;
    const char *evidence = writer->facts->memory_evidence;
    struct str *out = writer->out;
    if (outcome->rss_kib_max == 0)
        capture_lacks(writer, "peak_memory", "not more than devs' own, which it begins with");
    str_json_key(out, "oom");
    str_add_char(out, '{');
    str_json_text(out, "killed", words[killed < 0 ? 0 : killed == 0 ? 1 : 2]);
    bool has_evidence = evidence && evidence[0] != '\0';
    str_json_text(out, "evidence", has_evidence ? evidence : "no counter of its own was there");
    str_add_char(out, '}');
}

/* How far the wall clock was moved while it ran. */
static void add_clock(struct capture_writer *writer)
{
    const struct attempt_state *attempt = writer->attempt;
    if (attempt->ended.mono_ms == 0 || attempt->started.mono_ms == 0) {
        capture_lacks(writer, "clock_step", "its start and end are not both known");
        return;
    }
    int64_t wall_ms = attempt->ended.at_ms - attempt->started.at_ms;
    int64_t steady_ms = attempt->ended.mono_ms - attempt->started.mono_ms;
    str_json_i64(writer->out, "clock_step_ms", wall_ms - steady_ms);
}

void capture_end(struct capture_writer *writer)
{
    add_cause(writer);
    add_all_processes(writer);
    add_memory(writer);
    add_clock(writer);
}
