/* capture.c - the first part of a capture: the state when a step failed.
 *
 * Each function adds the members of one subject, or adds the reason to `missing` if it cannot.
 * Every list and string has a limit; a static_assert proves that all together fit into
 * CAPTURE_BYTES_MAX. */
#define _GNU_SOURCE /* sigabbrev_np, NAME_MAX, dirfd */

#include "capture.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "adapter.h"
#include "clock.h"
#include "fingerprint.h"
#include "outcome.h"
#include "protocol.h"
#include "shown.h"
#include "text.h"

/* Shared by the parts of a capture. Each part writes members of the capture's object, or adds the
 * reason to `missing` if it cannot. */
struct capture_writer {
    const struct capture_facts *facts;   /* borrowed, like all pointers below */
    const struct attempt_state *attempt; /* the attempt in the folded state */
    const struct step_state *step;
    const struct plan_step *plan;
    const struct call *call;
    struct str *out;
    struct str missing; /* owned; members "item":"why" so far */
};

enum {
    SHELL_SIGNAL =
        128, /* a shell's exit code for a program killed by a signal, minus the signal number */
    SIGNALS_MAX = 64,
};

/* Typical senders of the signals that devs does not send. */
static const struct sender {
    int signal;
    const char *who, *why;
} senders[] = {
    {SIGXCPU, "kernel", "its CPU time limit was reached"},
    {SIGXFSZ, "kernel", "it exceeded its file size limit"},
    {SIGSEGV, "kernel", "a crash: invalid memory access"},
    {SIGBUS, "kernel", "a crash: bus error"},
    {SIGFPE, "kernel", "a crash: arithmetic error"},
    {SIGILL, "kernel", "a crash: illegal instruction"},
    {SIGSYS, "kernel", "a system call that is not allowed"},
    {SIGPIPE, "kernel", "it wrote to a pipe without a reader"},
    {SIGABRT, "itself", "abort(), for example after a failed assertion"},
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

/* Adds the signal that ended the attempt, which devs did not send, and its likely sender. */
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
        add_sender(out, "kernel", "its CPU time limit was reached");
    else if (outcome->code == SIGKILL && memory_killed < 0)
        add_sender(out, "unknown",
                   "another process, or the kernel because memory ran out; not devs");
    else
        add_sender(out, "unknown", "another process; not devs");
}

/* Adds how the attempt ended, as text, and who ended it. */
static void add_cause(const struct capture_writer *writer)
{
    const struct outcome *outcome = &writer->attempt->outcome;
    const int code = outcome->code;
    const bool by_signal = code > SHELL_SIGNAL && code <= SHELL_SIGNAL + SIGNALS_MAX;
    struct str *out = writer->out;
    struct str words = {0};
    outcome_words(outcome, &words);
    str_json_key(out, "end");
    str_add_char(out, '{');
    str_json_text(out, "how", str_text(&words));
    switch (outcome->kind) {
    case OUTCOME_EXIT:
        add_sender(out, "itself", "it exited on its own");
        if (by_signal && sigabbrev_np(code - SHELL_SIGNAL))
            add_signal(out, "inner_signal", code - SHELL_SIGNAL);
        break;
    case OUTCOME_SIGNAL:
        add_foreign_signal(writer);
        break;
    case OUTCOME_NOT_STARTED:
        add_sender(out, "none", "nothing ran");
        break;
    case OUTCOME_TIMEOUT:
    case OUTCOME_CANCELLED: /* devs ended it */
        if (by_signal)
            add_signal(out, "signal", code - SHELL_SIGNAL);
        add_sender(out, "devs",
                   outcome->kind == OUTCOME_TIMEOUT ? "it timed out" : "a person requested it");
        break;
    case OUTCOME_KIND_COUNT:
    case OUTCOME_INTERRUPTED:
        add_sender(out, "unknown", "devs was not running when it ended");
        break;
    case OUTCOME_LOST:
        add_sender(out, "unknown", "the other machine was lost");
        break;
    }
    str_add_char(out, '}');
    str_done(&words);
}

