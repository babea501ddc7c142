/* workspace.c - opens a workspace and its parts; the workspaces of a run and of a session.
 *
 * workspace_open() only makes names. git, the contents and the tree are opened when they are first
 * needed, and the manifest of the last scan is kept, so that unmodified files are not read again.
 * Two small files, `made` and `kept`, tell a later devs process how the workspace was made and what
 * its result is. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "workspace.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "foreign_file.h"
#include "json.h"
#include "outcome.h"
#include "plan.h"
#include "session_tree.h"
#include "str.h"
#include "text.h"
#include "tree.h"
#include "tree_folder.h"
#include "workspace_internal.h"
#include "xalloc.h"

enum { WORKSPACE_NOTE_BYTES_MAX = 16 * 1024 };

bool workspace_note_write(const char *path, const struct workspace_note *note, struct err *err)
{
    struct str text = {0};
    str_add(&text, "{");
    str_json_i64(&text, "v", 1);
    str_json_text(&text, "kind", workspace_kind_name(note->kind));
    str_json_text(&text, "base", note->base);
    str_json_text(&text, "admin", note->admin);
    str_json_text(&text, "branch", note->branch);
    str_json_text(&text, "commit", note->commit);
    if (note->host[0] != '\0') {
        str_json_text(&text, "host", note->host);
        str_json_text(&text, "path", note->path);
    }
    str_add(&text, "}\n");
    const bool ok = whole_file_write(path, &text, err);
    str_done(&text);
    return ok;
}

/* Copies a string of the note. Returns false if it is not a string or does not fit. */
static bool copy_note_text(const struct json *note, const char *key, char *out, size_t cap)
{
    const char *text = json_text(json_get(note, key), NULL);
    const size_t len = text ? strlen(text) : cap;
    if (len >= cap)
        return false;
    memcpy(out, text, len + 1);
    return true;
}

bool workspace_note_read(const char *path, struct workspace_note *out, struct err *err)
{
    char bytes[WORKSPACE_NOTE_BYTES_MAX];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return err_set(err, ERR_NOT_FOUND, "no file '%s'", path);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    ssize_t got;
    do
        got = read(fd, bytes, sizeof(bytes));
    while (got < 0 && errno == EINTR);
    const int number = errno;
    (void)close(fd); /* opened for reading only */
    if (got < 0)
        return err_set_errno(err, number, "cannot read '%s'", path);

    struct json *json = NULL;
    struct workspace_note note = {0};
    bool ok = (size_t)got < sizeof(bytes) && json_parse(bytes, (size_t)got, &json, NULL, NULL);
    if (ok) {
        const char *kind = json_text(json_get(json, "kind"), NULL);
        ok = kind && workspace_kind_parse(kind, &note.kind) &&
             copy_note_text(json, "base", note.base, sizeof(note.base)) &&
             copy_note_text(json, "admin", note.admin, sizeof(note.admin)) &&
             copy_note_text(json, "branch", note.branch, sizeof(note.branch)) &&
             copy_note_text(json, "commit", note.commit, sizeof(note.commit)) &&
             !strchr(note.admin, '/');
        if (ok && json_get(json, "host"))
            ok = copy_note_text(json, "host", note.host, sizeof(note.host)) &&
                 copy_note_text(json, "path", note.path, sizeof(note.path)) && note.path[0] == '/';
        json_free(json);
    }
    if (!ok)
        return err_set(err, ERR_DAMAGED, "'%s' does not describe a workspace", path);
    *out = note;
    return true;
}

/* Makes the name of a branch. A task id may contain parts that git-check-ref-format(1) forbids:
 * "..", or "." or ".lock" at the end. Such a '.' is written as "%2E", which is unambiguous because
 * an id contains no '%'. */
