/* forensics_end.c - forensics, the sections about the end: outcome, processes, machine. */
#include <stddef.h>

#include "clock.h"
#include "forensics_parts.h"
#include "shown.h"

enum { CLOCK_STEP_MS = 1000 }; /* less is the clock being kept right, or rounding */

static void add_sender(struct forensics *out, const struct json *end)
{
    const char *signal = json_text(json_get(end, "signal"), "");
    const char *inner = json_text(json_get(end, "inner_signal"), "");
    if (!end)
        return;
    if (*signal)
        forensics_pair(out, "signal", "%s", signal);
    if (*inner)
        forensics_pair(out, "inner", "its code is a shell's word for signal %s", inner);
    forensics_pair(out, "ended by", "%s (%s)", json_text(json_get(end, "sender"), "unknown"),
                   json_text(json_get(end, "sender_why"), "not known"));
}

/* "22 s" of what it used. */
static void add_usage(struct forensics *out, const struct forensics_facts *facts)
{
    const struct outcome *outcome = &facts->attempt->outcome;
    struct str text = {0};
    shown_seconds(outcome->cpu_ms, &text);
    forensics_pair(out, "cpu", "%s", str_text(&text));
    str_clear(&text);
    if (outcome->rss_kib_max > 0) {
        shown_size_kib(outcome->rss_kib_max, &text);
        forensics_pair(out, "peak memory", "%s", text.data);
    } else {
        forensics_lacks(out, facts, "peak memory", "peak_memory");
    }
    str_clear(&text);
    forensics_size(outcome->bytes[0], &text);
    forensics_pair(out, "out", "%s", text.data);
    str_clear(&text);
    forensics_size(outcome->bytes[1], &text);
    forensics_pair(out, "err", "%s", text.data);
    str_done(&text);
}

static void add_size(struct forensics *out, const struct forensics_facts *facts, const char *label,
                     const char *item, const char *lacks)
{
    int64_t kib = json_i64(forensics_item(facts, item), -1);
    struct str text = {0};
    if (kib >= 0) {
        forensics_size_kib(kib, &text);
        forensics_pair(out, label, "%s", text.data);
    } else {
        forensics_lacks(out, facts, label, lacks);
    }
    str_done(&text);
}

static void add_oom(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *oom = forensics_item(facts, "oom");
    if (oom)
        forensics_pair(out, "oom killed", "%s (%s)", json_text(json_get(oom, "killed"), "?"),
                       json_text(json_get(oom, "evidence"), "?"));
    else
        forensics_lacks(out, facts, "oom killed", "oom");
}

static void add_clock(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *step = forensics_item(facts, "clock_step_ms");
    int64_t ms = json_i64(step, 0);
    if (!step)
        forensics_lacks(out, facts, "clock step", "clock_step");
    else if (ms > -CLOCK_STEP_MS && ms < CLOCK_STEP_MS)
        forensics_pair(out, "clock step", "none");
    else
        forensics_pair(out, "clock step", "%+.1f s (while it ran)", (double)ms / 1000);
}

static void add_left(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *left = forensics_item(facts, "left");
    if (left || facts->attempt->outcome.left > 0)
        forensics_pair(out, "left", "%lld process%s",
                       (long long)json_i64(left, facts->attempt->outcome.left),
                       json_i64(left, facts->attempt->outcome.left) == 1 ? "" : "es");
    else
        forensics_lacks(out, facts, "left", "processes");
}

void forensics_end(struct forensics *out, const struct forensics_facts *facts)
{
    const struct attempt_state *attempt = facts->attempt;
    struct str words = {0};
    char hms[CLOCK_TEXT_MAX];
    if (attempt->ended.mono_ms == 0) {
        forensics_addf(out, FORENSICS_LACKS, "it still runs");
        return;
    }
    outcome_words(&attempt->outcome, &words);
    forensics_pair(out, "end", "%s", str_text(&words));
    str_clear(&words);
    shown_ran(&attempt->outcome, &words);
    forensics_pair(out, "ran", "%s, until %s", words.data, clock_hms(attempt->ended.at_ms, hms));
    add_sender(out, forensics_item(facts, "end"));
    add_usage(out, facts);
    add_oom(out, facts);
    add_left(out, facts);
    add_size(out, facts, "disk free", "disk_free_kib", "disk_free");
    add_clock(out, facts);
    str_done(&words);
}

static void add_list(struct forensics *out, const struct json *list)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *process = json_at(list, i);
        forensics_addf(out, FORENSICS_PLAIN, "  %-8lld %-16s state %s, child of %lld",
                       (long long)json_i64(json_get(process, "pid"), 0),
                       json_text(json_get(process, "name"), "?"),
                       json_text(json_get(process, "state"), "?"),
                       (long long)json_i64(json_get(process, "parent"), 0));
    }
}

void forensics_processes(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *ran = forensics_item(facts, "ran_processes");
    const struct json *left = forensics_item(facts, "left");
    if (!left) {
        forensics_lacks(out, facts, "processes", "processes");
        return;
    }
    if (json_count(ran) > 0) {
        forensics_addf(out, FORENSICS_LABEL, "alive when it ended");
        add_list(out, ran);
    } else if (ran) {
        forensics_pair(out, "at the end", "nothing ran any more");
    }
    forensics_pair(out, "left", "%lld", (long long)json_i64(left, 0));
    add_list(out, forensics_item(facts, "left_processes"));
    forensics_note(out, FORENSICS_PROCESSES, "%lld left", (long long)json_i64(left, 0));
}

static void add_load(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *load = forensics_item(facts, "load");
    if (json_count(load) == 3)
        forensics_pair(out, "load", "%.2f %.2f %.2f", json_number(json_at(load, 0), 0),
                       json_number(json_at(load, 1), 0), json_number(json_at(load, 2), 0));
    else
        forensics_lacks(out, facts, "load", "load");
}

static void add_network(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *network = forensics_item(facts, "network");
    const struct json *interfaces = json_get(network, "interfaces");
    struct str names = {0};
    if (!network) {
        forensics_lacks(out, facts, "network", "network");
        return;
    }
    for (size_t i = 0; i < json_count(interfaces); i++) {
        const struct json *interface = json_at(interfaces, i);
        str_addf(&names, "%s%s %s", i > 0 ? ", " : "", json_text(json_get(interface, "name"), "?"),
                 json_text(json_get(interface, "state"), "?"));
    }
    forensics_pair(out, "network", "%s (%s)",
                   json_bool(json_get(network, "up"), false) ? "up" : "down",
                   names.len > 0 ? names.data : "no interface but the loopback");
    str_done(&names);
}

void forensics_machine(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *versions = forensics_item(facts, "versions");
    add_load(out, facts);
    add_size(out, facts, "memory free", "memory_available_kib", "memory_available");
    add_size(out, facts, "disk free", "disk_free_kib", "disk_free");
    add_size(out, facts, "log's disk", "log_disk_free_kib", "log_disk_free");
    add_network(out, facts);
    if (versions)
        forensics_pair(out, "versions", "devs %s, Linux %s %s",
                       json_text(json_get(versions, "devs"), "?"),
                       json_text(json_get(versions, "kernel"), "?"),
                       json_text(json_get(versions, "machine"), ""));
    else
        forensics_lacks(out, facts, "versions", "versions");
    const struct json *took = forensics_item(facts, "took_us");
    if (took)
        forensics_pair(out, "captured in", "%.1f ms", (double)json_i64(took, 0) / 1000);
}
