/*
 * app_internal.h - the state of the app, and what its files call of each other. Main thread only,
 * except where a comment says otherwise.
 */
#ifndef DEVS_APP_INTERNAL_H
#define DEVS_APP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app.h"
#include "attr.h"
#include "bookmark.h"
#include "canvas.h"
#include "clock.h"
#include "compare.h"
#include "control_desk.h"
#include "correct.h"
#include "err.h"
#include "event_lines.h"
#include "follower.h"
#include "log_lines.h"
#include "log_pager.h"
#include "log_reader.h"
#include "plan.h"
#include "replay.h"
#include "report_rows.h"
#include "retry_help.h"
#include "rule_trial.h"
#include "run_state.h"
#include "runs_list.h"
#include "str.h"
#include "term.h"
#include "view.h"
#include "what_if.h"

enum {
    APP_EVENTS_TURN = 100000, /* events read in one go, so that keys come through */
    APP_ACTS_MAX = 16,
};

/* An act that was sent and not answered yet. Its row is written by another thread, its answer by
 * the owner of the run. The app looks for both and waits for neither. */
struct app_act {
    struct control control;
    int64_t ticket;
    int64_t row; /* 0 = not written yet */
    bool of_batch;
};

/* One act on many tasks. They are asked for as there is room, and answered as one. */
struct app_batch {
    struct control control;      /* the task is filled in */
    struct view_target *targets; /* owned */
    int count;                   /* 0 = there is none */
    int asked, done, refused;
    struct str refusal; /* of the last that was refused */
};

struct app_acts {
    struct control_desk *desk;     /* borrowed; NULL: nothing can be asked */
    const struct run_state *state; /* borrowed; for the names of tasks */
    int64_t run;
    struct app_act acts[APP_ACTS_MAX];
    int count;
    struct app_batch batch;
    bool refused; /* nothing came of what was answered last */
};

/* The run that the app was opened on, while another one is looked at. */
struct app_own {
    struct follower *present; /* owned; NULL: it is the one that is shown */
    struct follower *past;    /* owned */
    struct follower *shown;   /* borrowed; one of these two */
    enum app_mode mode;
    struct view view; /* owned, as the next two */
    struct replay replay;
    struct app_acts acts;
    struct err fault;
    bool orphaned;
};

/* What was read of the log, and up to which moment. */
struct app_log_version {
    uint64_t news;
    int64_t seq, until_ms;
};

/* The bookmarks of the run that is shown. */
struct app_bookmarks {
    int64_t run;            /* that they were read of; 0 = of none yet */
    bool is_old;            /* they may be others now */
    struct bookmark *items; /* owned; BOOKMARKS_MAX; NULL = none were read yet */
    size_t count;
    struct bookmark_job *job; /* owned; NULL = nothing is being written */
};

/* What the terminal is rung for: each thing once, when it happens, and nothing that was so at the
 * start. A person's command is the engine's (engine/loop/notifier.h). All zero: nothing was looked
 * at yet. */
struct app_notify {
    unsigned wanted;    /* enum ui_notify */
    unsigned char *was; /* owned; by task: what it was told as, enum ui_notify */
    size_t room;
    int count;     /* of tasks that are in `was` */
    bool is_begun; /* what was so at the start is known */
    bool had_ended;
};

/* What `=` shows. */
struct app_report {
    struct compare *compare;      /* owned; REPORT_COMPARE */
    struct what_if *what;         /* owned; REPORT_WHAT_IF */
    struct what_if *same;         /* owned; the run as recorded, decided by this build */
    struct policy_change *change; /* owned; its policies */
    struct event_page page;       /* reused while the run is read into `what` */
    int64_t after;                /* the event that was read last */
    int64_t pages;                /* that were read so far */
    bool reads;                   /* there is more to read */
    struct report_rows rows;      /* the text, laid for so many columns: */
    int columns;                  /* 0 = it is to be laid */
};

