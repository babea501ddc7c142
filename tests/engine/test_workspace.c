#define _GNU_SOURCE /* environ */

#include "workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "clock.h"
#include "git.h"
#include "outcome.h"
#include "sandbox_internal.h"
#include "test_main.h"
#include "workspace_list.h"
#include "workspace_result.h"
#include "workspace_stage.h"

static struct stage stage;

static void open_worktrees(void)
{
    stage_open(&stage, test_tmpdir(), WORKSPACE_WORKTREE);
}

static void open_copies(void)
{
    stage_open(&stage, test_tmpdir(), WORKSPACE_COPY);
}

static void in(const struct workspace *workspace, const char *script)
{
    stage_sh(workspace_top(workspace), script, NULL, 0);
}

static void want(const char *dir, const char *script, const char *wanted)
{
    char text[STAGE_TEXT_MAX];
    stage_sh(dir, script, text, sizeof(text));
    ck_assert_msg(strcmp(text, wanted) == 0, "%s: '%s', wanted '%s'", script, text, wanted);
}

/* Its making fails with this code, which says why. */
static void want_no_making(struct workspace *workspace, int wanted, struct err *err)
{
    struct workspace_made made;
    int code = 0;
    ck_assert(!workspace_make(workspace, NULL, &made, &code, err));
    ck_assert_msg(code == wanted, "%d: %s", code, err->message);
}

/* Its result is not kept, for this reason. */
static void want_no_keeping(struct workspace *workspace, const char *why)
{
    struct workspace_kept kept = {0};
    struct err err = {0};
    ck_assert(!workspace_keep(workspace, "t", NULL, &kept, &err));
    ck_assert_str_eq(err.message, why);
}

/* Make, do, keep, drop: a whole task. */
static void do_task(const char *task, const char *const *needed, const char *script,
                    struct workspace_kept *kept)
{
    struct err err = {0};
    struct workspace_made made;
    struct workspace *workspace = stage_workspace(&stage, task, needed);
    stage_make(workspace, &made);
    in(workspace, script);
    stage_keep(workspace, kept);
    ck_assert_msg(workspace_drop(workspace, NULL, &err), "%s", err.message);
    workspace_close(workspace);
}

static void refuse(const char *task, const char *const *needed, int wanted, struct err *err)
{
    struct stat info;
    struct workspace *workspace = stage_workspace(&stage, task, needed);
    want_no_making(workspace, wanted, err);
    ck_assert_int_ne(lstat(workspace_top(workspace), &info), 0);
    workspace_close(workspace);
}

/* Makes a workspace whose setup is this script. */
static bool make_with(const char *script, struct workspace_made *made, int *code, struct err *err)
{
    char *setup[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)script, NULL};
    stage.spec.setup = setup;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    const bool ok = workspace_make(workspace, NULL, made, code, err);
    workspace_close(workspace);
    return ok;
}

START_TEST(test_a_worktree_holds_the_last_commit)
{
    char head[WORKSPACE_COMMIT_MAX];
    struct workspace_made made;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    stage_sh(stage.repo, "git rev-parse HEAD", head, sizeof(head));
    ck_assert_str_eq(made.base, head);
    ck_assert_str_eq(made.branch, "devs/41/tax");
    ck_assert(!made.was_there);
    ck_assert_str_eq(workspace_dir(workspace), workspace_top(workspace));
    want(workspace_top(workspace), "git status --porcelain; cat docs/guide.md; ls -A",
         "guide\n.git\n.gitignore\ndocs\nsrc\ntools");
    want(workspace_top(workspace), "git rev-parse --abbrev-ref HEAD", "HEAD");
    want(stage.repo, "stat -c %a .devs/work .devs/work/u1 .devs/work/u1/tax", "700\n700\n700");
    workspace_close(workspace);
    stage_check(&stage);
}
END_TEST

START_TEST(test_a_run_folder_within_the_repository_stays_one)
{
    char dir[PATH_MAX];
    struct workspace_made made;
    (void)snprintf(dir, sizeof(dir), "%s/src/deep", stage.repo);
    stage.place.run_dir = dir;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    want(workspace_dir(workspace), "cat two.c", "two");
    workspace_close(workspace);
}
END_TEST

START_TEST(test_copy_adds_files_that_git_does_not_have)
{
    char env[] = ".env";
    char folder[] = "build/";
    char guide[] = "docs/guide.md";
    char link[] = "src/link";
    char *copy[] = {env, folder, guide, link, NULL};
    struct workspace_made made;
    stage.spec.copy = copy;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    ck_assert_int_eq(made.copied, 3);
    want(workspace_top(workspace), "cat .env build/x.o docs/guide.md; readlink src/link",
         "secret\nobj\nguide\nuncommitted\n../docs/guide.md");
    workspace_close(workspace);
    stage_check(&stage);
}
END_TEST

static const char *const bad_copies[] = {
    "nothing/here", "../outside/file", "/etc/passwd", "a/../b", "", "src/link/x"};

START_TEST(test_copy_stays_within_the_tree)
{
    struct err err = {0};
    char *path = strdup(bad_copies[_i]);
    char *copy[] = {path, NULL};
    stage.spec.copy = copy;
    refuse("tax", NULL, START_WORKSPACE_FAILED, &err);
    ck_assert_msg(strstr(err.message, "workspace.copy") || strstr(err.message, bad_copies[_i]),
                  "%s", err.message);
    free(path);
    stage_check(&stage);
}
END_TEST

/* The commit holds a link to a folder outside: nothing is brought through it. */
START_TEST(test_copy_follows_no_link_of_the_commit)
{
    struct err err = {0};
    char path[] = "trap/file";
    char *copy[] = {path, NULL};
    stage_sh(stage.repo,
             "ln -s ../outside trap; git add trap; git commit -qm trap; rm trap; mkdir trap;"
             "echo mine >trap/file",
             NULL, 0);
    stage.spec.copy = copy;
    refuse("tax", NULL, START_WORKSPACE_FAILED, &err);
    want(stage.outside, "cat file", "precious");
}
END_TEST

START_TEST(test_setup_runs_once)
{
    char sh[] = "sh";
    char flag[] = "-c";
    char script[] = "pwd >>setup.log; echo said; echo loudly >&2";
    char *setup[] = {sh, flag, script, NULL};
    struct workspace_made made;
    stage.spec.setup = setup;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    ck_assert_str_eq(made.setup_tail, "said\nloudly\n");
    stage_make(workspace, &made);
    ck_assert(made.was_there);
    want(workspace_top(workspace), "wc -l <setup.log", "1");
    workspace_close(workspace);
}
END_TEST

