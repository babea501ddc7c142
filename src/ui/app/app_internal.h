/*
 * app_internal.h - the state of the app, and the functions its files share. Main thread only,
 * unless a comment says otherwise.
 */
#ifndef DEVS_APP_INTERNAL_H
#define DEVS_APP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
#include "log_reader.h"
#include "plan.h"
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
    APP_EVENTS_TURN =
        100000, /* maximum number of events read per turn, so that keys are handled in between */
    APP_ACTS_MAX = 16,
};

/* A request that was sent and is not yet answered. Another thread writes its row, and the run's
 * owner writes the answer. The app polls for both and never waits. */
struct app_act {
    struct control control;
    int64_t ticket;
    int64_t row; /* 0 = not written yet */
    bool of_batch;
};

/* One act on many tasks. Its requests are sent as the limit of pending requests allows; the answers
 * are reported together. */
struct app_batch {
    struct control control;      /* `task`, `step` and `attempt` are filled in per target */
    struct view_target *targets; /* owned */
    int count;                   /* 0 = no batch */
    int asked, done, refused;
    struct str refusal; /* reason of the latest refused request */
};

struct app_acts {
    struct control_desk *desk;     /* borrowed; NULL: requests cannot be sent */
    const struct run_state *state; /* borrowed; for the names of tasks */
    int64_t run;
    struct app_act acts[APP_ACTS_MAX];
    int count;
    struct app_batch batch;
    bool refused; /* the latest answer was a refusal */
};

/* The state of the run that the app was opened on, while a different run is on screen. */
struct app_own {
    struct follower *present; /* owned; NULL: this run is on screen */
    struct follower *past;    /* owned */
    struct follower *shown;   /* borrowed; `present` or `past` */
    enum app_mode mode;
    struct view view; /* owned, as are `replay` and `acts` */
    struct replay replay;
    struct app_acts acts;
    struct err fault;
    bool orphaned;
};

/* How much of the log has been read, and up to which moment. */
struct app_log_version {
    uint64_t news;
    int64_t seq, until_ms;
};

/* The bookmarks of the run on screen. */
struct app_bookmarks {
    int64_t run;            /* the run they were read from; 0 = none yet */
    bool is_old;            /* must be read again */
    struct bookmark *items; /* owned; BOOKMARKS_MAX; NULL = not read yet */
    size_t count;
    struct bookmark_job *job; /* owned; NULL = no write in progress */
};

/* What has triggered a bell or a notification. Each event triggers once, when it happens;
 * conditions that already hold at the start trigger nothing. The engine runs the user's
 * notification command (engine/loop/notifier.c). All zero: not started. */
struct app_notify {
    unsigned wanted; /* flags of enum ui_notify */
    struct app_noted {
        unsigned flags;       /* flags of enum ui_notify for the present status */
        unsigned told, spent; /* see struct budget_state */
    } run, *tasks;            /* state as last seen; `tasks` is owned */
    size_t room;
    int count;     /* number of `tasks` */
    bool is_begun; /* the initial state has been recorded */
    bool had_ended;
};

/* The open report: a comparison, a what-if or a bundle. */
struct app_report {
    struct compare *compare;      /* owned; for REPORT_COMPARE */
    struct what_if *what;         /* owned; for REPORT_WHAT_IF */
    struct what_if *same;         /* owned; the run under its own policies, as this build decides */
    struct policy_change *change; /* owned; the changed policies */
    struct event_page page;       /* reused to read the run into `what` */
    int64_t after;                /* seq of the last event that was read */
    int64_t pages;                /* pages read so far */
    bool reads;                   /* there is more to read */
    struct report_rows rows;      /* the text, laid out for `columns` columns */
    int columns;                  /* width of `rows`; 0 = layout needed */
};

