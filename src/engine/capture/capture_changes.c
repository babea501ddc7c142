/* capture_changes.c - the second part of a capture: what an attempt changed.
 *
 * For a workspace, this is the diff from the snapshot of the step; for a task that works in place,
 * it is the output of git status, which runs in a temporary private repository (git.h). The
 * checked-out commit is read without git, from HEAD and the references. Long lists and diffs are
 * cut at whole entries and lines. */
#define _GNU_SOURCE /* mkdtemp */

#include "capture.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "foreign_file.h"
#include "git.h"
#include "log_reader.h"
#include "text.h"
#include "tree_folder.h"
#include "xalloc.h"

enum {
    PACKED_REFS_MAX = 1024 * 1024, /* a larger packed-refs file is not searched */
    COMMIT_DIGITS = 40,            /* SHA-1; 64 for SHA-256 */
};

/* Joins `folder` + '/' + `name`. Returns false if it does not fit. */
static bool join_path(char out[PATH_MAX], const char *folder, const char *name)
{
    int len = snprintf(out, PATH_MAX, "%s/%s", folder, name);
    return len > 0 && len < PATH_MAX;
}

static bool read_commit(const char *text, struct capture_commit *out)
{
    size_t len = 0;
    while (isxdigit((unsigned char)text[len]))
        len++;
    if (len < COMMIT_DIGITS || len >= sizeof(out->commit))
        return false;
    (void)snprintf(out->commit, sizeof(out->commit), "%.*s", (int)len, text);
    return true;
}

/* Finds the reference in its own file, or in a line "<commit> refs/heads/main" of the packed
 * references. */
static bool find_reference(const char *common, const char *name, struct capture_commit *out)
{
    char path[PATH_MAX];
    struct str text = {0};
    struct str wanted = {0};
    bool found = join_path(path, common, name) && foreign_file_read(path, GIT_FILE_MAX, &text) &&
                 read_commit(text.data, out);
    str_done(&text);
    str_addf(&wanted, " %s\n", name);
    if (!found && join_path(path, common, "packed-refs") &&
        foreign_file_read(path, PACKED_REFS_MAX, &text)) {
        const char *line = strstr(text.data, wanted.data);
        while (line && line > text.data && line[-1] != '\n')
            line--;
        found = line && read_commit(line, out);
    }
    str_done(&text);
    str_done(&wanted);
    return found;
}

static void say_why(struct capture_commit *out, const char *why)
{
    (void)snprintf(out->why, sizeof(out->why), "%s", why);
}

void capture_find_commit(const char *dir, struct capture_commit *out)
{
    static const char reference[] = "ref: ";
    static const char heads[] = "refs/heads/";
    struct git_places places;
    char path[PATH_MAX];
    struct str head = {0};
    *out = (struct capture_commit){0};
    if (!git_find(dir, &places, NULL)) {
        say_why(out, "not a git repository");
    } else if (!join_path(path, places.dir, "HEAD") ||
               !foreign_file_read(path, GIT_FILE_MAX, &head)) {
        say_why(out, "its HEAD cannot be read");
    } else {
        str_cut(&head, strcspn(head.data, "\r\n"));
        bool is_reference = strncmp(head.data, reference, sizeof(reference) - 1) == 0;
        const char *name = head.data + (is_reference ? sizeof(reference) - 1 : 0);
        bool is_branch = is_reference && strncmp(name, heads, sizeof(heads) - 1) == 0;
        if (is_branch)
            (void)snprintf(out->branch, sizeof(out->branch), "%s", name + sizeof(heads) - 1);
        if (is_reference && strstr(name, ".."))
            say_why(out, "its HEAD does not name a reference");
        else if (is_reference ? !find_reference(places.common, name, out) : !read_commit(name, out))
            say_why(out, "no commits yet");
    }
    str_done(&head);
}

static_assert(CHANGES_PATHS_BYTES + CHANGES_TEXT_BYTES + 8 * 1024 <= CAPTURE_BYTES_MAX,
              "the second part is bounded as the first");