START_TEST(test_a_failed_setup_fails_the_workspace)
{
    int code = 0;
    struct err err = {0};
    struct workspace_made made;
    ck_assert(!make_with("echo fetching; echo 'no such package' >&2; exit 3", &made, &code, &err));
    ck_assert_int_eq(code, START_WORKSPACE_FAILED);
    ck_assert_str_eq(err.message, "workspace.setup: no such package (exit 3)");
    ck_assert_str_eq(made.setup_tail, "fetching\nno such package\n");
    want(stage.repo, "git worktree list | wc -l", "1");
    stage_check(&stage);
}
END_TEST

START_TEST(test_a_setup_is_limited_in_time)
{
    int code = 0;
    struct err err = {0};
    struct workspace_made made;
    stage.spec.setup_timeout_ms = 100;
    ck_assert(!make_with("exec sleep 60", &made, &code, &err));
    ck_assert_str_eq(err.message, "workspace.setup timed out after 0.1 s (setup_timeout_s)");
}
END_TEST

/* True: bwrap works here, and setups run in it. */
static bool in_bwrap(struct sandbox_spec *spec)
{
    struct bwrap_means means;
    bwrap_means(&means);
    *spec = sandbox_spec_new();
    spec->kind = SANDBOX_BWRAP;
    stage.place.setup_sandbox = spec;
    stage.place.log_dir = stage.log_dir;
    if (!means.works)
        (void)printf("not checked: bwrap does not work here: %s\n", means.why);
    return means.works;
}

START_TEST(test_a_setup_in_a_sandbox_reaches_the_workspace_only)
{
    struct sandbox_spec spec;
    struct workspace_made made;
    int code = 0;
    struct err err = {0};
    char script[PATH_MAX * 2];
    ck_assert_int_eq(setenv("SECRET_OF_OURS", "hidden", 1), 0);
    stage.place.environment = environ; /* setenv() may have moved it */
    if (!in_bwrap(&spec))
        return;
    stage_sh(stage.log_dir, "echo the log >devs.db", NULL, 0);
    (void)snprintf(script, sizeof(script),
                   "for f in '%.1000s' '%.1000s' /usr; do echo x >$f/out; done 2>/dev/null;"
                   "cat '%.1000s/devs.db' 2>/dev/null; echo x >made-by-setup; echo $$;"
                   "echo \"secret$SECRET_OF_OURS\"; grep -c : /proc/net/dev",
                   stage.repo, stage.outside, stage.log_dir);
    ck_assert_msg(make_with(script, &made, &code, &err), "%d %s", code, err.message);
    ck_assert_str_eq(made.setup_tail, "2\nsecret\n1\n");
    want(stage.base, "cat tax/tree/made-by-setup", "x");
    stage_check(&stage);
}
END_TEST

START_TEST(test_a_setup_in_a_sandbox_leaves_no_process)
{
    struct sandbox_spec spec;
    struct workspace_made made;
    int code = 0;
    struct err err = {0};
    if (!in_bwrap(&spec))
        return;
    stage.spec.setup_timeout_ms = 500;
    ck_assert(!make_with("trap 'echo told; exit 9' TERM; setsid sleep 41.5 & sleep 41.5 & wait",
                         &made, &code, &err));
    ck_assert_int_eq(code, START_WORKSPACE_FAILED);
    ck_assert_str_eq(err.message, "workspace.setup timed out after 0.5 s (setup_timeout_s)");
    ck_assert_str_eq(made.setup_tail, "told\n");
    want("/",
         "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 41[.]5' || true",
         "0");
    stage_check(&stage);
}
END_TEST

static const struct {
    const char *program;
    const char *writable;
    int code;
    const char *want;
} bad_setups[] = {
    {"true", "/no/such/folder", START_SANDBOX_FAILED,
     "workspace.setup: sandbox: writable '/no/such/folder': No such file or directory"},
    {"no-such-program", NULL, START_WORKSPACE_FAILED,
     "workspace.setup: bwrap: execvp no-such-program: No such file or directory"},
};

START_TEST(test_a_setup_that_cannot_be_started_says_why)
{
    struct sandbox_spec spec;
    struct workspace_made made;
    int code = 0;
    struct err err = {0};
    char *setup[] = {(char *)(uintptr_t)bad_setups[_i].program, NULL};
    char *writable[] = {(char *)(uintptr_t)bad_setups[_i].writable, NULL};
    if (!in_bwrap(&spec))
        return;
    spec.writable = writable;
    stage.spec.setup = setup;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    ck_assert(!workspace_make(workspace, NULL, &made, &code, &err));
    ck_assert_int_eq(code, bad_setups[_i].code);
    ck_assert_str_eq(err.message, bad_setups[_i].want);
    workspace_close(workspace);
    stage_check(&stage);
}
END_TEST

START_TEST(test_a_setup_that_is_killed_for_memory_says_so)
{
    struct sandbox_spec spec;
    struct workspace_made made;
    struct cgroup_means means;
    int code = 0;
    struct err err = {0};
    cgroup_means(&means);
    if (!in_bwrap(&spec) || !means.memory)
        return;
    spec.memory_mb = 32;
    ck_assert(!make_with("tail /dev/zero", &made, &code, &err));
    ck_assert_int_eq(code, START_WORKSPACE_FAILED);
    ck_assert_ptr_nonnull(strstr(err.message, "workspace.setup ran out of memory"));
}
END_TEST

START_TEST(test_a_stop_while_making_leaves_nothing)
{
    atomic_bool stop = true;
    int code = 0;
    struct err err = {0};
    struct workspace_made made;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    ck_assert(!workspace_make(workspace, &stop, &made, &code, &err));
    ck_assert_int_eq(code, ECANCELED);
    /* a git that was killed may leave its lock, which the next making removes */
    want(stage.repo, "git worktree list | wc -l; ls .devs/work/u1/tax | grep -v '^index.lock$'",
         "1\norigin");
    workspace_close(workspace);
    stage_check(&stage);
}
END_TEST

/* Another devs checks out a large tree meanwhile. */
START_TEST(test_a_stop_waits_for_no_other_git)
{
    struct git_places places;
    const struct git other = {.places = &places};
    atomic_bool stop = true;
    int code = 0;
    int fd = -1;
    struct err err = {0};
    struct workspace_made made;
    ck_assert(git_find(stage.repo, &places, &err));
    ck_assert(git_lock(&other, NULL, &fd, &err));
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    const int64_t start_ms = clock_now().mono_ms;
    ck_assert(!workspace_make(workspace, &stop, &made, &code, &err));
    ck_assert_int_eq(code, ECANCELED);
    ck_assert_int_lt(clock_now().mono_ms - start_ms, 10 * 1000);
    ck_assert_str_eq(err.message, "stopped");
    workspace_close(workspace);
    git_unlock(fd);
}
END_TEST

