/*
 * How long a workspace takes with a tree of some files: made, saved, put back, hashed, compared.
 * usage: bench_workspace REPOSITORY BASE ROUNDS
 */
#define _GNU_SOURCE /* environ */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "parse.h"
#include "workspace.h"

enum { ROUNDS_MAX = 1000 };

struct series {
    int64_t us[ROUNDS_MAX];
    int count;
};

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, struct series *series)
{
    qsort(series->us, (size_t)series->count, sizeof(series->us[0]), compare);
    const int64_t p50 = series->us[series->count / 2];
    const int64_t p99 = series->us[series->count * 99 / 100];
    (void)printf("%-34s p50 %8.1f ms   p99 %8.1f ms   (%d)\n", name, (double)p50 / 1000,
                 (double)p99 / 1000, series->count);
}

/* What an attempt does: one file in a hundred changes. */
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

static void add(struct series *series, int64_t start_us)
{
    series->us[series->count++] = clock_mono_us() - start_us;
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
        (void)printf("%lld paths changed, %lld lines added\n", (long long)diff.changed,
                     (long long)diff.added);
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
    (void)printf("made (git worktree add)            %12.1f ms\n",
                 (double)(clock_mono_us() - start_us) / 1000);
    start_us = clock_mono_us();
    must(workspace_save(bench.workspace, 0, NULL, &facts, &code, &err), &err);
    (void)printf("first save, %lld files %9.1f MiB  %12.1f ms\n", (long long)facts.files,
                 (double)facts.bytes / 1048576, (double)(clock_mono_us() - start_us) / 1000);
    for (int round = 0; round < (int)rounds; round++)
        play(&bench, round);
    report("save, unchanged", &bench.unchanged);
    report("diff, 1 % changed", &bench.compared);
    report("reset, 1 % changed, verified", &bench.reset);
    report("hash, unchanged", &bench.hashed);
    must(workspace_drop(bench.workspace, &err), &err);
    workspace_close(bench.workspace);
    return 0;
}