static void forget_after(struct str *out, size_t len)
{
    out->len = len;
    out->data[len] = '\0';
}

static void begin_changes(const char *kind, struct str *out)
{
    str_add(out, LOG_CAPTURE_CHANGES);
    str_json_text(out, "kind", kind);
}

/* Limits of the list of paths. */
struct room {
    size_t paths, bytes;
};

/* Appends the list of paths; returns how many were written. */
static size_t add_paths(const struct tree_diff *diff, const struct room *room, struct str *out)
{
    str_add_char(out, '[');
    const size_t from = out->len;
    size_t i = 0;
    for (; i < diff->path_count && i < room->paths; i++) {
        const struct diff_path *path = &diff->paths[i];
        const char letter[] = {diff_kind_letter(path->kind), '\0'};
        const size_t mark = out->len;
        str_add(out, mark > from ? ",[" : "[");
        str_add_json(out, letter, 1);
        str_add_char(out, ',');
        str_add_json(out, path->path, strlen(path->path));
        if (path->added >= 0)
            str_addf(out, ",%lld,%lld", (long long)path->added, (long long)path->removed);
        str_add_char(out, ']');
        if (out->len - from > room->bytes) {
            forget_after(out, mark);
            break;
        }
    }
    str_add_char(out, ']');
    return i;
}

/* Adds as many whole lines as fit. */
static void add_diff_text(const struct str *text, struct str *out)
{
    const char *bytes = str_text(text);
    size_t len = text->len;
    if (len == 0)
        return;
    str_json_key(out, "diff");
    const size_t from = out->len;
    str_add_json(out, bytes, len);
    while (out->len - from > CHANGES_TEXT_BYTES) {
        /* JSON takes at most six bytes for each byte, so remove the excess in one step. */
        size_t excess = (out->len - from - CHANGES_TEXT_BYTES) / 6 + 1;
        len = excess < len ? len - excess : 0;
        while (len > 0 && bytes[len - 1] != '\n')
            len--;
        forget_after(out, from);
        str_add_json(out, bytes, len);
    }
    if (len < text->len)
        str_json_i64(out, "diff_more_bytes", (int64_t)(text->len - len));
}

void capture_changes_write(const struct tree_diff *diff, struct str *out)
{
    const struct room room = {CHANGES_PATHS_MAX, CHANGES_PATHS_BYTES};
    begin_changes("diff", out);
    str_json_i64(out, "took_ms", diff->ms);
    str_json_i64(out, "changed", diff->changed);
    str_json_i64(out, "added", diff->added);
    str_json_i64(out, "removed", diff->removed);
    str_json_key(out, "paths");
    (void)add_paths(diff, &room, out);
    add_diff_text(&diff->text, out);
    if (diff->why.len > 0)
        str_json_text(out, "why", diff->why.data);
    str_add_char(out, '}');
}

void capture_changes_none(const char *why, struct str *out)
{
    begin_changes("none", out);
    str_json_text(out, "why", why);
    str_add_char(out, '}');
}

struct event capture_changes_event(const struct tree_diff *diff, struct str *texts)
{
    enum { WHY_BYTES = 256, ROOM = EVENT_TEXT_MAX - 6 * WHY_BYTES - 64 };
    struct event event = event_new(EVENT_WORKSPACE_CHANGED);
    event.changes.paths = diff->changed;
    event.changes.added = diff->added;
    event.changes.removed = diff->removed;
    event.changes.partial = diff->why.len > 0;
    event.changes.ms = diff->ms;
    for (size_t i = 0; i < diff->path_count && i < CHANGES_EVENT_PATHS_MAX; i++) {
        const struct diff_path *path = &diff->paths[i];
        if (texts->len + strlen(path->path) > ROOM)
            break;
        str_addf(texts, "%s%c ", i > 0 ? "\n" : "", diff_kind_letter(path->kind));
        for (const char *at = path->path; *at; at++)
            str_add_char(texts, *at == '\n' ? '?' : *at);
    }
    const bool has_paths = texts->len > 0;
    str_add_char(texts, '\0');
    const size_t why = texts->len;
    str_add_n(texts, str_text(&diff->why),
              text_cut(str_text(&diff->why), diff->why.len, WHY_BYTES));
    event.changes.changed = has_paths ? texts->data : NULL;
    if (diff->why.len > 0)
        event.changes.why = texts->data + why;
    return event;
}