/* We died while it was made: half of it is there. */
START_TEST(test_half_a_workspace_is_made_again)
{
    struct workspace_made made;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    stage_sh(stage.base, "rm tax/made tax/tree/src/one.c; echo x >tax/tree/half", NULL, 0);
    stage_make(workspace, &made);
    ck_assert(!made.was_there);
    want(workspace_top(workspace), "git status --porcelain; cat src/one.c", "one\nmore");
    want(stage.repo, "git worktree list | wc -l", "2");
    workspace_close(workspace);
    stage_check(&stage);
}
END_TEST

/* What cannot be read now may be the work of steps that passed. */
START_TEST(test_a_workspace_in_doubt_is_left_as_it_is)
{
    struct workspace_made made;
    struct err err = {0};
    int code = 0;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    ck_assert(!workspace_is_made(workspace));
    stage_make(workspace, &made);
    ck_assert(workspace_is_made(workspace));
    workspace_close(workspace);
    stage_sh(stage.base, "echo work >tax/tree/src/mine; cp tax/made made; echo '{\"v\"' >tax/made",
             NULL, 0);

    workspace = stage_workspace(&stage, "tax", NULL);
    ck_assert(!workspace_make(workspace, NULL, &made, &code, &err));
    ck_assert_int_eq(code, START_WORKSPACE_FAILED);
    ck_assert_ptr_nonnull(strstr(err.message, "does not describe a workspace"));
    stage_sh(stage.base, "cp made tax/made; mv ../../../.git ../../../git", NULL, 0);
    err = (struct err){0};
    ck_assert(!workspace_make(workspace, NULL, &made, &code, &err));
    stage_sh(stage.base, "mv ../../../git ../../../.git", NULL, 0);
    workspace_close(workspace);

    workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    ck_assert(made.was_there);
    want(workspace_top(workspace), "cat src/mine", "work");
    workspace_close(workspace);
}
END_TEST

/* Programs that settings name; each would leave a trace. */
static const char programs[] =
    "mkdir -p .git/hooks; for h in post-checkout pre-commit commit-msg post-commit post-merge "
    "reference-transaction post-index-change pre-merge-commit prepare-commit-msg; do "
    "  printf '#!/bin/sh\\ntouch %s/ran-%s\\n' \"$PWD/../traces\" $h >.git/hooks/$h; "
    "  chmod 755 .git/hooks/$h; done; mkdir ../traces;"
    "t=\"$PWD/../traces\"; git config core.fsmonitor \"touch $t/ran-fsmonitor; false\";"
    "git config filter.f.smudge \"touch $t/ran-smudge; cat\";"
    "git config filter.f.clean \"touch $t/ran-clean; cat\"; git config filter.f.required true;"
    "git config filter.dot.ted.clean \"touch $t/ran-dotted; cat\";"
    "git config merge.m.driver \"touch $t/ran-merge; true\";"
    "git config diff.d.textconv \"touch $t/ran-textconv; cat\";"
    "git config diff.external \"touch $t/ran-external; true\";"
    "git config commit.gpgSign true; git config gpg.program \"$t/../gpg\";"
    "git config core.editor \"touch $t/ran-editor; true\";"
    "printf '#!/bin/sh\\ntouch %s/ran-gpg\\nexit 1\\n' \"$t\" >../gpg; chmod 755 ../gpg;"
    "printf '* filter=f diff=d merge=m\\n*.md filter=dot.ted\\n' >.git/info/attributes;"
    "printf 'src/deep/* filter=he\\ntools/* filter=hi\\n' >>.git/info/attributes;"
    "printf '[includeIf \"gitdir:**/worktrees/**\"]\\n\\tpath = e.inc\\n' >>.git/config;"
    "printf '[include]\\n\\tpath = i.inc\\n' >>.git/config;"
    "for i in e i; do git config -f .git/$i.inc filter.h$i.clean \"touch $t/ran-hidden-$i; cat\";"
    "  git config -f .git/$i.inc merge.default zz;"
    "  git config -f .git/$i.inc merge.zz.driver \"touch $t/ran-hidden-merge; false\"; done;"
    "git config extensions.worktreeConfig true;"
    "git config -f .git/config.worktree core.fsmonitor \"touch $t/ran-worktree-config; false\"";

/* What an attempt adds to the repository while devs has it open. */
static const char late_programs[] =
    "t=\"$PWD/../../../../../../traces\"; c=\"$(git rev-parse --git-common-dir)\";"
    "git config filter.late.clean \"touch $t/ran-late; cat\";"
    "echo 'src/one.c filter=late' >>\"$c/info/attributes\"";

/* Ordinary git runs what is hidden by a condition, added late or said for one worktree. */
static const char ordinary_git[] =
    "{ touch src/one.c src/deep/* tools/*; git add src/one.c; git add src/deep; git add tools; "
    "  cd ../../../../..; git status; } >/dev/null 2>&1 || :; cd ../traces || exit;"
    "ls ran-hidden-e ran-hidden-i ran-late ran-worktree-config";

START_TEST(test_no_program_of_the_settings_runs)
{
    const char *needed[3] = {0};
    struct workspace_kept kept[2];
    struct workspace_kept last;
    struct tree_diff diff = {0};
    struct err err = {0};
    stage_sh(stage.repo, programs, NULL, 0);
    do_task("a", NULL, "echo a >>src/one.c; echo n >new-a", &kept[0]);
    do_task("b", NULL, "echo b >>src/deep/two.c; echo n >new-b", &kept[1]);
    needed[0] = kept[0].branch;
    needed[1] = kept[1].branch;
    struct workspace_made made;
    struct tree_facts facts;
    struct workspace *workspace = stage_workspace(&stage, "c", needed);
    stage_make(workspace, &made);
    stage_save(workspace, 0, &facts);
    in(workspace, "echo c >>src/one.c; echo d >>docs/guide.md");
    in(workspace, late_programs);
    ck_assert_msg(workspace_diff(workspace, 0, NULL, NULL, &diff, &err), "%s", err.message);
    stage_keep(workspace, &last);
    want(stage.dir, "ls traces", "");
    want(workspace_top(workspace), ordinary_git,
         "ran-hidden-e\nran-hidden-i\nran-late\nran-worktree-config");

    want(workspace_top(workspace), "cat src/one.c src/deep/two.c new-a new-b",
         "one\nmore\na\nc\ntwo\nb\nn\nn");
    tree_diff_done(&diff);
    for (int i = 0; i < 2; i++)
        workspace_kept_done(&kept[i]);
    workspace_kept_done(&last);
    workspace_close(workspace);
}
END_TEST

