/* workspace_ship.c - worktrees on other machines: made there from a git bundle, and their results
 * brought back as one.
 *
 * A host without a shared folder has a cache repository for each repository of this machine. A
 * worktree is made there from the cache, after a bundle with what the cache lacks was sent. Its
 * snapshots are copies there; this machine keeps only the id of each snapshot's git tree, which
 * proves a reset. Everything that happens there is a request to the script
 * assets/remote/workspace.sh, which may be repeated: a connection may break at any time.
 *
 * The other machine is not trusted. Its answers have limits, and are checked as ids, numbers and
 * paths. Of a result's bundle only the pack is used: git checks each object, and we make the commit
 * ourselves. */
#define _GNU_SOURCE /* memmem */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "foreign_file.h"
#include "outcome.h"
#include "remote.h"
#include "remote_workspace.h"
#include "text.h"
#include "workspace_internal.h"
#include "xalloc.h"

enum {
    ASK_MS = 10 * 60 * 1000,    /* time limit of a request */
    SEND_MS = 60 * 60 * 1000,   /* the same if it sends a bundle or a result */
    BUNDLE_MS = 30 * 60 * 1000, /* time limit for making a bundle */
    DROP_MS = 60 * 1000,        /* time limit for removing a workspace there */
    KEEP_MS = 3 * 60 * 1000,    /* how long a host that does not answer is asked for a result */
    KEEP_PAUSE_MS_MIN = 500,    /* pause between two such requests; doubles each time */
    KEEP_PAUSE_MS_MAX = 15 * 1000,
    LOOK_MS = 50,                  /* interval between checks of the stop flag */
    CHANGES_MAX = 4 * 1024 * 1024, /* maximum bytes of an answer with changes, without the diff */
    ANSWER_MAX = 256 * 1024,       /* maximum bytes of an answer, without a bundle */
    IGNORED_MAX = 32 * 1024,       /* maximum bytes of the user's ignore rules */
    LEFT_OUT_MAX = 1000,           /* maximum nested repositories that are named */
    HAVES_MAX = 64,                /* maximum commits that the cache names */
    HEADER_LINES_MAX = 10000,      /* maximum lines before the pack of a bundle */
    LIST_BYTES_MAX = 128 * 1024 * 1024, /* maximum bytes of a list of changed paths */
    PACK_HEAD_BYTES = 12,
    NUMBER_TEXT_MAX = 24,
    NUMBER_MAX = 1000 * 1000 * 1000, /* maximum of a number that a host reports */
    EXIT_LACKS = 20,                 /* exit codes of the script: the cache lacks the base */
    EXIT_LARGE = 22,                 /* the tree exceeds the limit of a snapshot */
    SHELL_NOT_FOUND = 127,
    SHELL_NOT_EXECUTABLE = 126,
};
#define RESULT_BUNDLE_BYTES_MAX ((size_t)WORKSPACE_BUNDLE_BYTES_MAX)
/* The most memory that git may ask for at once. It keeps larger files out of memory, except for
 * those that a pack builds from others, which git itself never does. */
#define OBJECT_LIMIT "GIT_ALLOC_LIMIT=1g"

/* A request to the script. All borrowed. */
struct request {
    const char *op;
    int step;
    int64_t bytes_max;      /* 0 = that of a snapshot */
    const char *known;      /* id of a tree; NULL = none */
    const char *input_path; /* stdin; NULL = none */
    size_t out_max;
    int64_t timeout_ms;
    const atomic_bool *stop;
};

/* An answer. All zero is a valid empty value. */
struct answer {
    struct tool_result result;
    int exit_code;
    size_t body; /* offset of the bytes after the answer's lines, in result.out */
    char path[PATH_MAX];
    char head[WORKSPACE_COMMIT_MAX], tree[WORKSPACE_COMMIT_MAX];
    int64_t files, kib, changed;
    struct arg_list haves;
    struct str left_out; /* names, one per line, safe for a terminal */
};

static void answer_done(struct answer *answer)
{
    tool_result_done(&answer->result);
    arg_list_done(&answer->haves);
    str_done(&answer->left_out);
    *answer = (struct answer){0};
}

static bool is_object_id(const char *text, size_t len)
{
    return (len == 40 || len == 64) && strspn(text, "0123456789abcdef") >= len;
}

/* Copies an object id. Returns false if it is not one. */
static bool take_id(const char *text, char out[WORKSPACE_COMMIT_MAX])
{
    const size_t len = strlen(text);
    if (!is_object_id(text, len))
        return false;
    memcpy(out, text, len + 1);
    return true;
}

static bool take_number(const char *text, int64_t *out)
{
    char *end = NULL;
    text += strspn(text, " "); /* some wc(1) align their numbers */
    if (strspn(text, "0123456789") == 0)
        return false;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return errno == 0 && *end == '\0' && *out <= NUMBER_MAX;
}

static bool take_path(const char *text, char out[PATH_MAX])
{
    const size_t len = strlen(text);
    if (text[0] != '/' || len >= PATH_MAX)
        return false;
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == '\x7f')
            return false;
    }
    memcpy(out, text, len + 1);
    return true;
}

static bool take_left_out(const char *text, struct answer *answer)
{
    size_t count = 0;
    for (const char *c = str_text(&answer->left_out); *c; c++)
        count += *c == '\n';
    if (count >= LEFT_OUT_MAX)
        return false;
    if (answer->left_out.len > 0)
        str_add_char(&answer->left_out, '\n');
    text_clean_line(&answer->left_out, text, strlen(text));
    return true;
}

