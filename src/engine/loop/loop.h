/* loop.h - the internals of the engine's thread: one libuv loop and one run, with its mailbox,
 * notifier, recorder and recovery.
 *
 * libuv's callbacks only queue inputs. loop_turn() takes all of them at once: the scheduler handles
 * them, one commit records the result, then the actions are performed. Thread: engine. */
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

/* Requests from other threads to the engine's thread: cancel, leave, stay alone, stop; and, if the
 * plan of the run grows, tasks and notes.
 *
 * Any thread may post requests; the loop takes them. Posting the same request twice has no further
 * effect, except for tasks and notes. The sender of a task waits for its answer. */

struct redactor;
struct uv_async_s;

enum { MAIL_WHY_MAX = 160 };

/* A task to add, and the answer. */
struct mail_task {
    const struct engine_task *task; /* borrowed until the answer */
    const char *record;             /* borrowed until the answer; JSON of the event to log */
    struct redactor
        *own; /* redacts the task's own variables; the loop takes ownership if the task is added */
    struct mail_task *next;
    bool is_answered;
    int number;     /* number of the new task; -1 if it was not added */
    struct err err; /* the reason if it was not added */
};

struct mail_note {
    struct mail_note *next;
    int task;                       /* task that the note is about; -1 = the run */
    char text[ENGINE_NOTE_MAX + 1]; /* UTF-8 */
};

struct mail {
    bool cancel;             /* cancel the whole run as a user would */
    bool leave;              /* start no more attempts */
    bool alone;              /* the front end has exited, so exit when the run has ended */
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
    int task_count;          /* number of tasks in `mail` */
    int note_count;
    struct mail mail;
};

void mailbox_init(struct mailbox *mailbox);
void mailbox_done(struct mailbox *mailbox);

/* Makes mailbox_post() and similar functions wake the loop through `wake`; NULL = stop doing so.
 * Keeps requests that were posted before. */
void mailbox_listen(struct mailbox *mailbox, struct uv_async_s *wake);

/* The requests that need no answer. */
enum mail_request {
    MAIL_CANCEL, /* cancel the run; `text` says who requested it */
    MAIL_LEAVE,  /* start no more attempts, and exit when the running attempts have ended */
    MAIL_ALONE,  /* the front end has exited; `text` is the reason, or NULL */
    MAIL_STOP,   /* end the engine now, even if attempts are running */
    MAIL_CLOSE,  /* no more tasks will be added to the plan */
};

/* Posts a request. Copies `text`; NULL if the request has none. */
void mailbox_post(struct mailbox *mailbox, enum mail_request request, const char *text);
/* Posts a note. At most ENGINE_ADDS_MAX notes may wait; more are dropped. */
void mailbox_post_note(struct mailbox *mailbox, int task, const char *text);
/* Posts a task and waits for the answer. Returns false if the task was not added; see mail->err.
 * Fails with ERR_BUSY if ENGINE_ADDS_MAX tasks are waiting. */
ATTR_MUST_USE bool mailbox_post_task(struct mailbox *mailbox, struct mail_task *mail);

/* For the loop: takes all requests. The caller owns them. */
struct mail mailbox_take(struct mailbox *mailbox);

/* For the loop: reports that the task was added (number >= 0), or was not (-1, with err). Do not
 * use `mail` afterwards, because its sender may free it. */
void mailbox_answer(struct mailbox *mailbox, struct mail_task *mail);
/* For the loop, at its end: rejects waiting and future tasks. */
void mailbox_shut(struct mailbox *mailbox);

/* Runs the user's notify command about events of a run, in the background.
 *
 * The first notice starts a thread. It collects notices for NOTIFIER_GATHER_MS and runs the command
 * once for all of them: in the folder `/`, outside every sandbox, without a terminal. The run does
 * not wait for the command or fail because of it. Only notifier_close() waits, within the command's
 * time limit. */

enum {
    NOTIFIER_GATHER_MS = 2000,   /* notices within this time are sent together */
    NOTIFIER_TIMEOUT_MS = 10000, /* time limit of the command */
    NOTIFIER_WAITING_MAX =
        16, /* maximum number of notices kept; for any others, only their number is sent */
};

struct loop_variable {
    const char *name, *value; /* borrowed; without a NUL inside */
};
/* Returns an environment with these variables instead of variables of the same name. Its strings
 * are borrowed from `before` and *texts; the caller frees the array. */
char **loop_environment(char *const *before, const struct loop_variable *variables, size_t count,
                        struct str *texts);

struct notifier;