struct app {
    const struct app_options *options; /* borrowed */
    struct app_own own;
    enum app_mode mode;        /* how the run that is shown was opened */
    struct follower *follower; /* what is shown: one of the next two; borrowed */
    struct follower *present;  /* owned; the run as it goes on; a recording, where it is */
    struct follower *past;     /* owned; the same run a while ago; NULL: nobody has looked */
    struct term *term;
    struct canvas canvas;
    struct view view;
    struct log_tail tail;
    struct output_page page;       /* reused for the tail */
    struct log_output_key tail_of; /* what the tail was made for, and when */
    struct app_log_version tail_version;
    struct log_pager pager; /* of the try that the view looks at */
    struct app_log_version pager_version;
    struct log_elsewhere elsewhere; /* of what is searched for and is not there */
    struct event_page log_events;   /* reused for what that try's verdict went by */
    bool log_goes_on;               /* not all of it was read yet, or looked through */
    struct forensics forensics;     /* of the try that the view looks at, */
    int64_t forensics_seq;          /* as of this event */
    struct retry_help *retries;     /* owned; what became of tries; NULL: not read yet; */
    int64_t retries_run;            /* for this run, */
    int64_t retries_before;         /* from the runs before that one; 0: all; */
    struct moment retries_read;     /* when */
    struct replay replay;           /* all events so far; where the recording or the past is */
    struct event_lines event_lines; /* the records around that place, */
    struct app_report report;       /* what `=` shows */
    struct app_bookmarks bookmarks; /* of the run that is shown */
    struct bundle_job *bundle;      /* owned; a run on its way into a file; NULL: none is */
    struct what_came what_came;     /* and what came of the chosen task after it, */
    int64_t came_of;                /* when there were so many */
    struct runs_list runs;
    struct moment runs_read;
    bool has_plan;            /* in the working directory */
    struct event_page events; /* reused for the marks of a recording */
    struct app_acts acts;
    bool undoes;                 /* what was asked for last undoes an act */
    struct str rules;            /* a person's, those saved here too */
    struct correct_trial *trial; /* NULL: no rule is on trial */

    struct moment now;    /* of this turn */
    struct moment played; /* when the replay or the past was moved on last */
    struct moment orphan_looked;
    struct moment drawn;
    struct moment looked; /* when the log was read last, */
    struct moment read;   /* and when it could be */
    struct err fault;     /* why it could not; ERR_NONE = it could */
    struct str banner;    /* what is wrong, in words */
    bool banner_is_mild;
    int live_runs;              /* of this log, when it was last looked at for trouble */
    struct log_trouble trouble; /* with the log, */
    struct moment troubled;     /* as it was looked at then */
    struct clock_jump clock;
    int64_t clock_moved_ms; /* when the wall clock was set last, by how much; 0 = it was not */
    struct moment clock_moved;
    bool orphaned;
    bool pictured; /* one frame of a past moment, no terminal */
    bool engine_done;
    bool opens;           /* what there is of the run is not all read yet: app_runs.c */
    uint64_t news;        /* grows with what was read, and with the moment and run that is shown */
    bool more_news;       /* not all events were read in the last go */
    bool more_keys;       /* there may be more keys than were taken in the last go */
    bool wants_frame;     /* something changed in the log */
    bool wants_frame_now; /* a person did something */

    struct moment frozen_at; /* when the screen was made to stand still */
    bool frozen_drawn;       /* what it shows since is on the canvas */
    struct app_notify notify;
    int64_t notified_seq; /* the event that was looked at last for it */

    bool finished;
    struct app_result result;
};

/* The moment that is shown (app_show.c). */

/* Returns the run as the view sees it now. */
struct view_facts app_facts(const struct app *app);
/* Returns how the run stands now, whatever moment of it is looked at. */
enum view_mode app_present_mode(const struct app *app);
/* Whether only what happened up to app_facts().now may be shown: in a recording, in the past and in
 * a picture the log also has what came later. */
bool app_is_bounded(const struct app *app);
/* Returns how a run is best looked at: live if it is still active, else as a recording. */
enum app_mode app_mode_of(const struct follower *follower);
/* Draws onto the canvas. */
void app_draw(struct app *app);
/* Calls app_draw() and carries the canvas to the terminal. */
void app_show(struct app *app);
/* The terminal has another size, or shows something else: draws everything again. */
void app_resize(struct app *app);

/* The loop (app.c). */

/* Whether the engine in this process ended before the run did, and nobody asked for that. */
bool app_engine_stopped(const struct app *app);
/* Opens the run without a terminal. app_close() ends what was opened, even after a failure. */
ATTR_MUST_USE bool app_open_run(struct app *app, struct err *err);
/* Ends everything, the terminal first; skips what was never opened. */
void app_close(struct app *app);
/* Reads what is new of the run. */
void app_take_news(struct app *app);

/* Keys and signals (app_keys.c). */

/* Takes the keys and signals that are waiting. */
void app_take_keys(struct app *app);
/* Takes the signals that are waiting, until one ends the app. */
void app_take_signals(struct app *app);
/* Makes this turn the last one. */
void app_leave(struct app *app, enum app_leave leave, int signal);

/* The terminal beside its frames (app_terminal.c). */