/* Takes a line of the answer: "KEY VALUE". Unknown keys are errors: the script is ours. */
static bool take_line(char *line, struct answer *answer)
{
    char *value = strchr(line, ' ');
    if (!value)
        return false;
    *value++ = '\0';
    if (strcmp(line, "path") == 0)
        return take_path(value, answer->path);
    if (strcmp(line, "head") == 0)
        return take_id(value, answer->head);
    if (strcmp(line, "tree") == 0)
        return take_id(value, answer->tree);
    if (strcmp(line, "files") == 0)
        return take_number(value, &answer->files);
    if (strcmp(line, "kib") == 0)
        return take_number(value, &answer->kib);
    if (strcmp(line, "changed") == 0)
        return take_number(value, &answer->changed);
    if (strcmp(line, "left") == 0)
        return take_left_out(value, answer);
    if (strcmp(line, "have") == 0 && is_object_id(value, strlen(value)) &&
        answer->haves.count < HAVES_MAX) {
        arg_list_add(&answer->haves, value);
        return true;
    }
    return false;
}

/* Reads the lines of the answer, up to an empty line. A login shell may have printed something
 * before them. */
static bool read_answer(struct answer *answer)
{
    static const char mark[] = "@devs-workspace 1\n";
    const struct str *out = &answer->result.out;
    const size_t within = out->len < ANSWER_MAX ? out->len : ANSWER_MAX;
    const char *found = out->len > 0 ? memmem(out->data, within, mark, strlen(mark)) : NULL;
    const char *end = out->data ? out->data + within : NULL;
    if (!found || (found > out->data && found[-1] != '\n'))
        return false;
    const char *at = found + strlen(mark);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            return false;
        if (stop == at) {
            answer->body = (size_t)(stop + 1 - out->data);
            return true;
        }
        struct str line = {0};
        str_add_n(&line, at, (size_t)(stop - at));
        const bool ok = strlen(line.data) == line.len && take_line(line.data, answer);
        str_done(&line);
        if (!ok)
            return false;
        at = stop + 1;
    }
    return false;
}

/* What is sent with each request. */

/* Appends a file with ignore rules. Fails if it is too large, because other files would be kept
 * then. */
static bool add_ignored_file(const char *path, struct str *out, struct err *err)
{
    char real[PATH_MAX];
    struct stat info;
    struct str text = {0};
    if (!realpath(path, real) || stat(real, &info) != 0 || info.st_size == 0)
        return true; /* git ignores a missing file */
    bool ok =
        info.st_size + (off_t)out->len <= IGNORED_MAX ||
        err_set(err, ERR_LIMIT, "the ignore rules in '%s' exceed %d bytes", path, IGNORED_MAX);
    ok = ok && (foreign_file_read(real, IGNORED_MAX - out->len, &text) ||
                err_set(err, ERR_IO, "cannot read the ignore rules in '%s'", path));
    str_add(out, str_text(&text)); /* an argument: without what follows a NUL */
    str_add_char(out, '\n');
    str_done(&text);
    return ok;
}

static const char *find_entry(const struct workspace *workspace, const char *name)
{
    for (char **entry = workspace->git.environment.items; entry && *entry; entry++) {
        if (strncmp(*entry, name, strlen(name)) == 0)
            return *entry + strlen(name);
    }
    return NULL;
}

/* Appends the user's own ignore rules, in the order of their precedence: git reads the first file
 * for all repositories. */
static bool add_ignored(const struct workspace *workspace, struct str *out, struct err *err)
{
    static const char *const words[] = {"config", "--type=path", "core.excludesFile", NULL};
    char path[PATH_MAX];
    const struct git_call call = {.words = words};
    const char *config = find_entry(workspace, "XDG_CONFIG_HOME=");
    const char *home = find_entry(workspace, "HOME=");
    bool ok = true;
    if (git_ask_line(&workspace->git, &call, path, sizeof(path), NULL))
        ok = add_ignored_file(path, out, err);
    else if (config && *config &&
             snprintf(path, sizeof(path), "%s/git/ignore", config) < (int)sizeof(path))
        ok = add_ignored_file(path, out, err);
    else if (home &&
             snprintf(path, sizeof(path), "%s/.config/git/ignore", home) < (int)sizeof(path))
        ok = add_ignored_file(path, out, err);
    if (ok && snprintf(path, sizeof(path), "%s/info/exclude", workspace->git.places->common) <
                  (int)sizeof(path))
        ok = add_ignored_file(path, out, err);
    return ok;
}

/* Names the cache: the same for all runs of this repository, different for others. */
static void name_cache(const struct workspace *workspace, char out[17])
{
    char host[256] = "";
    unsigned char hash[SHA256_BYTES];
    struct str text = {0};
    (void)gethostname(host, sizeof(host) - 1); /* only to tell the repositories apart */
    str_addf(&text, "%s:%s", host, workspace->git.places->common);
    sha256_of(text.data, text.len, hash);
    str_done(&text);
    for (int i = 0; i < 8; i++)
        (void)snprintf(out + (ptrdiff_t)2 * i, 3, "%02x", hash[i]);
}

/* Finds the host and the base of a workspace that an earlier devs has made. */
static bool load_note(struct workspace *workspace, struct err *err)
{
    char path[PATH_MAX];
    struct workspace_note note;
    struct ship *ship = &workspace->ship;
    if (ship->base[0] != '\0')
        return true;
    if (!workspace_path(workspace, "made", path, err) || !workspace_note_read(path, &note, err))
        return false;
    return ship_take_note(workspace, &note, err);
}

bool ship_take_note(struct workspace *workspace, const struct workspace_note *note, struct err *err)
{
    struct ship *ship = &workspace->ship;
    if (note->host[0] == '\0' || !is_object_id(note->base, strlen(note->base)))
        return err_set(err, ERR_NOT_FOUND, "the workspace is not on another machine");
    free(ship->host);
    free(ship->path);
    ship->host = xstrdup(note->host);
    ship->path = xstrdup(note->path);
    memcpy(ship->base, note->base, sizeof(ship->base));
    return true;
}