/* All borrowed until notifier_close(). */
struct notifier_call {
    char *const *command;
    char *const *environment;
    int64_t run;
    const char *name, *dir; /* see struct notice_list */
    /* Reports that the command failed. Called on the notifier's thread, but not twice in a row for
     * the same reason. */
    void (*failed)(void *ctx, const char *why);
    void *ctx;
};

/* Creates a notifier, but does not start its thread yet. The caller frees it with
 * notifier_close(). */
struct notifier *notifier_open(const struct notifier_call *call);
/* Sends a notice soon. Takes ownership of its strings; *notice is empty afterwards. Does not
 * block. */
void notifier_add(struct notifier *notifier, struct notice *notice);
/* Sends waiting notices at once, then frees the notifier. A failure during this call is returned in
 * *err (may be NULL) instead of being passed to `failed`. `notifier` may be NULL. */
void notifier_close(struct notifier *notifier, struct err *err);

/* Commits to the log, and continues if the log cannot be written.
 *
 * A failed commit stops nothing: the run continues in a second log (spill.h), and the main log is
 * retried once a second. When the main log can be written again, the spill log is merged into it in
 * order and removed. If no spill log can be created either, events are kept in memory and retried
 * at most once a second; output is lost during that time. If such a retry fails while more than
 * RECORDER_KEPT_BYTES are waiting, recording stops for good, since a log must have no gaps. Data
 * that was written but could not be synced to disk is reported once and not retried. Only the
 * thread that opened a recorder may use it. */

enum {
    RECORDER_KEPT_BYTES = 1024 * 1024,
    RECORDER_RETRY_MS = 1000,
    RECORDER_FINISH_MS = 10000,
};

struct recorder {
    struct log_writer *writer; /* owned; the writer of the log */
    struct log_writer
        *spill; /* owned; the writer of the spill log; NULL while the log can be written */
    struct event_list kept; /* events that neither log has, oldest first */
    size_t kept_bytes;
    bool failing;     /* the last commit failed */
    bool busy;        /* the last commit failed because another process held the log */
    bool lost;        /* some data will never be logged */
    bool over;        /* recording has stopped for good */
    int64_t retry_ms; /* earliest time for the next commit to the failing log */
    struct err err;   /* the first error of the latest series of failures */

    /* Ids of the last controls returned from the log and from the spill log. Ids in the spill log
     * begin at `spill_controls`. */
    int64_t control_seen, spill_control_seen, spill_controls;

    bool has_output;  /* output was committed */
    bool left_output; /* a spill log with output was removed; only its events were kept */

    /* For recorder_news(). */
    bool spilled, home;               /* a spill log was started / was merged */
    bool recovered;                   /* a commit succeeded after failures */
    bool output_lost;                 /* output was lost and that has not been reported yet */
    bool unsynced, unsynced_reported; /* written data may not be on disk / this was reported */
    struct err sync_err;
};

/* Opens the log for writing. The caller frees the recorder with recorder_done(), even if this
 * fails. */
ATTR_MUST_USE bool recorder_init(struct recorder *recorder, const struct place *place,
                                 struct err *err);
void recorder_done(struct recorder *recorder);

enum recorder_urgency {
    RECORDER_IN_TIME, /* on disk within LOG_FULL_SYNC_MS; the writer takes care of that */
    RECORDER_NOW,     /* on disk on return; tried even if the last commit has just failed */
};

/* Commits the batch. Returns false if part of it is not in the log yet. */
bool recorder_commit(struct recorder *recorder, const struct log_batch *batch,
                     enum recorder_urgency urgency, int64_t now_ms);

/* Returns controls that were requested in the log or the spill log and not returned before; see
 * log_writer_controls(). */
ATTR_MUST_USE bool recorder_controls(struct recorder *recorder, struct control *out, size_t max,
                                     size_t *count_out, struct err *err);
/* Returns whether the caller must poll for controls, because the bell of the spill log is not
 * watched. */
bool recorder_is_away(const struct recorder *recorder);

/* Call this before the end. Tries to write the log once more, for up to RECORDER_FINISH_MS if
 * another process holds it. Keeps a spill log that cannot be merged. */
void recorder_finish(struct recorder *recorder);

/* News about the log for the user. */
struct recorder_news {
    const char *what; /* a static string; NULL = no news */
    const char *why;  /* the cause, owned by the recorder; "" = none */
};
/* Returns the next piece of news. Each is returned only once. */
struct recorder_news recorder_news(struct recorder *recorder);