/* Parses the output of "git status --porcelain -z": "XY path" NUL, followed by the old path after a
 * rename. */
static void take_status(const struct str *answer, struct tree_diff *diff)
{
    enum { CODE_BYTES = 3 };
    size_t cap = 0;
    for (const char *at = str_text(answer); at < str_text(answer) + answer->len;) {
        size_t len = strlen(at);
        if (len > CODE_BYTES && diff->path_count < CHANGES_PATHS_MAX) {
            bool is_new = at[0] == '?' || at[0] == 'A';
            bool is_gone = at[0] == 'D' || at[1] == 'D';
            diff->paths = xgrow(diff->paths, &cap, diff->path_count + 1, sizeof(*diff->paths));
            diff->paths[diff->path_count++] = (struct diff_path){.kind = is_new    ? DIFF_ADDED
                                                                         : is_gone ? DIFF_DELETED
                                                                                   : DIFF_CHANGED,
                                                                 .path = xstrdup(at + CODE_BYTES),
                                                                 .added = -1};
        }
        diff->changed += len > CODE_BYTES;
        bool has_old = at[0] == 'R' || at[0] == 'C';
        at += len + 1;
        if (has_old)
            at += strlen(at) + 1;
    }
}

/* Runs git status in a private repository at `own`: see git.h. */
static bool ask_git(const char *dir, const char *own, char *const *environment,
                    const atomic_bool *stop, struct tree_diff *diff, struct err *err)
{
    static const char *const words[] = {"status", "--porcelain", "-z", "--ignore-submodules=all",
                                        NULL};
    struct git git;
    struct str answer = {0};
    struct str index = {0};
    if (!git_open(&git, dir, own, environment, err))
        return false;
    str_addf(&index, "%s/index", git.places->dir);
    const struct git_call call = {
        .words = words, .index = index.data, .timeout_ms = CHANGES_STATUS_MS, .stop = stop};
    const bool ok = git_ask(&git, &call, &answer, err);
    if (ok)
        take_status(&answer, diff);
    git_done(&git);
    str_done(&answer);
    str_done(&index);
    return ok;
}

/* Runs git status in a temporary private repository in the log's folder. */
static bool ask_git_once(const struct changes_call *call, const atomic_bool *stop,
                         struct tree_diff *diff, struct err *err)
{
    char own[PATH_MAX];
    const int len = snprintf(own, sizeof(own), "%s/.status-XXXXXX", call->scratch);
    (void)mkdir(call->scratch, 0700); /* usually exists already */
    if (len < 0 || (size_t)len >= sizeof(own))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", call->scratch);
    if (!mkdtemp(own))
        return err_set_errno(err, errno, "cannot create '%s'", own);
    const bool ok = ask_git(call->dir, own, call->environment, stop, diff, err);
    return tree_folder_remove(AT_FDCWD, own, err) && ok;
}

void capture_changes_in_place(const struct changes_call *call, const atomic_bool *stop,
                              struct str *out)
{
    const struct room room = {CHANGES_PATHS_MAX, CHANGES_PATHS_BYTES};
    struct capture_commit commit;
    struct tree_diff diff = {0};
    struct err err = {0};
    capture_find_commit(call->dir, &commit);
    if (commit.commit[0] == '\0') {
        capture_changes_none(commit.why, out);
        return;
    }
    if (!ask_git_once(call, stop, &diff, &err)) {
        capture_changes_none(err.message, out);
    } else {
        begin_changes("status", out);
        str_json_text(out, "commit", commit.commit);
        str_json_i64(out, "changed", diff.changed);
        str_json_key(out, "paths");
        (void)add_paths(&diff, &room, out);
        str_json_text(out, "why", "in place: includes changes made before the attempt");
        str_add_char(out, '}');
    }
    tree_diff_done(&diff);
}
