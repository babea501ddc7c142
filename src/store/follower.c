/* follower.c - folds the events of a run into its state, forwards and backwards.
 *
 * The log may be damaged or untrusted. Events are applied one by one, and reading stops before the
 * first one that is invalid, so that the state is correct up to that point.
 *
 * To go back, follower_seek() starts from the nearest kept state (run_past.c) before the target and
 * applies the events between. follower_fork() makes a second follower of the same run, which takes
 * over these states.
 *
 * The row of the run changes while it is followed. Its strings do not, except the boot, and callers
 * may hold pointers to them, so refresh_run() keeps the old strings. While the log cannot be
 * written, the bell of the spill is watched, too. */
#include "follower.h"

#include <stdlib.h>
#include <string.h>

#include "log_read.h"
#include "plan.h"
#include "private_file.h"
#include "run_state.h"
#include "turns.h"
#include "watch.h"
#include "xalloc.h"

struct follower {
    struct log_reader *reader; /* owned */
    struct watch *watch;       /* owned; NULL if inotify is not available */
    struct log_run_info run;   /* owned */
    const struct plan *plan;   /* borrowed: own_plan, or a plan with a different owner */
    struct plan *own_plan;     /* owned; NULL = the plan has a different owner */
    struct run_state state;    /* owned; all zero until the plan is loaded */
    struct event_page page;    /* owned; the events that were read */
    size_t folded;             /* number of events in `page` that have been applied */
    struct run_past *past;     /* owned; NULL = not kept */
    uint64_t spill_heard;      /* inode of the watched spill; 0 = there is none */

    /* The process that has had the turn in every check since busy_since_ms, with no new event since
     * busy_seq. */
    int64_t busy_pid, busy_since_ms, busy_seq;
};

/* Uses the known plan if it belongs to the run, otherwise the plan in the log. */
static bool open_plan(struct follower *follower, int64_t number, const struct known_plan *known,
                      struct err *err)
{
    struct log_run_info *run = &follower->run;
    if (known && known->plan) {
        if (!log_reader_run_row(follower->reader, number, run, err))
            return false;
        if (run->uid && strcmp(known->uid, run->uid) == 0) {
            follower->plan = known->plan;
            return true;
        }
        log_run_info_done(run);
    }
    if (!log_reader_run(follower->reader, number, run, err))
        return false;
    struct violations violations = {0};
    const bool ok =
        plan_parse(run->plan_text, strlen(run->plan_text), &follower->own_plan, &violations);
    violations_done(&violations);
    follower->plan = follower->own_plan;
    if (ok)
        return true;
    (void)err_set(err, ERR_DAMAGED, "the plan of run #%lld in the log cannot be read",
                  (long long)run->number);
    return db_hint_recover(log_reader_place(follower->reader)->db, err);
}

/* Takes ownership of the reader. `known` is NULL unless called by follower_open_to_tell(). */
static bool open_follower(struct follower **out, struct log_reader *reader, int64_t number,
                          const struct known_plan *known, struct err *err)
{
    struct follower *follower = xcalloc(1, sizeof(*follower));
    follower->reader = reader;
    if (!open_plan(follower, number, known, err)) {
        follower_close(follower);
        return false;
    }
    run_state_init_for(&follower->state, follower->plan, follower->run.seed,
                       known ? RUN_STATE_TELLS : RUN_STATE_SHOWS);
    *out = follower;
    return true;
}

bool follower_open_on(struct follower **out, struct log_reader *reader, int64_t number,
                      struct err *err)
{
    return open_follower(out, reader, number, NULL, err);
}

bool follower_open(struct follower **out, const struct place *place, int64_t number,
                   struct err *err)
{
    struct log_reader *reader = NULL;
    return log_reader_open(&reader, place, err) && follower_open_on(out, reader, number, err);
}

bool follower_open_to_tell(struct follower **out, const struct place *place, int64_t number,
                           const struct known_plan *known, struct err *err)
{
    struct log_reader *reader = NULL;
    return log_reader_open(&reader, place, err) && open_follower(out, reader, number, known, err);
}

void follower_close(struct follower *follower)
{
    if (!follower)
        return;
    watch_close(follower->watch);
    run_past_free(follower->past);
    run_state_done(&follower->state);
    plan_free(follower->own_plan);
    event_page_done(&follower->page);
    log_run_info_done(&follower->run);
    log_reader_close(follower->reader);
    free(follower);
}