void workspace_branch_name(const struct workspace *workspace, enum workspace_naming naming,
                           char out[WORKSPACE_NAME_MAX])
{
    struct str name = {0};
    const bool by_uid = naming == WORKSPACE_BY_UID;
    str_addf(&name, "devs/%s/", by_uid ? workspace->uid : workspace->run);
    for (const char *c = workspace->task; *c; c++) {
        if (*c == '.' && (c[1] == '.' || c[1] == '\0' || strcmp(c, ".lock") == 0))
            str_add(&name, "%2E");
        else
            str_add_char(&name, *c);
    }
    (void)snprintf(out, WORKSPACE_NAME_MAX, "%s", str_text(&name));
    str_done(&name);
}

static const char tree_name[] = "tree";

static char **copy_list(const char *const *list)
{
    size_t count = 0;
    while (list && list[count])
        count++;
    char **copy = xcalloc(count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = xstrdup(list[i]);
    return copy;
}

static char *join(const char *folder, const char *name)
{
    struct str path = {0};
    str_addf(&path, "%s/%s", folder, name);
    return path.data;
}

/* Returns the nearest folder, run_dir or a parent, that contains ".git"; otherwise run_dir. The
 * caller frees the string. */
static char *find_origin(const char *run_dir)
{
    char *at = xstrdup(run_dir);
    for (;;) {
        struct stat info;
        char *mark = join(at, ".git");
        const bool found = lstat(mark, &info) == 0;
        free(mark);
        if (found)
            return at;
        char *slash = strrchr(at, '/');
        if (!slash || slash == at)
            break;
        *slash = '\0';
    }
    free(at);
    return xstrdup(run_dir);
}

bool workspace_open(struct workspace **out, const struct workspace_place *place,
                    const struct workspace_spec *spec, const char *task_id,
                    const char *const *needed, struct err *err)
{
    assert(place->base[0] == '/');
    assert(place->run_dir[0] == '/');
    char run_dir[PATH_MAX];
    if (spec->kind == WORKSPACE_INPLACE)
        return err_set(err, ERR_INVALID, "task '%s' works in place", task_id);
    if (!realpath(place->run_dir, run_dir))
        return err_set_errno(err, errno, "cannot find '%s'", place->run_dir);

    struct workspace *workspace = xcalloc(1, sizeof(*workspace));
    workspace->spec = workspace_spec_copy(spec);
    workspace->task = xstrdup(task_id);
    workspace->run = xstrdup(place->run);
    workspace->uid = xstrdup(place->uid);
    workspace->run_dir = xstrdup(run_dir);
    workspace->plan_path = place->plan_path ? xstrdup(place->plan_path) : NULL;
    workspace->origin = find_origin(run_dir);
    workspace->base = xstrdup(place->base);
    workspace->home = join(place->base, task_id);
    workspace->tree = join(workspace->home, tree_name);
    const char *below = run_dir + strlen(workspace->origin);
    struct str dir = {0};
    str_addf(&dir, "%s%s", workspace->tree, below);
    workspace->dir = dir.data;
    workspace->environment = copy_list((const char *const *)place->environment);
    workspace->needed = copy_list(needed);
    workspace->setup_sandbox =
        sandbox_spec_copy(place->setup_sandbox ? place->setup_sandbox : sandbox_spec_none());
    workspace->log_dir = place->log_dir ? xstrdup(place->log_dir) : NULL;
    workspace->log_db = place->log_db ? xstrdup(place->log_db) : NULL;
    workspace->processes = place->processes;
    workspace->ship.executor = place->executor;
    workspace->store.fd = -1;
    *out = workspace;
    return true;
}

void workspace_close(struct workspace *workspace)
{
    if (!workspace)
        return;
    workspace_spec_done(&workspace->spec);
    free(workspace->task);
    free(workspace->run);
    free(workspace->uid);
    free(workspace->run_dir);
    free(workspace->plan_path);
    free(workspace->origin);
    free(workspace->base);
    free(workspace->home);
    free(workspace->tree);
    free(workspace->dir);
    free(workspace->admin);
    text_list_free(workspace->environment);
    text_list_free(workspace->needed);
    sandbox_spec_done(&workspace->setup_sandbox);
    free(workspace->log_dir);
    free(workspace->log_db);
    free(workspace->ship.wanted);
    free(workspace->ship.host);
    free(workspace->ship.path);
    git_done(&workspace->git);
    content_close(&workspace->store);
    tree_done(&workspace->known);
    tree_done(&workspace->known_admin);
    free(workspace);
}

const char *workspace_top(const struct workspace *workspace)
{
    return workspace->tree;
}

const char *workspace_dir(const struct workspace *workspace)
{
    return workspace->dir;
}

bool workspace_is_away(const struct workspace *workspace)
{
    return workspace->ship.executor != NULL;
}

void workspace_set_host(struct workspace *workspace, const char *host, const char *control)
{
    if (!host)
        return;
    workspace->ship.control = control;
    free(workspace->ship.wanted);
    workspace->ship.wanted = xstrdup(host);
}

bool workspace_is_elsewhere(struct workspace *workspace)
{
    char path[PATH_MAX];
    struct workspace_note note;
    const struct ship *ship = &workspace->ship;
    if (!ship->executor || !ship->wanted)
        return false;
    if (ship->base[0] == '\0' &&
        (!workspace_path(workspace, "made", path, NULL) ||
         !workspace_note_read(path, &note, NULL) || !ship_take_note(workspace, &note, NULL)))
        return false; /* not made yet */
    return strcmp(ship->host, ship->wanted) != 0;
}

void workspace_where(const struct workspace *workspace, struct str *out)
{
    const struct ship *ship = &workspace->ship;
    if (!ship->executor)
        str_add(out, workspace->tree);
    else if (ship->path)
        str_addf(out, "%s:%s", ship->host, ship->path);
    else
        str_add(out, ship->executor->name);
}

/* Makes the content of the file `ready`. */
static void add_ready_text(int step, int attempt, struct str *out)
{
    str_addf(out, "%d %d\n", step, attempt);
}

bool workspace_set_ready(const struct workspace *workspace, int step, int attempt, struct err *err)
{
    char path[PATH_MAX];
    struct str text = {0};
    add_ready_text(step, attempt, &text);
    const bool ok = !workspace->ship.executor || (workspace_path(workspace, "ready", path, err) &&
                                                  whole_file_write(path, &text, err));
    str_done(&text);
    return ok;
}

bool workspace_is_ready(const struct workspace *workspace, int step, int attempt)
{
    char path[PATH_MAX];
    struct str text = {0};
    struct str now = {0};
    add_ready_text(step, attempt, &text);
    const bool is_ready =
        !workspace->ship.executor || (workspace_path(workspace, "ready", path, NULL) &&
                                      foreign_file_read(path, GIT_FILE_MAX, &now) &&
                                      strcmp(str_text(&now), str_text(&text)) == 0);
    str_done(&text);
    str_done(&now);
    return is_ready;
}

bool workspace_away_dir(const struct workspace *workspace, struct str *out)
{
    const struct ship *ship = &workspace->ship;
    if (!ship->executor || !ship->path)
        return false;
    str_addf(out, "%s%s", ship->path, workspace->dir + strlen(workspace->tree));
    return true;
}

bool workspace_path(const struct workspace *workspace, const char *name, char out[PATH_MAX],
                    struct err *err)
{
    const int len = snprintf(out, PATH_MAX, "%s/%s", workspace->home, name);
    if (len < 0 || len >= PATH_MAX)
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", workspace->home);
    return true;
}

bool workspace_snapshot_path(const struct workspace *workspace, int step, enum workspace_part part,
                             char out[PATH_MAX], struct err *err)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "snapshots/%d%s", step,
                   part == WORKSPACE_ADMIN ? ".git" : "");
    return workspace_path(workspace, name, out, err);
}

