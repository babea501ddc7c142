#include "app_notify.h"

#include <stdlib.h>

#include "notice.h"
#include "xalloc.h"

static unsigned flags_of(const struct run_state *state, int task)
{
    const struct task_agent *agent = state->tasks[task].agent;
    const unsigned budget = agent && agent->budget.told != 0 ? NOTIFY_BUDGET : 0;
    return notice_of_status(state->tasks[task].status) | budget;
}

static void add_task(const struct run_state *state, int task, unsigned flags, struct str *words)
{
    const char *predicate = notice_predicate(flags);
    str_addf(words, "%s %s", state->plan->tasks[task].id,
             predicate ? predicate : "has used most of its budget");
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
        const unsigned is = flags_of(state, task);
        const unsigned was = task < notify->count ? notify->was[task] : 0;
        const unsigned flags = is & ~was & wanted;
        notify->was[task] = (unsigned char)is;
        if (!notify->is_begun || flags == 0)
            continue;
        news |= flags;
        if (++changed > NAMED_MAX)
            continue;
        str_add(words, changed > 1 ? ", " : "");
        add_task(state, task, flags, words);
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

void app_notify_done(struct app_notify *notify)
{
    free(notify->was);
    *notify = (struct app_notify){0};
}
