/* forensics_sections.c - the sections of the forensics: verdict, command, tree, changes, output,
 * tests, end, processes, machine. */
#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "content_internal.h"
#include "log_lines.h"
#include "rows.h"
#include "shown.h"
#include "text.h"

enum { NAMES_COLUMNS = 72 };

static const struct shown_time times = {.date = clock_date};

static void add_more(const struct forensics_facts *facts, const char *item, struct str *out)
{
    int64_t more = json_i64(forensics_item(facts, item), 0);
    if (more > 0)
        str_addf(out, " and %lld more", (long long)more);
}

static void add_argv(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *argv = forensics_item(facts, "argv");
    struct str words = {0};
    for (size_t i = 0; i < json_count(argv); i++) {
        str_add(&words, i > 0 ? " " : "");
        shell_word_add(json_text(json_at(argv, i), ""), &words);
    }
    for (size_t i = 0; !argv && facts->plan->argv[i]; i++) {
        str_add(&words, i > 0 ? " " : "");
        shell_word_add(facts->plan->argv[i], &words);
    }
    add_more(facts, "argv_more", &words);
    forensics_add(out, FORENSICS_PLAIN, str_text(&words), words.len);
    str_done(&words);
}

/* Adds a list of names, broken into lines. */
static void add_names(struct forensics *out, const char *label, const struct json *names,
                      const struct str *more)
{
    struct str line = {0};
    forensics_addf(out, FORENSICS_LABEL, "%s", label);
    for (size_t i = 0; i < json_count(names); i++) {
        const char *name = json_text(json_at(names, i), "");
        if (line.len > 0 && line.len + strlen(name) > NAMES_COLUMNS) {
            forensics_add(out, FORENSICS_PLAIN, line.data, line.len);
            str_clear(&line);
        }
        str_addf(&line, "  %s", name);
    }
    str_add(&line, str_text(more));
    if (line.len > 0)
        forensics_add(out, FORENSICS_PLAIN, line.data, line.len);
    str_done(&line);
}

static void add_environment(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *names = forensics_item(facts, "env");
    const struct json *cut = forensics_item(facts, "env_cut");
    struct str more = {0};
    if (!names) {
        forensics_lacks(out, facts, "environment", "env");
        return;
    }
    add_more(facts, "env_more", &more);
    add_names(out, "environment, names only: values are never captured", names, &more);
    str_clear(&more);
    if (json_count(cut) > 0)
        add_names(out, "of these, secrets: their values are cut everywhere", cut, &more);
    forensics_note(out, FORENSICS_COMMAND, "%zu names", json_count(names));
    str_done(&more);
}

static void add_sandbox(struct forensics *out, const struct json *sandbox)
{
    struct str words = {0};
    str_add(&words, json_text(json_get(sandbox, "kind"), "none"));
    static const char *const limits[] = {"memory_mb", "pids", "cpu_s"};
    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        int64_t limit = json_i64(json_get(sandbox, limits[i]), 0);
        if (limit > 0)
            str_addf(&words, ", %s %lld", limits[i], (long long)limit);
    }
    const char *image = json_text(json_get(sandbox, "image"), "");
    if (*image)
        str_addf(&words, ", image %s", image);
    forensics_pair(out, "sandbox", "%s", words.data);
    str_done(&words);
}

void forensics_command(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *policy = forensics_item(facts, "policy");
    add_argv(out, facts);
    const char *cwd = json_text(forensics_item(facts, "cwd"), facts->plan->cwd);
    if (cwd)
        forensics_pair(out, "folder", "%s", cwd);
    if (policy)
        forensics_pair(out, "policy", "%s (sha %.8s)", json_text(json_get(policy, "name"), "?"),
                       json_text(json_get(policy, "hash"), ""));
    if (facts->capture)
        forensics_pair(out, "rules", "sha %.8s", json_text(forensics_item(facts, "rules"), "?"));
    if (forensics_item(facts, "sandbox"))
        add_sandbox(out, forensics_item(facts, "sandbox"));
    add_environment(out, facts);
}

