/*
 * How long it takes to make, save, restore, hash and compare a workspace with a tree of files.
 * usage: bench_workspace REPOSITORY BASE ROUNDS
 */
#define _GNU_SOURCE /* environ */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "figure.h"
#include "parse.h"
#include "workspace.h"

enum { ROUNDS_MAX = 1000 };

struct series {
    double ms[ROUNDS_MAX];
    int count;
};

static void tell(const char *what, double value, const char *unit)
{
    figure_print(&(const struct figure){.what = what, .value = value, .unit = unit});
}

static void report(const char *name, struct series *series)
{
    char what[64];
    (void)snprintf(what, sizeof(what), "%s, median of %d", name, series->count);
    tell(what, figure_share(series->ms, series->count, 0.5), "ms");
    (void)snprintf(what, sizeof(what), "%s, p99", name);
    tell(what, figure_share(series->ms, series->count, 0.99), "ms");
}

/* The work of an attempt: changes one file in a hundred. */
static void change(const char *dir, int round)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "ROUND=%d", round);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)putenv(text);
        if (chdir(dir) == 0)
            (void)execl("/bin/sh", "sh", "-c",
                        "for f in */*7/f1[023].txt; do echo $ROUND >>$f; done; echo $ROUND >new",
                        (char *)NULL);
        _exit(127);
    }
    (void)waitpid(pid, NULL, 0);
}

static void must(bool ok, const struct err *err)
{
    if (ok)
        return;
    (void)fprintf(stderr, "bench_workspace: %s\n", err->message);
    exit(2);
}

static double ms_since(int64_t start_us)
{
    return (double)(clock_mono_us() - start_us) / 1000;
}

static void add(struct series *series, int64_t start_us)
{
    series->ms[series->count++] = ms_since(start_us);
}

struct bench {
    struct workspace *workspace;
    struct series unchanged, hashed, compared, reset;
};

static void play(struct bench *bench, int round)
{
    int code;
    struct err err = {0};
    struct tree_facts facts;
    struct tree_diff diff = {0};
    int64_t start_us = clock_mono_us();
    must(workspace_save(bench->workspace, 1, NULL, &facts, &code, &err), &err);
    add(&bench->unchanged, start_us);
    change(workspace_top(bench->workspace), round);
    start_us = clock_mono_us();
    must(workspace_diff(bench->workspace, 1, NULL, NULL, &diff, &err), &err);
    add(&bench->compared, start_us);
    if (round == 0)
        tell("paths changed in a round", (double)diff.changed, "");
    tree_diff_done(&diff);
    start_us = clock_mono_us();
    must(workspace_reset(bench->workspace, 1, NULL, &facts, &code, &err), &err);
    add(&bench->reset, start_us);
    start_us = clock_mono_us();
    must(workspace_hash(bench->workspace, NULL, &facts, &err), &err);
    add(&bench->hashed, start_us);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    int code;
    int64_t rounds = 0;
    struct err err = {0};
    struct workspace_made made;
    struct tree_facts facts;
    struct workspace_spec spec = workspace_spec_new();
    spec.kind = WORKSPACE_WORKTREE;
    if (argc != 4 || !parse_i64(argv[3], 1, ROUNDS_MAX, &rounds, &err))
        return 2;
    const struct workspace_place place = {
        .run_dir = argv[1], .base = argv[2], .run = "1", .uid = "u", .environment = environ};
    must(workspace_open(&bench.workspace, &place, &spec, "bench", NULL, &err), &err);
    int64_t start_us = clock_mono_us();
    must(workspace_make(bench.workspace, NULL, &made, &code, &err), &err);
    tell("create the workspace (git worktree add)", ms_since(start_us), "ms");
    start_us = clock_mono_us();
    must(workspace_save(bench.workspace, 0, NULL, &facts, &code, &err), &err);
    tell("first save", ms_since(start_us), "ms");
    tell("files in the tree", (double)facts.files, "");
    tell("size of the files", (double)facts.bytes / 1048576, "MiB");
    for (int round = 0; round < (int)rounds; round++)
        play(&bench, round);
    report("save, unchanged", &bench.unchanged);
    report("diff, 1 % changed", &bench.compared);
    report("reset, 1 % changed, verified", &bench.reset);
    report("hash, unchanged", &bench.hashed);
    must(workspace_drop(bench.workspace, NULL, &err), &err);
    workspace_close(bench.workspace);
    return 0;
}