static void add_processes(struct str *out, const char *key, const struct proc_facts *found,
                          int count)
{
    str_json_key(out, key);
    str_add_char(out, '[');
    /* A sandbox only reports the number of its remaining processes, not their names. */
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

/* Records why an item is missing. */
static void add_missing(struct capture_writer *writer, const char *item, const char *why)
{
    str_json_text(&writer->missing, item, why);
}

/* Adds the other processes that ran when the attempt ended, and the processes that could not be
 * ended. */
static void add_all_processes(struct capture_writer *writer)
{
    const struct attempt *attempt = writer->facts->attempt;
    if (!attempt) {
        add_missing(writer, "processes", "not captured: it had already ended");
        return;
    }
    const struct child_end *end = &attempt->end;
    str_json_i64(writer->out, "ran", end->ran_count);
    add_processes(writer->out, "ran_processes", end->ran, end->ran_count);
    str_json_i64(writer->out, "left", end->outcome.processes_left);
    add_processes(writer->out, "left_processes", end->left, end->outcome.processes_left);
}

/* Adds facts about the attempt's memory, and by how much the wall clock was changed while it
 * ran. */
static void add_memory_and_clock(struct capture_writer *writer)
{
    const struct attempt_state *attempt = writer->attempt;
    static const char *const words[] = {"not known", "no", "yes"};
    const int killed = writer->facts->memory_killed;
    const char *evidence = writer->facts->memory_evidence;
    struct str *out = writer->out;
    if (attempt->outcome.rss_kib_max == 0)
        add_missing(writer, "peak_memory",
                    "no more than the memory that a new process shares with devs");
    str_json_key(out, "oom");
    str_add_char(out, '{');
    str_json_text(out, "killed", words[killed < 0 ? 0 : killed == 0 ? 1 : 2]);
    bool has_evidence = evidence && evidence[0] != '\0';
    str_json_text(out, "evidence", has_evidence ? evidence : "it had no memory counters");
    str_add_char(out, '}');
    if (attempt->ended.mono_ms == 0 || attempt->started.mono_ms == 0) {
        add_missing(writer, "clock_step", "its start or end time is unknown");
    } else {
        int64_t wall_ms = attempt->ended.at_ms - attempt->started.at_ms;
        int64_t steady_ms = attempt->ended.mono_ms - attempt->started.mono_ms;
        str_json_i64(out, "clock_step_ms", wall_ms - steady_ms);
    }
}

enum { NAME_BYTES = 1024 }; /* longer names cannot be secrets */

struct list {
    const char *key;
    char *const *texts;
    const char *ends;  /* each string is cut at the first of these bytes */
    bool only_secrets; /* lists only variables that the redactor hides */
};

/* Returns whether the redactor hides this environment entry. */
static bool is_secret(const struct redactor *redactor, const char *entry)
{
    char name[NAME_BYTES];
    size_t len = strcspn(entry, "=");
    if (len >= sizeof(name))
        return false;
    (void)snprintf(name, sizeof(name), "%.*s", (int)len, entry);
    return redactor_hides(redactor, name);
}

/* Adds as many strings as fit into CAPTURE_LIST_BYTES, and the number of strings left out. */
static void add_list(struct capture_writer *writer, const struct list *list)
{
    struct str *out = writer->out;
    size_t left = 0;
    str_json_key(out, list->key);
    str_add_char(out, '[');
    const size_t from = out->len;
    for (char *const *text = list->texts; *text; text++) {
        const size_t mark = out->len;
        if (list->only_secrets && !is_secret(writer->facts->redactor, *text))
            continue;
        if (left == 0) {
            str_add(out, mark > from ? "," : "");
            str_add_json(out, *text, strcspn(*text, list->ends));
        }
        if (left > 0 || out->len - from > CAPTURE_LIST_BYTES) {
            out->len = mark;
            out->data[mark] = '\0';
            left++;
        }
    }
    str_add_char(out, ']');
    if (left > 0) {
        char name[32];
        (void)snprintf(name, sizeof(name), "%s_more", list->key);
        str_json_i64(out, name, (int64_t)left);
    }
}

static void add_policy(struct capture_writer *writer)
{
    char hash[DIGEST_HEX_MAX];
    struct str *out = writer->out;
    digest_to_hex(policy_digest(writer->plan->policy), hash);
    str_json_key(out, "policy");
    str_add_char(out, '{');
    str_json_text(out, "name", writer->plan->policy->name);
    str_json_text(out, "hash", hash);
    str_add_char(out, '}');
    if (writer->facts->rules_hash)
        str_json_text(out, "rules", writer->facts->rules_hash);
    else
        add_missing(writer, "rules", "it ended before the rules judged it");
}

static void add_sandbox(struct capture_writer *writer)
{
    const struct sandbox_spec *spec = writer->plan->sandbox;
    struct str *out = writer->out;
    str_json_key(out, "sandbox");
    str_add_char(out, '{');
    str_json_text(out, "kind", sandbox_kind_name(spec->kind));
    if (spec->image)
        str_json_text(out, "image", spec->image);
    if (spec->memory_mb > 0)
        str_json_i64(out, "memory_mb", spec->memory_mb);
    if (spec->pids > 0)
        str_json_i64(out, "pids", spec->pids);
    if (spec->cpu_s > 0)
        str_json_i64(out, "cpu_s", spec->cpu_s);
    if (spec->best_effort)
        str_json_bool(out, "best_effort", true);
    str_add_char(out, '}');
}

/* Adds argv, folder, names of the environment, policy, and sandbox. */
static void add_call(struct capture_writer *writer)
{
    /* The environment of the attempt; a sandbox passes only a part of it. */
    const struct attempt *attempt = writer->facts->attempt;
    bool is_filtered = attempt && attempt->around && attempt->around->environment;
    char *const *environment =
        is_filtered ? attempt->around->environment : writer->call->environment;
    const struct list argv = {.key = "argv", .texts = writer->call->argv, .ends = ""};
    const struct list names = {.key = "env", .texts = environment, .ends = "="};
    const struct list secrets = {
        .key = "env_cut", .texts = environment, .ends = "=", .only_secrets = true};
    add_list(writer, &argv);
    str_json_text(writer->out, "cwd", writer->call->cwd);
    add_list(writer, &names);
    add_list(writer, &secrets);
    add_policy(writer);
    add_sandbox(writer);
}

enum { MICROS_OF_DOLLAR = 1000000 };

/* Adds the prompt of this attempt. It is redacted together with the rest of the capture. */
static void add_prompt(struct capture_writer *writer)
{
    const struct attempt *attempt = writer->facts->attempt;
    if (!attempt || !attempt->agent) {
        add_missing(writer, "prompt", "it had already ended");
        return;
    }
    const char *prompt = attempt->agent->prompt;
    const size_t len = strlen(prompt);
    const size_t kept = text_cut(prompt, len, CAPTURE_PROMPT_BYTES);
    str_json_key(writer->out, "prompt");
    str_add_json(writer->out, prompt, kept);
    if (kept < len)
        str_json_i64(writer->out, "prompt_more", (int64_t)(len - kept));
}

/* Adds the agent, its prompt, and its usage. Adds nothing for a command. */
static void add_agent(struct capture_writer *writer)
{
    const struct capture_facts *facts = writer->facts;
    const struct task_agent *agent = facts->state->tasks[facts->event->task].agent;
    struct str *out = writer->out;
    if (!writer->plan->agent || !agent)
        return;
    const struct agent_used used = task_agent_used(agent);
    str_json_key(out, "agent");
    str_add_char(out, '{');
    str_json_text(out, "name", adapter_name(writer->plan->agent->adapter));
    if (agent->session)
        str_json_text(out, "session", agent->session);
    str_json_i64(out, "round", agent->round);
    str_json_i64(out, "turns", used.turns);
    str_json_i64(out, "calls", used.calls);
    str_json_key(out, "cost_usd");
    str_add_number(out, (double)used.cost_micro / MICROS_OF_DOLLAR);
    str_json_i64(out, "tokens", used.tokens);
    str_json_i64(out, "own_retries", used.own_retries);
    str_json_i64(out, "refused", used.refused);
    add_prompt(writer);
    str_add_char(out, '}');
    if (!agent->session)
        add_missing(writer, "session", "the agent did not report one");
}

/* Returns whether the worktree is on another machine, where its path means something else. */
static bool is_worktree_away(const struct capture_facts *facts)
{
    const struct plan *plan = facts->state->plan;
    return plan_executor_ships(plan_task_executor(plan, &plan->tasks[facts->event->task]));
}

/* Adds the workspace and the commit that is checked out in it. */
static void add_tree(struct capture_writer *writer)
{
    const struct capture_facts *facts = writer->facts;
    const struct plan_task *task = &facts->state->plan->tasks[facts->event->task];
    const struct task_place *place = facts->state->tasks[facts->event->task].place;
    const struct digest before = step_state_trees(writer->step)->saved;
    const bool is_away = is_worktree_away(facts);
    struct capture_commit commit = {0};
    char hex[DIGEST_HEX_MAX];
    struct str *out = writer->out;
    if (!is_away)
        capture_find_commit(writer->call->cwd, &commit);
    str_json_key(out, "tree");
    str_add_char(out, '{');
    str_json_text(out, "kind", workspace_kind_name(task->workspace->kind));
    str_json_text(out, "dir", place && place->path ? place->path : facts->setting->run_dir);
    if (commit.commit[0] != '\0')
        str_json_text(out, "commit", commit.commit);
    if (commit.branch[0] != '\0')
        str_json_text(out, "branch", commit.branch);
    if (digest_is_known(before)) {
        digest_to_hex(before, hex);
        str_json_text(out, "before", hex);
    }
    str_add_char(out, '}');
    if (commit.why[0] != '\0')
        add_missing(writer, "commit", commit.why);
    if (is_away)
        add_missing(writer, "commit", "the worktree is on another machine");
    if (task->workspace->kind == WORKSPACE_INPLACE)
        add_missing(writer, "diff", "in place: the changes of an attempt are not tracked");
}

/* Adds the summary of a test program if the output has one. */
static void add_tests(struct capture_writer *writer, const struct attempt *attempt)
{
    struct str *out = writer->out;
    struct test_report report;
    const char *stream = NULL;
    for (int i = 0; !stream && i < 2; i++) {
        const struct classify_text tail = output_tail(&attempt->streams[i], CLASSIFY_TAIL_MAX);
        if (test_report_find(&tail, &report))
            stream = i == 0 ? "stdout" : "stderr";
    }
    if (!stream) {
        add_missing(writer, "tests", "no summary of a test program in the last 64 KiB");
        return;
    }
    const struct {
        const char *key;
        int64_t number; /* -1 = not in the summary */
    } counts[] = {{"passed", report.passed},
                  {"failed", report.failed},
                  {"skipped", report.skipped},
                  {"total", report.total}};
    str_json_key(out, "tests");
    str_add_char(out, '{');
    str_json_text(out, "form", report.form);
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        if (counts[i].number >= 0)
            str_json_i64(out, counts[i].key, counts[i].number);
    }
    str_json_text(out, "stream", stream);
    str_json_text(out, "line", report.line);
    str_add_char(out, '}');
}