/* Returns when recorder_commit() must be called even without new events; INT64_MAX unless something
 * is waiting to be retried. */
int64_t recorder_due(const struct recorder *recorder);

/* Finds and ends the processes that a dead engine of a run left behind, and makes sure that they
 * have ended before the run starts anything again.
 *
 * A process belongs to the run if its environment has the run's mark, if it is in the session of an
 * attempt's process whose start time was recorded (if the pid was reused, the start time differs),
 * or if its parent belongs to the run. Once we hold the run's lock, no more children of the dead
 * engine can appear: such a child holds the lock itself until its exec. Blocks. One thread. */

enum {
    RECOVERY_TERM_MS = 2000,        /* time from TERM to KILL */
    RECOVERY_KILL_MS = 5000,        /* how long killed processes may take to disappear */
    RECOVERY_PROCESSES_MAX = 65536, /* maximum number of processes that are checked */
    RECOVERY_ENDED_MAX = 4096, /* maximum number of processes that are sent TERM (each once); any
                                  others get KILL at once */
    RECOVERY_LEFT_MAX = 64,    /* maximum number of surviving processes that are remembered */
    RECOVERY_NAMED_MAX = 8,    /* maximum number of processes listed in a note */
    RECOVERY_ANYBODYS = -1,    /* a leftover whose task is unknown */
};

/* The process of a task's latest attempt (see EVENT_ATTEMPT_RUNNING). */
struct recovery_leader {
    int64_t pid; /* 0 = none */
    int64_t start;
};

/* A process that could not be ended. */
struct recovery_left {
    struct proc_facts facts;
    int task;       /* task number, or RECOVERY_ANYBODYS */
    bool forbidden; /* we may not signal it */
};

struct recovery {
    struct recovery_leader *leaders; /* owned; indexed by task */
    size_t leader_cap;
    int task_count; /* number of tasks in the plan, or more if events have higher task numbers */
    struct recovery_left left[RECOVERY_LEFT_MAX];
    size_t left_count;
};

/* Initializes a recovery with storage for the given number of tasks; grows as needed. */
void recovery_init(struct recovery *recovery, int task_count);
void recovery_done(struct recovery *recovery);

struct event;

/* Remembers the leader of each task's latest attempt. log_writer_continue() calls this for each
 * event of the log; `ctx` is the recovery. */
void recovery_see(void *ctx, const struct event *event);

/* Ends the leftover processes: TERM, then KILL after RECOVERY_TERM_MS. Returns when two searches in
 * a row find nothing, or when some processes survive. `run_mark` is "DEVS_RUN=..."; `state` is the
 * state of the run before recovery. Appends the names of ended processes to *ended, and the names
 * of surviving processes to *left. */
void recovery_sweep(struct recovery *recovery, const struct run_state *state, const char *run_mark,
                    struct str *ended, struct str *left);

/* Returns whether a leftover process of this task is still alive and, if so, sets *err to a message
 * with its name. Call this before each start, since the process may exit at any time. */
bool recovery_refuses(const struct recovery *recovery, int task, struct err *err);

/* The loop and its turns. */

enum {
    LOOP_LATE_MS = 20, /* how long an input that can wait is delayed, so that it is handled together
                          with others */
    LOOP_APART_MAX = 2,       /* if up to this many attempts end together, their ends are
                                 handled in separate turns */
    LOOP_CONTROLS_MS = 10,    /* minimum time between two checks of the log for controls */
    LOOP_CONTROLS_MAX = 64,   /* maximum number of controls read at once */
    LOOP_ALARM_MS_MAX = 5000, /* timers stop while the machine is suspended, so check at least
                                 this often */
    LOOP_REAP_MS = 2000,      /* how often adopted children that have ended are reaped */
    /* Limit for jobs that examine ended attempts: none is added if there are this many jobs
     * already. */
    LOOP_AFTER_MS = 10 * 60 * 1000, /* time limit of a command of `after` */
    LOOP_AFTER_LINE = -1,           /* the line of their jobs: they run one after the other */
    LOOP_DAY_LINE = -2,             /* the line of the jobs that read the cost of the day */
    LOOP_FOLLOW_MAX = JOBS_MAX - 4 * PLAN_JOBS_MAX,
    LOOP_RUN_MARK_MAX = LOG_UID_MAX + 16,
};

/* Heartbeat: detects that this process was suspended, by a signal or together with the machine.
 *
 * The loop announces the latest time when it will wake up. If it wakes up much later, it was
 * suspended in between, and no timeout counts that time. Times are from CLOCK_BOOTTIME, which
 * continues while the machine is suspended. A plain value; the functions read no clock. */
