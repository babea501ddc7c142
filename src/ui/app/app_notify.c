#include "app_notify.h"

#include <stdlib.h>

#include "outside.h"
#include "xalloc.h"

static unsigned flag_of(enum task_status status)
{
    if (status == TASK_NEEDS_YOU)
        return NOTIFY_NEEDS_YOU;
    return status == TASK_GAVE_UP || status == TASK_STUCK ? NOTIFY_GAVE_UP : 0;
}

static void add_task(const struct run_state *state, int task, unsigned flag, struct str *words)
{
    str_add(words, state->plan->tasks[task].id);
    str_add(words, flag == NOTIFY_NEEDS_YOU ? " needs you" : " gave up");
}

static void add_end(const struct run_state *state, struct str *words)
{
    str_addf(words, "%sthe run has ended: %d of %d passed", words->len > 0 ? "; " : "",
             state->counts[TASK_PASSED], state->plan->task_count);
}

/* More than this is a number, not a list. */
enum { NAMED_MAX = 3 };

unsigned app_notify_news(struct app_notify *notify, const struct run_state *state,
                         struct str *words)
{
    const unsigned wanted = notify->wanted;
    const int count = state->plan->task_count;
    unsigned news = 0;
    int changed = 0;
    notify->was = xgrow(notify->was, &notify->room, (size_t)count, sizeof(*notify->was));
    for (int task = 0; task < count; task++) {
        const unsigned flag = flag_of(state->tasks[task].status);
        const unsigned was = task < notify->count ? notify->was[task] : 0;
        notify->was[task] = (unsigned char)flag;
        if (!notify->is_begun || flag == was || (flag & wanted) == 0)
            continue;
        news |= flag;
        if (++changed > NAMED_MAX)
            continue;
        str_add(words, changed > 1 ? ", " : "");
        add_task(state, task, flag, words);
    }
    if (changed > NAMED_MAX)
        str_addf(words, " and %d more", changed - NAMED_MAX);
    if (notify->is_begun && state->ended && !notify->had_ended && (wanted & NOTIFY_ENDED) != 0) {
        news |= NOTIFY_ENDED;
        add_end(state, words);
    }
    notify->count = count;
    notify->had_ended = state->ended;
    notify->is_begun = true;
    return news;
}

bool app_notify_run(struct app_notify *notify, char *const *command, const char *words)
{
    struct str copy = {0};
    bool is_free = notify->command == 0 || outside_look(notify->command) != OUTSIDE_RUNS;
    if (!is_free)
        return true; /* one is enough to make a person look */
    notify->command = 0;
    size_t count = 0;
    while (command[count])
        count++;
    char **argv = xcalloc(count + 2, sizeof(*argv));
    for (size_t i = 0; i < count; i++)
        argv[i] = command[i];
    str_add(&copy, words);
    argv[count] = copy.data;
    bool ok = outside_start_quiet(argv, &notify->command, NULL);
    free(argv);
    str_done(&copy);
    return ok;
}

void app_notify_done(struct app_notify *notify)
{
    if (notify->command > 0)
        (void)outside_look(notify->command); /* what still runs ends by itself */
    free(notify->was);
    *notify = (struct app_notify){0};
}
