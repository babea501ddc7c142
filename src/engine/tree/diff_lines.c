#define _GNU_SOURCE /* types of files, mkdtemp */

#include "diff_lines.h"

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

enum { NUMBER_MAX = 24, DIFFERS = 1 /* git's exit code where something does */ };

static const char section[] = "diff --git "; /* then a/NUMBER or b/NUMBER */

/* Contents on their way to git. */
struct copying {
    const struct diff_lines *call; /* borrowed, as all here */
    struct tree_diff *diff;
    int side_fds[2]; /* the folders "a" and "b" */
    int64_t room;    /* bytes that may still be copied */
    struct tree_folder folder;
};

static void say_why(struct tree_diff *diff, const char *words)
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

/* Has it lines that git may compare? */
static bool has_text(const struct tree_entry *entry)
{
    return entry && (S_ISREG(entry->mode) || S_ISLNK(entry->mode));
}

/* The content of one side. -1 if it cannot be had. */
static int open_side(struct copying *copying, const struct tree_entry *entry, int side)
{
    int fd = -1;
    int at;
    const char *name;
    const struct tree_source *contents = copying->call->contents;
    if (side == 0)
        return contents->open(contents->ctx, entry, &fd, NULL) ? fd : -1;
    if (!tree_folder_reach(&copying->folder, entry->path, &at, &name, NULL))
        return -1;
    return tree_folder_open_file(at, name);
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
        const int from = open_side(copying, entry, side);
        ok = from >= 0 && content_copy(from, to, &cannot_clone, &bytes, NULL);
        if (from >= 0)
            (void)close(from); /* it was only read */
    }
    return close(to) == 0 && ok;
}

/* One side alone would look like a file that is new, or gone. */
static void forget_path(const struct copying *copying, size_t at)
{
    char number[NUMBER_MAX];
    (void)snprintf(number, sizeof(number), "%06zu", at);
    for (int side = 0; side < 2; side++)
        (void)unlinkat(copying->side_fds[side], number, 0); /* it need not be there */
}

/* Both sides of a path, or neither. */
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
        say_why(copying->diff, "not all contents were compared: too large");
        return;
    }
    copying->room -= bytes;
    for (int side = 0; side < 2; side++) {
        if (has_text(sides[side]) && !copy_side(copying, sides[side], at, side)) {
            say_why(copying->diff, "some contents cannot be read: their lines are left out");
            forget_path(copying, at);
            return;
        }
    }
}

static bool make_sides(struct copying *copying, const char *folder, struct err *err)
{
    static const char *const names[] = {"a", "b"};
    const int fd = tree_folder_open(AT_FDCWD, folder);
    bool ok = fd >= 0;
    for (int side = 0; side < 2 && ok; side++) {
        ok = mkdirat(fd, names[side], 0700) == 0;
        copying->side_fds[side] = ok ? tree_folder_open(fd, names[side]) : -1;
        ok = copying->side_fds[side] >= 0;
    }
    if (!ok)
        (void)err_set_errno(err, errno, "cannot make '%s'", folder);
    if (fd >= 0)
        (void)close(fd); /* a folder: nothing was written to it */
    return ok;
}

static bool is_plain(const char *path)
{
    for (const char *c = path; *c; c++) {
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f || *c == '"' || *c == '\\')
            return false;
    }
    return true;
}

/* A path as git writes it: quoted where it has odd bytes. */
static void add_path(struct str *out, const char *side, const char *path)
{
    if (is_plain(path)) {
        str_addf(out, "%s%s", side, path);
        return;
    }
    static const char odd[] = "\"\\\a\b\t\n\v\f\r";
    static const char letters[] = "\"\\abtnvfr";
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

static void add_modes(struct str *out, const struct tree_entry *before,
                      const struct tree_entry *now)
{
    if (!before && now)
        str_addf(out, "new file mode %06o\n", git_mode(now));
    else if (before && !now)
        str_addf(out, "deleted file mode %06o\n", git_mode(before));
    else if (before && now && before->mode != now->mode)
        str_addf(out, "old mode %06o\nnew mode %06o\n", git_mode(before), git_mode(now));
}

static void add_header(const struct copying *copying, size_t at, struct str *out)
{
    const char *path = copying->diff->paths[at].path;
    str_add(out, "diff --git ");
    add_path(out, "a/", path);
    str_add_char(out, ' ');
    add_path(out, "b/", path);
    str_add_char(out, '\n');
    add_modes(out, entry_of(copying, at, 0), entry_of(copying, at, 1));
}

static void add_sides(const struct copying *copying, size_t at, struct str *out)
{
    static const char *const starts[] = {"--- ", "+++ "};
    static const char *const sides[] = {"a/", "b/"};
    for (int side = 0; side < 2; side++) {
        str_add(out, starts[side]);
        if (entry_of(copying, at, side))
            add_path(out, sides[side], copying->diff->paths[at].path);
        else
            str_add(out, "/dev/null");
        str_add_char(out, '\n');
    }
}

/* One line of what git says of a number. Lines of its own heading are told by ours. */
static void take_line(struct copying *copying, size_t at, const char *line, size_t len,
                      struct str *out, bool *in_hunks)
{
    struct diff_path *path = &copying->diff->paths[at];
    if (!*in_hunks && strncmp(line, "Binary files ", 13) == 0) {
        str_add(out, "Binary files differ\n");
        return;
    }
    if (!*in_hunks && strncmp(line, "@@", 2) != 0)
        return;
    if (!*in_hunks) {
        add_sides(copying, at, out);
        path->added = 0;
        path->removed = 0;
    }
    *in_hunks = true;
    path->added += line[0] == '+';
    path->removed += line[0] == '-';
    str_add_n(out, line, len);
    str_add_char(out, '\n');
}

/* The number that a section is about; -1: it is none. No line of a hunk begins so. */
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
    say_why(diff, "the diff is longer than what is kept");
    if (diff->text.len < max) {
        size_t len = max - diff->text.len;
        while (len > 0 && piece->data[len - 1] != '\n')
            len--;
        str_add_n(&diff->text, str_text(piece), len);
    }
}

/* The sections of git by number, in the order of the paths, and of what it says nothing. */
static void take_output(struct copying *copying, const struct str *output, size_t text_max)
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
                take_line(copying, i, at, len, &piece, &in_hunks);
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
        say_why(copying->diff, "git cannot be started");
    } else {
        if (result.timed_out || result.stopped)
            say_why(copying->diff, "comparing by line took too long");
        else if (result.exit_code > DIFFERS)
            say_why(copying->diff, "git cannot compare");
        if (result.out_cut)
            say_why(copying->diff, "the diff is longer than what is kept");
        str_add_n(out, str_text(&result.out), result.out.len);
    }
    tool_result_done(&result);
    git_done(&git);
}

bool diff_lines_add(const struct diff_lines *call, struct tree_diff *diff, struct err *err)
{
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
        return err_set_errno(err, errno, "cannot make '%s'", folder);
    tree_folder_init(&copying.folder, call->top_fd);
    bool ok = make_sides(&copying, folder, err);
    for (size_t i = 0; ok && i < diff->path_count; i++)
        copy_path(&copying, i);
    if (ok) {
        ask_git(&copying, folder, &output);
        take_output(&copying, &output, text_max);
    }
    tree_folder_done(&copying.folder);
    str_done(&output);
    for (int side = 0; side < 2; side++) {
        if (copying.side_fds[side] >= 0)
            (void)close(copying.side_fds[side]); /* folders: nothing was written to them */
    }
    return tree_folder_remove(AT_FDCWD, folder, err) && ok;
}