/* Applies the theme and the mouse of the settings, once the terminal is open. */
void app_terminal_begin(struct app *app);
/* y and Y. */
void app_copy(struct app *app, bool of_path);
/* Gives the mouse to the terminal, or takes it back, as the view says. */
void app_switch_mouse(struct app *app);
/* o: shows the text of the screen's subject in $PAGER. Blocks until the person leaves it. */
void app_page(struct app *app);
/* Draws the frame, or the line over it while the screen is frozen. */
void app_draw_or_freeze(struct app *app);
/* Goes to a place in the run's time, in thousandths of it. */
void app_seek(struct app *app, int thousandths);
/* Notifies the person of what is new. */
void app_tell(struct app *app);
/* Changes the theme, by name, and shows whether that worked. */
void app_choose_theme(struct app *app, const char *name);
/* Changes what is notified, as "needs-you,ended" or "off", and shows whether that worked. */
void app_choose_notify(struct app *app, const char *names);
/* Returns what is new and to be notified, as flags of enum ui_notify, and appends it as text; 0 if
 * there is nothing. */
unsigned app_notify_news(struct app_notify *notify, const struct run_state *state,
                         struct str *words);
void app_notify_done(struct app_notify *notify);

/* Acts on tasks (app_acts.c). */

/* Sends an act to the control desk. */
void app_ask(struct app *app, const struct view_todo *todo);
/* Sends the same act for each of the view's targets; todo->control has the verb. */
void app_ask_many(struct app *app, const struct view_todo *todo);
/* Shows the answers to acts that were sent. */
void app_answer_acts(struct app *app);
void app_acts_done(struct app_acts *acts);
/* Whether an answer is still to come. */
bool app_acts_are_open(const struct app_acts *acts);

/* The rule in the open prompt (app_correct.c). */

/* Starts the trial; app_rule_look() shows its result. */
void app_rule_try(struct app *app);
void app_rule_stop(struct app *app);
/* Writes the rule where options->save_rule keeps it, and shows whether that worked. */
void app_rule_save(struct app *app);
/* Shows how far the trial is, and its result once it is over. */
void app_rule_look(struct app *app);

struct correct_trial;

/* The work of a trial: rule_trial_run(). */
typedef bool correct_trial_fn(const struct rule_trial_asked *asked, struct rule_trial *out,
                              struct err *err);

struct correct_trial_job {
    correct_trial_fn *run;
    const struct place *place; /* borrowed; must outlive the trial */
    const char *rules;         /* borrowed for the call: a person's rules now; NULL = none */
    const char *rule;          /* borrowed for the call: the new one */
};

/* Starts a thread for the trial. ERR_INVALID if the rule is invalid. All calls come from the thread
 * that started it. */
ATTR_MUST_USE bool correct_trial_start(struct correct_trial **out,
                                       const struct correct_trial_job *job, struct err *err);
/* Asks it to end soon, without news; correct_trial_stop() must still be called. */
void correct_trial_cancel(struct correct_trial *trial);
/* Cancels it and waits for its thread: for the attempt that is being judged, at most (or, if it has
 * only begun, until its rules are compiled). Does not wait once the trial is over. */
void correct_trial_stop(struct correct_trial *trial);
/* Returns how far it is; its texts are valid until the trial is stopped. */
struct correct_trial_news correct_trial_look(struct correct_trial *trial);
/* Whether it was cancelled. */
bool correct_trial_is_cancelled(const struct correct_trial *trial);

/* The output of attempts (app_log.c). */

/* Reads the last lines of the chosen task's latest attempt, for panes. */
void app_load_tail(struct app *app);
/* Reads the lines on the Log screen, where the keys led, if that screen is shown. */
void app_load_log(struct app *app, const struct view_facts *facts);
/* Continues to read and to search, without a frame. */
void app_log_go_on(struct app *app);

/* Which run is shown (app_runs.c). What there is of a run when it is opened is read in slices. */

/* Reads the first slice of a recording: enough for a first frame, at its end. */
ATTR_MUST_USE bool app_replay_open(struct app *app, struct err *err);
/* The same for a run that may still be active; takes its news, too, if the slice is all there is.
 */