struct app {
    const struct app_options *options; /* borrowed */
    struct app_own own;
    enum app_mode mode;        /* how the run on screen was opened */
    struct follower *follower; /* borrowed; the follower on screen, `present` or `past` */
    struct follower *present;  /* owned; the run at its present state, or the position in a
                                  recording */
    struct follower *past;     /* owned; the same run at an earlier moment; NULL: never opened */
    struct term *term;
    struct canvas canvas;
    struct view view;
    struct log_tail tail;
    struct output_page page;       /* reused for the tail */
    struct log_output_key tail_of; /* the attempt that `tail` was read for; its lines may be those
                                      of an earlier step */
    struct app_log_version tail_version;
    struct log_pager pager; /* pager of the attempt in view */
    struct app_log_version pager_version;
    struct log_elsewhere elsewhere; /* counts hits of a search term in other attempts, if the
                                       attempt in view has none */
    struct event_page log_events; /* reused for the event with the verdict of the attempt in view */
    bool log_goes_on;             /* more to read or search */
    struct forensics forensics;   /* forensics of the attempt in view */
    int64_t forensics_seq;        /* last event that `forensics` includes; -1 = read again */
    struct retry_help *retries;   /* owned; outcomes of retries; NULL: not read yet */
    int64_t retries_run;          /* run on screen when `retries` was read */
    int64_t retries_before;       /* `retries` covers the runs before this one; 0: all runs */
    struct moment retries_read;   /* when `retries` was read */
    struct replay replay;         /* all events so far, and the position in the recording or
                                     the past */
    struct event_lines event_lines; /* the records around the position of `replay` */
    struct app_report report;       /* the open report */
    struct app_bookmarks bookmarks; /* bookmarks of the run on screen */
    struct bundle_job *bundle;      /* owned; a run being exported to a file; NULL: none */
    /* What happened to the selected task after the position of `replay`. */
    struct what_came what_came;
    int64_t came_of; /* number of events in `replay` when `what_came` was read */
    struct runs_list runs;
    struct moment runs_read;
    bool has_plan;            /* plan.json exists in the working directory */
    struct event_page events; /* reused to read the marks of a recording */
    struct app_acts acts;
    bool undoes;                 /* the latest request undoes an act */
    struct str rules;            /* the user's rules, including those saved here */
    struct correct_trial *trial; /* NULL: no trial */

    struct moment now;    /* time of this turn */
    struct moment played; /* when the replay or the past last advanced */
    struct moment orphan_looked;
    struct moment drawn;
    struct moment looked; /* when the log was last read, successfully or not */
    struct moment read;   /* when the log was last read successfully */
    struct err fault;     /* why reading failed; ERR_NONE = it succeeded */
    struct str contact; /* what is wrong with the contact to the machine of the log; "" = nothing */
    struct moment contact_lost; /* since when; 0 = it is not */
    struct str banner;          /* the current problem, as text */
    bool banner_is_mild;
    int live_runs;              /* number of live runs in this log at the latest check */
    struct log_trouble trouble; /* problems with the log */
    struct moment troubled;     /* when `trouble` was last checked */
    struct clock_jump clock;
    int64_t clock_moved_ms; /* the last change of the wall clock, noticed at `clock_moved`, in ms; 0
                               = none */
    struct moment clock_moved;
    bool orphaned;
    bool pictured; /* draw one frame of a past moment, without a terminal */
    bool engine_done;
    bool opens;       /* opening: parts of the run are not read yet, see app_runs.c */
    uint64_t news;    /* incremented for new events, and when a different moment or run is shown */
    bool more_news;   /* the latest read stopped at its limit; there may be more events */
    bool more_keys;   /* there may be more keys than the latest turn took */
    bool wants_frame; /* draw a frame within FRAME_MS: something has changed */
    bool wants_frame_now; /* draw a frame in this turn, for example after a key */

    struct moment frozen_at; /* when the screen was frozen */
    bool frozen_drawn;       /* the frozen frame is on the canvas */
    struct app_notify notify;
    int64_t notified_seq; /* the last event checked for notifications */

    bool finished;
    struct app_result result;
};

/* The moment on the screen (app_show.c). */

/* Returns the run as the view sees it now. */
struct view_facts app_facts(const struct app *app);
/* Returns the run's present mode, regardless of the moment on screen. */
enum view_mode app_present_mode(const struct app *app);
/* Returns true if only events up to app_facts().now may be shown: in a recording, in the past and
 * in a picture, the log also contains later events. */
