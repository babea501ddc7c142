#include "git.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "git_list.h"
#include "xalloc.h"

enum { LOCK_PAUSE_NS = 2 * 1000 * 1000 };

void git_list_add(struct git_list *list, const char *text)
{
    list->items = xgrow(list->items, &list->cap, list->count + 2, sizeof(*list->items));
    list->items[list->count++] = xstrdup(text);
    list->items[list->count] = NULL;
}

void git_list_free(char **items)
{
    for (size_t i = 0; items && items[i]; i++)
        free(items[i]);
    free(items);
}

/* The words of a command, with what git has to know before them. */
static void add_places(struct git_list *words, const struct git_call *call)
{
    struct str text = {0};
    if (call->dir) {
        str_addf(&text, "--git-dir=%s", call->dir);
        git_list_add(words, text.data);
        str_clear(&text);
    }
    if (call->tree) {
        str_addf(&text, "--work-tree=%s", call->tree);
        git_list_add(words, text.data);
    }
    str_done(&text);
}

/* The environment with the places that only it can name. */
static char **add_variables(const struct git *git, const struct git_call *call)
{
    struct git_list list = {0};
    struct str text = {0};
    if (call->index) {
        str_addf(&text, "GIT_INDEX_FILE=%s", call->index);
        git_list_add(&list, text.data);
        str_clear(&text);
    }
    if (call->objects) {
        str_addf(&text, "GIT_OBJECT_DIRECTORY=%s", call->objects);
        git_list_add(&list, text.data);
        str_clear(&text);
        str_addf(&text, "GIT_ALTERNATE_OBJECT_DIRECTORIES=%s/objects", git->common);
        git_list_add(&list, text.data);
    }
    if (!git->has_identity) {
        git_list_add(&list, "GIT_AUTHOR_NAME=devs");
        git_list_add(&list, "GIT_AUTHOR_EMAIL=devs@localhost");
        git_list_add(&list, "GIT_COMMITTER_NAME=devs");
        git_list_add(&list, "GIT_COMMITTER_EMAIL=devs@localhost");
    }
    for (char **entry = git->environment; *entry; entry++)
        git_list_add(&list, *entry);
    str_done(&text);
    return list.items;
}

bool git_run(const struct git *git, const struct git_call *call, struct tool_result *out,
             struct err *err)
{
    struct git_list words = {0};
    git_list_add(&words, "git");
    for (char **setting = git->settings; setting && *setting; setting++)
        git_list_add(&words, *setting);
    add_places(&words, call);
    for (const char *const *word = call->words; *word; word++)
        git_list_add(&words, *word);
    char **environment = add_variables(git, call);
    const struct tool_call tool = {
        .argv = words.items,
        .environment = environment,
        .cwd = call->tree ? call->tree : git->top,
        .input = call->input,
        .input_len = call->input_len,
        .timeout_ms = call->timeout_ms,
        .out_max = call->out_max,
        .stop = call->stop,
    };
    const bool ok = tool_run(&tool, out, NULL, err);
    git_list_free(words.items);
    git_list_free(environment);
    return ok;
}

static void name_command(const struct git_call *call, struct str *out)
{
    str_add(out, "git");
    for (const char *const *word = call->words; *word; word++) {
        if ((*word)[0] != '-') {
            str_addf(out, " %s", *word);
            return;
        }
    }
}

bool git_ask(const struct git *git, const struct git_call *call, struct str *out, struct err *err)
{
    struct tool_result result = {0};
    struct str name = {0};
    bool ok = git_run(git, call, &result, err);
    if (ok) {
        name_command(call, &name);
        ok = tool_succeeded(&result, name.data, err);
    }
    if (ok && out)
        str_add_n(out, str_text(&result.out), result.out.len);
    tool_result_done(&result);
    str_done(&name);
    return ok;
}

bool git_ask_line(const struct git *git, const struct git_call *call, char *out, size_t cap,
                  struct err *err)
{
    struct str text = {0};
    bool ok = git_ask(git, call, &text, err);
    const size_t len = strcspn(str_text(&text), "\n");
    if (ok && len >= cap)
        ok = err_set(err, ERR_LIMIT, "git said more than is wanted");
    if (ok) {
        memcpy(out, str_text(&text), len);
        out[len] = '\0';
    }
    str_done(&text);
    return ok;
}

char **git_paths(struct str *list, size_t *count_out)
{
    size_t count = 0;
    size_t cap = 0;
    char **paths = NULL;
    for (size_t at = 0; at < list->len && count < GIT_PATHS_MAX;) {
        char *path = list->data + at;
        size_t len = strlen(path);
        at += len + 1;
        while (len > 0 && path[len - 1] == '/')
            path[--len] = '\0';
        paths = xgrow(paths, &cap, count + 2, sizeof(*paths));
        paths[count++] = path;
    }
    if (!paths)
        paths = xcalloc(1, sizeof(*paths));
    paths[count] = NULL;
    if (count_out)
        *count_out = count;
    return paths;
}

bool git_lock(const struct git *git, const atomic_bool *stop, int *fd_out, struct err *err)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
    const int64_t until_ms = clock_now().mono_ms + (stop ? GIT_LOCK_MS : GIT_LOCK_ALONE_MS);
    const int fd = open(git->common, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", git->common);
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        const bool stopped = stop && atomic_load(stop);
        if (stopped || (errno != EWOULDBLOCK && errno != EINTR) ||
            clock_now().mono_ms >= until_ms) {
            (void)close(fd); /* nothing was written to it */
            return err_set(err, ERR_BUSY, stopped ? "stopped" : "git: another one is at work");
        }
        (void)nanosleep(&pause, NULL); /* woken early: it tries again early */
    }
    *fd_out = fd;
    return true;
}

void git_unlock(int fd)
{
    if (fd >= 0)
        (void)close(fd); /* frees the lock */
}