/* Adds the last bytes of both streams, and the summary of a test program if they contain one. */
static void add_output(struct capture_writer *writer)
{
    static const char *const keys[] = {"stdout_tail", "stderr_tail"};
    static const char *const offsets[] = {"stdout_tail_at", "stderr_tail_at"};
    const struct attempt *attempt = writer->facts->attempt;
    if (!attempt) {
        add_missing(writer, "output", "it had already ended; the log has the output that was kept");
        add_missing(writer, "tests", "it had already ended");
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct classify_text tail = output_tail(&attempt->streams[i], CAPTURE_TAIL_BYTES);
        str_json_key(writer->out, keys[i]);
        str_add_json(writer->out, tail.len > 0 ? tail.bytes : "", tail.len);
        str_json_i64(writer->out, offsets[i], tail.offset);
    }
    str_json_i64(writer->out, "silent_ms", writer->attempt->ended.mono_ms - attempt->heard_ms);
    add_tests(writer, attempt);
}

/* Adds the names of the masks that were used. */
static void add_masks(struct str *out, unsigned masks)
{
    const char *comma = "";
    str_json_key(out, "masks");
    str_add_char(out, '[');
    for (int i = 0; i < NORMALISER_MASK_COUNT; i++) {
        if ((masks & 1U << i) == 0)
            continue;
        const char *words = normaliser_mask_words((enum normaliser_mask)i);
        str_add(out, comma);
        str_add_json(out, words, strlen(words));
        comma = ",";
    }
    str_add_char(out, ']');
}