bool app_is_bounded(const struct app *app);
/* Returns how to open a run: live if it is still active, otherwise as a recording. */
enum app_mode app_mode_of(const struct follower *follower);
/* Draws the frame on app->canvas; reads the data that it needs first. */
void app_draw(struct app *app);
/* Calls app_draw() and shows the canvas on the terminal. */
void app_show(struct app *app);
/* Adapts to the terminal's size, and redraws everything. */
void app_resize(struct app *app);

/* The loop (app.c). */

/* Returns the time on the machine of the log. */
struct moment app_clock(const struct app_options *options);

/* Returns true if the engine in this process ended before its run did, although nobody asked it
 * to. */
bool app_engine_stopped(const struct app *app);
/* Opens the run without a terminal. app_close() releases what was opened, even after a failure. */
ATTR_MUST_USE bool app_open_run(struct app *app, struct err *err);
/* Closes everything, the terminal first; skips anything that was never opened. */
void app_close(struct app *app);
/* Reads new events of the run. */
void app_take_news(struct app *app);

/* Keys and signals (app_keys.c). */

/* Handles the keys and signals that are waiting. */
void app_take_keys(struct app *app);
/* Handles the signals that are waiting, until one ends the app. */
void app_take_signals(struct app *app);
/* Makes this turn the last one. */
void app_leave(struct app *app, enum app_leave leave, int signal);

/* Terminal features other than frames (app_terminal.c). */

/* Applies the theme and mouse settings. Call once the terminal is open. */
void app_terminal_begin(struct app *app);
/* Handles y and Y: copies text to the clipboard. */
void app_copy(struct app *app, bool of_path);
/* Handles o: shows the screen's text in $PAGER. Blocks until the pager exits. */
void app_page(struct app *app);
/* Draws the frame, or only the status line while the screen is frozen. */
void app_draw_or_freeze(struct app *app);
/* Seeks to a position in the run's time, in thousandths. */
void app_seek(struct app *app, int thousandths);
/* Notifies the user of news. */
void app_tell(struct app *app);
/* Changes the theme by name and shows whether that worked. */
void app_choose_theme(struct app *app, const char *name);
/* Changes which notifications are sent, as "needs-you,ended" or "off", and shows whether that
 * worked. */
void app_choose_notify(struct app *app, const char *names);
/* Returns the new notifications as flags of enum ui_notify and appends their text; 0 if there are
 * none. */
unsigned app_notify_news(struct app_notify *notify, const struct run_state *state,
                         struct str *words);
void app_notify_done(struct app_notify *notify);

/* Acts on tasks (app_acts.c). */

/* Sends an act to the control desk. */
void app_ask(struct app *app, const struct view_todo *todo);
/* Sends the same act for each of the view's targets; the verb is in todo->control. */
void app_ask_many(struct app *app, const struct view_todo *todo);
/* Shows the answers to requests that were sent. */
void app_answer_acts(struct app *app);
void app_acts_done(struct app_acts *acts);
/* Returns true if an answer is still pending. */
bool app_acts_are_open(const struct app_acts *acts);

/* The prompt for a new rule (app_correct.c). */

/* Starts the trial; app_rule_look() shows its result. */
void app_rule_try(struct app *app);
void app_rule_stop(struct app *app);
/* Saves the rule through options->save_rule, and shows whether that worked. */
void app_rule_save(struct app *app);
/* Shows the trial's progress, and its result when it is done. */
void app_rule_look(struct app *app);

struct correct_trial;

/* Runs the trial, like rule_trial_run(). */
typedef bool correct_trial_fn(const struct rule_trial_asked *asked, struct rule_trial *out,
                              struct err *err);

struct correct_trial_job {
    correct_trial_fn *run;
    const struct place *place; /* borrowed; must outlive the trial */
    const char *rules;         /* borrowed for the call: the user's current rules; NULL = none */
    const char *rule;          /* borrowed for the call: the new rule */
};

