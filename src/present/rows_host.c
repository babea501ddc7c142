/* rows_host.c - rows about the machines of a run: state, slots, tasks, and contact. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "rows.h"
#include "xalloc.h"

static const struct {
    const char *word;
    enum shown sign;
} looks[] = {
    [SHOWN_HOST_UNTRIED] = {"untried", SHOWN_QUEUED},
    [SHOWN_HOST_CONNECTING] = {"connecting", SHOWN_QUEUED},
    [SHOWN_HOST_UP] = {"up", SHOWN_QUEUED},
    [SHOWN_HOST_BUSY] = {"up", SHOWN_RUNNING},
    [SHOWN_HOST_DRAIN] = {"drain", SHOWN_HELD},
    [SHOWN_HOST_DOWN] = {"down", SHOWN_LOST},
};
static_assert(ARRAY_LEN(looks) == SHOWN_HOST_COUNT, "every state of a host has its looks");

const char *shown_host_word(enum shown_host host)
{
    assert(host < SHOWN_HOST_COUNT);
    return looks[host].word;
}

enum shown shown_host_sign(enum shown_host host)
{
    assert(host < SHOWN_HOST_COUNT);
    return looks[host].sign;
}

/* Returns the name without "user@". */
static const char *short_name(const char *host)
{
    const char *at = strrchr(host, '@');
    return at ? at + 1 : host;
}

void shown_where(const struct run_state *state, int task, struct str *out)
{
    const struct plan *plan = state->plan;
    const struct plan_executor *executor = plan_task_executor(plan, &plan->tasks[task]);
    const struct attempt_state *attempt = step_state_attempt(run_state_step(state, task));
    if (plan->executor_count == 0)
        return;
    const struct task_job *job = state->tasks[task].job;
    if (!executor)
        str_add(out, "local");
    else if (executor_has_jobs(executor->kind))
        str_add(out, job && job->node[0] != '\0' ? job->node : executor->name);
    else if (!attempt || attempt->host < 0)
        str_add(out, executor->name);
    else
        str_add(out, short_name(run_state_host_place(state, attempt->host).host));
    if (state->tasks[task].away_since.at_ms > 0)
        str_add_char(out, '?');
}

/* Adds the tasks that run on each host, in their order. */
static void add_tasks(struct hosts *out, const struct run_state *state)
{
    const int tasks = state->plan->task_count;
    int *last = xcalloc((size_t)out->count + 1, sizeof(*last));
    out->next = xcalloc((size_t)tasks + 1, sizeof(*out->next));
    for (int task = 0; task < tasks; task++) {
        const struct step_state *step = run_state_step(state, task);
        out->next[task] = -1;
        if (step->status != STEP_RUNNING)
            continue;
        const int number = step_state_latest(step)->host;
        struct host_facts *host = &out->items[number + 1];
        if (host->first_task < 0)
            host->first_task = task;
        else
            out->next[last[number + 1]] = task;
        last[number + 1] = task;
        host->away += state->tasks[task].away_since.at_ms > 0;
        host->queued += run_state_queue(state, task) != NULL;
    }
    free(last);
}

bool shown_has_nodes(const struct cluster_nodes *nodes)
{
    return nodes->up > 0 || nodes->drain > 0 || nodes->down > 0;
}

void shown_nodes(const struct cluster_nodes *nodes, const char *before, struct str *out)
{
    if (!shown_has_nodes(nodes))
        return;
    const int all = nodes->up + nodes->drain + nodes->down;
    str_addf(out, "%s%d of %d %s", before, nodes->up, all,
             all == 1 ? "node takes jobs" : "nodes take jobs");
    if (nodes->drain > 0)
        str_addf(out, ", %d drained", nodes->drain);
    if (nodes->down > 0)
        str_addf(out, ", %d down", nodes->down);
}

/* Returns the state of a host (NULL = this machine) where `used` attempts run. */
static enum shown_host shown_of(const struct host_state *host, int used)
{
    if (host && host->down)
        return SHOWN_HOST_DOWN;
    if (host && host->nodes.up == 0 && shown_has_nodes(&host->nodes))
        return host->nodes.drain > 0 ? SHOWN_HOST_DRAIN : SHOWN_HOST_DOWN;
    if (host && host->heard.at_ms == 0)
        return used > 0 ? SHOWN_HOST_CONNECTING : SHOWN_HOST_UNTRIED;
    return used > 0 ? SHOWN_HOST_BUSY : SHOWN_HOST_UP;
}

