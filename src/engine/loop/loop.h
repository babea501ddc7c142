/*
 * loop.h - the internals of the engine's thread: one libuv loop and one run.
 *
 * libuv's callbacks only queue inputs. loop_turn() takes all of them at once: the scheduler handles
 * them, one commit records the result, then the actions are performed. Thread: engine.
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
    LOOP_LATE_MS = 20,        /* how long an input that can wait is held to be batched with
                                 others */
    LOOP_APART_MAX = 2,       /* if up to this many attempts end together, their ends are
                                 handled in separate turns */
    LOOP_CONTROLS_MS = 10,    /* the log is checked for controls at most this often */
    LOOP_CONTROLS_MAX = 64,   /* controls taken at once */
    LOOP_ALARM_MS_MAX = 5000, /* timers stop while the machine is suspended, so check at least
                                 this often */
    LOOP_REAP_MS = 2000,      /* how often adopted children that have ended are reaped */
    /* Jobs that examine ended attempts are only added while there are fewer jobs than this. */
    LOOP_FOLLOW_MAX = JOBS_MAX - 4 * PLAN_JOBS_MAX,
    LOOP_RUN_MARK_MAX = LOG_UID_MAX + 16,
};

/*
 * Heartbeat: detects that this process was suspended, by a signal or together with the machine.
 *
 * The loop announces when it will wake up next, at the latest. If it wakes up much later, it was
 * suspended in between, and no timeout counts that time. Times are from CLOCK_BOOTTIME, which
 * continues while the machine is suspended. A plain value; the functions read no clock.
 */
enum {
    HEARTBEAT_MS = 1000,       /* interval between checks while something can time out */
    HEARTBEAT_SLACK_MS = 2000, /* a busy machine may be this late */
    HEARTBEAT_LOG_MS = 10000,  /* the most that waiting for the log explains; any longer and we
                                  were suspended */
};

struct heartbeat {
    int64_t expected_ms; /* when the next check is due at the latest; INT64_MAX = unknown */
};

/* Announces that the next check comes within wait_ms after now_ms; -1 = unknown. */
void heartbeat_expect(struct heartbeat *heartbeat, int64_t now_ms, int64_t wait_ms);

/* Excuses time spent waiting for other processes that used the log. The process was not suspended,
 * so timeouts count it. */
void heartbeat_excuse(struct heartbeat *heartbeat, int64_t waited_ms);

/* For heartbeat_expect(): returns how long the loop may wait before its next check. The timeout of
 * libuv is only a hint: uv_backend_timeout() is 0 if a watcher is still to be registered, although
 * the loop then blocks as long as without it (libuv 1.44). In that case the alarm is the limit. */
int64_t heartbeat_wait_ms(const uv_loop_t *uv, const uv_timer_t *alarm);

/* Checks the time. Returns how long the process was suspended, in ms; 0 if it was not. */
int64_t heartbeat_look(struct heartbeat *heartbeat, int64_t now_ms);

struct queued {
    struct input input;
    struct attempt *ended; /* owned; the attempt that ended; NULL for other inputs */
    char *note;            /* owned; input.note */
};

/* The attempt that a fact is about. */
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
    uv_idle_t again; /* active if the next turn should follow at once */
    uv_async_t wake;
    uv_timer_t alarm;
    uv_poll_t on_bell;
    int64_t alarm_ms;    /* when the alarm is due; INT64_MAX = never */
    struct watch *watch; /* owned; NULL if inotify is not available */
    int64_t controls_due_ms, controls_asked_ms;

    struct classifier *classifier; /* owned */
    struct nursery *nursery;       /* owned */
    struct jobs *jobs;             /* owned */
    struct workspace_set workspaces;
    struct heartbeat heartbeat;
    struct recorder recorder;
    struct recovery recovery; /* only of a resumed run; else empty */
    bool rebooted;            /* the machine has rebooted since the resumed run last ran */
    struct run_state state;
    struct scheduler scheduler;
    struct call_digester *calls; /* owned */
    struct clock_jump clock;
    struct turn turn;
    struct attempt_setting setting;
    struct gains gains;
    struct growth growth;
    int64_t number;            /* the run's number */
    struct notifier *notifier; /* owned; NULL = no notifications */
    char run_mark[LOOP_RUN_MARK_MAX];

    struct queued *inputs; /* owned; oldest first */
    size_t input_count, input_cap;
    int64_t late_ms; /* when inputs that can wait are due; INT64_MAX = none */
    bool wanted;     /* the next turn has something to do */

    struct attempt **alive; /* owned, as are its elements */
    size_t alive_count, alive_cap;
    struct attempt **ended; /* owned, as are its elements; of this turn */
    size_t ended_count, ended_cap;
    struct log_output *outputs; /* owned; of this turn */
    size_t output_count, output_cap;
    struct log_capture *captures; /* owned, including their strings; of this turn */
    size_t capture_count, capture_cap;

    bool lingers;    /* it keeps running when nothing more can run */
    bool stopping;   /* engine_stop() was called */
    bool cancelled;  /* engine_cancel() was called */
    bool left;       /* engine_leave() was called */
    bool left_noted; /* and nothing of the run is alive: its last note is queued */
    bool leaving;    /* the thread is about to exit */
    int last_attempt_code;
    int64_t reaped_ms; /* when adopted children were last reaped */
};