/* Starts a thread for the trial. Fails with ERR_INVALID if the rule is invalid. Call the other
 * functions only on the thread that started it. */
ATTR_MUST_USE bool correct_trial_start(struct correct_trial **out,
                                       const struct correct_trial_job *job, struct err *err);
/* Makes the trial end soon, without a result. correct_trial_stop() must still be called. */
void correct_trial_cancel(struct correct_trial *trial);
/* Cancels the trial and waits for its thread, until the current attempt is judged or, if the trial
 * has just started, until the rules are compiled. Returns at once if the trial is done. */
void correct_trial_stop(struct correct_trial *trial);
/* Returns the progress. Its strings are valid until the trial is stopped. */
struct correct_trial_news correct_trial_look(struct correct_trial *trial);
/* Returns true if the trial was cancelled. */
bool correct_trial_is_cancelled(const struct correct_trial *trial);

/* The output of attempts (app_log.c). */

/* Reads the last lines of the attempt whose output the panes show. */
void app_load_tail(struct app *app);
/* Reads the lines at the current position of the Log screen, if that screen is shown. */
void app_load_log(struct app *app, const struct view_facts *facts);
/* Continues reading and searching, without a frame. */
void app_log_go_on(struct app *app);

/* Which run is shown (app_runs.c). A run's existing events are read in slices when it is opened. */

/* Opens a recording: reads its first slice, which is enough for a first frame, and moves to the end
 * of that slice. */
ATTR_MUST_USE bool app_replay_open(struct app *app, struct err *err);
/* Like app_replay_open(), for a run that may still be active. If the first slice is the whole run,
 * also reads its news. */
void app_live_open(struct app *app);
/* Reads the next slice, if there is one. */
void app_opening_go_on(struct app *app);
/* Moves to the position given in the options, if any. */
ATTR_MUST_USE bool app_opening_stand(struct app *app, struct err *err);
/* Returns true and shows why if moving in time is not possible because the run is still being
 * read. */
ATTR_MUST_USE bool app_opening_refuses(struct app *app);
/* Appends the reading progress, for the banner. */
void app_opening_tell(const struct app *app, struct str *out);
/* Updates the list of runs if it is on the screen. */
void app_runs_load(struct app *app);
/* Updates the rows of the list that fit on the screen. */
void app_runs_fit(struct app *app, int rows);
/* Returns true if the list shows an active run, whose clock advances. */
bool app_runs_count(const struct app *app);
/* Shows a different run, starting with SCREEN_TASKS or SCREEN_TIMELINE, and continues to follow the
 * app's own run. */
void app_visit_open(struct app *app, int64_t run, enum screen screen);
/* Leaves the other run once the user is back at the list of runs. */
void app_visit_look(struct app *app);
/* Reads new events of the app's own run. */
void app_visit_take_news(struct app *app);
/* Returns the follower of the app's own run, which is at the present state. */
struct follower *app_own_run(const struct app *app);
/* Closes the visited run, if any, and shows the app's own run again. */
void app_visit_close(struct app *app);

/* Time in a recording or in the past of a live run (app_replay.c). */

/* Returns true if the past of a live run is on the screen. */
bool app_is_past(const struct app *app);
/* Adds newly recorded events. */
void app_replay_extend(struct app *app);
/* Handles a playback key; shows a message if there is nothing in that direction. In a live run,
 * enters the past; REPLAY_END returns to the present. */
void app_replay_move(struct app *app, enum replay_move move);
/* Moves to the moment of this event. */
void app_replay_to_event(struct app *app, int64_t seq);
/* Advances by the time that has passed. */
void app_replay_play(struct app *app);
/* Moves to the moment that `words` describes, see replay_find(). Shows a message if there is
 * none. */
void app_replay_go_to(struct app *app, const char *words);
/* Like app_replay_go_to(), but reports errors in *err. Fails like replay_find(). */
ATTR_MUST_USE bool app_replay_find(struct app *app, const char *words, struct err *err);
/* Reads the records around the moment on screen. */
void app_load_events(struct app *app);
/* Reads what happened to the selected task after the moment on screen. */
void app_load_what_came(struct app *app);
void app_events_close(struct app *app);