/* Explains an exit code of the script, and returns false. */
static bool refuse_answer(const struct workspace *workspace, const struct answer *answer,
                          int *start_code, struct err *err)
{
    const struct str *said = &answer->result.err;
    const char *text = str_text(said);
    size_t end = said->len;
    struct str line = {0};
    while (end > 0 && text[end - 1] == '\n')
        end--;
    size_t from = end;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    text_clean_line(&line, text + from, end - from);
    /* the words of the C locale, which the script sets */
    const bool has_no_space =
        strstr(text, "No space left on device") || strstr(text, "Disk quota exceeded");
    *start_code = answer->exit_code == EXIT_LARGE ? START_TOO_LARGE
                  : has_no_space                  ? START_NO_SPACE
                                                  : START_WORKSPACE_FAILED;
    if (answer->exit_code == SHELL_NOT_FOUND || answer->exit_code == SHELL_NOT_EXECUTABLE)
        *start_code = START_EXECUTOR_REFUSED;
    (void)err_set(err, answer->exit_code == EXIT_LARGE ? ERR_LIMIT : ERR_IO, "%s: %.300s",
                  workspace->ship.host, line.len > 0 ? line.data : "the workspace script failed");
    if (answer->exit_code == EXIT_LARGE)
        (void)err_hint(err, "set snapshot_bytes_max in the plan's workspace");
    str_done(&line);
    return false;
}

/* Sends a request, and reads its answer. Returns true if the script succeeded, or if its cache
 * lacks the base (see answer->exit_code). The caller frees *answer in any case. */
static bool ask(struct workspace *workspace, const struct request *request, struct answer *answer,
                int *start_code, struct err *err)
{
    char cache[17];
    char step[NUMBER_TEXT_MAX];
    char bytes[NUMBER_TEXT_MAX];
    struct str ignored = {0};
    const struct ship *ship = &workspace->ship;
    assert(workspace->environment[0]); /* the mark of the run */
    *start_code = START_WORKSPACE_FAILED;
    if (!workspace_open_git(workspace, err) || !load_note(workspace, err) ||
        !add_ignored(workspace, &ignored, err)) {
        str_done(&ignored);
        return false;
    }
    name_cache(workspace, cache);
    (void)snprintf(step, sizeof(step), "%d", request->step);
    (void)snprintf(bytes, sizeof(bytes), "%" PRId64,
                   request->bytes_max > 0 ? request->bytes_max
                                          : workspace->spec.snapshot_bytes_max);
    const char *const words[] = {"sh",
                                 "-c",
                                 remote_workspace,
                                 "devs",
                                 request->op,
                                 ship->executor->dir,
                                 cache,
                                 workspace->uid,
                                 workspace->task,
                                 strlen(ship->base) == 40 ? "sha1" : "sha256",
                                 ship->base,
                                 find_entry(workspace, "GIT_AUTHOR_NAME="),
                                 find_entry(workspace, "GIT_AUTHOR_EMAIL="),
                                 str_text(&ignored),
                                 step,
                                 bytes,
                                 request->known ? request->known : "",
                                 NULL};
    const bool is_wanted = ship->wanted && strcmp(ship->host, ship->wanted) == 0;
    const struct remote_place place = {.executor = ship->executor,
                                       .host = ship->host,
                                       .control = is_wanted ? ship->control : NULL,
                                       .environment = workspace->environment,
                                       .run_mark = workspace->environment[0],
                                       .step_mark = "DEVS_STEP=ship"};
    const struct remote_program program = {
        .argv = words,
        .input_path = request->input_path,
        .out_max = request->out_max ? request->out_max : (size_t)ANSWER_MAX,
        .timeout_ms = request->timeout_ms ? request->timeout_ms : ASK_MS,
        .stop = request->stop};
    bool ok = remote_run(&place, &program, &answer->result, start_code, err);
    str_done(&ignored);
    if (!ok)
        return false;
    *start_code = START_WORKSPACE_FAILED;
    if (answer->result.out_cut)
        return err_set(err, ERR_LIMIT, "%s: sent more than %zu bytes", ship->host, program.out_max);
    answer->exit_code = answer->result.exit_code;
    if (answer->exit_code != 0 && answer->exit_code != EXIT_LACKS)
        return refuse_answer(workspace, answer, start_code, err);
    if (strcmp(request->op, "drop") != 0 && !read_answer(answer))
        return err_set(err, ERR_INVALID, "%s: sent an invalid answer", ship->host);
    *start_code = 0;
    return true;
}

/* Makes the worktree there. */

/* Locks a host for this run, so that the same objects are not sent twice at the same time. Returns
 * -1 with an error on failure. Sets *waited if another task has sent something meanwhile. */
static int lock_sending(const struct workspace *workspace, const atomic_bool *stop, bool *waited,
                        struct err *err)
{
    const struct timespec pause = {.tv_nsec = (long)LOOK_MS * 1000 * 1000};
    unsigned char hash[SHA256_BYTES];
    struct str path = {0};
    sha256_of(workspace->ship.host, strlen(workspace->ship.host), hash);
    str_addf(&path, "%s/.sending-%02x%02x%02x%02x", workspace->base, hash[0], hash[1], hash[2],
             hash[3]);
    const int fd = open(path.data, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        (void)err_set_errno(err, errno, "cannot open '%s'", path.data);
    str_done(&path);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        *waited = true;
        if (stop && atomic_load(stop)) {
            (void)close(fd); /* nothing was written to it */
            (void)err_set(err, ERR_BUSY, "stopped");
            return -1;
        }
        (void)nanosleep(&pause, NULL); /* if woken early, it retries early */
    }
    return fd;
}

static bool write_text(const char *folder, const char *name, const char *text, struct err *err)
{
    struct str path = {0};
    struct str all = {0};
    str_addf(&path, "%s/%s", folder, name);
    str_add(&all, text);
    const bool ok = whole_file_write(path.data, &all, err);
    str_done(&path);
    str_done(&all);
    return ok;
}

/* Makes a repository with nothing but a branch at the base: a bundle needs a ref, and the refs of
 * our private repository are those of the user. */