void forensics_tree(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *tree = forensics_item(facts, "tree");
    const char *commit = json_text(json_get(tree, "commit"), "");
    const char *branch = json_text(json_get(tree, "branch"), "");
    if (!tree) {
        forensics_lacks(out, facts, "tree", "tree");
        return;
    }
    const char *kind = json_text(json_get(tree, "kind"), "?");
    forensics_pair(out, "workspace", "%s, %s", strcmp(kind, "inplace") == 0 ? "in place" : kind,
                   json_text(json_get(tree, "dir"), "?"));
    if (*commit) {
        forensics_pair(out, "commit", "%s%s%s", commit, *branch ? " on " : "", branch);
        forensics_note(out, FORENSICS_TREE, "git %.7s", commit);
    } else {
        forensics_lacks(out, facts, "commit", "commit");
    }
    const char *before = json_text(json_get(tree, "before"), "");
    if (*before)
        forensics_pair(out, "before", "tree %.12s, saved before the first try", before);
    bool is_status = strcmp(json_text(json_get(facts->changes, "kind"), ""), "status") == 0;
    int64_t dirty = json_i64(json_get(facts->changes, "changed"), -1);
    if (is_status && dirty >= 0)
        forensics_pair(out, "dirty", "%lld path%s", (long long)dirty, dirty == 1 ? "" : "s");
}

/* Adds a line like "  M  src/tax.c   +3 -1". */
static void add_path(struct forensics *out, const struct json *path)
{
    struct str line = {0};
    str_addf(&line, "  %s  %s", json_text(json_at(path, 0), "?"), json_text(json_at(path, 1), "?"));
    if (json_count(path) > 3)
        str_addf(&line, "   +%lld -%lld", (long long)json_i64(json_at(path, 2), 0),
                 (long long)json_i64(json_at(path, 3), 0));
    for (size_t i = 0; i < line.len; i++)
        line.data[i] = line.data[i] == '\n' ? ' ' : line.data[i];
    forensics_add(out, FORENSICS_PLAIN, line.data, line.len);
    str_done(&line);
}

static enum forensics_mark diff_mark(const char *line)
{
    if (strncmp(line, "+++", 3) == 0 || strncmp(line, "---", 3) == 0)
        return FORENSICS_LABEL;
    if (line[0] == '+')
        return FORENSICS_ADDED;
    if (line[0] == '-')
        return FORENSICS_REMOVED;
    return line[0] == '@' || line[0] == 'd' ? FORENSICS_LABEL : FORENSICS_PLAIN;
}

void forensics_diff(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *changes = facts->changes;
    const struct json *paths = json_get(changes, "paths");
    const char *why = json_text(json_get(changes, "why"), "");
    int64_t changed = json_i64(json_get(changes, "changed"), -1);
    if (!changes && json_get(forensics_item(facts, "missing"), "diff")) {
        forensics_lacks(out, facts, "diff", "diff");
        return;
    }
    if (!changes) {
        forensics_addf(out, FORENSICS_LACKS, "%s",
                       facts->capture ? "not in the log (yet): captured after the end"
                                      : "not captured");
        return;
    }
    if (changed >= 0) {
        forensics_pair(out, "changed", "%lld path%s, +%lld -%lld lines", (long long)changed,
                       changed == 1 ? "" : "s", (long long)json_i64(json_get(changes, "added"), 0),
                       (long long)json_i64(json_get(changes, "removed"), 0));
        forensics_note(out, FORENSICS_DIFF, "%lld path%s", (long long)changed,
                       changed == 1 ? "" : "s");
    }
    if (*why)
        forensics_addf(out, changed >= 0 ? FORENSICS_PLAIN : FORENSICS_LACKS, "%s", why);
    for (size_t i = 0; i < json_count(paths); i++)
        add_path(out, json_at(paths, i));
    int64_t listed = (int64_t)json_count(paths);
    if (changed > listed)
        forensics_addf(out, FORENSICS_PLAIN, "  and %lld more", (long long)(changed - listed));
    const char *diff = json_text(json_get(changes, "diff"), "");
    while (*diff) {
        size_t len = strcspn(diff, "\n");
        forensics_add(out, diff_mark(diff), diff, len);
        diff += len + (diff[len] == '\n');
    }
}

enum { CLOCK_STEP_MS = 1000 }; /* smaller steps are clock adjustment or rounding */