/* Opens the log, records the run and commits its first event, then starts attempts. End it with
 * loop_close(), even if this fails. */
ATTR_MUST_USE bool loop_open(struct loop *loop, const struct engine_options *options,
                             struct mailbox *mailbox, int64_t *number_out, struct err *err);
/* Runs until the run has ended or the engine is stopped. This is the main loop of the engine's
 * thread. */
void loop_run(struct loop *loop);
/* Cancels the whole run, as a person would. */
void loop_cancel(struct loop *loop, const char *by, enum cancel_mode mode);
void loop_close(struct loop *loop);

/* turn.c */

/* Queues an input and fills in its time. The turn follows in this iteration of the loop. */
void loop_queue(struct loop *loop, struct input input);

/* Queues an input that may wait a little for the next turn. */
void loop_queue_late(struct loop *loop, struct input input);
/* Queues INPUT_ENDED of this attempt. The loop closes the attempt after the turn. */
void loop_queue_end(struct loop *loop, const struct input *input, struct attempt *ended);

/* Adds a forensic record (redacted JSON) to the next turn's events. */
void loop_keep_capture(struct loop *loop, const struct fact_about *about, const struct str *json);

/* Logs a note for the user: what happened, and why. */
void loop_note(struct loop *loop, const char *what, const char *why);

/* recovery.c: prepares a resumed run before its first turn. Ends leftover processes, then queues
 * INPUT_RECOVER and notes about it. May take a few seconds. */
void loop_recover(struct loop *loop);

/* Takes the first turn. Returns false if the run's first event could not be logged. */
ATTR_MUST_USE bool loop_first_turn(struct loop *loop, struct err *err);

/* Handles everything that is due now. */
void loop_turn(struct loop *loop);

/* Returns whether the engine may exit: the run is over, or was left, and nobody needs the
 * engine. */
bool loop_may_leave(const struct loop *loop);

/* loop_tasks.c */

/* Accepts tasks from other threads, to be added in the next turn. */
void loop_ask_tasks(struct loop *loop, struct mail_task *tasks);
/* Adds the accepted tasks at the beginning of a turn, to be recorded with it. */
void loop_take_tasks(struct loop *loop);
/* Answers the senders of the tasks once the turn is recorded. */
void loop_answer_tasks(struct loop *loop);
/* Frees the real calls of tasks that are over. */
void loop_forget_tasks(struct loop *loop);

/* loop_attempt.c */

/* Performs the scheduler's actions. */
void loop_start_attempt(struct loop *loop, const struct action *action);
/* Stops the attempt as action->mode says. Does nothing if it has already ended. */
void loop_end_attempt(struct loop *loop, const struct action *action);

/* Starts the jobs that follow the ends of this turn. recorded: the ends are in the log. */
void loop_follow_up(struct loop *loop, bool recorded);

/* Starts watching the bell, which other processes ring for their controls. It is not watched while
 * a check for controls is due anyway. */
void loop_hear_bell(struct loop *loop);

/* Sets the alarm to due_ms, unless it is due earlier. */
void loop_alarm(struct loop *loop, int64_t due_ms);

#endif