bool workspace_has(const struct workspace *workspace, int step)
{
    char path[PATH_MAX];
    struct stat info;
    return workspace_snapshot_path(workspace, step, WORKSPACE_TREE, path, NULL) &&
           lstat(path, &info) == 0;
}

bool workspace_open_git(struct workspace *workspace, struct err *err)
{
    struct err why = {0};
    char own[PATH_MAX];
    if (workspace->git.places)
        return true;
    const bool may_do_without = workspace->spec.kind == WORKSPACE_COPY;
    if (may_do_without && workspace->looked_for_git)
        return true;
    workspace->looked_for_git = true;
    if ((workspace_path(workspace, "git", own, &why) &&
         git_open(&workspace->git, workspace->origin, own, workspace->environment, &why)) ||
        may_do_without)
        return true;
    (void)err_set(err, why.code, "%s", why.message);
    return why.hint[0] ? err_hint(err, "%s", why.hint) : false;
}

bool workspace_open_store(struct workspace *workspace, struct err *err)
{
    struct str path = {0};
    if (workspace->store.fd >= 0)
        return true;
    str_addf(&path, "%s/.objects", workspace->base);
    const bool ok = content_open(&workspace->store, path.data, err);
    str_done(&path);
    return ok;
}

/* Opens the root folder, and grants us missing permissions if necessary. Returns -1 with errno on
 * failure. */