void hosts_read(struct hosts *out, const struct run_state *state)
{
    const int hosts = plan_host_count(state->plan);
    *out = (struct hosts){.count = hosts + 1};
    out->items = xcalloc((size_t)out->count, sizeof(*out->items));
    out->order = xcalloc((size_t)out->count, sizeof(*out->order));
    for (int i = 0; i < out->count; i++) {
        struct host_facts *host = &out->items[i];
        const struct host_state *of = i > 0 ? &state->hosts[i - 1] : NULL;
        host->first_task = -1;
        host->slots = of ? run_state_host_place(state, i - 1).slots : state->jobs;
        host->used = of ? of->running : state->running - state->running_away;
        host->shown = shown_of(of, host->used);
        out->down += host->shown == SHOWN_HOST_DOWN;
        out->used += host->used;
        out->slots += host->slots;
    }
    add_tasks(out, state);
    int count = 0;
    for (int is_up = 0; is_up <= 1; is_up++) {
        for (int number = 0; number < hosts; number++) {
            if ((out->items[number + 1].shown != SHOWN_HOST_DOWN) == is_up)
                out->order[count++] = number;
        }
    }
    out->order[count] = HOST_HERE;
}

void hosts_done(struct hosts *hosts)
{
    free(hosts->items);
    free(hosts->order);
    free(hosts->next);
    *hosts = (struct hosts){0};
}

/* Appends "0:42 ago", or at which time that was. */
static void add_ago(const struct moment *at, const struct shown_time *time, bool counts,
                    struct str *out)
{
    char hms[SHOWN_CLOCK_MAX];
    if (!counts || time->times != SHOWN_TIMES_AGO) {
        str_addf(out, "at %s", time->hms(at->at_ms, hms));
        return;
    }
    shown_duration(time->now.mono_ms - at->mono_ms, out);
    str_add(out, " ago");
}

/* Appends "now", "0:42 ago", "at 14:02:55" or "never". */
static void add_contact(const struct run_state *state, int number, const struct shown_look *look,
                        struct str *out)
{
    const struct host_state *host = &state->hosts[number];
    const bool counts = shown_counts(state, look->orphaned);
    if (host->reached > 0 && counts)
        str_add(out, "now");
    else if (host->reached > 0)
        add_ago(&state->heard, &look->time, counts, out);
    else if (host->heard.at_ms > 0)
        add_ago(&host->heard, &look->time, counts, out);
    else
        str_add(out, "never");
}

/* Appends "T-103 T-107 and 3 more". */
static void add_ids(const struct hosts *hosts, const struct run_state *state, int number,
                    struct str *out)
{
    enum { IDS_SHOWN = 8 };
    const struct host_facts *host = &hosts->items[number + 1];
    int shown = 0;
    for (int task = host->first_task; task >= 0 && shown < IDS_SHOWN; task = hosts->next[task])
        str_addf(out, "%s%s", shown++ > 0 ? " " : "", state->plan->tasks[task].id);
    if (shown > 0 && host->used > shown)
        str_addf(out, " and %d more", host->used - shown);
}

/* Appends "2 fenced until 14:07"; nothing if there is contact with all attempts. */
static void add_fence(const struct hosts *hosts, const struct run_state *state, int number,
                      const struct shown_time *time, struct str *out)
{
    const struct host_facts *host = &hosts->items[number + 1];
    int64_t last_ms = 0;
    char text[SHOWN_CLOCK_MAX];
    for (int task = host->away > 0 ? host->first_task : -1; task >= 0; task = hosts->next[task]) {
        const int64_t fence_ms = state->tasks[task].fence.at_ms;
        last_ms = fence_ms > last_ms ? fence_ms : last_ms;
    }
    if (last_ms > 0)
        str_addf(out, "%d fenced until %s", host->away,
                 time->clock(last_ms, time->now.at_ms, text));
}