static bool make_sender(const struct workspace *workspace, const char *path, struct err *err)
{
    static const char *const folders[] = {"", "/objects", "/objects/info", "/refs", "/refs/heads"};
    struct str text = {0};
    bool ok = tree_folder_remove(AT_FDCWD, path, err);
    for (size_t i = 0; ok && i < ARRAY_LEN(folders); i++) {
        struct str folder = {0};
        str_addf(&folder, "%s%s", path, folders[i]);
        ok = mkdir(folder.data, 0700) == 0 ||
             err_set_errno(err, errno, "cannot create '%s'", folder.data);
        str_done(&folder);
    }
    str_addf(&text, "%s/objects\n", workspace->git.own);
    ok = ok && write_text(path, "objects/info/alternates", text.data, err);
    str_clear(&text);
    str_addf(&text, "%s\n", workspace->ship.base);
    ok = ok && write_text(path, "refs/heads/base", text.data, err) &&
         write_text(path, "HEAD", "ref: refs/heads/base\n", err) &&
         write_text(path, "config",
                    strlen(workspace->ship.base) == 40
                        ? "[core]\n\tbare = true\n\trepositoryFormatVersion = 0\n"
                        : "[core]\n\tbare = true\n\trepositoryFormatVersion = 1\n"
                          "[extensions]\n\tobjectFormat = sha256\n",
                    err);
    str_done(&text);
    return ok;
}

/* Appends "^COMMIT" for each commit of the cache that this machine has, too. */
static bool list_known(const struct workspace *workspace, const struct arg_list *haves,
                       struct arg_list *out, struct err *err)
{
    static const char *const words[] = {"cat-file", "--batch-check=%(objectname) %(objecttype)",
                                        NULL};
    struct str input = {0};
    struct str text = {0};
    for (size_t i = 0; i < haves->count; i++)
        str_addf(&input, "%s\n", haves->items[i]);
    const struct git_call call = {
        .words = words, .input = str_text(&input), .input_len = input.len};
    const bool ok = haves->count == 0 || git_ask(&workspace->git, &call, &text, err);
    for (const char *line = str_text(&text); ok && *line; line += strcspn(line, "\n") + 1) {
        const size_t len = strcspn(line, " ");
        if (is_object_id(line, len) && strncmp(line + len, " commit\n", 8) == 0)
            arg_list_addf(out, "^%.*s", (int)len, line);
    }
    str_done(&input);
    str_done(&text);
    return ok;
}

/* Writes the bundle with what the cache lacks into a file. */
static bool write_bundle(const struct workspace *workspace, const struct arg_list *haves,
                         const char *path, const atomic_bool *stop, struct err *err)
{
    char sender[PATH_MAX];
    struct arg_list words = {0};
    if (!workspace_path(workspace, "sender", sender, err) || !make_sender(workspace, sender, err))
        return false;
    arg_list_addf(&words, "--git-dir=%s", sender);
    arg_list_add(&words, "bundle");
    arg_list_add(&words, "create");
    arg_list_add(&words, "-q");
    arg_list_add(&words, path);
    arg_list_add(&words, "refs/heads/base");
    bool ok = list_known(workspace, haves, &words, err);
    const struct git_call call = {
        .words = (const char *const *)words.items, .timeout_ms = BUNDLE_MS, .stop = stop};
    ok = ok && git_ask(&workspace->git, &call, NULL, err);
    arg_list_done(&words);
    return tree_folder_remove(AT_FDCWD, sender, ok ? err : NULL) && ok;
}

/* Sends what the cache lacks, and makes the worktree. */
static bool send_bundle(struct workspace *workspace, const atomic_bool *stop, struct answer *answer,
                        int *start_code, struct err *err)
{
    char path[PATH_MAX];
    bool waited = false;
    bool ok = true;
    const int lock = lock_sending(workspace, stop, &waited, err);
    *start_code = START_WORKSPACE_FAILED;
    if (lock < 0)
        return false;
    if (waited) { /* another task may have sent the same */
        answer_done(answer);
        ok = ask(workspace, &(struct request){.op = "make", .stop = stop}, answer, start_code, err);
    }
    if (ok && answer->exit_code == EXIT_LACKS) {
        *start_code = START_WORKSPACE_FAILED;
        ok = workspace_path(workspace, "bundle", path, err) &&
             write_bundle(workspace, &answer->haves, path, stop, err);
        answer_done(answer);
        const struct request request = {
            .op = "ship", .input_path = path, .timeout_ms = SEND_MS, .stop = stop};
        ok = ok && ask(workspace, &request, answer, start_code, err);
        (void)unlink(path); /* it can be made again */
        if (ok && answer->exit_code != 0)
            ok = refuse_answer(workspace, answer, start_code, err);
    }
    (void)close(lock);
    return ok;
}

bool ship_make(struct workspace *workspace, const atomic_bool *stop, struct workspace_note *note,
               int *start_code, struct err *err)
{
    struct answer answer = {0};
    struct ship *ship = &workspace->ship;
    if (!ship->wanted)
        return err_set(err, ERR_INVALID, "no host was chosen");
    free(ship->host);
    free(ship->path);
    ship->host = xstrdup(ship->wanted);
    ship->path = NULL;
    ship->base[0] = '\0';
    if (!workspace_choose_base(workspace, stop, note, start_code, err))
        return false;
    memcpy(ship->base, note->base, sizeof(ship->base));
    bool ok =
        ask(workspace, &(struct request){.op = "make", .stop = stop}, &answer, start_code, err);
    if (ok && answer.exit_code == EXIT_LACKS)
        ok = send_bundle(workspace, stop, &answer, start_code, err);
    if (ok && answer.path[0] == '\0') {
        *start_code = START_WORKSPACE_FAILED;
        ok = err_set(err, ERR_INVALID, "%s: sent an invalid answer", ship->host);
    }
    if (ok && snprintf(note->host, sizeof(note->host), "%s", ship->host) >= (int)sizeof(note->host))
        ok = err_set(err, ERR_LIMIT, "%s: its name is too long", ship->host);
    if (ok) {
        memcpy(note->path, answer.path, sizeof(note->path));
        ship->path = xstrdup(answer.path);
    } else {
        ship->base[0] = '\0';
    }
    answer_done(&answer);
    return ok;
}

