#define _GNU_SOURCE /* environ, pipe2 */

#include "workspace_stage.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawn.h"
#include "test_main.h"

/* Starts `sh -euc script` in a folder; its stdout is a pipe, which is returned. Not by fork(),
 * which is slow under a sanitizer: these tests start hundreds of shells. */
static int start_shell(const char *dir, const char *script, pid_t *pid_out)
{
    int ends[2];
    char *const argv[] = {(char[]){"sh"}, (char[]){"-euc"}, (char *)(uintptr_t)script, NULL};
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    const struct spawn_call call = {.program = "/bin/sh",
                                    .argv = argv,
                                    .environment = environ,
                                    .cwd = dir,
                                    .fds = {open("/dev/null", O_RDONLY | O_CLOEXEC), ends[1],
                                            fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)}};
    const int number = spawn_process(&call, pid_out);
    ck_assert_msg(number == 0, "cannot start sh in '%s': %s", dir, strerror(number));
    for (size_t i = 0; i < ARRAY_LEN(call.fds); i++)
        (void)close(call.fds[i]);
    return ends[0];
}

void stage_sh(const char *dir, const char *script, char *out, size_t cap)
{
    static char text[STAGE_TEXT_MAX];
    size_t len = 0;
    ssize_t got;
    pid_t pid = 0;
    int status = 0;
    const int fd = start_shell(dir, script, &pid);
    while ((got = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
        len += (size_t)got;
    (void)close(fd);
    text[len] = '\0';
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: %s", script, text);
    if (len > 0 && text[len - 1] == '\n')
        text[len - 1] = '\0';
    if (out)
        (void)snprintf(out, cap, "%s", text);
}

void stage_print(const char *dir, char out[128])
{
    stage_sh(dir,
             "{ find . -printf '%p|%y|%m|%U:%G|%T@|%l|' \\( -type f -printf '%s' -o -true \\) "
             "-printf '\\0' | LC_ALL=C sort -z;"
             "  find . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum; } | sha256sum",
             out, 128);
}

/* All that a run must leave alone. */
static void print_user(const struct stage *stage, char out[512])
{
    stage_sh(stage->repo,
             "{ find . -path ./.devs -prune -o -path ./.git -prune -o "
             "  -printf '%p|%y|%m|%T@|%l\\0' | LC_ALL=C sort -z;"
             "  find . -path ./.devs -prune -o -path ./.git -prune -o -type f -print0 |"
             "  LC_ALL=C sort -z | xargs -0r sha256sum;"
             "  cat .git/index .git/HEAD .git/config;"
             "  git for-each-ref | grep -v ' *refs/heads/devs/' || true; } | sha256sum;"
             "git --no-optional-locks status --porcelain | sha256sum; git stash list",
             out, 512);
}

static const char repository[] =
    "git init -q -b main .; git config user.name Ann; git config user.email ann@example.org;"
    "mkdir -p src/deep/er docs tools; printf '*.o\\nbuild/\\n.env\\n' >.gitignore;"
    "echo one >src/one.c; echo two >src/deep/two.c; echo three >src/deep/er/three.c;"
    "echo guide >docs/guide.md; printf '#!/bin/sh\\n' >tools/run; chmod 755 tools/run;"
    "ln -s ../docs/guide.md src/link; ln -s /nowhere/at/all src/dangling;"
    "printf 'a\\0b' >docs/bytes; : >docs/empty;"
    "git add -A; git commit -qm first; echo more >>src/one.c; git commit -qam second;"
    "echo secret >.env; mkdir build; echo obj >build/x.o; echo uncommitted >>docs/guide.md;"
    "echo new >untracked.txt; git stash list >/dev/null; mkdir .devs; echo '*' >.devs/.gitignore;"
    "chmod 700 .devs; git status --porcelain >/dev/null";

/* Made once by stage_prepare(), and copied by each stage_open(). */
static struct stage prepared;

static void name_folders(struct stage *stage, const char *dir)
{
    *stage = (struct stage){.dir = ""};
    (void)snprintf(stage->dir, sizeof(stage->dir), "%s", dir);
    (void)snprintf(stage->repo, sizeof(stage->repo), "%s/repo", stage->dir);
    (void)snprintf(stage->outside, sizeof(stage->outside), "%s/outside", stage->dir);
    (void)snprintf(stage->log_dir, sizeof(stage->log_dir), "%s/.devs", stage->repo);
    (void)snprintf(stage->base, sizeof(stage->base), "%s/.devs/work/u1", stage->repo);
}

static void make_folders(struct stage *stage)
{
    stage_sh(stage->dir,
             "mkdir repo outside; echo precious >outside/file; chmod 640 outside/file;"
             "mkdir outside/sub; echo inner >outside/sub/inner",
             NULL, 0);
    stage_sh(stage->repo, repository, NULL, 0);
    stage_print(stage->outside, stage->outside_is);
    print_user(stage, stage->user_is);
}

/* False where there is nothing to copy, or this user may not read it. A copy has the same times,
 * modes and index, so that both prints are those of the original. */
static bool copy_folders(struct stage *stage)
{
    char script[2 * PATH_MAX];
    if (!prepared.dir[0] || access(prepared.log_dir, R_OK) != 0)
        return false;
    (void)snprintf(script, sizeof(script), "cp -a '%s/repo' '%s/outside' .", prepared.dir,
                   prepared.dir);
    stage_sh(stage->dir, script, NULL, 0);
    (void)snprintf(stage->outside_is, sizeof(stage->outside_is), "%s", prepared.outside_is);
    (void)snprintf(stage->user_is, sizeof(stage->user_is), "%s", prepared.user_is);
    return true;
}

void stage_prepare(void)
{
    if (prepared.dir[0])
        return;
    name_folders(&prepared, test_tmpdir());
    make_folders(&prepared);
}

void stage_open(struct stage *stage, const char *dir, enum workspace_kind kind)
{
    name_folders(stage, dir);
    if (!copy_folders(stage))
        make_folders(stage);
    stage->spec = workspace_spec_new();
    stage->spec.kind = kind;
    stage->place = (struct workspace_place){.run_dir = stage->repo,
                                            .base = stage->base,
                                            .run = "41",
                                            .uid = "u1",
                                            .environment = environ};
}

void stage_check(const struct stage *stage)
{
    char now[512];
    print_user(stage, now);
    ck_assert_str_eq(now, stage->user_is);
    stage_print(stage->outside, now);
    ck_assert_str_eq(now, stage->outside_is);
}

struct workspace *stage_workspace(const struct stage *stage, const char *task,
                                  const char *const *needed)
{
    struct err err = {0};
    struct workspace *workspace = NULL;
    ck_assert_msg(workspace_open(&workspace, &stage->place, &stage->spec, task, needed, &err), "%s",
                  err.message);
    return workspace;
}

struct workspace *stage_saved(const struct stage *stage, const char *task)
{
    struct workspace_made made;
    struct tree_facts facts;
    struct workspace *workspace = stage_workspace(stage, task, NULL);
    stage_make(workspace, &made);
    stage_save(workspace, 0, &facts);
    return workspace;
}

void stage_make(struct workspace *workspace, struct workspace_made *out)
{
    int code = 0;
    struct err err = {0};
    ck_assert_msg(workspace_make(workspace, NULL, out, &code, &err), "%d %s", code, err.message);
}

void stage_save(struct workspace *workspace, int step, struct tree_facts *out)
{
    int code = 0;
    struct err err = {0};
    ck_assert_msg(workspace_save(workspace, step, NULL, out, &code, &err), "%d %s", code,
                  err.message);
}

void stage_reset(struct workspace *workspace, int step, struct tree_facts *out)
{
    int code = 0;
    struct err err = {0};
    ck_assert_msg(workspace_reset(workspace, step, NULL, out, &code, &err), "%d %s", code,
                  err.message);
}

void stage_keep(struct workspace *workspace, struct workspace_kept *out)
{
    struct err err = {0};
    ck_assert_msg(workspace_keep(workspace, "Do what is asked", NULL, out, &err), "%s",
                  err.message);
}