/* What an attempt may have put into .git to have devs write outside. Each is in place before the
 * worktree is made, or before its result is kept. */
static const struct {
    const char *name, *script;
    bool is_early;
} git_links[] = {
    {"worktrees", "ln -s ../../outside .git/worktrees", true},
    {"the folder of a branch", "ln -s ../../../../outside .git/refs/heads/devs", false},
    {"the folder of a run",
     "mkdir .git/refs/heads/devs; ln -s ../../../../../outside "
     ".git/refs/heads/devs/41",
     false},
    {"all branches",
     "mv .git/refs/heads .git/h; ln -s ../../../outside/heads "
     ".git/refs/heads",
     false},
    {"folders of objects",
     "for a in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do for b in 0 1 2 3 4 5 6 7 "
     "8 9 a b c d e f; do test -e .git/objects/$a$b || ln -s ../../../outside "
     ".git/objects/$a$b; done; done",
     false},
    {"all objects", "mv .git/objects .git/o; ln -s ../../outside .git/objects", true},
    {"another repository", "git init -q ../other; echo ../../other/.git >.git/commondir", true},
};

START_TEST(test_nothing_is_written_through_a_link_of_the_repository)
{
    char before[128];
    char after[128];
    int code = 0;
    struct err err = {0};
    struct workspace_made made;
    struct workspace_kept kept = {0};
    stage_sh(stage.dir, "mkdir -p outside", NULL, 0);
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    if (git_links[_i].is_early)
        stage_sh(stage.repo, git_links[_i].script, NULL, 0);
    stage_sh(stage.dir, "mkdir -p other outside/heads", NULL, 0);
    stage_print(stage.outside, before);
    bool ok = workspace_make(workspace, NULL, &made, &code, &err);
    if (ok) {
        in(workspace, "echo a >>src/one.c; seq 1 1000 >many; split -l 4 many many-");
        if (!git_links[_i].is_early)
            stage_sh(stage.repo, git_links[_i].script, NULL, 0);
        ok = workspace_keep(workspace, "t", NULL, &kept, &err);
    }
    stage_print(stage.outside, after);
    ck_assert_msg(strcmp(before, after) == 0, "%s: written outside", git_links[_i].name);
    want(stage.dir, "find other -path '*/devs*'; ls outside/heads", "");
    ck_assert_msg(ok || err.message[0], "%s: no reason", git_links[_i].name);
    workspace_kept_done(&kept);
    workspace_close(workspace);
}
END_TEST

START_TEST(test_a_fifo_that_git_would_read_is_an_error)
{
    struct workspace_made made;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    in(workspace, "mkfifo src/.gitattributes; rm .gitignore; mkfifo .gitignore");
    want_no_keeping(workspace, "'.gitignore' is not a file: git would wait for it");
    in(workspace,
       "rm src/.gitattributes .gitignore; git init -q n; cd n/.git || exit; mkfifo commondir");
    want_no_keeping(workspace, "'n/.git/commondir' is not a file: git would wait for it");
    in(workspace, "cd n/.git || exit; rm commondir HEAD; mkfifo HEAD");
    want_no_keeping(workspace, "'n/.git/HEAD' is not a file: git would wait for it");
    workspace_close(workspace);
}
END_TEST

START_TEST(test_the_result_is_a_branch)
{
    struct workspace_kept kept;
    do_task("tax", NULL,
            "echo more >>src/deep/two.c; rm docs/empty; echo n >new; mkdir build; echo o >build/x",
            &kept);
    ck_assert(kept.is_branch);
    ck_assert_str_eq(kept.branch, "devs/41/tax");
    want(stage.repo, "git diff --name-status main devs/41/tax",
         "D\tdocs/empty\nA\tnew\nM\tsrc/deep/two.c");
    want(stage.repo, "git log -1 --format='%an %ae|%s|%b' devs/41/tax | sed '/^$/d'",
         "Ann ann@example.org|Do what is asked|Devs-Run: 41\nDevs-Uid: u1\nDevs-Task: tax");
    want(stage.repo, "git rev-parse devs/41/tax", kept.commit);
    want(stage.repo, "git worktree list | wc -l; ls -A .devs/work/u1/tax .devs/work/u1",
         "1\n.devs/work/u1:\ntax\n\n.devs/work/u1/tax:\nkept\norigin");
    workspace_kept_done(&kept);
    stage_check(&stage);
}
END_TEST

START_TEST(test_a_result_without_changes_is_the_base)
{
    struct workspace_kept kept;
    do_task("tax", NULL, "echo o >src/x.o", &kept);
    want(stage.repo, "git rev-parse main", kept.commit);
    want(stage.repo, "git rev-parse devs/41/tax", kept.commit);
    workspace_kept_done(&kept);
}
END_TEST

START_TEST(test_commits_of_the_task_are_part_of_its_result)
{
    struct workspace_kept kept;
    do_task("tax", NULL,
            "echo c >>src/one.c; git commit -qam own; git checkout -qb mine; echo d >>src/one.c; "
            "touch \"$(git rev-parse --git-dir)/index.lock\"; git stash list; "
            "printf 'x' >\"$(git rev-parse --git-dir)/index\"",
            &kept);
    want(stage.repo, "git log --format=%s main..devs/41/tax; git show devs/41/tax:src/one.c",
         "Do what is asked\nown\none\nmore\nc\nd");
    workspace_kept_done(&kept);
}
END_TEST

START_TEST(test_nested_repositories_are_left_out_and_named)
{
    struct workspace_kept kept;
    do_task(
        "tax", NULL,
        "mkdir -p lib/sub empty; git -C lib/sub init -q; echo s >lib/sub/s; git -C empty init -q; "
        "git -C lib/sub add s; git -C lib/sub -c user.name=a -c user.email=b commit -qm s; "
        "git -C lib/sub config core.fsmonitor 'touch '\"$PWD\"'/../../../ran; false'; echo n "
        ">lib/n; "
        "git add lib/sub; git -c user.name=a -c user.email=b commit -qm link",
        &kept);
    ck_assert_str_eq(str_text(&kept.left_out), "empty\nlib/sub");
    want(stage.repo, "git diff --name-status main devs/41/tax; ls .devs/work/u1", "A\tlib/n\ntax");
    workspace_kept_done(&kept);
}
END_TEST