/* Snapshots. */

/* Sets the facts of the tree there. Its digest is the first half of git's id. */
static bool set_facts(const struct answer *answer, int64_t start_ms, struct tree_facts *out)
{
    char hex[DIGEST_HEX_MAX];
    (void)snprintf(hex, sizeof(hex), "%.*s", DIGEST_HEX_MAX - 1, answer->tree);
    *out = (struct tree_facts){.files = answer->files,
                               .bytes = answer->kib * 1024,
                               .changed = answer->changed,
                               .ms = clock_now().mono_ms - start_ms};
    return digest_from_hex(hex, &out->digest);
}

static bool ask_for_tree(struct workspace *workspace, const struct request *request,
                         struct answer *answer, struct tree_facts *out, int *start_code,
                         struct err *err)
{
    const int64_t start_ms = clock_now().mono_ms;
    if (!ask(workspace, request, answer, start_code, err))
        return false;
    if (answer->exit_code == 0 && answer->head[0] != '\0' && set_facts(answer, start_ms, out))
        return true;
    *start_code = START_WORKSPACE_FAILED;
    return err_set(err, ERR_INVALID, "%s: sent an invalid answer", workspace->ship.host);
}

bool ship_save(struct workspace *workspace, int step, const atomic_bool *stop,
               struct tree_facts *out, int *start_code, struct err *err)
{
    char path[PATH_MAX];
    struct answer answer = {0};
    struct str id = {0};
    const struct request request = {.op = "save", .step = step, .stop = stop};
    bool ok = ask_for_tree(workspace, &request, &answer, out, start_code, err);
    if (ok) { /* this file marks the snapshot as complete */
        *start_code = START_WORKSPACE_FAILED;
        str_addf(&id, "%s\n", answer.tree);
        ok = workspace_path(workspace, "snapshots", path, err) &&
             (mkdir(path, 0700) == 0 || errno == EEXIST ||
              err_set_errno(err, errno, "cannot create '%s'", path)) &&
             workspace_snapshot_path(workspace, step, WORKSPACE_TREE, path, err) &&
             whole_file_write(path, &id, err);
        if (ok)
            *start_code = 0;
    }
    str_done(&id);
    answer_done(&answer);
    return ok;
}

/* Reads the id of the tree that is the snapshot of the step. */
static bool read_snapshot(const struct workspace *workspace, int step,
                          char out[WORKSPACE_COMMIT_MAX], struct err *err)
{
    char path[PATH_MAX];
    struct str id = {0};
    if (!workspace_snapshot_path(workspace, step, WORKSPACE_TREE, path, err))
        return false;
    bool ok = foreign_file_read(path, GIT_FILE_MAX, &id);
    if (ok) {
        str_cut(&id, strcspn(str_text(&id), "\n"));
        ok = take_id(str_text(&id), out);
    }
    str_done(&id);
    return ok || err_set(err, ERR_NOT_FOUND, "cannot read '%s'", path);
}

bool ship_reset(struct workspace *workspace, int step, const atomic_bool *stop,
                struct tree_facts *out, int *start_code, struct err *err)
{
    char known[WORKSPACE_COMMIT_MAX];
    struct answer answer = {0};
    const struct request request = {.op = "reset", .step = step, .stop = stop};
    *start_code = START_WORKSPACE_FAILED;
    if (!read_snapshot(workspace, step, known, err))
        return false;
    bool ok = ask_for_tree(workspace, &request, &answer, out, start_code, err);
    if (ok && strcmp(known, answer.tree) != 0) {
        *start_code = START_WORKSPACE_FAILED;
        ok = err_set(err, ERR_IO, "%s: the reset left tree %.12s instead of %.12s",
                     workspace->ship.host, answer.tree, known);
    }
    answer_done(&answer);
    return ok;
}

bool ship_look(struct workspace *workspace, const atomic_bool *stop, struct tree_facts *out,
               struct err *err)
{
    int start_code = 0;
    struct answer answer = {0};
    const struct request request = {.op = "look", .stop = stop};
    const bool ok = ask_for_tree(workspace, &request, &answer, out, &start_code, err);
    answer_done(&answer);
    return ok;
}

/* What an attempt has changed. */

/* The rest of an answer. */
struct rest {
    const char *at, *end;
};

/* Takes the next item of a list, which ends with a NUL. Returns "" at the end of the list. */
static const char *next_item(struct rest *rest)
{
    const char *item = rest->at;
    const char *nul = item < rest->end ? memchr(item, '\0', (size_t)(rest->end - item)) : NULL;
    if (!nul)
        return "";
    rest->at = nul + 1;
    return item;
}

/* Returns how the path of ":MODE MODE ID ID KIND" has changed. */
static enum diff_kind read_kind(const char *item)
{
    const char *const ids = strchr(item, ' ') ? strchr(strchr(item, ' ') + 1, ' ') : NULL;
    const char *second = ids ? strchr(ids + 1, ' ') : NULL;
    const char *kind = strrchr(item, ' ');
    const size_t len = second ? (size_t)(second - ids) : 0;
    if (!kind || !second)
        return DIFF_CHANGED;
    switch (kind[1]) {
    case 'A':
        return DIFF_ADDED;
    case 'D':
        return DIFF_DELETED;
    case 'T':
        return DIFF_TYPE;
    default:
        return strncmp(ids, second, len) == 0 ? DIFF_MODE : DIFF_CHANGED;
    }
}