static void add_sender(struct forensics *out, const struct json *end)
{
    const char *signal = json_text(json_get(end, "signal"), "");
    const char *inner = json_text(json_get(end, "inner_signal"), "");
    if (!end)
        return;
    if (*signal)
        forensics_pair(out, "signal", "%s", signal);
    if (*inner)
        forensics_pair(out, "inner", "a shell's exit code for signal %s", inner);
    forensics_pair(out, "ended by", "%s (%s)", json_text(json_get(end, "sender"), "unknown"),
                   json_text(json_get(end, "sender_why"), "reason not recorded"));
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

void forensics_end(struct forensics *out, const struct forensics_facts *facts)
{
    const struct attempt_state *attempt = facts->attempt;
    struct rows rows = {0};
    if (attempt->ended.mono_ms == 0) {
        forensics_addf(out, FORENSICS_LACKS, "still running");
        return;
    }
    add_sender(out, forensics_item(facts, "end"));
    rows_attempt(&rows, attempt, &times);
    forensics_rows(out, &rows);
    rows_done(&rows);
    if (attempt->outcome.rss_kib_max == 0)
        forensics_lacks(out, facts, "peak memory", "peak_memory");

    const struct json *oom = forensics_item(facts, "oom");
    if (oom)
        forensics_pair(out, "oom killed", "%s (%s)", json_text(json_get(oom, "killed"), "?"),
                       json_text(json_get(oom, "evidence"), "?"));
    else
        forensics_lacks(out, facts, "oom killed", "oom");

    const struct json *left = forensics_item(facts, "left");
    const int64_t left_count = json_i64(left, attempt->outcome.processes_left);
    if (left || attempt->outcome.processes_left > 0)
        forensics_pair(out, "left", "%lld process%s", (long long)left_count,
                       left_count == 1 ? "" : "es");
    else
        forensics_lacks(out, facts, "left", "processes");
    add_size(out, facts, "disk free", "disk_free_kib", "disk_free");

    const struct json *clock_step = forensics_item(facts, "clock_step_ms");
    const int64_t step_ms = json_i64(clock_step, 0);
    if (!clock_step)
        forensics_lacks(out, facts, "clock step", "clock_step");
    else if (step_ms > -CLOCK_STEP_MS && step_ms < CLOCK_STEP_MS)
        forensics_pair(out, "clock step", "none");
    else
        forensics_pair(out, "clock step", "%+.1f s (while it ran)", (double)step_ms / 1000);
}

static void add_processes(struct forensics *out, const struct json *list)
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
        add_processes(out, ran);
    } else if (ran) {
        forensics_pair(out, "at the end", "nothing was running");
    }
    forensics_pair(out, "left", "%lld", (long long)json_i64(left, 0));
    add_processes(out, forensics_item(facts, "left_processes"));
    forensics_note(out, FORENSICS_PROCESSES, "%lld left", (long long)json_i64(left, 0));
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
                   names.len > 0 ? names.data : "no interface except loopback");
    str_done(&names);
}

void forensics_machine(struct forensics *out, const struct forensics_facts *facts)
{
    const struct json *versions = forensics_item(facts, "versions");
    const struct json *load = forensics_item(facts, "load");
    if (json_count(load) == 3)
        forensics_pair(out, "load", "%.2f %.2f %.2f", json_number(json_at(load, 0), 0),
                       json_number(json_at(load, 1), 0), json_number(json_at(load, 2), 0));
    else
        forensics_lacks(out, facts, "load", "load");
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

/* Adds the end of a stream's output, and sets the note of its section. */
static void add_stream(struct forensics *out, const struct forensics_facts *facts, int stream)
{
    enum forensics_section section = stream == 1 ? FORENSICS_OUT : FORENSICS_ERR;
    const struct outcome *outcome = &facts->attempt->outcome;
    const size_t before = out->count;
    bool is_over = facts->attempt->ended.mono_ms != 0;
    struct log_tail tail;
    log_tail_init(&tail);
    log_tail_set(&tail, &out->key, facts->output, INT64_MAX);
    for (size_t i = 0; i < tail.count; i++) {
        char hms[CLOCK_TEXT_MAX];
        struct str line = {0};
        if (tail.lines[i].stream != stream)
            continue;
        str_addf(&line, "%s  ", clock_hms(tail.lines[i].at_ms, hms));
        str_add_n(&line, log_tail_line(&tail, i), tail.lines[i].len);
        forensics_add(out, FORENSICS_PLAIN, line.data, line.len);
        str_done(&line);
    }
    log_tail_done(&tail);
    if (out->count == before)
        forensics_addf(out, FORENSICS_LACKS, "%s", is_over ? "nothing was written" : "nothing yet");
    if (is_over)
        forensics_note(out, section, "%lld l", (long long)outcome->lines[stream - 1]);
}

void forensics_out(struct forensics *out, const struct forensics_facts *facts)
{
    add_stream(out, facts, 1);
}

void forensics_err(struct forensics *out, const struct forensics_facts *facts)
{
    add_stream(out, facts, 2);
}

void forensics_tests(struct forensics *out, const struct forensics_facts *facts)
{
    static const char *const keys[] = {"failed", "passed", "skipped", "total"};
    const struct json *report = forensics_item(facts, "tests");
    struct str numbers = {0};
    if (!report) {
        forensics_lacks(out, facts, "tests", "tests");
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const int64_t number = json_i64(json_get(report, keys[i]), -1);
        if (number >= 0)
            str_addf(&numbers, "%s%lld %s", numbers.len > 0 ? ", " : "", (long long)number,
                     keys[i]);
    }
    forensics_pair(out, "tests", "%s", str_text(&numbers));
    forensics_pair(out, "as", "%s, on %s", json_text(json_get(report, "form"), "?"),
                   json_text(json_get(report, "stream"), "?"));
    forensics_pair(out, "line", "%s", json_text(json_get(report, "line"), ""));
    int64_t failed = json_i64(json_get(report, "failed"), -1);
    if (failed >= 0)
        forensics_note(out, FORENSICS_TESTS, "%lld failed", (long long)failed);
    str_done(&numbers);
}

enum { EVIDENCE_LINES = 2, EVIDENCE_LINE_BYTES = 2048 };

/* The stored bytes of one stream around an offset. */
struct window {
    struct str bytes; /* owned */
    int64_t offset;   /* stream offset of the first byte */
};

/* Collects the contiguous rows around the offset. */
static void take_window(const struct output_page *page, int stream, int64_t at, struct window *out)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct log_output_row *row = &page->rows[i];
        int64_t end = out->offset + (int64_t)out->bytes.len;
        if (row->stream != stream || row->replaceable)
            continue;
        if (row->offset != end) {
            if (at >= out->offset && at < end)
                return;
            str_clear(&out->bytes);
            out->offset = row->offset;
        }
        str_add_n(&out->bytes, str_text(&page->text) + row->start, row->len);
    }
}