static int open_top(const char *path)
{
    int fd = tree_folder_open(AT_FDCWD, path);
    if (fd < 0 && errno == EACCES && tree_folder_chmod(AT_FDCWD, path, S_IRWXU) == 0)
        fd = tree_folder_open(AT_FDCWD, path);
    return fd;
}

bool workspace_open_top(const struct workspace *workspace, int *fd_out, struct err *err)
{
    const int fd = open_top(workspace->tree);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open the workspace '%s'", workspace->tree);
    *fd_out = fd;
    return true;
}

bool workspace_remake_top(const struct workspace *workspace, int *fd_out, struct err *err)
{
    int fd = open_top(workspace->tree);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) {
        if (!tree_folder_remove(AT_FDCWD, workspace->tree, err))
            return false;
        if (mkdir(workspace->tree, S_IRWXU) != 0)
            return err_set_errno(err, errno, "cannot create '%s'", workspace->tree);
        fd = open_top(workspace->tree);
    }
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open the workspace '%s'", workspace->tree);
    *fd_out = fd;
    return true;
}

/* Returns whether the message contains the text of that errno, like messages of err_set_errno() and
 * git. */
static bool message_names_errno(const struct err *err, int number)
{
    char words[128];
    return strerror_r(number, words, sizeof(words)) == 0 && strstr(err->message, words);
}

int workspace_start_code(const struct err *err, const atomic_bool *stop)
{
    if (stop && atomic_load(stop))
        return ECANCELED;
    return message_names_errno(err, ENOSPC) || message_names_errno(err, EDQUOT)
               ? START_NO_SPACE
               : START_WORKSPACE_FAILED;
}

const char *workspace_blocks_git(const struct tree *tree)
{
    /* The last two can be in nested repositories, which git inspects in order to skip them. */
    static const char *const names[] = {".gitignore", ".gitattributes", ".gitmodules", "HEAD",
                                        "commondir"};
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];
        const char *slash = strrchr(entry->path, '/');
        const char *name = slash ? slash + 1 : entry->path;
        const bool is_harmless =
            S_ISREG(entry->mode) || S_ISDIR(entry->mode) || S_ISLNK(entry->mode);
        for (size_t j = 0; !is_harmless && j < ARRAY_LEN(names); j++) {
            if (strcmp(name, names[j]) == 0)
                return entry->path;
        }
    }
    return NULL;
}

void workspace_now_known(struct workspace *workspace, enum workspace_part part, struct tree *tree)
{
    struct tree *known = part == WORKSPACE_TREE ? &workspace->known : &workspace->known_admin;
    tree_done(known);
    *known = *tree;
    *tree = (struct tree){0};
}

bool workspace_read_tree(const struct tree_look *look, const struct tree *known, struct tree *out,
                         struct err *err)
{
    if (!tree_scan(look, out, err))
        return false;
    const bool ok = tree_hash(look, out, known, NULL, err);
    tree_shut(look->top_fd, out);
    return ok;
}

