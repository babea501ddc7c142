/* tree_diff.c - compares two manifests path by path, and their files line by line with git.
 *
 * git gets copies of the files in two folders, with numbers as names, and we replace its headers
 * with ours. So git never sees the names in the tree, which may be hostile. All changes in a
 * repository count as one change of its .git. If a limit leaves something out, diff->why says
 * so. */
#define _GNU_SOURCE /* S_IFMT, mkdtemp */

#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content_store.h"
#include "git.h"
#include "tree_folder.h"
#include "xalloc.h"

char diff_kind_letter(enum diff_kind kind)
{
    static const char letters[DIFF_KIND_COUNT] = {
        [DIFF_ADDED] = 'A', [DIFF_CHANGED] = 'M', [DIFF_MODE] = 'X',
        [DIFF_TYPE] = 'T',  [DIFF_DELETED] = 'D',
    };
    return letters[kind];
}

void tree_diff_done(struct tree_diff *diff)
{
    if (!diff)
        return;
    for (size_t i = 0; i < diff->path_count; i++)
        free(diff->paths[i].path);
    free(diff->paths);
    str_done(&diff->text);
    str_done(&diff->why);
    *diff = (struct tree_diff){0};
}

/* Two manifests, walked in parallel. */
struct walk {
    const struct tree *before, *now; /* borrowed */
    size_t i, j;                     /* index of the next entry in each */
    size_t paths_max;
    size_t cap;
    struct str git; /* path of the ".git" that was reported last */
    struct tree_diff *out;
};

static void add_path(struct walk *walk, enum diff_kind kind, const char *path)
{
    struct tree_diff *out = walk->out;
    out->changed++;
    if (out->path_count >= walk->paths_max)
        return;
    out->paths = xgrow(out->paths, &walk->cap, out->path_count + 1, sizeof(*out->paths));
    out->paths[out->path_count++] =
        (struct diff_path){.kind = kind, .path = xstrdup(path), .added = -1, .removed = -1};
}

/* Reports a differing path. All changes inside a folder ".git" are reported once, as a change of
 * that folder. */
static void report_path(struct walk *walk, enum diff_kind kind, const char *path)
{
    static const char name[] = ".git";
    size_t len =
        0; /* length of the part of the path up to ".git"; 0 = the path is not in a ".git" folder */
    for (const char *at = path; at && len == 0; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
        if (strncmp(at, name, sizeof(name) - 1) == 0 && at[sizeof(name) - 1] == '/')
            len = (size_t)(at - path) + sizeof(name) - 1;
    }
    if (len == 0) {
        add_path(walk, kind, path);
        return;
    }
    if (walk->git.len == len && memcmp(walk->git.data, path, len) == 0)
        return;
    str_clear(&walk->git);
    str_add_n(&walk->git, path, len);
    if (!tree_find(walk->before, walk->git.data))
        add_path(walk, DIFF_ADDED, walk->git.data);
    else if (!tree_find(walk->now, walk->git.data))
        add_path(walk, DIFF_DELETED, walk->git.data);
    else
        add_path(walk, DIFF_CHANGED, walk->git.data);
}

/* Reports a path that exists in only one of the trees. Lists a folder only if it is empty. */
static void report_only_in(struct walk *walk, const struct tree *tree, size_t at,
                           enum diff_kind kind)
{
    const struct tree_entry *entry = &tree->entries[at];
    const size_t len = strlen(entry->path);
    const bool has_more = S_ISDIR(entry->mode) && at + 1 < tree->count &&
                          strncmp(tree->entries[at + 1].path, entry->path, len) == 0 &&
                          tree->entries[at + 1].path[len] == '/';
    if (!has_more)
        report_path(walk, kind, entry->path);
}