enum {
    HEARTBEAT_MS = 1000,       /* interval between checks while something can time out */
    HEARTBEAT_SLACK_MS = 2000, /* how late a wakeup may be on a busy machine */
    HEARTBEAT_LOG_MS = 10000, /* how late a wakeup may be after waiting for the log; if it is later,
                                 the process was suspended */
};

struct heartbeat {
    int64_t expected_ms; /* latest time of the next check; INT64_MAX = unknown */
};

/* Announces that the next check comes within wait_ms after now_ms; -1 = unknown. */
void heartbeat_expect(struct heartbeat *heartbeat, int64_t now_ms, int64_t wait_ms);

/* Excludes time spent waiting for other processes that used the log: the process was not suspended
 * then, so timeouts count that time. */
void heartbeat_excuse(struct heartbeat *heartbeat, int64_t waited_ms);

/* For heartbeat_expect(): returns how long the loop may wait before its next check. The timeout of
 * libuv is only a hint: uv_backend_timeout() is 0 if a watcher is still to be registered, but the
 * loop then blocks as long as without that watcher (libuv 1.44). In that case the alarm is the
 * limit. */
int64_t heartbeat_wait_ms(const uv_loop_t *uv, const uv_timer_t *alarm);

/* Checks the time. Returns how long the process was suspended, in ms; 0 if it was not. */
int64_t heartbeat_look(struct heartbeat *heartbeat, int64_t now_ms);

struct queued {
    struct input input;
    struct attempt *ended; /* owned; the attempt that ended; NULL for other inputs */
    char *note;            /* owned; input.note. The strings of input.fact_event are owned, too */
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
    uv_idle_t again; /* active if another turn must follow at once */
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
    struct recovery recovery; /* empty unless the run was resumed */
    bool rebooted;            /* the machine has been rebooted since the run was last active */
    struct run_state state;
    struct scheduler scheduler;
    struct call_digester *calls; /* owned */
    struct clock_jump clock;
    struct turn turn;
    struct attempt_setting setting;
    struct gains gains;
    struct machine_slots *slots; /* owned */
    struct growth growth;
    int64_t number;            /* the run's number */
    struct notifier *notifier; /* owned; NULL = no notifications */
    char run_mark[LOOP_RUN_MARK_MAX];

    struct queued *inputs; /* owned; oldest first */
    size_t input_count, input_cap;
    int64_t late_ms; /* when to handle inputs that can wait; INT64_MAX = none */
    bool wanted;     /* the next turn has something to do */

    struct loop_host *hosts;      /* owned; the other machines, in the order of state.hosts */
    struct cluster **clusters;    /* owned; as many; NULL = that of ssh */
    struct remote_share **shares; /* owned; as many; NULL = that of a cluster */
    int host_count;

    /* Tasks whose end a command of `after` follows. */
    int *after; /* owned */
    size_t after_count, after_cap;
    size_t after_next; /* the first that has not had its turn */
    bool after_runs;   /* a command runs */

    int64_t day_due_ms; /* when the cost of the day is read next */
    bool day_runs;      /* it is being read */

    struct attempt **alive; /* owned, as are its elements */
    size_t alive_count, alive_cap;
    struct attempt **ended; /* owned, as are its elements; attempts that ended in this turn */
    size_t ended_count, ended_cap;
    struct log_output *outputs; /* owned; output of this turn */
    size_t output_count, output_cap;
    struct log_capture *captures; /* owned, including their strings; captures of this turn */
    size_t capture_count, capture_cap;

    bool lingers;    /* keep running after the run's end */
    bool stopping;   /* engine_stop() was called */
    bool cancelled;  /* engine_cancel() was called */
    bool left;       /* engine_leave() was called */
    bool left_noted; /* after engine_leave(), no attempt is alive: the last note of the run is
                        queued */
    bool leaving;    /* the thread is about to exit */
    int last_attempt_code;
    int64_t reaped_ms; /* when adopted children were last reaped */
};

/* Opens the log, records the run, commits its first event, and starts attempts. The caller frees
 * the loop with loop_close(), even if this fails. */
ATTR_MUST_USE bool loop_open(struct loop *loop, const struct engine_options *options,
                             struct mailbox *mailbox, int64_t *number_out, struct err *err);
/* Returns when the run has ended or the engine is stopped. This is the main loop of the engine's
 * thread. */
void loop_run(struct loop *loop);
/* Cancels the whole run, as a user's request would. */
void loop_cancel(struct loop *loop, const char *by, enum cancel_mode mode);
void loop_close(struct loop *loop);