struct bookmark_job;

/* Waits for a bookmark that is being written. */
void app_bookmarks_close(struct app *app);
/* Updates the bookmarks of the run on screen. */
void app_bookmarks_load(struct app *app);
/* Bookmarks the moment on screen, under the name in the view. Writes in a separate thread, which
 * may have to wait for other writers. app_bookmarks_look() shows the result. */
void app_bookmarks_add(struct app *app);
/* Removes the bookmark with this id, also in a separate thread. */
void app_bookmarks_remove(struct app *app, int64_t id);
/* Shows the result of the latest change when its thread is done. */
void app_bookmarks_look(struct app *app);

/* Reports that cover the screen (app_report.c). */

/* Compares the attempt marked in the view with the one shown. If that is impossible, the view says
 * why. */
void app_report_compare(struct app *app);
/* Starts computing how the run would have gone under the policies in the file named in the view. */
void app_report_what_if(struct app *app);
/* Reads the next page of the run for a what-if report. Call once per turn while report.reads is
 * set. */
void app_report_go_on(struct app *app);
/* Lays out the open report for the screen; frees a report that was closed. */
void app_report_load(struct app *app);
void app_report_close(struct app *app);

struct bundle_job;

/* Starts copying this run of the app's log to a file in a separate thread; shows a message if that
 * is impossible. The file gets its final name in app_bundle_keep(). */
void app_bundle_begin(struct app *app, int64_t run);
/* Shows the bundle when it is complete; discards it if the user did not want it. */
void app_bundle_look(struct app *app);
/* Returns true while a copy is in progress. Call app_bundle_look() regularly during a copy,
 * otherwise only after keys. */
bool app_bundle_copies(const struct app *app);
/* Keeps the bundle. */
void app_bundle_keep(struct app *app);
/* Ends the copy and waits for its thread. Deletes a bundle that was not kept. */
void app_bundle_close(struct app *app);

/* The cockpit without a terminal (app_picture.c). */

/* Finds the screen with this name; NULL is the Tasks screen. Fails with ERR_INVALID if there is
 * none. */
ATTR_MUST_USE bool app_screen_named(const char *name, enum screen *out, struct err *err);
/* Opens the screen as its key would; if that is impossible, the view says why. */
void app_open_screen(struct app *app, enum screen screen);
/* Selects the task with this id, or for NULL the task of the latest event. Fails with ERR_NOT_FOUND
 * if there is none. */
ATTR_MUST_USE bool app_choose_task(struct app *app, const char *id, struct err *err);

/* A program that the cockpit starts for the user: a pager that gets the terminal.
 *
 * Main thread. The program gets a process group of its own, but stays in our session, so that the
 * engine does not kill it. It runs in "/" and is looked up only in absolute folders of PATH,
 * because a step may have written anything in the project's folder. */

enum { OUTSIDE_ARGS_MAX = 66, OUTSIDE_WORDS_MAX = 1024 };

/* A command line from $PAGER, split at blanks, without a shell. */
struct outside_words {
    char text[OUTSIDE_WORDS_MAX];
    char *argv[OUTSIDE_ARGS_MAX]; /* points into `text`; ends with NULL */
};
/* Splits the line. Returns false if it has no words, or too many. */
ATTR_MUST_USE bool outside_split(const char *line, struct outside_words *out);

/* Starts a program that owns the terminal, with `input` as its stdin. */
ATTR_MUST_USE bool outside_start_on_terminal(char *const *argv, int input, pid_t *out,
                                             struct err *err);

/* State of a program. OUTSIDE_STOPPED: stopped by a signal. */
enum outside_state { OUTSIDE_RUNS, OUTSIDE_STOPPED, OUTSIDE_ENDED };
enum outside_state outside_look(pid_t pid);
/* Kills the program and its process group, and waits for it. */
void outside_end(pid_t pid);
/* Makes us the terminal's foreground group again. */
void outside_take_terminal(void);

#endif