void tree_diff_paths(const struct tree *before, const struct tree *now,
                     const struct diff_limits *limits, struct tree_diff *out)
{
    struct walk walk = {.before = before, .now = now, .out = out};
    walk.paths_max = limits && limits->paths_max > 0 ? limits->paths_max : DIFF_PATHS_MAX;
    while (walk.i < before->count || walk.j < now->count) {
        const struct tree_entry *a = walk.i < before->count ? &before->entries[walk.i] : NULL;
        const struct tree_entry *b = walk.j < now->count ? &now->entries[walk.j] : NULL;
        if (a && b && tree_path_compare(a->path, b->path) == 0) {
            if ((a->mode & S_IFMT) != (b->mode & S_IFMT))
                report_path(&walk, DIFF_TYPE, b->path);
            else if (!tree_entry_same_content(a, b))
                report_path(&walk, DIFF_CHANGED, b->path);
            else if (!tree_entry_same_mode(a, b))
                report_path(&walk, DIFF_MODE, b->path[0] ? b->path : ".");
            walk.i++;
            walk.j++;
        } else if (a && (!b || tree_path_compare(a->path, b->path) < 0)) {
            report_only_in(&walk, before, walk.i++, DIFF_DELETED);
        } else {
            report_only_in(&walk, now, walk.j++, DIFF_ADDED);
        }
    }
    if (out->changed > (int64_t)out->path_count)
        str_addf(&out->why, "only %zu of %lld paths are listed", out->path_count,
                 (long long)out->changed);
    str_done(&walk.git);
}

enum { NUMBER_MAX = 24, DIFFERS = 1 /* git's exit code if there are differences */ };

static const char section[] = "diff --git "; /* followed by a/NUMBER or b/NUMBER */

/* Copies of contents that are made for git. */
struct copying {
    const struct diff_lines *call; /* borrowed, like all pointers here */
    struct tree_diff *diff;
    int side_fds[2]; /* the folders "a" and "b" */
    int64_t room;    /* how many more bytes may be copied */
    struct tree_folder folder;
};

static void add_why(struct tree_diff *diff, const char *words)
{
    if (strstr(str_text(&diff->why), words))
        return;
    str_addf(&diff->why, "%s%s", diff->why.len > 0 ? "; " : "", words);
}

static const struct tree_entry *entry_of(const struct copying *copying, size_t at, int side)
{
    return tree_find(side == 0 ? copying->call->before : copying->call->now,
                     copying->diff->paths[at].path);
}

/* Returns whether the entry may have lines that git can compare. */
static bool has_text(const struct tree_entry *entry)
{
    return entry && (S_ISREG(entry->mode) || S_ISLNK(entry->mode));
}

static bool copy_side(struct copying *copying, const struct tree_entry *entry, size_t at, int side)
{
    char number[NUMBER_MAX];
    bool cannot_clone = false;
    int64_t bytes = 0;
    (void)snprintf(number, sizeof(number), "%06zu", at);
    const int to = openat(copying->side_fds[side], number,
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0)
        return false;
    bool ok;
    if (entry->target) {
        const size_t len = strlen(entry->target);
        ok = write(to, entry->target, len) == (ssize_t)len && write(to, "\n", 1) == 1;
    } else {
        const struct tree_source *contents = copying->call->contents;
        int from = -1;
        int folder;
        const char *name;
        if (side == 0) {
            if (!contents->open(contents->ctx, entry, &from, NULL))
                from = -1;
        } else if (tree_folder_reach(&copying->folder, entry->path, &folder, &name, NULL)) {
            from = tree_folder_open_file(folder, name);
        }
        ok = from >= 0 && content_copy(from, to, &cannot_clone, &bytes, NULL);
        if (from >= 0)
            (void)close(from); /* opened for reading only */
    }
    return close(to) == 0 && ok;
}

/* Copies both sides of a path, or neither. */
static void copy_path(struct copying *copying, size_t at)
{
    const struct tree_entry *sides[] = {entry_of(copying, at, 0), entry_of(copying, at, 1)};
    int64_t bytes = 0;
    const enum diff_kind kind = copying->diff->paths[at].kind;
    if (kind == DIFF_MODE || (!has_text(sides[0]) && !has_text(sides[1])))
        return;
    for (int side = 0; side < 2; side++)
        bytes += sides[side] ? sides[side]->size : 0;
    if (bytes > copying->room) {
        add_why(copying->diff, "some contents were not compared: too large");
        return;
    }
    copying->room -= bytes;
    for (int side = 0; side < 2; side++) {
        if (has_text(sides[side]) && !copy_side(copying, sides[side], at, side)) {
            add_why(copying->diff, "some contents cannot be read: their lines are left out");
            /* Remove the other copy, too. Otherwise the file would look added or deleted. */
            char number[NUMBER_MAX];
            (void)snprintf(number, sizeof(number), "%06zu", at);
            for (int copied = 0; copied < 2; copied++)
                (void)unlinkat(copying->side_fds[copied], number, 0); /* it may not exist */
            return;
        }
    }
}