/* Adds the original lines of a sample and the masked forms that were compared. */
static void add_sample(struct str *out, const char *key, const struct entropy_sample *sample)
{
    str_json_key(out, key);
    str_add_char(out, '[');
    for (int i = 0; sample && i < sample->count; i++) {
        str_add(out, i > 0 ? ",{" : "{");
        str_json_text(out, "raw", sample->lines[i].raw);
        str_json_text(out, "normal", sample->lines[i].normal);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

/* Adds why the attempt was found to be looping. */
static void add_loop(struct capture_writer *writer)
{
    const struct capture_facts *facts = writer->facts;
    const struct event *event = facts->event;
    const struct task_state *task = &facts->state->tasks[event->task];
    const bool is_of_calls = task->agent && task->agent->is_stuck;
    const struct circles *circles = is_of_calls ? task->agent->calls : task->circles;
    const struct entropy_memory *memory = facts->memory;
    const struct entropy_sample *first = facts->knows_first ? entropy_memory_first(memory) : NULL;
    const struct entropy_sample *last = memory ? entropy_memory_last(memory) : NULL;
    struct str *out = writer->out;
    if (event->step_ended.decision != DECISION_ENTROPY)
        return;
    str_json_key(out, "loop");
    str_add_char(out, '{');
    if (is_of_calls)
        str_json_bool(out, "calls", true);
    if (circles && circles->verdict.level == ENTROPY_STUCK) {
        struct event suspicion = event_new(EVENT_LOOP_SUSPECTED);
        struct str why = {0};
        suspicion.loop.facts = circles_facts(circles, event->step, 0, &why);
        event_write_members(&suspicion, out);
        str_done(&why);
        str_json_text(out, "equal", shown_circles_equal(&circles->verdict));
    } else if (step_state_latest(writer->step)->reason == REASON_LOOP) {
        str_json_text(out, "of", "agent");
    } else { /* the window of the policy: its first and last equal results */
        str_json_i64(out, "count", writer->step->same);
        str_json_i64(out, "first", event->attempt - writer->step->same + 1);
        str_json_i64(out, "last", event->attempt);
        str_json_text(out, "equal", "the results");
    }
    add_masks(out, (first ? first->masks : 0) | (last ? last->masks : 0));
    add_sample(out, "first_lines", first);
    add_sample(out, "last_lines", last);
    str_add_char(out, '}');
}

enum {
    INTERFACES_MAX = 16, /* interfaces listed by name */
    INTERFACES_LOOKED_AT = 64,
    STATE_MAX = 32,
};

/* Reads the state that the kernel reports: "up", "down" or "unknown". */
static bool read_state(int net, const char *name, char out[STATE_MAX])
{
    char path[NAME_MAX + 16];
    int len = snprintf(path, sizeof(path), "%s/operstate", name);
    int fd = len > 0 && (size_t)len < sizeof(path) ? openat(net, path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    ssize_t got = read(fd, out, STATE_MAX - 1);
    (void)close(fd); /* opened for reading only */
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return out[0] != '\0';
}

/* Appends the network interfaces except the loopback, and whether one of them is up. */
static void add_network(struct capture_writer *writer)
{
    DIR *net = opendir("/sys/class/net");
    if (!net) {
        add_missing(writer, "network", "/sys/class/net cannot be read");
        return;
    }
    struct str *out = writer->out;
    bool up = false;
    int named = 0;
    str_json_key(out, "network");
    str_add_char(out, '{');
    str_json_key(out, "interfaces");
    str_add_char(out, '[');
    for (int i = 0; i < INTERFACES_LOOKED_AT; i++) {
        const struct dirent *entry = readdir(net);
        char state[STATE_MAX];
        if (!entry)
            break;
        bool counts = entry->d_name[0] != '.' && strcmp(entry->d_name, "lo") != 0;
        if (!counts || !read_state(dirfd(net), entry->d_name, state))
            continue;
        up = up || strcmp(state, "up") == 0 || strcmp(state, "unknown") == 0;
        if (named == INTERFACES_MAX)
            continue;
        str_add(out, named > 0 ? ",{" : "{");
        str_json_text(out, "name", entry->d_name);
        str_json_text(out, "state", state);
        str_add_char(out, '}');
        named++;
    }
    str_add_char(out, ']');
    str_json_bool(out, "up", up);
    str_add_char(out, '}');
    (void)closedir(net);
}

/* Adds load, memory, disks, network, and versions. */
static void add_machine(struct capture_writer *writer)
{
    struct str *out = writer->out;
    struct proc_machine machine = {.disk_free_kib = -1};
    struct proc_machine log;
    struct utsname kernel;
    if (!is_worktree_away(writer->facts))
        proc_machine(writer->call->cwd, &machine);
    if (machine.disk_free_kib < 0) /* the attempt's folder may have been deleted */
        proc_machine(writer->facts->setting->run_dir, &machine);
    if (machine.load[0] >= 0) {
        str_json_key(out, "load");
        str_add_char(out, '[');
        for (int i = 0; i < 3; i++) {
            str_add(out, i > 0 ? "," : "");
            str_add_number(out, machine.load[i]);
        }
        str_add_char(out, ']');
    } else {
        add_missing(writer, "load", "/proc/loadavg cannot be read");
    }
    if (machine.memory_available_kib >= 0)
        str_json_i64(out, "memory_available_kib", machine.memory_available_kib);
    else
        add_missing(writer, "memory_available", "/proc/meminfo cannot be read");

    if (machine.disk_free_kib >= 0)
        str_json_i64(out, "disk_free_kib", machine.disk_free_kib);
    else
        add_missing(writer, "disk_free", "the folder's file system does not report it");
    if (writer->facts->log_dir) {
        proc_machine(writer->facts->log_dir, &log);
        if (log.disk_free_kib >= 0)
            str_json_i64(out, "log_disk_free_kib", log.disk_free_kib);
        else
            add_missing(writer, "log_disk_free", "its file system does not report it");
    } else {
        add_missing(writer, "log_disk_free", "the log's folder is unknown");
    }

    add_network(writer);
    str_json_key(out, "versions");
    str_add_char(out, '{');
    str_json_text(out, "devs", DEVS_VERSION);
    if (uname(&kernel) == 0) {
        str_json_text(out, "kernel", kernel.release);
        str_json_text(out, "machine", kernel.machine);
    }
    str_add_char(out, '}');
}

static void add_outcome(struct capture_writer *writer)
{
    const struct outcome *outcome = &writer->attempt->outcome;
    struct str *out = writer->out;
    str_json_key(out, "outcome");
    str_add_char(out, '{');
    str_json_text(out, "kind", outcome_kind_name(outcome->kind));
    str_json_i64(out, "code", outcome->code);
    str_json_i64(out, "ran_ms", outcome->ran_ms);
    str_json_i64(out, "stdout_bytes", outcome->bytes[0]);
    str_json_i64(out, "stderr_bytes", outcome->bytes[1]);
    str_json_i64(out, "stdout_lines", outcome->lines[0]);
    str_json_i64(out, "stderr_lines", outcome->lines[1]);
    str_json_i64(out, "rss_kib", outcome->rss_kib_max);
    str_json_i64(out, "cpu_ms", outcome->cpu_ms);
    str_add_char(out, '}');
}

static void add_verdict(struct capture_writer *writer)
{
    const struct attempt_state *attempt = writer->attempt;
    struct str *out = writer->out;
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(writer->step, &room);
    struct event judged = event_new(EVENT_ATTEMPT_JUDGED);
    if (verdict)
        verdict_to_record(verdict, &judged.judged);
    judged.judged.label = (struct verdict_label){attempt->class, attempt->type, attempt->reason};
    str_json_key(out, "verdict");
    event_write(&judged, out);
    if (attempt->partial)
        str_json_bool(out, "partial", true);
    if (attempt->skipped_bytes > 0)
        str_json_i64(out, "skipped_bytes", attempt->skipped_bytes);
}

/* Upper limit of everything except the two lists of the call, which have limits of their own. */
enum { CAPTURE_REST_BYTES = 48 * 1024, JSON_BYTES_MAX = 6 /* JSON for a byte: \u0000 */ };
static_assert(3 * CAPTURE_LIST_BYTES + 2 * JSON_BYTES_MAX * CAPTURE_TAIL_BYTES +
                      JSON_BYTES_MAX * CAPTURE_PROMPT_BYTES +
                      2 * JSON_BYTES_MAX * 2 * ENTROPY_SAMPLE_LINES * ENTROPY_SAMPLE_BYTES +
                      CAPTURE_REST_BYTES <=
                  CAPTURE_BYTES_MAX,
              "a capture is bounded");

void capture_write(const struct capture_facts *facts, struct str *out)
{
    const int64_t begun_us = clock_mono_us();
    const struct event *event = facts->event;
    const struct plan_task *task = &facts->state->plan->tasks[event->task];
    struct call call = {0};
    struct capture_writer writer = {.facts = facts, .out = out};
    writer.step = &facts->state->tasks[event->task].steps[event->step];
    writer.attempt = step_state_find_attempt(writer.step, event->attempt);
    writer.plan = &task->steps[event->step];
    assert(writer.attempt);
    if (!facts->attempt)
        call_init(&call, facts->setting, event->task, event->step, 0);
    writer.call = facts->attempt ? &facts->attempt->call : &call;

    str_add(out, "{\"v\":1,\"part\":1");
    str_json_text(out, "task", task->id);
    str_json_i64(out, "step", event->step + 1);
    str_json_i64(out, "attempt", event->attempt);
    str_json_text(out, "phase", phase_name(writer.plan->phase));
    str_json_text(out, "decision", decision_kind_name(event->step_ended.decision));
    add_outcome(&writer);
    add_verdict(&writer);
    add_cause(&writer);
    add_all_processes(&writer);
    add_memory_and_clock(&writer);
    add_call(&writer);
    add_agent(&writer);
    add_tree(&writer);
    add_output(&writer);
    add_loop(&writer);
    add_machine(&writer);
    str_json_key(out, "missing");
    str_addf(out, "{%s}", str_text(&writer.missing));
    str_json_i64(out, "took_us", clock_mono_us() - begun_us);
    str_add_char(out, '}');
    str_done(&writer.missing);
    call_done(&call);
}