/* A number that was used before, after the log was lost. */
START_TEST(test_a_branch_of_somebody_else_is_not_moved)
{
    struct workspace_kept kept;
    stage_sh(stage.repo, "git branch devs/41/tax HEAD~1", NULL, 0);
    do_task("tax", NULL, "echo n >new", &kept);
    ck_assert_str_eq(kept.branch, "devs/u1/tax");
    want(stage.repo, "git rev-parse devs/u1/tax", kept.commit);
    want(stage.repo, "test $(git rev-parse devs/41/tax) = $(git rev-parse main~1); echo $?", "0");
    workspace_kept_done(&kept);
}
END_TEST

START_TEST(test_a_blocked_branch_name_is_reported)
{
    struct err err = {0};
    struct workspace_made made;
    struct workspace_kept kept = {0};
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    stage_sh(stage.repo, "git branch devs", NULL, 0); /* what there was before is refused */
    ck_assert(!workspace_keep(workspace, "t", NULL, &kept, &err));
    ck_assert_msg(strstr(err.message, "refs/heads/devs"), "%s", err.message);
    ck_assert_msg(strstr(err.hint, "'devs'"), "%s", err.hint);
    workspace_close(workspace);
}
END_TEST

/* We died between the branch and the log. */
START_TEST(test_keeping_again_moves_our_own_branch)
{
    char first[WORKSPACE_COMMIT_MAX];
    struct workspace_made made;
    struct workspace_kept kept;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    in(workspace, "echo n >new");
    stage_keep(workspace, &kept);
    (void)snprintf(first, sizeof(first), "%s", kept.commit);
    workspace_kept_done(&kept);
    workspace_close(workspace);

    workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    ck_assert(made.was_there);
    stage_keep(workspace, &kept);
    ck_assert_str_eq(kept.commit, first);
    workspace_kept_done(&kept);
    in(workspace, "echo m >more");
    stage_keep(workspace, &kept);
    ck_assert_str_eq(kept.branch, "devs/41/tax");
    want(stage.repo, "git diff --name-only main devs/41/tax", "more\nnew");
    workspace_kept_done(&kept);
    workspace_close(workspace);
    stage_check(&stage);
}
END_TEST

static const struct {
    const char *task, *branch;
} names[] = {
    {"tax", "devs/41/tax"},           {"a.lock", "devs/41/a%2Elock"},
    {"a..b", "devs/41/a%2E.b"},       {"a...", "devs/41/a%2E%2E%2E"},
    {"a.lock.x", "devs/41/a.lock.x"}, {"objects", "devs/41/objects"},
    {"HEAD", "devs/41/HEAD"},
};

START_TEST(test_every_task_has_a_branch)
{
    struct workspace_kept kept;
    do_task(names[_i].task, NULL, "echo n >new", &kept);
    ck_assert_str_eq(kept.branch, names[_i].branch);
    want(stage.repo, "git for-each-ref --format='%(refname:short)' refs/heads/devs",
         names[_i].branch);
    workspace_kept_done(&kept);
}
END_TEST

START_TEST(test_without_an_identity_we_are_the_author)
{
    struct workspace_kept kept;
    stage_sh(stage.repo, "git config --unset user.name; git config --unset user.email", NULL, 0);
    ck_assert_int_eq(setenv("HOME", stage.dir, 1), 0);
    ck_assert_int_eq(setenv("XDG_CONFIG_HOME", stage.dir, 1), 0);
    ck_assert_int_eq(setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1), 0);
    stage.place.environment = environ;
    do_task("tax", NULL, "echo n >new", &kept);
    want(stage.repo, "git log -1 --format='%an %ae' devs/41/tax", "devs devs@localhost");
    workspace_kept_done(&kept);
}
END_TEST

/* The person's settings: a name by the folder, another by a remote, an address for all. */
static const char conditions[] =
    "git config -f .gitconfig user.email all@example.org;"
    "git config -f .gitconfig \"includeIf.gitdir:**/.git.path\" folder.inc;"
    "git config -f .gitconfig 'includeIf.hasconfig:remote.*.url:*theirs.path' remote.inc;"
    "git config -f folder.inc user.name Folder; git config -f remote.inc user.name Remote";

/* The repository's: a FIFO that it includes would stop git. */
static const char included[] =
    "git config --unset user.name; git config --unset user.email;"
    "git config -f .git/more.inc user.name Included; git config include.path more.inc;"
    "git config --add include.path fifo; git config 'includeIf.gitdir:**/worktrees/**.path' fifo;"
    "git config -f .git/config.worktree include.path fifo;"
    "git config extensions.worktreeConfig true; ";

static const struct {
    const char *script, *task, *author;
} authors[] = {
    {"", "folder", "Folder all@example.org"},
    {"git config remote.o.url theirs", "remote", "Remote all@example.org"},
    {"git config user.name Own", "own", "Own all@example.org"},
    {"git config -f .git/config.worktree user.name Mine", "mine", "Mine all@example.org"},
};

START_TEST(test_settings_are_data_and_git_reads_no_config_of_the_repository)
{
    struct workspace_kept kept;
    stage_sh(stage.dir, conditions, NULL, 0);
    stage_sh(stage.repo, included, NULL, 0);
    stage_sh(stage.repo, authors[_i].script, NULL, 0);
    stage_sh(stage.repo, "mkfifo .git/fifo", NULL, 0);
    ck_assert_int_eq(setenv("HOME", stage.dir, 1), 0);
    ck_assert_int_eq(setenv("XDG_CONFIG_HOME", stage.dir, 1), 0);
    ck_assert_int_eq(setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1), 0);
    stage.place.environment = environ;
    do_task(authors[_i].task, NULL, "echo n >new", &kept); /* a FIFO would take its limit of 30 s */
    stage_sh(stage.repo, "rm .git/fifo .git/config.worktree; : >.git/fifo", NULL, 0);
    want(stage.repo, "git log -1 --format='%an %ae' --branches='devs/*'", authors[_i].author);
    workspace_kept_done(&kept);
}
END_TEST

START_TEST(test_dependents_start_from_results)
{
    const char *needed[3] = {0};
    struct workspace_kept a;
    struct workspace_kept b;
    struct workspace_kept c;
    do_task("a", NULL, "echo a >>src/one.c", &a);
    needed[0] = a.branch;
    do_task("b", needed, "tail -1 src/one.c >seen-b", &b);
    want(stage.repo, "git show devs/41/b:seen-b", "a");
    workspace_kept_done(&b);
    do_task("b2", NULL, "echo b >>src/deep/two.c", &b);
    needed[1] = b.branch;
    do_task("c", needed, "tail -qn1 src/one.c src/deep/two.c >seen-c", &c);
    want(stage.repo, "git show devs/41/c:seen-c", "a\nb");
    want(stage.repo, "git log --format=%s -1 devs/41/c~1", "devs: merge the results that c needs");
    workspace_kept_done(&a);
    workspace_kept_done(&b);
    workspace_kept_done(&c);
    stage_check(&stage);
}
END_TEST