const struct log_run_info *follower_run(const struct follower *follower)
{
    return &follower->run;
}

const struct run_state *follower_state(const struct follower *follower)
{
    return &follower->state;
}

struct run_state *follower_own_state(struct follower *follower)
{
    return &follower->state;
}

struct log_reader *follower_reader(struct follower *follower)
{
    return follower->reader;
}

/* Starts watching the log. If inotify is not available, the caller polls. */
void follower_watch(struct follower *follower)
{
    char bell[PATH_MAX];
    const char *db = log_reader_place(follower->reader)->db;
    if (follower->watch || !private_path_join(bell, sizeof(bell), db, "-bell", NULL) ||
        !watch_open(&follower->watch, NULL))
        return;
    if (!watch_file(follower->watch, bell, NULL)) {
        watch_close(follower->watch);
        follower->watch = NULL;
    }
}

int follower_fd(const struct follower *follower)
{
    return follower->watch ? watch_fd(follower->watch) : -1;
}

bool follower_heard(struct follower *follower)
{
    return follower->watch && watch_drain(follower->watch);
}

/* Reads the run's row again. Keeps the old strings, except the boot, because they never change and
 * callers may hold pointers to them. */
static bool refresh_run(struct follower *follower, struct err *err)
{
    struct log_run_info *run = &follower->run;
    struct log_run_info info;
    if (!log_reader_run_row(follower->reader, run->number, &info, err))
        return false;
    struct log_run_info gone = info;
    gone.boot = run->boot;
    info.texts = run->texts;
    info.plan_text = run->plan_text;
    info.uid = run->uid;
    info.name = run->name;
    info.kind = run->kind;
    info.dir = run->dir;
    info.command = run->command;
    info.rules_hash = run->rules_hash;
    *run = info;
    log_run_info_done(&gone);
    return true;
}

/* Reports where the damage begins and what the user can do. */
static bool tell_damage(const struct follower *follower, const struct err *why, struct err *err)
{
    if (why->code != ERR_DAMAGED)
        return err_set(err, why->code, "%s", why->message);
    (void)err_set(err, ERR_DAMAGED, "log damaged at event %lld; shown up to there (%.200s)",
                  (long long)follower->state.last_seq + 1, why->message);
    return db_hint_recover(log_reader_place(follower->reader)->db, err);
}

/* Applies the next event, from the page or the log; *out is NULL if there is none yet. Does not
 * skip an invalid event: the next call finds it again. */
static bool fold_next(struct follower *follower, const struct event **out, struct err *err)
{
    const struct plan *plan = follower->state.plan;
    const struct event_page *page = &follower->page;
    struct err why = {0};
    if (follower->folded == page->count) {
        follower->folded = 0;
        if (!log_reader_events(follower->reader, follower->run.number, follower->state.last_seq,
                               &follower->page, &why))
            return tell_damage(follower, &why, err);
    }
    *out = follower->folded < page->count ? &page->events[follower->folded] : NULL;
    if (!*out)
        return true;
    /* run_state_apply() checks only the kinds that it knows, but task and step of other kinds are
     * used for look-ups, too. */
    const struct event *event = *out;
    const bool is_in_plan = event->task < 0 || (event->task < plan->task_count &&
                                                event->step < plan->tasks[event->task].step_count);
    if (!is_in_plan)
        (void)err_set(&why, ERR_DAMAGED,
                      "event %lld in the log refers to a task or step that is not in the plan",
                      (long long)event->seq);
    if (!is_in_plan || !run_state_apply(&follower->state, event, &why))
        return tell_damage(follower, &why, err);
    follower->folded++;
    if (follower->past)
        run_past_pass(follower->past);
    return true;
}

bool follower_read(struct follower *follower, size_t max, follower_event_fn *each, void *ctx,
                   size_t *count_out, struct err *err)
{
    size_t count = 0;
    bool go_on = true;
    bool ok = true;
    while (ok && go_on && (max == 0 || count < max)) {
        const struct event *event = NULL;
        ok = fold_next(follower, &event, err);
        if (!ok || !event)
            break;
        count++;
        go_on = !each || each(ctx, &follower->state, event);
    }
    /* Watches the spill for changes while the log cannot be written. */
    const struct log_reader *spill = log_read_spill(follower->reader, follower->run.number);
    const uint64_t inode = spill ? follower->reader->spill_inode : 0;
    if (inode != follower->spill_heard) {
        char bell[PATH_MAX];
        const bool can = spill && follower->watch &&
                         private_path_join(bell, sizeof(bell), spill->place.db, "-bell", NULL);
        if (!can || watch_file(follower->watch, bell, NULL))
            follower->spill_heard = inode; /* otherwise try again later, and poll */
    }
    if (ok && count > 0)
        ok = refresh_run(follower, err);
    if (ok && count_out)
        *count_out = count;
    return ok;
}