bool workspace_diff(struct workspace *workspace, int step, const struct diff_limits *limits,
                    const atomic_bool *stop, struct tree_diff *out, struct err *err)
{
    char path[PATH_MAX];
    struct tree before = {0};
    struct tree now = {0};
    struct tree_diff diff = {0};
    if (workspace->ship.executor)
        return ship_diff(workspace, step, limits, stop, out, err);
    struct tree_look call = {
        .top_fd = -1, .exclude = (const char *const *)workspace->spec.exclude, .stop = stop};
    const int64_t start_ms = clock_now().mono_ms;
    const struct tree *known = workspace->known.count > 0 ? &workspace->known : &before;
    bool ok = workspace_snapshot_path(workspace, step, WORKSPACE_TREE, path, err) &&
              tree_read_file(path, &before, err) && workspace_open_store(workspace, err) &&
              workspace_open_top(workspace, &call.top_fd, err) &&
              workspace_read_tree(&call, known, &now, err);
    if (ok) {
        const struct tree_source contents = {.open = workspace_open_content,
                                             .ctx = &workspace->store};
        tree_diff_paths(&before, &now, limits, &diff);
        const struct diff_lines lines = {.before = &before,
                                         .now = &now,
                                         .contents = &contents,
                                         .top_fd = call.top_fd,
                                         .folder = workspace->home,
                                         .environment = workspace->environment,
                                         .limits = limits,
                                         .stop = stop};
        ok = diff_lines_add(&lines, &diff, err);
    }
    if (call.top_fd >= 0)
        (void)close(call.top_fd); /* a folder opened for reading; nothing to flush */
    if (ok)
        workspace_now_known(workspace, WORKSPACE_TREE, &now);
    tree_done(&before);
    tree_done(&now);
    diff.ms = clock_now().mono_ms - start_ms;
    if (ok)
        *out = diff;
    else
        tree_diff_done(&diff);
    return ok;
}

void workspace_set_init(struct workspace_set *set, const struct workspace_set_call *call)
{
    const int count = call->state->plan->task_count;
    *set = (struct workspace_set){.call = *call};
    set->slot_count = count;
    set->slots = xcalloc((size_t)count + 1, sizeof(*set->slots));
    str_addf(&set->base, "%s/work/%s", call->log_dir, call->uid);
    (void)snprintf(set->run, sizeof(set->run), "%" PRId64, call->number);

    /* The environment of devs, with the mark of this run. If devs itself runs inside a run,
     * replaces the mark of that run. */
    size_t entries = 1;
    set->environment = xcalloc(text_list_count(call->environment) + 2, sizeof(*set->environment));
    set->environment[0] = (char *)(uintptr_t)call->run_mark; /* never modified */
    for (char *const *entry = call->environment; *entry; entry++) {
        if (strncmp(*entry, "DEVS_RUN=", 9) != 0 && strncmp(*entry, "DEVS_STEP=", 10) != 0)
            set->environment[entries++] = *entry;
    }
}

void workspace_set_variables(struct workspace *workspace, char *const *entries)
{
    workspace->variables = entries;
}

void workspace_set_done(struct workspace_set *set)
{
    if (!set || !set->slots)
        return;
    for (int i = 0; i < set->slot_count; i++)
        workspace_close(set->slots[i].workspace);
    free(set->slots);
    free(set->environment);
    str_done(&set->base);
    *set = (struct workspace_set){0};
}