void rows_host(struct rows *rows, const struct hosts *hosts, const struct run_state *state,
               int number, const struct shown_look *look)
{
    const struct host_facts *facts = &hosts->items[number + 1];
    const bool is_here = number == HOST_HERE;
    const struct host_state *host = is_here ? NULL : &state->hosts[number];
    const struct host_place at =
        is_here ? (struct host_place){0} : run_state_host_place(state, number);
    const bool is_cluster = !is_here && executor_has_jobs(at.executor->kind);
    str_add(rows_add(rows, "host", "host", ROW_PLAIN), is_here ? "this machine"
                                                       : is_cluster
                                                           ? executor_kind_name(at.executor->kind)
                                                           : at.host);
    str_add(rows_add(rows, "executor", "executor", ROW_PLAIN),
            is_here ? "local" : at.executor->name);
    struct str *out = rows_add(rows, "state", "state", ROW_PLAIN);
    str_add(out, shown_host_word(facts->shown));
    if (host && host->down && shown_counts(state, look->orphaned)) {
        str_add_char(out, ' ');
        shown_duration(look->time.now.mono_ms - host->since.mono_ms, out);
    }
    str_addf(rows_add(rows, "slots", "slots", ROW_PLAIN), "%d/%d", facts->used, facts->slots);
    out = rows_add(rows, "contact", "contact", ROW_PLAIN);
    if (host)
        add_contact(state, number, look, out);
    out = rows_add(rows, "tasks", "tasks", ROW_PLAIN);
    add_fence(hosts, state, number, &look->time, out);
    if (out->len == 0 && facts->queued > 0)
        str_addf(out, "%d running, %d queued", facts->used - facts->queued, facts->queued);
    if (out->len == 0)
        add_ids(hosts, state, number, out);
    if (out->len == 0 && host)
        str_add(out, host->why);
    if (host && (host->nodes.drain > 0 || host->nodes.down > 0))
        shown_nodes(&host->nodes, out->len > 0 ? "; " : "", out);
}

/* Appends "down for 0:42, since 14:01:55: no contact; 3 of 4 slots in use". */
static void add_host_now(const struct host_facts *facts, const struct host_state *host,
                         const struct shown_look *look, struct str *out)
{
    char hms[SHOWN_CLOCK_MAX];
    str_add(out, shown_host_word(facts->shown));
    if (host && host->since.at_ms > 0) {
        str_add(out, " for ");
        shown_duration(look->time.now.mono_ms - host->since.mono_ms, out);
        str_addf(out, ", since %s", look->time.hms(host->since.at_ms, hms));
    }
    if (host && host->why[0] != '\0')
        str_addf(out, ": %s", host->why);
    str_addf(out, "; %d of %d slots in use", facts->used, facts->slots);
}

/* Adds a line for each task that runs there: "T-110  no contact 0:42  try 1 of 6  search". */
static void add_running(struct rows *rows, const struct hosts *hosts, const struct run_state *state,
                        int number, const struct shown_look *look)
{
    enum { TASKS_SHOWN = 64, ID_WIDTH_MAX = 24, NEXT_WIDTH = 18 };
    const struct host_facts *host = &hosts->items[number + 1];
    int shown = 0;
    int width = 0;
    for (int task = host->first_task; task >= 0 && shown < TASKS_SHOWN;
         task = hosts->next[task], shown++) {
        const int len = (int)strlen(state->plan->tasks[task].id);
        width = len > width ? len : width;
    }
    width = width < ID_WIDTH_MAX ? width : ID_WIDTH_MAX;
    shown = 0;
    for (int task = host->first_task; task >= 0 && shown < TASKS_SHOWN;
         task = hosts->next[task], shown++) {
        const struct plan_task *plan = &state->plan->tasks[task];
        struct str next = {0};
        struct str *out = rows_add(rows, "runs", "runs", ROW_PLAIN);
        if (run_state_queue(state, task))
            str_addf(&next, "%s ", shown_word(SHOWN_QUEUED));
        shown_next(state, task, look->orphaned, &look->time, &next);
        str_addf(out, "%-*s  %-*s  ", width, plan->id, NEXT_WIDTH, str_text(&next));
        shown_try_of(state, task, out);
        if (strcmp(plan->id, plan->title) != 0)
            str_addf(out, "  %s", plan->title);
        str_done(&next);
    }
    if (shown > 0 && host->used > shown)
        str_addf(rows_add(rows, "runs", "runs", ROW_PLAIN), "and %d more", host->used - shown);
}

/* Appends "12 ended, 9 passed, 2 failed, 1 lost". O(attempts of the run). */
static void add_tries(const struct run_state *state, int number, struct str *out)
{
    enum { PASSED, FAILED, CANCELLED, LOST, KINDS };
    static const char *const words[] = {"passed", "failed", "cancelled", "lost"};
    int64_t counts[KINDS] = {0};
    int64_t all = 0;
    for (int task = 0; task < state->plan->task_count; task++) {
        for (int i = 0; i < state->plan->tasks[task].step_count; i++) {
            const struct step_state *step = &state->tasks[task].steps[i];
            for (size_t n = 0; n < step->attempt_count; n++) {
                const struct attempt_state *attempt = &step->attempts[n];
                if (attempt->host != number || attempt->ended.at_ms == 0)
                    continue;
                all++;
                if (outcome_is_broken_off(attempt->outcome.kind))
                    counts[LOST]++;
                else if (attempt->outcome.kind == OUTCOME_CANCELLED)
                    counts[CANCELLED]++;
                else
                    counts[attempt->class == VERDICT_SUCCESS ? PASSED : FAILED]++;
            }
        }
    }
    if (all == 0)
        return;
    str_addf(out, "%lld ended", (long long)all);
    for (int i = 0; i < KINDS; i++) {
        if (counts[i] > 0)
            str_addf(out, ", %lld %s", (long long)counts[i], words[i]);
    }
}