/* Adds a path as git writes it: quoted if it has unusual bytes. */
static void add_copied_path(struct str *out, const char *side, const char *path)
{
    static const char odd[] = "\"\\\a\b\t\n\v\f\r";
    static const char letters[] = "\"\\abtnvfr";
    bool is_plain = true;
    for (const char *c = path; *c && is_plain; c++)
        is_plain = (unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f && *c != '"' && *c != '\\';
    if (is_plain) {
        str_addf(out, "%s%s", side, path);
        return;
    }
    str_addf(out, "\"%s", side);
    for (const char *c = path; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        const char *at = strchr(odd, *c);
        if (at)
            str_addf(out, "\\%c", letters[at - odd]);
        else if (byte < 0x20 || byte >= 0x7f)
            str_addf(out, "\\%03o", byte);
        else
            str_add_char(out, *c);
    }
    str_add_char(out, '"');
}

static unsigned git_mode(const struct tree_entry *entry)
{
    if (S_ISLNK(entry->mode))
        return 0120000;
    return S_ISREG(entry->mode) ? 0100000 | (entry->mode & 07777) : entry->mode;
}

static void add_header(const struct copying *copying, size_t at, struct str *out)
{
    const char *path = copying->diff->paths[at].path;
    const struct tree_entry *before = entry_of(copying, at, 0);
    const struct tree_entry *now = entry_of(copying, at, 1);
    str_add(out, "diff --git ");
    add_copied_path(out, "a/", path);
    str_add_char(out, ' ');
    add_copied_path(out, "b/", path);
    str_add_char(out, '\n');
    if (!before && now)
        str_addf(out, "new file mode %06o\n", git_mode(now));
    else if (before && !now)
        str_addf(out, "deleted file mode %06o\n", git_mode(before));
    else if (before && now && before->mode != now->mode)
        str_addf(out, "old mode %06o\nnew mode %06o\n", git_mode(before), git_mode(now));
}

/* Appends a line of git's output to the section of path `at`, and counts added and removed lines.
 * Replaces git's header lines with ours. */
static void add_diff_line(struct copying *copying, size_t at, const char *line, size_t len,
                          struct str *out, bool *in_hunks)
{
    static const char *const starts[] = {"--- ", "+++ "};
    static const char *const sides[] = {"a/", "b/"};
    struct diff_path *path = &copying->diff->paths[at];
    if (!*in_hunks && strncmp(line, "Binary files ", 13) == 0) {
        str_add(out, "Binary files differ\n");
        return;
    }
    if (!*in_hunks && strncmp(line, "@@", 2) != 0)
        return;
    if (!*in_hunks) {
        for (int side = 0; side < 2; side++) {
            str_add(out, starts[side]);
            if (entry_of(copying, at, side))
                add_copied_path(out, sides[side], path->path);
            else
                str_add(out, "/dev/null");
            str_add_char(out, '\n');
        }
        path->added = 0;
        path->removed = 0;
    }
    *in_hunks = true;
    path->added += line[0] == '+';
    path->removed += line[0] == '-';
    str_add_n(out, line, len);
    str_add_char(out, '\n');
}

/* Returns the number in the first line of a section, or -1 for other lines. Lines of a hunk never
 * look like the first line of a section. */
static int64_t section_number(const char *line, size_t count)
{
    const char *name = line + sizeof(section) - 1;
    if (strncmp(line, section, sizeof(section) - 1) != 0 || (name[0] != 'a' && name[0] != 'b') ||
        name[1] != '/')
        return -1;
    const long number = strtol(name + 2, NULL, 10);
    return number >= 0 && (size_t)number < count ? (int64_t)number : -1;
}

static void add_piece(struct tree_diff *diff, const struct str *piece, size_t max)
{
    if (diff->text.len + piece->len <= max) {
        str_add_n(&diff->text, str_text(piece), piece->len);
        return;
    }
    add_why(diff, "the diff is too long to keep");
    if (diff->text.len < max) {
        size_t len = max - diff->text.len;
        while (len > 0 && piece->data[len - 1] != '\n')
            len--;
        str_add_n(&diff->text, str_text(piece), len);
    }
}

/* Splits git's output into sections, in the order of the paths. A path may have no section. */
static void add_git_output(struct copying *copying, const struct str *output, size_t text_max)
{
    struct tree_diff *diff = copying->diff;
    const char *at = str_text(output);
    const char *end = at + output->len;
    for (size_t i = 0; i < diff->path_count; i++) {
        struct str piece = {0};
        bool in_hunks = false;
        add_header(copying, i, &piece);
        bool mine = at < end && section_number(at, diff->path_count) == (int64_t)i;
        for (bool first = true; mine && at < end; first = false) {
            const char *feed = memchr(at, '\n', (size_t)(end - at));
            const size_t len = feed ? (size_t)(feed - at) : (size_t)(end - at);
            if (!first && section_number(at, diff->path_count) >= 0)
                break;
            if (!first)
                add_diff_line(copying, i, at, len, &piece, &in_hunks);
            at += len + (feed != NULL);
        }
        add_piece(diff, &piece, text_max);
        if (diff->paths[i].added >= 0) {
            diff->added += diff->paths[i].added;
            diff->removed += diff->paths[i].removed;
        }
        str_done(&piece);
    }
}

static void ask_git(struct copying *copying, const char *folder, struct str *out)
{
    const struct diff_limits *limits = copying->call->limits;
    const char *const words[] = {"diff",
                                 "--no-index",
                                 "--no-ext-diff",
                                 "--no-textconv",
                                 "--no-color",
                                 "--no-renames",
                                 "--no-prefix",
                                 "a",
                                 "b",
                                 NULL};
    struct git git;
    struct tool_result result = {0};
    git_alone(&git, folder, copying->call->environment);
    const struct git_call call = {
        .words = words,
        .tree = NULL,
        .timeout_ms = limits && limits->timeout_ms > 0 ? limits->timeout_ms : DIFF_TIMEOUT_MS,
        .stop = copying->call->stop,
    };
    if (!git_run(&git, &call, &result, NULL)) {
        add_why(copying->diff, "cannot start git");
    } else {
        if (result.timed_out || result.stopped)
            add_why(copying->diff, "the line comparison took too long");
        else if (result.exit_code > DIFFERS)
            add_why(copying->diff, "git failed to compare");
        if (result.out_cut)
            add_why(copying->diff, "the diff is too long to keep");
        str_add_n(out, str_text(&result.out), result.out.len);
    }
    tool_result_done(&result);
    git_done(&git);
}

bool diff_lines_add(const struct diff_lines *call, struct tree_diff *diff, struct err *err)
{
    static const char *const names[] = {"a", "b"};
    char folder[PATH_MAX];
    const struct diff_limits *limits = call->limits;
    const size_t text_max =
        limits && limits->text_bytes_max > 0 ? limits->text_bytes_max : DIFF_TEXT_BYTES;
    struct copying copying = {.call = call, .diff = diff, .side_fds = {-1, -1}};
    struct str output = {0};
    copying.room = limits && limits->read_bytes_max > 0 ? limits->read_bytes_max : DIFF_READ_BYTES;
    const int len = snprintf(folder, sizeof(folder), "%s/diff-XXXXXX", call->folder);
    if (diff->path_count == 0)
        return true;
    if (len < 0 || (size_t)len >= sizeof(folder))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", call->folder);
    if (!mkdtemp(folder))
        return err_set_errno(err, errno, "cannot create '%s'", folder);
    tree_folder_init(&copying.folder, call->top_fd);
    const int fd = tree_folder_open(AT_FDCWD, folder);
    bool ok = fd >= 0;
    for (int side = 0; side < 2 && ok; side++) {
        ok = mkdirat(fd, names[side], 0700) == 0;
        copying.side_fds[side] = ok ? tree_folder_open(fd, names[side]) : -1;
        ok = copying.side_fds[side] >= 0;
    }
    if (!ok)
        (void)err_set_errno(err, errno, "cannot create '%s'", folder);
    if (fd >= 0)
        (void)close(fd); /* a folder opened for reading; nothing to flush */
    for (size_t i = 0; ok && i < diff->path_count; i++)
        copy_path(&copying, i);
    if (ok) {
        ask_git(&copying, folder, &output);
        add_git_output(&copying, &output, text_max);
    }
    tree_folder_done(&copying.folder);
    str_done(&output);
    for (int side = 0; side < 2; side++) {
        if (copying.side_fds[side] >= 0)
            (void)close(copying.side_fds[side]); /* folders opened for reading; nothing to flush */
    }
    return tree_folder_remove(AT_FDCWD, folder, err) && ok;
}