bool workspace_set_get(struct workspace_set *set, int task, struct workspace_slot **out,
                       struct err *err)
{
    const struct workspace_set_call *call = &set->call;
    const struct plan_task *plan = &call->plan->tasks[task];
    struct workspace_slot *slot = &set->slots[task];
    if (!slot->workspace) {
        const struct sandbox_spec setup_sandbox =
            plan_setup_sandbox(plan->workspace, plan_task_sandbox(plan));
        /* As for attempts, the executor is that of the state's plan. */
        const struct plan_executor *executor =
            plan_task_executor(call->state->plan, &call->state->plan->tasks[task]);
        const bool ships = plan_executor_ships(executor);
        const struct workspace_place place = {.run_dir = call->run_dir,
                                              .plan_path = call->plan_path,
                                              .base = str_text(&set->base),
                                              .run = set->run,
                                              .uid = call->uid,
                                              .environment = set->environment,
                                              .setup_sandbox = &setup_sandbox,
                                              .log_dir = call->log_dir,
                                              .log_db = call->log_db,
                                              .processes = call->plan->limits.processes,
                                              .executor = ships ? executor : NULL};
        /* Lists the results of the needed tasks, in the order of `needs`. Tasks that worked in
         * place have no result. */
        const struct run_state *state = call->state;
        const struct plan_task *planned = &state->plan->tasks[task];
        const char **results = xcalloc((size_t)planned->need_count + 1, sizeof(*results));
        size_t count = 0;
        for (int i = 0; i < planned->need_count; i++) {
            const struct task_place *needed = state->tasks[planned->needs[i]].place;
            if (needed && needed->is_kept)
                results[count++] = needed->result ? needed->result : needed->branch;
        }
        const bool ok =
            workspace_open(&slot->workspace, &place, plan->workspace, plan->id, results, err);
        free(results);
        if (!ok)
            return false;
    }
    *out = slot;
    return true;
}

struct workspace_slot *workspace_set_find(const struct workspace_set *set, int task)
{
    struct workspace_slot *slot = task < set->slot_count ? &set->slots[task] : NULL;
    return slot && slot->workspace ? slot : NULL;
}

enum { ID_MAX = 32 };

static const char task_id[] = "session";

struct session_tree {
    struct workspace *workspace; /* owned */
    struct str base;
    char id[ID_MAX];
    atomic_bool stop; /* never set, because the caller waits */
    bool is_unkept;   /* the tree contains work that exists nowhere else */
};

bool session_tree_make(struct session_tree **out, const struct session_tree_call *call,
                       struct err *err)
{
    struct session_tree *tree = xcalloc(1, sizeof(*tree));
    struct workspace_made made = {0};
    int start_code = 0;
    (void)snprintf(tree->id, sizeof(tree->id), "mcp-%08" PRIx32, (uint32_t)(call->seed >> 32));
    str_addf(&tree->base, "%s/sessions/%s", call->log_dir, tree->id);
    const struct sandbox_spec setup_sandbox = plan_setup_sandbox(call->spec, call->sandbox);
    const struct workspace_place place = {.run_dir = call->run_dir,
                                          .base = str_text(&tree->base),
                                          .run = tree->id,
                                          .uid = tree->id,
                                          .environment = call->environment,
                                          .setup_sandbox = &setup_sandbox,
                                          .log_dir = call->log_dir,
                                          .log_db = call->log_db,
                                          .processes = call->processes};
    bool ok = workspace_open(&tree->workspace, &place, call->spec, task_id, NULL, err) &&
              workspace_make(tree->workspace, &tree->stop, &made, &start_code, err);
    if (ok)
        *out = tree;
    else
        session_tree_close(tree);
    return ok;
}

const char *session_tree_dir(const struct session_tree *tree)
{
    return workspace_dir(tree->workspace);
}

bool session_tree_keep(struct session_tree *tree, const char *title, struct str *where,
                       struct err *err)
{
    struct workspace_kept kept = {0};
    tree->is_unkept = !workspace_keep(tree->workspace, title, &tree->stop, &kept, err);
    if (!tree->is_unkept && kept.is_branch)
        str_addf(where, "branch %s", kept.branch);
    else if (!tree->is_unkept)
        str_addf(where, "folder %s", str_text(&kept.path));
    workspace_kept_done(&kept);
    return !tree->is_unkept;
}

void session_tree_close(struct session_tree *tree)
{
    if (!tree)
        return;
    if (tree->workspace && !tree->is_unkept && !workspace_drop(tree->workspace, NULL, NULL))
        tree->is_unkept = true; /* the remaining tree can be found in sessions/ */
    workspace_close(tree->workspace);
    str_done(&tree->base);
    free(tree);
}
