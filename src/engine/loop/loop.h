/*
 * loop.h - the internals of the engine's thread: one libuv loop and one run; the mailbox, the
 * notifier, the recorder and the recovery that belong to it.
 *
 * libuv's callbacks only queue inputs. loop_turn() takes all of them at once: the scheduler handles
 * them, one commit records the result, then the actions are performed. Thread: engine.
 */
#ifndef DEVS_LOOP_H
#define DEVS_LOOP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "attempt.h"
#include "attr.h"
#include "clock.h"
#include "control.h"
#include "engine.h"
#include "err.h"
#include "log_writer.h"
#include "notice.h"
#include "proc.h"
#include "run_state.h"
#include "scheduler.h"
#include "str.h"
#include "watch.h"
#include "workers.h"
#include "workspace.h"

/*
 * Requests of other threads to the engine's thread: cancel, leave, stay alone, stop; and, if the
 * plan of the run grows, tasks and notes.
 *
 * Any thread may post; the loop takes. Posting the same request twice has no further effect, except
 * for tasks and notes. The sender of a task waits for its answer.
 */

struct redactor;
struct uv_async_s;

enum { MAIL_WHY_MAX = 160 };

/* A task to add, and the answer. */
struct mail_task {
    const struct engine_task *task; /* borrowed until the answer */
    const char *record;             /* borrowed until the answer; text of its event */
    struct redactor *own;           /* redacts its own variables; the loop takes ownership if
                                       the task is added */
    struct mail_task *next;
    bool is_answered;
    int number;     /* number of the task; -1 = it was not added, */
    struct err err; /* for this reason */
};

struct mail_note {
    struct mail_note *next;
    int task;                       /* -1 = the run */
    char text[ENGINE_NOTE_MAX + 1]; /* UTF-8 */
};

struct mail {
    bool cancel;             /* cancel the whole run for a person */
    bool leave;              /* start nothing more */
    bool alone;              /* the front end is gone, so do not stay at the end */
    bool stop;               /* end the engine itself */
    bool close;              /* no more tasks will be added */
    struct mail_task *tasks; /* oldest first; the loop answers each */
    struct mail_note *notes; /* owned by the caller of mailbox_take(); oldest first */
    char by[CONTROL_BY_MAX];
    char why[MAIL_WHY_MAX]; /* reason for `alone`, for the log; "" = do not log */
};

struct mailbox {
    pthread_mutex_t lock;    /* guards the fields below, and the answers of tasks */
    pthread_cond_t answered; /* some task was answered */
    struct uv_async_s *wake; /* borrowed; NULL while the loop does not listen */
    bool shut;               /* the loop accepts no more mail */
    int task_count;          /* number of tasks in the mail */
    int note_count;
    struct mail mail;
};

void mailbox_init(struct mailbox *mailbox);
void mailbox_done(struct mailbox *mailbox);

/* Lets the loop listen: it is woken through `wake`, NULL = no longer. Earlier mail is not lost. */
void mailbox_listen(struct mailbox *mailbox, struct uv_async_s *wake);

/* The requests of struct mail that have no sender waiting. */
enum mail_request {
    MAIL_CANCEL, /* `text` names who cancels the run */
    MAIL_LEAVE,  /* start nothing more, and end when the running attempts have ended */
    MAIL_ALONE,  /* `text` is the reason, or NULL */
    MAIL_STOP,   /* end the engine now, even if attempts are running */
    MAIL_CLOSE,  /* no more tasks will be added to the plan */
};

/* Posts a request. Copies `text`, which is NULL for requests without one. */
void mailbox_post(struct mailbox *mailbox, enum mail_request request, const char *text);
/* At most ENGINE_ADDS_MAX notes may wait; further ones are dropped. */
void mailbox_post_note(struct mailbox *mailbox, int task, const char *text);
/* Waits for the answer. Returns false if the task was not added; see mail->err. Fails with ERR_BUSY
 * if ENGINE_ADDS_MAX tasks are waiting. */
ATTR_MUST_USE bool mailbox_post_task(struct mailbox *mailbox, struct mail_task *mail);

/* For the loop: takes all requests. The caller owns them. */
struct mail mailbox_take(struct mailbox *mailbox);