START_TEST(test_results_that_do_not_merge_need_a_person)
{
    const char *needed[3] = {0};
    struct err err = {0};
    struct workspace_kept a;
    struct workspace_kept b;
    do_task("a", NULL, "echo a >>src/one.c", &a);
    do_task("b", NULL, "echo b >>src/one.c", &b);
    needed[0] = a.branch;
    needed[1] = b.branch;
    refuse("c", needed, START_CONFLICT, &err);
    ck_assert_str_eq(err.message,
                     "cannot merge the results of 'devs/41/a' and 'devs/41/b': 'src/one.c'");
    want(stage.repo, "git worktree list | wc -l", "1");
    workspace_kept_done(&a);
    workspace_kept_done(&b);
    stage_check(&stage);
}
END_TEST

static const struct {
    const char *name, *script, *word;
} refusals[] = {
    {"no repository", "rm -rf .git", "not in a git repository"},
    {"no commit", "rm -rf .git; git init -q .", "has no commit yet"},
    {"bare", "rm -rf .git; git init -q --bare .git; git -C .git config core.bare true",
     "without a working tree"},
    {"submodules",
     "printf '[submodule \"x\"]\\n\\tpath = x\\n\\turl = ./y\\n' >.gitmodules; "
     "git add .gitmodules; git commit -qm sub",
     "has submodules"},
    {"a branch in the way", "git branch devs", "has a branch called 'devs'"},
    {"damaged", "rm -rf .git/objects/*", "git"},
    {"a FIFO for packed refs", "rm -f .git/packed-refs; mkfifo .git/packed-refs",
     "packed-refs' is not a file"},
    {"a FIFO for ignored files", "rm -f .git/info/exclude; mkfifo .git/info/exclude",
     "exclude' is not a file"},
    {"a FIFO for a branch", "rm -f .git/refs/heads/main; mkfifo .git/refs/heads/main",
     "main' is not a file"},
    {"a FIFO for a branch that another names",
     "rm -f .git/refs/heads/main; mkfifo .git/refs/heads/f; cd .git/refs/heads || exit; "
     "echo 'ref: refs/heads/two' >main; echo 'ref: refs/heads/f' >two",
     "main' is not a file"},
    {"a FIFO for a pack", "mkfifo .git/objects/pack/pack-1.idx", "pack-1.idx' is not a file"},
    {"a FIFO for borrowed objects",
     "mkdir -p .git/o/info; mkfifo .git/o/info/alternates; cd .git || exit; "
     "echo \"$PWD/o\" >objects/info/alternates",
     "o/info/alternates' is not a file"},
    {"borrowed objects of themselves",
     "echo \"$PWD/.git/objects\" >.git/objects/info/alternates; "
     "rm -rf .git/refs/heads/*",
     "has no commit yet"},
    {"a FIFO for a part of the index", "mkfifo .git/sharedindex.1", "sharedindex.1' is not a file"},
    {"a config that is none", "echo '[core' >.git/config", "git config"},
    {"a FIFO for commondir", "mkfifo .git/commondir", "commondir' is not a file"},
    {"a device for commondir", "ln -s /dev/zero .git/commondir", "commondir' is not a file"},
    {"a FIFO for the worktree's config", "mkfifo .git/config.worktree",
     "config.worktree' is not a file"},
    {"a FIFO for HEAD", "rm .git/HEAD; mkfifo .git/HEAD", "not in a git repository"},
    {"a FIFO for the config", "rm .git/config; mkfifo .git/config", "config' is not a file"},
};

START_TEST(test_a_repository_that_allows_no_worktree_is_refused)
{
    struct err err = {0};
    stage_sh(stage.repo, refusals[_i].script, NULL, 0);
    refuse("tax", NULL, START_WORKSPACE_FAILED, &err);
    ck_assert_msg(strstr(err.message, refusals[_i].word), "%s: %s", refusals[_i].name, err.message);
}
END_TEST

START_TEST(test_repositories_of_other_hashes_work)
{
    struct workspace_kept kept;
    stage_sh(stage.repo,
             "rm -rf .git; git init -q --object-format=sha256 -b main .; git config user.name A;"
             "git config user.email a@b; git add -A; git commit -qm first",
             NULL, 0);
    do_task("tax", NULL, "echo n >new", &kept);
    ck_assert_uint_eq(strlen(kept.commit), 64);
    want(stage.repo, "git diff --name-only main devs/41/tax", "new");
    workspace_kept_done(&kept);
}
END_TEST

START_TEST(test_a_diff_names_what_an_attempt_changed)
{
    static const char script[] =
        "echo more >>src/one.c; rm docs/empty; printf 'x\\ny\\n' >new; chmod 600 src/deep/two.c; "
        "rm src/link; ln -s other src/link; printf 'c\\0d' >docs/bytes; mkdir empty; "
        "rm docs/guide.md; mkdir docs/guide.md; printf 'diff --git a/000001 b/000001\\n@@\\n' "
        ">\"$(printf 'odd\\n\\033[31m\\377')\"; git init -q sub; touch src/deep/er/three.c";
    static const char *const wanted[] = {
        "M docs/bytes -1 -1", "D docs/empty -1 -1",      "T docs/guide.md -1 -1",  "A empty -1 -1",
        "A new 2 0",          "A odd\n\033[31m\377 2 0", "X src/deep/two.c -1 -1", "M src/link 1 1",
        "M src/one.c 1 0",    "A sub/.git -1 -1"};
    struct err err = {0};
    struct tree_diff diff = {0};
    struct workspace *workspace = stage_saved(&stage, "tax");
    in(workspace, script);
    ck_assert_msg(workspace_diff(workspace, 0, NULL, NULL, &diff, &err), "%s", err.message);
    struct str text = {0};
    for (size_t i = 0; i < diff.path_count && i < ARRAY_LEN(wanted); i++) {
        const struct diff_path *path = &diff.paths[i];
        str_clear(&text);
        str_addf(&text, "%c %s %d %d", diff_kind_letter(path->kind), path->path, (int)path->added,
                 (int)path->removed);
        ck_assert_msg(strncmp(text.data, wanted[i], strlen(wanted[i])) == 0 ||
                          path->kind == DIFF_TYPE || path->kind == DIFF_DELETED,
                      "%s, wanted %s", text.data, wanted[i]);
    }
    ck_assert_uint_eq(diff.path_count, ARRAY_LEN(wanted));
    ck_assert_int_eq(diff.changed, (int)ARRAY_LEN(wanted));
    ck_assert_str_eq(str_text(&diff.why), "");
    const char *piece = "diff --git a/src/one.c b/src/one.c\n--- a/src/one.c\n+++ b/src/one.c\n"
                        "@@ -1,2 +1,3 @@\n one\n more\n+more\n";
    ck_assert_msg(strstr(diff.text.data, piece), "%s", diff.text.data);
    piece = "\"b/odd\\n\\033[31m\\377\"\nnew file mode";
    ck_assert_msg(strstr(diff.text.data, piece), "%s", diff.text.data);
    piece = "old mode 100644\nnew mode 100600\n";
    ck_assert_msg(strstr(diff.text.data, piece), "%s", diff.text.data);
    ck_assert_msg(strstr(diff.text.data, "Binary files differ\n"), "%s", diff.text.data);
    str_done(&text);
    tree_diff_done(&diff);
    workspace_close(workspace);
    stage_check(&stage);
}
END_TEST

