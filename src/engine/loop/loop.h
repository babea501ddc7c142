/*
 * loop.h - the engine's thread from the inside: one libuv loop and one run.
 *
 * libuv's callbacks only queue inputs; loop_turn() takes them all at once:
 * scheduler, one commit, then the actions. Everything here belongs to the
 * engine's thread.
 */
#ifndef DEVS_LOOP_H
#define DEVS_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "attempt.h"
#include "clock.h"
#include "engine.h"
#include "growth.h"
#include "mailbox.h"
#include "notifier.h"
#include "recorder.h"
#include "recovery.h"
#include "scheduler.h"
#include "watch.h"
#include "workers.h"
#include "workspace.h"

enum {
    LOOP_LATE_MS = 20,        /* how long an input that can wait is kept for company */
    LOOP_APART_MAX = 2,       /* ends that came together and are taken in a turn each */
    LOOP_CONTROLS_MS = 10,    /* the log is asked for controls at most this often */
    LOOP_CONTROLS_MAX = 64,   /* controls taken at once */
    LOOP_ALARM_MS_MAX = 5000, /* timers stand still in a suspended machine: look again */
    LOOP_REAP_MS = 2000,      /* adopted children that have ended are reaped so often */
    /* Jobs that look into what is over are not added to more than so many. */
    LOOP_FOLLOW_MAX = JOBS_MAX - 4 * PLAN_JOBS_MAX,
    LOOP_RUN_MARK_MAX = LOG_UID_MAX + 16,
};

/*
 * Heartbeat: was this process suspended, by a signal or with the machine?
 *
 * The loop says when it will look again at the latest, and when it looks. If it wakes up much
 * later, nobody could look in between, and no timeout counts that time. Times are of
 * CLOCK_BOOTTIME, which goes on while the machine is suspended. A plain value; the functions read
 * no clock.
 */
enum {
    HEARTBEAT_MS = 1000,       /* while something can time out the loop looks this often */
    HEARTBEAT_SLACK_MS = 2000, /* a machine that is busy may be as late as this */
    HEARTBEAT_LOG_MS = 10000,  /* more than the log is waited for: the rest we stood still */
};

struct heartbeat {
    int64_t expected_ms; /* when the next look is due at the latest; INT64_MAX = not known */
};

/* All is as it should be at now_ms; the next look comes within wait_ms, -1 = who knows. */
void heartbeat_expect(struct heartbeat *heartbeat, int64_t now_ms, int64_t wait_ms);

/* So long others kept us from the log, and we did not stand still: a timeout counts that. */
void heartbeat_excuse(struct heartbeat *heartbeat, int64_t waited_ms);

/* For heartbeat_expect(): how long the loop waits at most before it looks again. What libuv says is
 * no more than a hint: uv_backend_timeout() is 0 where a watcher is still to be registered, and the
 * wait is as long as without one (libuv 1.44). Then the alarm bounds it. */
int64_t heartbeat_wait_ms(const uv_loop_t *uv, const uv_timer_t *alarm);

/* A look. How long we stood still before it in ms, 0 if we did not. */
int64_t heartbeat_look(struct heartbeat *heartbeat, int64_t now_ms);

struct queued {
    struct input input;
    struct attempt *ended; /* owned; the attempt whose end this is, else NULL */
    char *note;            /* owned; input.note */
};

/* Which attempt something is about. */
struct fact_about {
    int task, step, attempt;
};

struct loop {
    const struct engine_options *options; /* borrowed */
    struct mailbox *mailbox;              /* borrowed */

    uv_loop_t uv;
    bool uv_is_open;
    uv_prepare_t prepare;
    uv_check_t check;
    uv_idle_t again; /* active while a turn is wanted at once */
    uv_async_t wake;
    uv_timer_t alarm;
    uv_poll_t on_bell;
    int64_t alarm_ms;    /* when the alarm rings; INT64_MAX = never */
    struct watch *watch; /* owned; NULL where inotify cannot be had */
    int64_t controls_due_ms, controls_asked_ms;

    struct classifier *classifier; /* owned */
    struct nursery *nursery;       /* owned */
    struct jobs *jobs;             /* owned */
    struct workspace_set workspaces;
    struct heartbeat heartbeat;
    struct recorder recorder;
    struct recovery recovery; /* of a run that was gone on with; else empty */
    bool rebooted;            /* likewise: since it ran last */
    struct run_state state;
    struct scheduler scheduler;
    struct call_digester *calls; /* owned */
    struct clock_jump clock;
    struct turn turn;
    struct attempt_setting setting;
    struct gains gains;
    struct growth growth;
    int64_t number;            /* of the run */
    struct notifier *notifier; /* owned; NULL: nobody is notified */
    char run_mark[LOOP_RUN_MARK_MAX];