/* For the loop: answers that the task was added (number), or was not (-1, with err). Does not use
 * `mail` afterwards. */
void mailbox_answer(struct mailbox *mailbox, struct mail_task *mail);
/* For the loop, at its end: rejects waiting and future tasks. */
void mailbox_shut(struct mailbox *mailbox);

/*
 * Runs the user's notify command for events of a run, in the background.
 *
 * The first notice starts a thread. It collects notices for NOTIFIER_GATHER_MS and runs the command
 * once for all of them: in the folder `/`, outside every sandbox, without a terminal. The run does
 * not wait for the command or fail because of it. Only notifier_close() waits, within the command's
 * time limit.
 */

enum {
    NOTIFIER_GATHER_MS = 2000,   /* notices within this time are sent together */
    NOTIFIER_TIMEOUT_MS = 10000, /* time limit of the command */
    NOTIFIER_WAITING_MAX = 16,   /* notices that are kept; beyond that only their number is sent */
};

struct notifier;

/* All borrowed until notifier_close(). */
struct notifier_call {
    char *const *command;
    char *const *environment;
    int64_t run;
    const char *name, *dir; /* see struct notice_list */
    /* Reports that the command failed, on the notifier's thread. Not called twice in a row for the
     * same reason. */
    void (*failed)(void *ctx, const char *why);
    void *ctx;
};

/* Starts nothing yet. The caller ends it with notifier_close(). */
struct notifier *notifier_open(const struct notifier_call *call);
/* Sends a notice soon. Takes ownership of its strings; *notice is empty afterwards. Does not
 * block. */
void notifier_add(struct notifier *notifier, struct notice *notice);
/* Sends waiting notices at once, then frees the notifier. A failure during this call is returned in
 * *err (may be NULL) instead of being passed to `failed`. `notifier` may be NULL. */
void notifier_close(struct notifier *notifier, struct err *err);

/* Commits to the log, and handles a log that cannot be written.
 *
 * A failed commit stops nothing: the run continues in a second log (spill.h), and the main log is
 * retried once a second. When the main log can be written again, the spill log is merged into it in
 * order and removed. If no spill log can be made either, events are kept in memory and retried at
 * most once a second; output of that time is lost. If such a retry fails while more than
 * RECORDER_KEPT_BYTES are waiting, recording stops for good, since a log must have no gaps. Data
 * that was written but could not be synced to disk is reported once and not retried. Belongs to the
 * thread that opened it. */

enum {
    RECORDER_KEPT_BYTES = 1024 * 1024,
    RECORDER_RETRY_MS = 1000,
    RECORDER_FINISH_MS = 10000,
};

struct recorder {
    struct log_writer *writer; /* owned; of the log */
    struct log_writer *spill;  /* owned; NULL while the log can be written */
    struct event_list kept;    /* events that neither log has, oldest first */
    size_t kept_bytes;
    bool failing;     /* the last commit failed */
    bool busy;        /* because another process held the log */
    bool lost;        /* some data will never be logged */
    bool over;        /* no more commits */
    int64_t retry_ms; /* when the next commit to the failing log may be tried */
    struct err err;   /* the error that started the latest series of failures */

    /* Controls that were already returned: of the log and, from `spill_controls` on, of the spill
     * log. */
    int64_t control_seen, spill_control_seen, spill_controls;

    bool has_output;  /* output was committed */
    bool left_output; /* the output is in a spill log that was removed, of which only the events
                         remain */

    /* For recorder_news(). */
    bool spilled, home; /* a spill log was started; it was merged */
    bool recovered;     /* a commit succeeded after failures */
    bool output_lost;   /* since this was last reported */
    bool unsynced,
        unsynced_reported; /* data that was written may not be on disk; that was reported */
    struct err sync_err;
};

/* Opens the log for writing. End it with recorder_done(), even if this fails. */
ATTR_MUST_USE bool recorder_init(struct recorder *recorder, const struct place *place,
                                 struct err *err);
void recorder_done(struct recorder *recorder);

enum recorder_urgency {
    RECORDER_IN_TIME, /* on disk within LOG_FULL_SYNC_MS; the writer takes care of that */
    RECORDER_NOW,     /* on disk on return; tried even if the last commit has just failed */
};