/* Reads both lists and the diff. */
static void read_changes(struct rest *rest, size_t paths_max, struct tree_diff *out)
{
    size_t cap = 0;
    for (const char *item = next_item(rest); *item; item = next_item(rest)) {
        const char *path = next_item(rest);
        out->changed++;
        if (out->path_count >= paths_max || !*path)
            continue;
        out->paths = xgrow(out->paths, &cap, out->path_count + 1, sizeof(*out->paths));
        out->paths[out->path_count++] = (struct diff_path){
            .kind = read_kind(item), .path = xstrdup(path), .added = -1, .removed = -1};
    }
    while (rest->at < rest->end && *rest->at == '\0') /* the list may have been cut */
        rest->at++;
    size_t i = 0;
    for (const char *item = next_item(rest); *item; item = next_item(rest), i++) {
        char *end = NULL; /* "ADDED tab REMOVED tab PATH"; "-" if it is not text */
        const int64_t added = strtoll(item, &end, 10);
        const int64_t removed = *end == '\t' ? strtoll(end + 1, NULL, 10) : 0;
        const bool is_sound =
            added >= 0 && added <= NUMBER_MAX && removed >= 0 && removed <= NUMBER_MAX;
        if (item[0] == '-' || !is_sound)
            continue;
        out->added += added;
        out->removed += removed;
        if (i < out->path_count) {
            out->paths[i].added = added;
            out->paths[i].removed = removed;
        }
    }
    while (rest->at < rest->end && *rest->at == '\0')
        rest->at++;
    str_add_n(&out->text, rest->at, (size_t)(rest->end - rest->at));
}

bool ship_diff(struct workspace *workspace, int step, const struct diff_limits *limits,
               const atomic_bool *stop, struct tree_diff *out, struct err *err)
{
    char known[WORKSPACE_COMMIT_MAX];
    struct answer answer = {0};
    struct tree_facts facts;
    int start_code = 0;
    const int64_t start_ms = clock_now().mono_ms;
    const size_t text_max = limits->text_bytes_max ? limits->text_bytes_max : DIFF_TEXT_BYTES;
    if (!read_snapshot(workspace, step, known, err))
        return false;
    const struct request request = {.op = "changes",
                                    .step = step,
                                    .bytes_max = (int64_t)text_max,
                                    .known = known,
                                    .out_max = CHANGES_MAX + text_max,
                                    .stop = stop};
    const bool ok = ask_for_tree(workspace, &request, &answer, &facts, &start_code, err);
    if (ok) {
        struct tree_diff diff = {0};
        struct rest rest = {.at = answer.result.out.data + answer.body,
                            .end = answer.result.out.data + answer.result.out.len};
        read_changes(&rest, limits->paths_max ? limits->paths_max : DIFF_PATHS_MAX, &diff);
        if (answer.changed > diff.changed) {
            diff.changed = answer.changed;
            str_add(&diff.why, "the list of changes is too large");
        }
        if (diff.text.len >= text_max) { /* a host may send more than it was asked for */
            str_cut(&diff.text, text_max);
            str_clear(&diff.why);
            str_add(&diff.why, "the diff is too large");
        }
        diff.ms = clock_now().mono_ms - start_ms;
        *out = diff;
    }
    answer_done(&answer);
    return ok;
}

/* The result. */

/* Waits between two requests. Returns false if it was stopped. */
static bool pause_keeping(int64_t wait_ms, const atomic_bool *stop)
{
    const struct timespec pause = {.tv_nsec = (long)LOOK_MS * 1000 * 1000};
    const int64_t until_ms = clock_now().mono_ms + wait_ms;
    while (clock_now().mono_ms < until_ms) {
        if (stop && atomic_load(stop))
            return false;
        (void)nanosleep(&pause, NULL); /* if woken early, it checks early */
    }
    return true;
}

/* Asks for the result, again and again for a while if the host does not answer: the work is done,
 * and must not be lost by a short break. */
static bool ask_for_result(struct workspace *workspace, const atomic_bool *stop,
                           struct answer *answer, struct tree_facts *facts, struct err *err)
{
    const struct request request = {
        .op = "keep", .out_max = RESULT_BUNDLE_BYTES_MAX, .timeout_ms = SEND_MS, .stop = stop};
    const int64_t until_ms = clock_now().mono_ms + KEEP_MS;
    int64_t wait_ms = KEEP_PAUSE_MS_MIN;
    for (;;) {
        struct err why = {0};
        int start_code = 0;
        answer_done(answer);
        if (ask_for_tree(workspace, &request, answer, facts, &start_code, &why))
            return true;
        if (start_code != START_EXECUTOR_DOWN || clock_now().mono_ms >= until_ms ||
            !pause_keeping(wait_ms, stop))
            return err_set(err, why.code, "%s", why.message);
        wait_ms = 2 * wait_ms < KEEP_PAUSE_MS_MAX ? 2 * wait_ms : KEEP_PAUSE_MS_MAX;
    }
}

/* Reads the header of a result's bundle: exactly one ref, with our name. Returns the offset of its
 * pack; 0 if it is not such a bundle. */
static size_t read_bundle(const char *bytes, size_t len, char commit[WORKSPACE_COMMIT_MAX])
{
    static const char ref[] = " refs/devs/result";
    size_t at = 0;
    commit[0] = '\0';
    for (int i = 0; i < HEADER_LINES_MAX; i++) {
        const char *line = bytes + at;
        const char *end = at < len ? memchr(line, '\n', len - at) : NULL;
        if (!end)
            return 0;
        const size_t size = (size_t)(end - line);
        const size_t id = strspn(line, "0123456789abcdef"); /* ends at the line's end */
        at += size + 1;
        if (i == 0) {
            if (size != 15 || (memcmp(line, "# v2 git bundle", size) != 0 &&
                               memcmp(line, "# v3 git bundle", size) != 0))
                return 0;
        } else if (size == 0) {
            return commit[0] != '\0' && len - at > PACK_HEAD_BYTES &&
                           memcmp(bytes + at, "PACK", 4) == 0
                       ? at
                       : 0;
        } else if (line[0] == '-') {
            const size_t base = strspn(line + 1, "0123456789abcdef");
            if (!is_object_id(line + 1, base))
                return 0;
        } else if (line[0] == '@') {
            if (size != 21 || memcmp(line, "@object-format=sha", 18) != 0)
                return 0;
        } else {
            if (commit[0] != '\0' || !is_object_id(line, id) || size != id + strlen(ref) ||
                memcmp(line + id, ref, strlen(ref)) != 0)
                return 0;
            memcpy(commit, line, id);
            commit[id] = '\0';
        }
    }
    return 0;
}

