/* forensics_call.c - forensics, the sections about the call: command, tree, what was changed. */
#include <string.h>

#include "forensics_parts.h"
#include "shell_word.h"
#include "shown.h"

enum { NAMES_COLUMNS = 72, COMMIT_SHOWN = 12 };

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

/* A list of names, broken where a line is full. */
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
        add_names(out, "of these, secrets: their values are cut wherever they turn up", cut, &more);
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

/* "M  src/tax.c   +3 -1" */
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

static enum forensics_mark mark_of(const char *line)
{
    if (strncmp(line, "+++", 3) == 0 || strncmp(line, "---", 3) == 0)
        return FORENSICS_LABEL;
    if (line[0] == '+')
        return FORENSICS_ADDED;
    if (line[0] == '-')
        return FORENSICS_REMOVED;
    return line[0] == '@' || line[0] == 'd' ? FORENSICS_LABEL : FORENSICS_PLAIN;
}

static void add_diff(struct forensics *out, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        forensics_add(out, mark_of(text), text, len);
        text += len + (text[len] == '\n');
    }
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
                       facts->capture ? "not in the log (yet): it is made after the end"
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
    add_diff(out, json_text(json_get(changes, "diff"), ""));
}