/* Returns false if the batch is not completely in the log (yet). */
bool recorder_commit(struct recorder *recorder, const struct log_batch *batch,
                     enum recorder_urgency urgency, int64_t now_ms);

/* Returns controls that were requested in the log or the spill log and not returned before; see
 * log_writer_controls(). */
ATTR_MUST_USE bool recorder_controls(struct recorder *recorder, struct control *out, size_t max,
                                     size_t *count_out, struct err *err);
/* Returns whether controls must be polled for. The spill log's bell is not watched. */
bool recorder_is_away(const struct recorder *recorder);

/* Call before the end: tries the log once more, for up to RECORDER_FINISH_MS if another process
 * holds it. A spill log that cannot be merged stays. */
void recorder_finish(struct recorder *recorder);

/* News about the log for the user. */
struct recorder_news {
    const char *what; /* static; NULL = nothing */
    const char *why;  /* the cause, owned by the recorder; "" = none */
};
/* Returns the next piece of news. Each is returned only once. */
struct recorder_news recorder_news(struct recorder *recorder);

/* Returns when recorder_commit() must be called even without new events; INT64_MAX unless something
 * is waiting to be retried. */
int64_t recorder_due(const struct recorder *recorder);

/*
 * Finds and ends the processes that a dead engine of a run left behind, and makes sure that they
 * are gone before anything of the run is started again.
 *
 * A process belongs to the run if its environment has the run's mark, if it is in the session of an
 * attempt's process with the recorded start time (a reused pid has another), or if its parent
 * belongs to the run. Once we hold the run's lock, no more children of the dead engine can appear:
 * such a child holds the lock itself until it executes its program. Blocks. One thread.
 */

enum {
    RECOVERY_TERM_MS = 2000,        /* from TERM to KILL */
    RECOVERY_KILL_MS = 5000,        /* how long killed processes may take to disappear */
    RECOVERY_PROCESSES_MAX = 65536, /* processes of the machine that are checked */
    RECOVERY_ENDED_MAX = 4096,      /* processes that are sent TERM, once each; further ones
                                       get KILL at once */
    RECOVERY_LEFT_MAX = 64,         /* remembered processes that could not be ended */
    RECOVERY_NAMED_MAX = 8,         /* processes that a note names */
    RECOVERY_ANYBODYS = -1,         /* a leftover whose task is unknown */
};

/* The process of a task's latest attempt, see EVENT_ATTEMPT_RUNNING. */
struct recovery_leader {
    int64_t pid; /* 0 = none */
    int64_t start;
};

/* A process that could not be ended. */
struct recovery_left {
    struct proc_facts facts;
    int task;       /* or RECOVERY_ANYBODYS */
    bool forbidden; /* we may not signal it */
};

struct recovery {
    struct recovery_leader *leaders; /* owned; indexed by task */
    size_t leader_cap;
    int task_count; /* tasks of the plan, plus those that events name */
    struct recovery_left left[RECOVERY_LEFT_MAX];
    size_t left_count;
};

/* Starts empty, with room for the given number of tasks; grows as needed. */
void recovery_init(struct recovery *recovery, int task_count);
void recovery_done(struct recovery *recovery);

struct event;

/* Takes each event of the log and remembers the leader of each task's latest attempt. `ctx` is the
 * recovery. For log_writer_continue(). */
void recovery_see(void *ctx, const struct event *event);

/* Ends the leftover processes: TERM, then KILL after RECOVERY_TERM_MS. Returns when two looks in a
 * row find nothing, or when some processes do not go away. `run_mark` is "DEVS_RUN=..."; `state` is
 * the folded state before recovery. Appends the names of ended processes to *ended, and of
 * surviving ones to *left. */
void recovery_sweep(struct recovery *recovery, const struct run_state *state, const char *run_mark,
                    struct str *ended, struct str *left);

/* Returns whether a leftover process of this task is still alive; *err names it. Call before each
 * start, since the process may exit at any time. */
bool recovery_refuses(const struct recovery *recovery, int task, struct err *err);

/* The loop and its turns. */

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
    char *note;            /* owned; input.note. The texts of input.fact_event are owned, too */
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

/* Returns whether the engine may exit: the run is over, or was left, and the engine is not
 * needed. */
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