/* Returns the start of the line that is `lines` lines above the line of byte `at`. */
static size_t find_line_begin(const struct window *window, size_t at, int lines)
{
    for (int i = 0; i <= lines && at > 0; i++) {
        at -= i > 0;
        while (at > 0 && window->bytes.data[at - 1] != '\n')
            at--;
    }
    return at;
}

/* Adds the line that the verdict is based on, with the lines around it. */
static void add_evidence(struct forensics *out, const struct forensics_facts *facts,
                         const struct verdict *verdict)
{
    struct window window = {0};
    if (verdict->stream == VERDICT_STREAM_NONE)
        return;
    take_window(facts->output, verdict->stream == VERDICT_STREAM_OUT ? 1 : 2, verdict->offset,
                &window);
    const size_t size = window.bytes.len;
    if (verdict->offset >= window.offset && verdict->offset < window.offset + (int64_t)size) {
        const size_t at = (size_t)(verdict->offset - window.offset);
        size_t from = find_line_begin(&window, at, EVIDENCE_LINES);
        int after = 0;
        forensics_addf(out, FORENSICS_LABEL, "evidence in %s",
                       verdict_stream_name(verdict->stream));
        while (from < size && after <= EVIDENCE_LINES) {
            const char *text = window.bytes.data + from;
            const char *feed = memchr(text, '\n', size - from);
            const size_t len = feed ? (size_t)(feed - text) : size - from;
            const bool is_hit = at >= from && at <= from + len;
            struct str line = {0};
            str_add(&line, is_hit ? "> " : "  ");
            str_add_n(&line, text, len < EVIDENCE_LINE_BYTES ? len : EVIDENCE_LINE_BYTES);
            forensics_add(out, is_hit ? FORENSICS_HIT : FORENSICS_PLAIN, line.data, line.len);
            str_done(&line);
            after += from > at || is_hit;
            from += len + 1;
        }
    }
    str_done(&window.bytes);
}

void forensics_verdict(struct forensics *out, const struct forensics_facts *facts)
{
    const struct attempt_state *attempt = facts->attempt;
    struct verdict verdict = verdict_new();
    struct rows rows = {0};
    char word[VERDICT_WORD_MAX];
    if (attempt->ended.mono_ms == 0) {
        forensics_addf(out, FORENSICS_LACKS, "still running");
        return;
    }
    if (facts->judged)
        verdict_from_record(&facts->judged->judged, &verdict);
    verdict.class = attempt->class;
    verdict.type = attempt->type;
    verdict.reason = attempt->reason;
    out->verdict = verdict;
    if (verdict.class != VERDICT_SUCCESS)
        forensics_note(out, FORENSICS_VERDICT, "%s",
                       verdict_word(&verdict, &attempt->outcome, word));
    rows_verdict(&rows, facts->plan, attempt, facts->judged ? &verdict : NULL, &times);
    rows_same(&rows, facts->state, out->key.task, out->key.step, attempt);
    forensics_rows(out, &rows);
    rows_done(&rows);
    if (verdict.class != VERDICT_SUCCESS)
        add_evidence(out, facts, &verdict);
}