void app_live_open(struct app *app);
/* Reads one more slice, if there is one. */
void app_opening_go_on(struct app *app);
/* Goes to where the options say that the run opens; does nothing if they do not. */
ATTR_MUST_USE bool app_opening_stand(struct app *app, struct err *err);
/* If not everything is read: shows that there is no moving in time yet, and returns true. */
ATTR_MUST_USE bool app_opening_refuses(struct app *app);
/* Appends how far reading is, for the banner. */
void app_opening_tell(const struct app *app, struct str *out);
/* Brings the list of runs up to date if the screen shows it. */
void app_runs_load(struct app *app);
/* The same for the rows that the screen has room for. */
void app_runs_fit(struct app *app, int rows);
/* Whether the list shows an active run, and so a time that changes. */
bool app_runs_count(const struct app *app);
/* Shows another run on the same screens, starting with SCREEN_TASKS or SCREEN_TIMELINE. The app's
 * own run is followed meanwhile. */
void app_visit_open(struct app *app, int64_t run, enum screen screen);
/* Leaves the other run once the person is back at the list of runs. */
void app_visit_look(struct app *app);
/* Reads what is new of the app's own run. */
void app_visit_take_news(struct app *app);
/* Returns the follower of the app's own run, at the present. */
struct follower *app_own_run(const struct app *app);
/* Closes what is kept of the app's own run. */
void app_visit_close(struct app *app);

/* Time in a recording or in the past of a live run (app_replay.c). */

/* Whether the past of a live run is shown. */
bool app_is_past(const struct app *app);
/* Takes in what was recorded since. */
void app_replay_extend(struct app *app);
/* A key of the transport; says so if there is nothing to go to. In a live run it enters the past,
 * and leads back from it. */
void app_replay_move(struct app *app, enum replay_move move);
/* Goes to the moment of this record. */
void app_replay_to_event(struct app *app, int64_t seq);
/* Moves on by the time that has passed. */
void app_replay_play(struct app *app);
/* Goes to the moment that a person's words name. */
void app_replay_go_to(struct app *app, const char *words);
/* The same for a caller that reports errors in the words itself: ERR_INVALID, ERR_NOT_FOUND. */
ATTR_MUST_USE bool app_replay_find(struct app *app, const char *words, struct err *err);
/* Reads the records around the moment that is shown. */
void app_load_events(struct app *app);
/* Reads what happened to the chosen task after that moment. */
void app_load_what_came(struct app *app);
void app_events_close(struct app *app);

struct bookmark_job;

/* Waits for the bookmark that is being written. */
void app_bookmarks_close(struct app *app);
/* Brings the bookmarks up to date with the run that is shown. */
void app_bookmarks_load(struct app *app);
/* Marks them as out of date. */
void app_bookmarks_forget(struct app *app);
/* Keeps the moment that is shown, under the name in the view, in a thread of its own, because a
 * writer may have to wait for its turn. app_bookmarks_look() shows the result. */
void app_bookmarks_add(struct app *app);
/* Removes the bookmark with this id, also in a thread. */
void app_bookmarks_remove(struct app *app, int64_t id);
/* Shows the result of the last change, once its thread is done. */
void app_bookmarks_look(struct app *app);

/* Texts over the screen (app_report.c). */

/* Compares the try that the view has marked with the one that is shown. If that is impossible, the
 * view says why. */
void app_report_compare(struct app *app);
/* Starts to compute what the policies in the view's file would have made of the run. */
void app_report_what_if(struct app *app);
/* Reads on, one page per call. */
void app_report_go_on(struct app *app);
/* Lays the text out for the screen, and drops one that was closed. */
void app_report_load(struct app *app);
void app_report_close(struct app *app);

struct bundle_job;

/* Copies this run of the app's log into a file, in a thread of its own; says so if that is
 * impossible. Only app_bundle_keep() gives the file its name. */
void app_bundle_begin(struct app *app, int64_t run);
/* Shows the bundle once it is there; drops one that was not wanted. */
void app_bundle_look(struct app *app);
/* Whether one is being copied: then app_bundle_look() is due now and then, else after keys. */
bool app_bundle_copies(const struct app *app);
/* Keeps the bundle. */
void app_bundle_keep(struct app *app);
/* Ends the copy and waits for its thread; removes a bundle without a name. */
void app_bundle_close(struct app *app);

/* Without a terminal (app_picture.c). */

/* Finds the screen with this name; NULL is the Tasks screen. ERR_INVALID if there is none. */
ATTR_MUST_USE bool app_screen_named(const char *name, enum screen *out, struct err *err);
/* Opens the screen as its key does; if that is impossible, the view says why. */
void app_open_screen(struct app *app, enum screen screen);
/* Chooses the task with this id, or the one that the latest event is about. ERR_NOT_FOUND if there
 * is none. */
ATTR_MUST_USE bool app_choose_task(struct app *app, const char *id, struct err *err);

#endif