/* The locks of the machine's slots: in memory, for all users. */
#define LOOP_SLOTS_FILE "/dev/shm/devs-slots"

/* turn.c */

/* Queues an input and fills in its time. The turn follows in this iteration of the loop. */
void loop_queue(struct loop *loop, struct input input);

/* Queues an input that may wait up to LOOP_LATE_MS for the next turn. */
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

/* Performs a turn: handles everything that is due now. */
void loop_turn(struct loop *loop);

/* Returns whether the engine may exit: the run has ended or was left, and nobody needs the
 * engine. */
bool loop_may_leave(const struct loop *loop);

/* loop_tasks.c */

/* Takes tasks from other threads, to be added in the next turn. */
void loop_ask_tasks(struct loop *loop, struct mail_task *tasks);
/* Adds the accepted tasks at the beginning of a turn, which then records them. */
void loop_take_tasks(struct loop *loop);
/* Answers the senders of the tasks once the turn is recorded. */
void loop_answer_tasks(struct loop *loop);
/* Releases the slots of tasks that ended in this turn, and frees their unredacted calls. */
void loop_forget_tasks(struct loop *loop);

/* loop_attempt.c */

/* Performs the scheduler's action: starts an attempt. */
void loop_start_attempt(struct loop *loop, const struct action *action);
/* Attaches to an attempt that an earlier engine started on another machine. */
void loop_attach_attempt(struct loop *loop, const struct action *action);
/* Stops the attempt as action->mode says. Does nothing if it has already ended. */
void loop_end_attempt(struct loop *loop, const struct action *action);

/* Starts the jobs that follow the attempts that ended in this turn. `recorded` is whether the ends
 * are in the log. */
void loop_follow_up(struct loop *loop, bool recorded);

/* loop_hosts.c: the other machines. Numbers are those of state.hosts. */

struct loop_host;

/* Sets up the hosts of the plan, and probes those that an earlier engine reported as down. */
void loop_hosts_open(struct loop *loop);
/* Ends what would only delay the exit of devs. Folders are still removed, unless it was stopped. */
void loop_hosts_leave(struct loop *loop);
void loop_hosts_close(struct loop *loop);
/* Reports that the host does not answer: nothing is started there until a probe succeeds. */
void loop_host_is_down(struct loop *loop, int number, const char *why);
/* Reports that the host answers again. Does nothing if it is not down. */
void loop_host_is_up(struct loop *loop, int number);
/* Returns when the next probe is due; INT64_MAX = none. */
int64_t loop_hosts_due(const struct loop *loop);
/* Starts the connection that everything on the host shares; -1 = this machine. */
void loop_host_share(struct loop *loop, int number);
/* Starts the probes that are due. */
void loop_probe_hosts(struct loop *loop, int64_t now_ms);
/* Removes what an attempt of the task has left on the host; `name` as in struct remote_call. Later,
 * if the host is down, or with the task's job, which is released when the task has ended. What is
 * left when devs exits stays there. */
void loop_host_clean(struct loop *loop, int number, int task, const char *name);
/* Removes the folders of all ended attempts on hosts of ssh: an earlier engine may have been killed
 * before it had done so. On a cluster, only their job can remove them. Only after the sweep, which
 * would end our ssh too. */
void loop_hosts_clean_up(struct loop *loop);

/* loop_after.c: the commands of the plan's `after`. */

/* Begins with the tasks whose command an earlier engine has not run. */
void loop_after_open(struct loop *loop);
/* Runs the commands for the tasks that ended in this turn, which is in the log. */
void loop_after_turn(struct loop *loop);
/* Returns whether no command runs or waits, or none is to run any more. */
bool loop_after_is_idle(const struct loop *loop);

/* loop_day.c: what all runs of the log have used today, if the plan limits it. */

/* Reads it now, and sets *out to the fact; leaves *out alone if there is none. Blocks. */
void loop_day_first(struct loop *loop, struct event *out);
/* Returns when to read it again; INT64_MAX = not. */
int64_t loop_day_due(const struct loop *loop);
/* Reads it in the background if that is due. */
void loop_day_look(struct loop *loop, int64_t now_ms);

/* Starts watching the bell, which other processes ring for their controls. It is not watched while
 * a check for controls is due anyway. */
void loop_hear_bell(struct loop *loop);

/* Sets the alarm to due_ms, unless it is set to an earlier time. */
void loop_alarm(struct loop *loop, int64_t due_ms);

#endif