    struct queued *inputs; /* owned; in order */
    size_t input_count, input_cap;
    int64_t late_ms; /* when inputs that can wait are to be taken; INT64_MAX = none */
    bool wanted;     /* a turn has something to do now */

    struct attempt **alive; /* owned, and what is in it */
    size_t alive_count, alive_cap;
    struct attempt **ended; /* owned, likewise; those of this turn */
    size_t ended_count, ended_cap;
    struct log_output *outputs; /* owned; of this turn */
    size_t output_count, output_cap;
    struct log_capture *captures; /* owned, the texts too; of this turn */
    size_t capture_count, capture_cap;

    bool lingers;    /* it stays when nothing can go on */
    bool stopping;   /* engine_stop() was called */
    bool cancelled;  /* engine_cancel() was called */
    bool left;       /* engine_leave() was called */
    bool left_noted; /* and nothing of the run is alive: its last note is on its way */
    bool leaving;    /* the thread ends */
    int last_attempt_code;
    int64_t reaped_ms; /* when adopted children were reaped last */
};

/* Open the log, enter the run and commit its first event; then start what can
 * start. loop_close() ends it, also where this failed. */
ATTR_MUST_USE bool loop_open(struct loop *loop, const struct engine_options *options,
                             struct mailbox *mailbox, int64_t *number_out, struct err *err);
/* Run until the run has ended, or somebody has said stop: this is the engine's thread. */
void loop_run(struct loop *loop);
/* Cancel the whole run, as a person would. */
void loop_cancel(struct loop *loop, const char *by, enum cancel_mode mode);
void loop_close(struct loop *loop);

/* turn.c */

/* Queue an input; its moment is filled in. The turn comes in this iteration. */
void loop_queue(struct loop *loop, struct input input);

/* One that may wait a little for the next turn. */
void loop_queue_late(struct loop *loop, struct input input);
/* INPUT_ENDED of this attempt, which is the loop's to close once the turn has taken it. */
void loop_queue_end(struct loop *loop, const struct input *input, struct attempt *ended);

/* A forensic record (JSON), beside the events of the next turn; its secrets are cut. */
void loop_keep_capture(struct loop *loop, const struct fact_about *about, const struct str *json);

/* Something that the person should read, and why: a note in the log. */
void loop_note(struct loop *loop, const char *what, const char *why);

/* recovery.c: before the first turn of a run that is gone on with: end what is left of it,
 * then queue INPUT_RECOVER and what there is to say. May take some seconds. */
void loop_recover(struct loop *loop);

/* The first turn. False: the run's first event is not in the log. */
ATTR_MUST_USE bool loop_first_turn(struct loop *loop, struct err *err);

/* Everything that is due now. */
void loop_turn(struct loop *loop);

/* The run is over, or left, and nobody wants the engine any more. */
bool loop_may_leave(const struct loop *loop);

/* loop_tasks.c */

/* Tasks that other threads ask for; taken at the next turn. */
void loop_ask_tasks(struct loop *loop, struct mail_task *tasks);
/* No more of them come. */
void loop_close_plan(struct loop *loop);
/* At a turn's beginning: those asked for are added, and go into its record. */
void loop_take_tasks(struct loop *loop);
/* The turn is recorded: whoever asked is told. */
void loop_answer_tasks(struct loop *loop);
/* What those that are over were called with goes. */
void loop_forget_tasks(struct loop *loop);

/* loop_attempt.c */

/* What the scheduler asks for. */
void loop_start_attempt(struct loop *loop, const struct action *action);
/* End it as action->mode says; one that is over by now is let be. */
void loop_end_attempt(struct loop *loop, const struct action *action);

/* What comes after the ends of this turn. recorded: they are in the log. */
void loop_follow_up(struct loop *loop, bool recorded);

/* The bell rings for controls of other processes; it is not heard while a look for them is due
 * anyhow. */
void loop_hear_bell(struct loop *loop);

/* Let the alarm ring no later than at due_ms. */
void loop_alarm(struct loop *loop, int64_t due_ms);

#endif