START_TEST(test_a_diff_is_bounded_and_says_so)
{
    struct err err = {0};
    struct tree_diff diff = {0};
    const struct diff_limits limits = {
        .paths_max = 10, .text_bytes_max = 4000, .read_bytes_max = 3000};
    struct workspace *workspace = stage_saved(&stage, "tax");
    in(workspace, "for i in $(seq 50); do seq 500 >new$i; done");
    ck_assert_msg(workspace_diff(workspace, 0, &limits, NULL, &diff, &err), "%s", err.message);
    ck_assert_uint_eq(diff.path_count, 10);
    ck_assert_int_eq(diff.changed, 50);
    ck_assert_uint_le(diff.text.len, 4000);
    ck_assert_str_eq(str_text(&diff.why), "only 10 of 50 paths are listed; some contents were not "
                                          "compared: too large");
    want(stage.base, "ls tax | grep diff- | wc -l", "0");
    tree_diff_done(&diff);
    workspace_close(workspace);
}
END_TEST

START_TEST(test_a_copy_is_the_whole_tree)
{
    char mine[128];
    char copy[128];
    struct workspace_made made;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    stage_sh(stage.repo, "touch -d 2001-01-01 docs src/link; chmod 751 src/deep", NULL, 0);
    stage_make(workspace, &made);
    ck_assert_str_eq(made.base, "");
    ck_assert_str_eq(made.branch, "");
    stage_sh(stage.repo,
             "find . -path ./.devs -prune -o -printf '%p %y %m %T@ %l\\n' | grep -v '^[.] ' "
             "| sort | sha256sum",
             mine, sizeof(mine));
    stage_sh(workspace_top(workspace),
             "find . -printf '%p %y %m %T@ %l\\n' | grep -v '^[.] ' | sort | "
             "sha256sum",
             copy, sizeof(copy));
    ck_assert_str_eq(mine, copy);
    want(workspace_top(workspace), "cat .env build/x.o untracked.txt; git status --porcelain",
         "secret\nobj\nnew\n M docs/guide.md\n?? untracked.txt");
    workspace_close(workspace);
}
END_TEST

START_TEST(test_a_copy_leaves_out_what_is_excluded)
{
    char build[] = "build";
    char git[] = ".git";
    char *exclude[] = {build, git, NULL};
    struct workspace_made made;
    stage.spec.exclude = exclude;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    want(workspace_top(workspace), "ls -A", ".env\n.gitignore\ndocs\nsrc\ntools\nuntracked.txt");
    workspace_close(workspace);
}
END_TEST

START_TEST(test_A11_a_wrecked_copy_is_put_back_too)
{
    char before[128];
    char after[128];
    struct tree_facts facts;
    struct workspace *workspace = stage_saved(&stage, "tax");
    stage_print(workspace_top(workspace), before);
    in(workspace, "rm -r src .env; echo x >build/x.o; git commit -qam x; git gc -q; mkfifo p; "
                  "chmod 000 docs");
    stage_reset(workspace, 0, &facts);
    stage_print(workspace_top(workspace), after);
    ck_assert_str_eq(before, after);
    workspace_close(workspace);
    stage_check(&stage);
}
END_TEST

START_TEST(test_copies_start_from_results)
{
    const char *needed[3] = {0};
    struct err err = {0};
    struct workspace_kept a;
    struct workspace_kept b;
    struct workspace_kept c;
    do_task("a", NULL, "echo a >>src/one.c; rm docs/bytes; mkdir n; echo n >n/a", &a);
    do_task("b", NULL, "echo b >>src/deep/two.c; echo n >n-b; chmod 700 tools/run", &b);
    ck_assert(!a.is_branch);
    needed[0] = str_text(&a.path);
    needed[1] = str_text(&b.path);
    do_task("c", needed,
            "tail -qn1 src/one.c src/deep/two.c; cat n/a n-b; test ! -e docs/bytes; "
            "test $(stat -c %a tools/run) = 700",
            &c);
    workspace_kept_done(&c);
    do_task("d", NULL, "echo d >>src/one.c", &c);
    needed[1] = str_text(&c.path);
    refuse("e", needed, START_CONFLICT, &err);
    ck_assert_msg(strstr(err.message, "'src/one.c' was changed on both sides"), "%s", err.message);
    workspace_kept_done(&a);
    workspace_kept_done(&b);
    workspace_kept_done(&c);
    stage_check(&stage);
}
END_TEST

START_TEST(test_leftovers_are_listed_and_removed)
{
    char log_dir[PATH_MAX];
    struct err err = {0};
    struct workspace_left *left = NULL;
    size_t count = 0;
    struct workspace_kept kept;
    (void)snprintf(log_dir, sizeof(log_dir), "%s/.devs", stage.repo);
    do_task("passed", NULL, "echo n >new", &kept);
    workspace_kept_done(&kept);
    workspace_close(stage_saved(&stage, "failed"));
    ck_assert_msg(workspace_list(log_dir, &left, &count, &err), "%s", err.message);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(left[0].uid, "u1");
    ck_assert_str_eq(left[0].task, "");
    ck_assert_str_eq(left[1].task, "failed");
    ck_assert(left[1].has_tree && left[1].bytes > 0 && left[1].changed_ms > 0);
    ck_assert_str_eq(left[2].branch, "devs/41/passed");
    ck_assert_int_eq(left[2].result, WORKSPACE_RESULT_BRANCH);
    ck_assert_int_eq(left[1].result, WORKSPACE_RESULT_NONE);
    ck_assert(!left[2].has_tree);
    ck_assert_msg(workspace_remove(log_dir, &left[0], &err), "%s", err.message);
    want(stage.repo, "ls -A .devs/work/u1", ".objects\nfailed\npassed");
    ck_assert_msg(workspace_remove(log_dir, &left[1], &err), "%s", err.message);
    want(stage.repo, "git worktree list | wc -l; ls -A .devs/work/u1", "1\npassed");
    ck_assert_msg(workspace_remove(log_dir, &left[2], &err), "%s", err.message);
    want(stage.repo, "ls .devs/work; git for-each-ref --format='%(refname)' refs/heads/devs",
         "refs/heads/devs/41/passed");
    free(left);
    ck_assert(workspace_list(log_dir, &left, &count, &err));
    ck_assert_uint_eq(count, 0);
    stage_check(&stage);
}
END_TEST