/* Returns the number of objects in a pack, by its head: "PACK", version, count. */
static uint32_t count_objects(const char *pack)
{
    enum { COUNT_AT = 8, COUNT_BYTES = 4 };
    uint32_t count = 0;
    for (int i = 0; i < COUNT_BYTES; i++)
        count = count << 8 | (unsigned char)pack[COUNT_AT + i];
    return count;
}

/* The changed paths of a list: ":MODE MODE ID ID KIND" NUL "PATH" NUL. */
struct changed_paths {
    struct str ids; /* of the files that are there now, one per line */
    size_t count;
};

/* Reads a list that git has printed. Fails if it is too long, or if something in it links to
 * another repository: git would store only a dangling link, and the script leaves such repositories
 * out. */
static bool read_changed(const struct workspace *workspace, const struct git_call *call,
                         struct changed_paths *out, struct err *err)
{
    enum { MODE = 6, IDS_AT = 15 }; /* ":100644 100644 " */
    const char *host = workspace->ship.host;
    const size_t id = strlen(workspace->ship.base);
    struct tool_result result = {0};
    bool ok = git_run(&workspace->git, call, &result, err);
    if (ok && result.out_cut)
        ok = err_set(err, ERR_LIMIT, "%s: the list of its changes is longer than %zu bytes", host,
                     call->out_max);
    ok = ok && tool_succeeded(&result, "git diff-tree", err);
    for (size_t at = 0; ok && at < result.out.len;) {
        const char *item = result.out.data + at;
        const size_t len = strlen(item);
        at += len + 1;
        if (len < IDS_AT + 2 * id + 2) {
            ok = err_set(err, ERR_INVALID, "%s: git printed an invalid list of changes", host);
            break;
        }
        if (memcmp(item + 1, "160000", MODE) == 0 || memcmp(item + 2 + MODE, "160000", MODE) == 0)
            ok = err_set(err, ERR_INVALID, "%s: the result contains a link to another repository",
                         host);
        if (++out->count > WORKSPACE_RESULT_PATHS_MAX)
            ok = err_set(err, ERR_LIMIT, "%s: the result changes more than %d paths", host,
                         WORKSPACE_RESULT_PATHS_MAX);
        if (item[IDS_AT + 2 * id + 2] != 'D') {
            str_add_n(&out->ids, item + IDS_AT + id + 1, id);
            str_add_char(&out->ids, '\n');
        }
        at += at < result.out.len ? strlen(result.out.data + at) + 1 : 0;
    }
    tool_result_done(&result);
    return ok;
}

/* Fails if the changed files together are too large. A file counts once for each path that has it:
 * a small pack can put the same large file into many places. */
static bool check_sizes(const struct workspace *workspace, const char *objects,
                        const struct str *ids, const atomic_bool *stop, struct err *err)
{
    static const char *const words[] = {"cat-file", "--batch-check=%(objectsize)", "--buffer",
                                        NULL};
    const int64_t max = (int64_t)WORKSPACE_RESULT_MIB_MAX * 1024 * 1024;
    int64_t sum = 0;
    struct str sizes = {0};
    const struct git_call call = {.words = words,
                                  .objects = objects,
                                  .input = str_text(ids),
                                  .input_len = ids->len,
                                  .out_max = LIST_BYTES_MAX,
                                  .timeout_ms = BUNDLE_MS,
                                  .stop = stop};
    bool ok = ids->len == 0 || git_ask(&workspace->git, &call, &sizes, err);
    for (char *at = sizes.data, *end = NULL; ok && at && *at; at = end + 1) {
        errno = 0;
        const int64_t size = strtoll(at, &end, 10);
        if (errno != 0 || end == at || *end != '\n' || size < 0)
            ok = err_set(err, ERR_INVALID, "%s: its result is damaged", workspace->ship.host);
        else if (size > max - sum)
            ok = err_set(err, ERR_LIMIT, "%s: the changed files of the result exceed %d MiB",
                         workspace->ship.host, WORKSPACE_RESULT_MIB_MAX);
        sum += ok ? size : 0;
    }
    str_done(&sizes);
    return ok;
}

/* Checks what has changed since the base: in the result as a whole, and in each commit. */
static bool check_changes(const struct workspace *workspace, const char *objects,
                          const char *commit, const char *tree, const atomic_bool *stop,
                          struct err *err)
{
    const char *base = workspace->ship.base;
    const char *const whole_words[] = {"diff-tree",   "-r", "-z", "--no-renames",
                                       "--no-abbrev", base, tree, NULL};
    const char *const list_words[] = {"rev-list", commit, "--not", base, NULL};
    static const char *const each_words[] = {
        "diff-tree", "--stdin",        "-r",           "-z",          "-m",
        "--root",    "--no-commit-id", "--no-renames", "--no-abbrev", NULL};
    struct changed_paths whole = {0};
    struct changed_paths each = {0};
    struct str commits = {0};
    const struct git_call ask_whole = {.words = whole_words,
                                       .objects = objects,
                                       .out_max = LIST_BYTES_MAX,
                                       .timeout_ms = BUNDLE_MS,
                                       .stop = stop};
    const struct git_call ask_list = {.words = list_words,
                                      .objects = objects,
                                      .out_max = LIST_BYTES_MAX,
                                      .timeout_ms = BUNDLE_MS,
                                      .stop = stop};
    bool ok = read_changed(workspace, &ask_whole, &whole, err) &&
              check_sizes(workspace, objects, &whole.ids, stop, err) &&
              git_ask(&workspace->git, &ask_list, &commits, err);
    const struct git_call ask_each = {.words = each_words,
                                      .objects = objects,
                                      .input = str_text(&commits),
                                      .input_len = commits.len,
                                      .out_max = LIST_BYTES_MAX,
                                      .timeout_ms = BUNDLE_MS,
                                      .stop = stop};
    ok = ok && read_changed(workspace, &ask_each, &each, err);
    str_done(&whole.ids);
    str_done(&each.ids);
    str_done(&commits);
    return ok;
}

