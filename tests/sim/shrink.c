#include "shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"
#include "xalloc.h"

enum { TRIALS_MAX = 4000, PLAY_SECONDS_MAX = 5 };

static void play_in_child(const struct plot *plot, struct finding *shared)
{
    struct finding finding = {0};
    if (!freopen("/dev/null", "w", stderr)) /* where a failing assert prints its message */
        abort();
    (void)alarm(PLAY_SECONDS_MAX);
    (void)world_play(plot, NULL, false, &finding);
    *shared = finding;
    _exit(0);
}

bool shrink_play(const struct plot *plot, struct finding *finding)
{
    struct finding *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    *shared = (struct finding){0};
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        play_in_child(plot, shared);
    int status = 0;
    (void)waitpid(child, &status, 0);
    *finding = *shared;
    (void)munmap(shared, sizeof(*shared));
    if (WIFSIGNALED(status))
        (void)finding_check(finding, false, "the core does not break off", "signal %d%s",
                            WTERMSIG(status),
                            WTERMSIG(status) == SIGALRM ? ", it did not come back" : "");
    else if (WEXITSTATUS(status) != 0)
        (void)finding_check(finding, false, "the core does not break off", "exit %d",
                            WEXITSTATUS(status));
    return !finding->broken;
}

void shrink_trace(const struct plot *plot)
{
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct finding finding = {0};
        (void)setvbuf(stdout, NULL, _IOLBF, 0);
        (void)alarm(PLAY_SECONDS_MAX);
        (void)world_play(plot, NULL, true, &finding);
        (void)fflush(stdout);
        _exit(0);
    }
    (void)waitpid(child, NULL, 0);
}

/* A plot being reduced. */
struct shrinking {
    struct plot *best;
    struct plot *trial;
    struct finding *finding;
    int trials;
};

/* Keeps the reduced plot if it breaks in the same way. */
static bool try_it(struct shrinking *shrinking)
{
    struct finding finding;
    if (shrinking->trials++ >= TRIALS_MAX || shrink_play(shrinking->trial, &finding) ||
        strcmp(finding.name, shrinking->finding->name) != 0)
        return false;
    *shrinking->finding = finding;
    *shrinking->best = *shrinking->trial;
    return true;
}

static struct plot *begin(struct shrinking *shrinking)
{
    *shrinking->trial = *shrinking->best;
    return shrinking->trial;
}

static bool drop_ops(struct shrinking *shrinking)
{
    bool smaller = false;
    for (int size = shrinking->best->op_count; size > 0; size /= 2) {
        for (int from = shrinking->best->op_count - size; from >= 0; from -= size) {
            if (from + size > shrinking->best->op_count)
                continue;
            plot_drop_ops(begin(shrinking), from, size);
            smaller = try_it(shrinking) || smaller;
        }
    }
    return smaller;
}

static bool drop_tasks(struct shrinking *shrinking)
{
    bool smaller = false;
    for (int i = shrinking->best->task_count - 1; i >= 0; i--) {
        if (shrinking->best->task_count == 1)
            break;
        plot_drop_task(begin(shrinking), i);
        smaller = try_it(shrinking) || smaller;
    }
    return smaller;
}

static bool drop_endings(struct shrinking *shrinking, int task, int step)
{
    bool smaller = false;
    struct plot *trial = begin(shrinking);
    trial->tasks[task].steps[step].ending_count = 0;
    if (shrinking->best->tasks[task].steps[step].ending_count > 0 && try_it(shrinking))
        return true;
    for (int i = shrinking->best->tasks[task].steps[step].ending_count - 1; i >= 0; i--) {
        trial = begin(shrinking);
        plot_drop_ending(&trial->tasks[task].steps[step], i);
        smaller = try_it(shrinking) || smaller;
    }
    return smaller;
}

/* Tries to remove what is special about the step. Returns true if it had something special that was
 * removed. */
static bool plain_step(struct shrinking *shrinking, int task, int step)
{
    struct plot_step *plot = &begin(shrinking)->tasks[task].steps[step];
    bool special = plot->source >= 0 || plot->expects_failure || plot->policy != 0;
    plot->source = -1;
    plot->expects_failure = false;
    plot->policy = 0;
    plot->idempotent = true;
    if (!special || try_it(shrinking))
        return special;
    plot = &begin(shrinking)->tasks[task].steps[step];
    bool of_source = plot->source >= 0;
    plot->source = -1;
    return of_source && try_it(shrinking);
}

static bool drop_in_task(struct shrinking *shrinking, int task)
{
    bool smaller = false;
    struct plot *best = shrinking->best;
    struct plot *trial = begin(shrinking);
    trial->tasks[task].need_count = 0;
    if (best->tasks[task].need_count > 0)
        smaller = try_it(shrinking);
    for (int i = best->tasks[task].step_count - 1; i >= 0 && best->tasks[task].step_count > 1;
         i--) {
        plot_drop_step(begin(shrinking), task, i);
        smaller = try_it(shrinking) || smaller;
    }
    for (int i = 0; i < best->tasks[task].step_count; i++) {
        smaller = drop_endings(shrinking, task, i) || smaller;
        smaller = plain_step(shrinking, task, i) || smaller;
    }
    return smaller;
}

static bool drop_policies(struct shrinking *shrinking)
{
    struct plot *trial = begin(shrinking);
    int last = trial->policy_count - 1;
    bool used = last < PLOT_BUILTIN || last == trial->infrastructure;
    for (int i = 0; i < trial->task_count; i++) {
        for (int k = 0; k < trial->tasks[i].step_count; k++)
            used = used || trial->tasks[i].steps[k].policy == last;
    }
    if (used)
        return false;
    trial->policy_count--;
    return try_it(shrinking);
}

void shrink(struct plot *plot, struct finding *finding)
{
    struct shrinking shrinking = {
        .best = plot, .trial = xcalloc(1, sizeof(*plot)), .finding = finding};
    bool smaller = true;
    while (smaller && shrinking.trials < TRIALS_MAX) {
        smaller = drop_ops(&shrinking);
        smaller = drop_tasks(&shrinking) || smaller;
        for (int i = 0; i < plot->task_count; i++)
            smaller = drop_in_task(&shrinking, i) || smaller;
        smaller = drop_policies(&shrinking) || smaller;
    }
    free(shrinking.trial);
}