/* What a devs that was killed between keeping and removing leaves. */
START_TEST(test_leftovers_beside_a_result_are_removed_alone)
{
    char log_dir[PATH_MAX];
    struct err err = {0};
    struct workspace_kept kept = {0};
    struct workspace_result *result = NULL;
    struct workspace_changes changes;
    struct workspace *workspace = stage_saved(&stage, "tax");
    const struct workspace_result_call call = {
        .log_dir = log_dir, .uid = "u1", .run = "41", .task = "tax", .environment = environ};
    (void)snprintf(log_dir, sizeof(log_dir), "%s/.devs", stage.repo);
    in(workspace, "echo n >new");
    stage_keep(workspace, &kept);
    workspace_close(workspace);
    workspace_kept_done(&kept);
    want(test_path(stage.base, "tax"), "test -e tree && test -e snapshots && echo both", "both");
    ck_assert_msg(workspace_result_open(&result, &call, &err), "%s", err.message);
    ck_assert(workspace_result_is_there(result));
    ck_assert_msg(workspace_result_trim(result, &err), "%s", err.message);
    want(test_path(stage.base, "tax"), "ls -A ..; test -e tree || test -e snapshots || echo none",
         "tax\nnone");
    ck_assert(workspace_result_is_there(result));
    ck_assert_msg(workspace_result_changes(result, &changes, &err), "%s", err.message);
    ck_assert_uint_eq(changes.count, 1);
    ck_assert_str_eq(changes.items[0].path, "new");
    workspace_changes_done(&changes);
    stage_sh(stage.repo, "rm -rf .devs/work/u1/tax/result; git branch -q -D devs/41/tax || :", NULL,
             0);
    ck_assert(!workspace_result_is_there(result));
    workspace_result_close(result);
    stage_check(&stage);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("workspace");
    TCase *made = test_case(suite, "made");
    tcase_add_unchecked_fixture(made, stage_prepare, NULL);
    tcase_add_checked_fixture(made, open_worktrees, NULL);
    tcase_add_test(made, test_a_worktree_holds_the_last_commit);
    tcase_add_test(made, test_a_run_folder_within_the_repository_stays_one);
    tcase_add_test(made, test_copy_adds_files_that_git_does_not_have);
    tcase_add_loop_test(made, test_copy_stays_within_the_tree, 0, TABLE_LEN(bad_copies));
    tcase_add_test(made, test_copy_follows_no_link_of_the_commit);
    tcase_add_test(made, test_setup_runs_once);
    tcase_add_test(made, test_a_failed_setup_fails_the_workspace);
    tcase_add_test(made, test_a_setup_is_limited_in_time);
    tcase_add_test(made, test_a_setup_in_a_sandbox_reaches_the_workspace_only);
    tcase_add_test(made, test_a_setup_in_a_sandbox_leaves_no_process);
    tcase_add_loop_test(made, test_a_setup_that_cannot_be_started_says_why, 0,
                        TABLE_LEN(bad_setups));
    tcase_add_test(made, test_a_setup_that_is_killed_for_memory_says_so);
    tcase_add_test(made, test_a_stop_while_making_leaves_nothing);
    tcase_add_test(made, test_a_stop_waits_for_no_other_git);
    tcase_add_test(made, test_half_a_workspace_is_made_again);
    tcase_add_test(made, test_a_workspace_in_doubt_is_left_as_it_is);
    tcase_add_test(made, test_no_program_of_the_settings_runs);
    tcase_add_test(made, test_a_fifo_that_git_would_read_is_an_error);
    tcase_add_loop_test(made, test_nothing_is_written_through_a_link_of_the_repository, 0,
                        TABLE_LEN(git_links));
    tcase_add_loop_test(made, test_a_repository_that_allows_no_worktree_is_refused, 0,
                        TABLE_LEN(refusals));
    tcase_add_test(made, test_repositories_of_other_hashes_work);
    TCase *kept = test_case(suite, "kept");
    tcase_add_unchecked_fixture(kept, stage_prepare, NULL);
    tcase_add_checked_fixture(kept, open_worktrees, NULL);
    tcase_add_test(kept, test_the_result_is_a_branch);
    tcase_add_test(kept, test_a_result_without_changes_is_the_base);
    tcase_add_test(kept, test_commits_of_the_task_are_part_of_its_result);
    tcase_add_test(kept, test_nested_repositories_are_left_out_and_named);
    tcase_add_test(kept, test_a_branch_of_somebody_else_is_not_moved);
    tcase_add_test(kept, test_a_blocked_branch_name_is_reported);
    tcase_add_test(kept, test_keeping_again_moves_our_own_branch);
    tcase_add_loop_test(kept, test_every_task_has_a_branch, 0, TABLE_LEN(names));
    tcase_add_test(kept, test_without_an_identity_we_are_the_author);
    tcase_add_loop_test(kept, test_settings_are_data_and_git_reads_no_config_of_the_repository, 0,
                        TABLE_LEN(authors));
    tcase_add_test(kept, test_dependents_start_from_results);
    tcase_add_test(kept, test_results_that_do_not_merge_need_a_person);
    tcase_add_test(kept, test_a_diff_names_what_an_attempt_changed);
    tcase_add_test(kept, test_a_diff_is_bounded_and_says_so);
    tcase_add_test(kept, test_leftovers_are_listed_and_removed);
    tcase_add_test(kept, test_leftovers_beside_a_result_are_removed_alone);
    TCase *copied = test_case(suite, "copied");
    tcase_add_unchecked_fixture(copied, stage_prepare, NULL);
    tcase_add_checked_fixture(copied, open_copies, NULL);
    tcase_add_test(copied, test_a_copy_is_the_whole_tree);
    tcase_add_test(copied, test_a_copy_leaves_out_what_is_excluded);
    tcase_add_test(copied, test_A11_a_wrecked_copy_is_put_back_too);
    tcase_add_test(copied, test_copies_start_from_results);
    tcase_add_test(copied, test_leftovers_beside_a_result_are_removed_alone);
    return suite;
}