void rows_host_more(struct rows *rows, const struct hosts *hosts, const struct run_state *state,
                    int number, const struct shown_look *look)
{
    const struct host_state *host = number == HOST_HERE ? NULL : &state->hosts[number];
    char hms[SHOWN_CLOCK_MAX];
    add_host_now(&hosts->items[number + 1], host, look, rows_add(rows, "now", "state", ROW_PLAIN));
    struct str *out = rows_add(rows, "nodes", "nodes", ROW_PLAIN);
    if (host)
        shown_nodes(&host->nodes, "", out);
    out = rows_add(rows, "contact", "contact", ROW_PLAIN);
    if (host) {
        add_contact(state, number, look, out);
        const bool is_clock = strncmp(str_text(out), "at ", sizeof("at ") - 1) == 0;
        if (host->reached == 0 && host->heard.at_ms > 0 && !is_clock)
            str_addf(out, ", at %s", look->time.hms(host->heard.at_ms, hms));
    }
    out = rows_add(rows, "fence", "fence", ROW_PLAIN);
    add_fence(hosts, state, number, &look->time, out);
    if (out->len > 0)
        str_add(out, ": without contact, a try ends itself by then");
    add_running(rows, hosts, state, number, look);
    add_tries(state, number, rows_add(rows, "tries", "tries", ROW_PLAIN));
    if (!host)
        return;
    const struct plan_executor *executor = run_state_host_place(state, number).executor;
    str_addf(rows_add(rows, "reached", "reached", ROW_ASIDE), "by %s; %s, attempts in %s",
             executor_kind_name(executor->kind), executor->hand, executor->dir);
    if (executor->shared)
        str_add(rows_add(rows, "shared", "shared", ROW_ASIDE), executor->shared);
    out = rows_add(rows, "lease", "lease", ROW_ASIDE);
    shown_duration(executor->lease_ms, out);
}

void shown_slots(const struct run_state *state, struct str *out)
{
    int slots = state->jobs;
    for (int i = 0; i < state->plan->executor_count; i++) {
        const struct plan_executor *executor = &state->plan->executors[i];
        for (int k = 0; k < executor->host_count; k++)
            slots += executor->hosts[k].slots;
    }
    str_addf(out, "%d of %d slots", state->running, slots);
}

void rows_attempt_host(struct rows *rows, const struct run_state *state,
                       const struct attempt_state *attempt)
{
    if (!attempt || attempt->host < 0)
        return;
    const struct host_place at = run_state_host_place(state, attempt->host);
    struct str *out = rows_add(rows, "host", "host", ROW_PLAIN);
    if (executor_has_jobs(at.executor->kind))
        str_addf(out, "%s, by %s", at.executor->name, executor_kind_name(at.executor->kind));
    else
        str_addf(out, "%s (%s)", at.host, at.executor->name);
}

void rows_hosts_sum(struct rows *rows, const struct hosts *hosts)
{
    struct str *out = rows_add(rows, "hosts", "hosts", ROW_PLAIN);
    shown_count(hosts->count, "machine", "machines", out);
    if (hosts->down > 0)
        str_addf(out, ", %d down", hosts->down);
    str_addf(out, ", %d of %d slots in use", hosts->used, hosts->slots);
}

void rows_hosts_down(struct rows *rows, const struct run_state *state,
                     const struct shown_look *look)
{
    enum { HOSTS_SHOWN = 8 };
    struct str *out = NULL;
    int down = 0;
    for (int i = 0; shown_counts(state, look->orphaned) && i < plan_host_count(state->plan); i++) {
        const struct host_state *host = &state->hosts[i];
        if (!host->down || ++down > HOSTS_SHOWN)
            continue;
        const struct host_place at = run_state_host_place(state, i);
        out = rows_add(rows, "down", "down", ROW_PLAIN);
        str_addf(out, "host %s (%s) is down for ", at.host, at.executor->name);
        shown_duration(look->time.now.mono_ms - host->since.mono_ms, out);
        str_addf(out, "%s%s", host->why[0] != '\0' ? ": " : "", host->why);
    }
    if (down > HOSTS_SHOWN)
        str_addf(rows_add(rows, "down", "down", ROW_PLAIN), "and %d more hosts are down",
                 down - HOSTS_SHOWN);
}