/* Stores the objects of the result in the folder `objects`, and checks them. */
static bool check_objects(const struct workspace *workspace, const struct answer *answer,
                          const char *objects, const atomic_bool *stop,
                          struct workspace_content *out, struct err *err)
{
    char commit[WORKSPACE_COMMIT_MAX];
    char most[64];
    char line[3 * WORKSPACE_COMMIT_MAX];
    const struct git *git = &workspace->git;
    const char *bytes = answer->result.out.data + answer->body;
    const size_t len = answer->result.out.len - answer->body;
    const size_t pack = read_bundle(bytes, len, commit);
    if (pack == 0 || strlen(commit) != strlen(workspace->ship.base))
        return err_set(err, ERR_INVALID, "%s: sent an invalid bundle", workspace->ship.host);
    if (count_objects(bytes + pack) > WORKSPACE_RESULT_OBJECTS_MAX)
        return err_set(err, ERR_LIMIT, "%s: the result has more than %d objects",
                       workspace->ship.host, WORKSPACE_RESULT_OBJECTS_MAX);
    (void)snprintf(most, sizeof(most), "--max-input-size=%zu", RESULT_BUNDLE_BYTES_MAX);
    const char *const store_words[] = {"index-pack",  "--stdin", "--fix-thin", "--strict",
                                       "--threads=2", most,      NULL};
    const char *const parent_words[] = {"rev-list", "--parents", "-n", "1", commit, NULL};
    const char *const check_words[] = {"rev-list", "--objects",          "--quiet", commit,
                                       "--not",    workspace->ship.base, NULL};
    const struct git_call store = {.words = store_words,
                                   .objects = objects,
                                   .input = bytes + pack,
                                   .input_len = len - pack,
                                   .entry = OBJECT_LIMIT,
                                   .timeout_ms = BUNDLE_MS,
                                   .stop = stop};
    const struct git_call ask_parent = {.words = parent_words, .objects = objects, .stop = stop};
    const struct git_call check = {
        .words = check_words, .objects = objects, .timeout_ms = BUNDLE_MS, .stop = stop};
    struct str name = {0};
    str_addf(&name, "%s^{tree}", commit);
    const char *const tree_words[] = {"rev-parse", "--verify", "--quiet", name.data, NULL};
    const struct git_call ask_tree = {.words = tree_words, .objects = objects, .stop = stop};
    struct err why = {0};
    bool ok = git_ask(git, &store, NULL, &why) && git_ask(git, &check, NULL, &why) &&
              git_ask_line(git, &ask_parent, line, sizeof(line), &why);
    if (!ok) {
        (void)err_set(err, why.code, "%s: its result is damaged: %s", workspace->ship.host,
                      why.message);
    } else { /* "COMMIT PARENT" */
        const size_t id = strlen(commit);
        ok = git_ask_line(git, &ask_tree, out->tree, sizeof(out->tree), NULL) &&
             strcmp(out->tree, answer->tree) == 0 && line[id] == ' ' &&
             strcmp(line + id + 1, answer->head) == 0;
        memcpy(out->head, answer->head, sizeof(out->head));
        if (!ok)
            (void)err_set(err, ERR_INVALID, "%s: its result is not what it announced",
                          workspace->ship.host);
    }
    str_done(&name);
    return ok && check_changes(workspace, objects, commit, out->tree, stop, err);
}

/* Takes the objects of the result into our private repository, if they are sound: what is there
 * gets into the user's repository with the next result. */
static bool take_objects(const struct workspace *workspace, const struct answer *answer,
                         const atomic_bool *stop, struct workspace_content *out, struct err *err)
{
    char objects[PATH_MAX];
    const int len = snprintf(objects, sizeof(objects), "%s/incoming-XXXXXX", workspace->home);
    if (len < 0 || len >= (int)sizeof(objects) || !mkdtemp(objects))
        return err_set_errno(err, errno, "cannot create a folder in '%s'", workspace->home);
    const bool ok = check_objects(workspace, answer, objects, stop, out, err) &&
                    git_take_objects(&workspace->git, objects, err);
    return tree_folder_remove(AT_FDCWD, objects, ok ? err : NULL) && ok;
}

bool ship_read_content(struct workspace *workspace, const atomic_bool *stop,
                       struct workspace_content *out, struct tree_facts *facts, struct err *err)
{
    struct answer answer = {0};
    struct workspace_content content = {0};
    const bool ok = ask_for_result(workspace, stop, &answer, facts, err) &&
                    take_objects(workspace, &answer, stop, &content, err);
    if (ok) {
        content.left_out = answer.left_out;
        answer.left_out = (struct str){0};
        *out = content;
    }
    answer_done(&answer);
    return ok;
}

bool ship_drop(struct workspace *workspace, const atomic_bool *stop, struct err *err)
{
    struct answer answer = {0};
    int start_code = 0;
    const struct request request = {.op = "drop", .timeout_ms = DROP_MS, .stop = stop};
    struct err why = {0};
    if (!load_note(workspace, &why)) /* without a note, nothing was made there */
        return why.code == ERR_NOT_FOUND || err_set(err, why.code, "%s", why.message);
    const bool ok = ask(workspace, &request, &answer, &start_code, err);
    answer_done(&answer);
    return ok;
}