/* Begins again with the state before the first event, without snapshots. */
static void begin_again(struct follower *follower)
{
    const enum run_state_use use = follower->state.use;
    run_past_free(follower->past);
    follower->past = NULL;
    run_state_done(&follower->state);
    run_state_init_for(&follower->state, follower->plan, follower->run.seed, use);
}

void follower_keep_past(struct follower *follower)
{
    if (follower->past || !run_past_can_keep(&follower->state))
        return;
    if (follower->state.last_seq > 0)
        begin_again(follower);
    follower->past = run_past_new(&follower->state, RUN_PAST_EVERY);
}

bool follower_fork(struct follower **out, struct follower *from, struct err *err)
{
    const struct place *place = log_reader_place(from->reader);
    if (!run_past_can_keep(&from->state))
        return follower_open(out, place, from->run.number, err);
    struct follower *fork = xcalloc(1, sizeof(*fork));
    fork->plan = from->plan;
    if (!log_reader_open(&fork->reader, place, err) ||
        !log_reader_run_row(fork->reader, from->run.number, &fork->run, err)) {
        follower_close(fork);
        return false;
    }
    /* The snapshots move to the new follower; the old follower keeps none from now on. */
    fork->state = from->state;
    if (from->past)
        run_past_follow(from->past, &fork->state);
    fork->past = from->past;
    from->past = NULL;
    run_state_copy(&from->state, &fork->state);
    *out = fork;
    return true;
}

bool follower_seek(struct follower *follower, int64_t seq, struct err *err)
{
    enum { NEAR = 256 }; /* also keep a snapshot this many events before the target */

    /* Gets as close to the event as the snapshots allow. */
    const bool goes_back = seq < follower->state.last_seq;
    if (goes_back || follower->state.last_seq == 0)
        follower_keep_past(follower);
    if (follower->past)
        run_past_approach(follower->past, seq > 0 ? seq : 0);
    else if (goes_back)
        begin_again(follower);

    /* Continues in the current page if it contains the events after the state. */
    const struct event_page *page = &follower->page;
    const int64_t next = follower->state.last_seq + 1;
    const bool has_next =
        page->count > 0 && page->events[0].seq <= next && page->events[page->count - 1].seq >= next;
    follower->folded = has_next ? (size_t)(next - page->events[0].seq) : 0;
    if (!has_next)
        follower->page.count = 0;
    while (follower->state.last_seq < seq) {
        const struct event *event = NULL;
        if (!fold_next(follower, &event, err))
            return false;
        if (!event)
            return err_set(err, ERR_NOT_FOUND, "run #%lld has no event %lld yet",
                           (long long)follower->run.number, (long long)seq);
        if (follower->past && follower->state.last_seq == seq - NEAR)
            run_past_mark(follower->past);
    }
    return true;
}

bool follower_is_orphaned(struct follower *follower)
{
    const struct log_run_info *run = &follower->run;
    if (run->ended_at_ms != 0 || log_read_has_owner(follower->reader, run->uid))
        return false;
    /* The run may have ended after the row was read. */
    return refresh_run(follower, NULL) && run->ended_at_ms == 0 && !run->owner_alive;
}

void follower_trouble(struct follower *follower, int64_t now_ms, struct log_trouble *out)
{
    log_reader_trouble(follower->reader, follower->run.number, out);
    if (out->kind != LOG_TROUBLE_NONE || follower->run.ended_at_ms != 0)
        return;
    const int64_t pid = turns_holder(log_reader_place(follower->reader));
    const bool is_same_turn =
        pid != 0 && pid == follower->busy_pid && follower->busy_seq == follower->state.last_seq;
    if (!is_same_turn) {
        follower->busy_pid = pid;
        follower->busy_since_ms = now_ms;
        follower->busy_seq = follower->state.last_seq;
    }
    const int64_t for_ms = now_ms - follower->busy_since_ms;
    if (pid != 0 && for_ms >= FOLLOWER_BUSY_MS)
        *out = (struct log_trouble){.kind = LOG_TROUBLE_BUSY, .for_ms = for_ms, .pid = pid};
}
