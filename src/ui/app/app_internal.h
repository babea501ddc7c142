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
};

enum { APP_ACTS_MAX = 16 };

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

struct app_bookmarks {
    int64_t run;            /* that they were read of; 0 = of none yet */
    bool is_old;            /* they may be others now */
    struct bookmark *items; /* owned; BOOKMARKS_MAX; NULL = none were read yet */
    size_t count;
    struct bookmark_job *job; /* owned; NULL = nothing is being written */
};

struct app_notify {
    unsigned wanted;    /* enum ui_notify */
    unsigned char *was; /* owned; by task: what it was told as, enum ui_notify */
    size_t room;
    int count;     /* of tasks that are in `was` */
    bool is_begun; /* what was so at the start is known */
    bool had_ended;
};

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

/* What is shown, and of when. */

/* The run as the view sees it now. */
struct view_facts app_facts(const struct app *app);
/* How the run as it is now goes, whatever moment of it is looked at. */
enum view_mode app_present_mode(const struct app *app);
/* May only be shown what happened up to app_facts().now? Of a recording, of the past, in a
 * picture: what came later is in the log, too. */
bool app_is_bounded(const struct app *app);
/* How a run is best looked at: one that goes on live, else as a recording. */
enum app_mode app_mode_of(const struct follower *follower);

/* The loop. */

/* Did the engine in this process end before the run did, unasked? */
bool app_engine_stopped(const struct app *app);
/* The run without a terminal. app_close() ends what was opened, however far that came. */
ATTR_MUST_USE bool app_open_run(struct app *app, struct err *err);
/* End all of it, the terminal first; what was never opened is left out. */
void app_close(struct app *app);

/* Read what is new of the run. */
void app_take_news(struct app *app);

/* What comes from people. */

/* Every key and signal that is there now. */
void app_take_keys(struct app *app);
/* Every signal that is there now, until one ends the app. */
void app_take_signals(struct app *app);
/* This turn is the last one. */
void app_leave(struct app *app, enum app_leave leave, int signal);

/* What the terminal does beside showing frames. */

/* The looks and the mouse as the settings have them, once it is open. */
void app_terminal_begin(struct app *app);
/* y and Y. */
void app_copy(struct app *app, bool of_path);
/* Let the terminal have the mouse, or take it back, as the view says. */
void app_switch_mouse(struct app *app);
/* o: the text of what is shown, in $PAGER. Blocks until the person has left it. */
void app_page(struct app *app);
/* Draw the frame, or the line over it while the screen stands still. */
void app_draw_or_freeze(struct app *app);
/* To a place in the run's time, in thousandths of it. */
void app_seek(struct app *app, int thousandths);
/* Tell a person what wants them. */
void app_tell(struct app *app);
/* Other colours, another choice of what is told, by name; says what came of it. */
void app_choose_theme(struct app *app, const char *name);
/* What is told, as "needs-you,ended" or "off"; says what came of it. */
void app_choose_notify(struct app *app, const char *names);

/* Acts on tasks. */
void app_ask(struct app *app, const struct view_todo *todo);
/* Ask the same of each of the view's targets; todo->control has the verb. */
void app_ask_many(struct app *app, const struct view_todo *todo);
/* Show what was answered to acts that were asked for. */
void app_answer_acts(struct app *app);

/* The rule in the open prompt. */

/* Try it; what comes of it is looked for by app_rule_look(). */
void app_rule_try(struct app *app);
void app_rule_stop(struct app *app);
/* Write the rule where options->save_rule keeps it, and say what came of that. */
void app_rule_save(struct app *app);
/* Show how far the trial is, and its result once it is over. */
void app_rule_look(struct app *app);

/* From the state of the app to the screen. */

/* Draw onto the canvas; app_show() also carries it to the terminal. */
void app_draw(struct app *app);
/* app_draw(), and carry it to the terminal. */
void app_show(struct app *app);
/* The terminal has another size, or shows something else: draw all of it anew. */
void app_resize(struct app *app);

/* The last lines of what the chosen task's latest attempt wrote, for panes. */
void app_load_tail(struct app *app);
/* The lines on the log's screen, where that is shown: where the keys led. */
void app_load_log(struct app *app, const struct view_facts *facts);
/* Read and look on without a frame. */
void app_log_go_on(struct app *app);

/* What there is of a run when it is opened is read in slices. */

/* Read the first slice of a recording: enough for a first frame, at its end. */
ATTR_MUST_USE bool app_replay_open(struct app *app, struct err *err);
/* The same of a run that may go on; where that is all there is, its news are taken too. */
void app_live_open(struct app *app);
/* Read one slice more, if there is more. */
void app_opening_go_on(struct app *app);
/* To where the options say that it opens; nothing where they do not. */
ATTR_MUST_USE bool app_opening_stand(struct app *app, struct err *err);
/* Not all is read: say that there is no going about in it yet. */
ATTR_MUST_USE bool app_opening_refuses(struct app *app);
/* How far it is, for the banner. */
void app_opening_tell(const struct app *app, struct str *out);

/* Where in it one is. */

/* Take in what was recorded since. */
void app_replay_extend(struct app *app);
/* A key of the transport; says so where there is nothing to go to. In a live run it enters the
 * past, and leads back from it. */
void app_replay_move(struct app *app, enum replay_move move);
/* To the moment of this record. */
void app_replay_to_event(struct app *app, int64_t seq);
/* Move on by the time that has passed. */
void app_replay_play(struct app *app);

/* To the place that a person's words name. */
void app_replay_go_to(struct app *app, const char *words);
/* The same for who is told otherwise what is wrong with the words: ERR_INVALID, ERR_NOT_FOUND. */
ATTR_MUST_USE bool app_replay_find(struct app *app, const char *words, struct err *err);

/* The records around the moment that is shown. */
void app_load_events(struct app *app);
/* What came of the chosen task after it. */
void app_load_what_came(struct app *app);
void app_events_close(struct app *app);

/* The list of all runs, and another run than the app's own. */

/* Bring the list up to date where the screen shows it. */
void app_runs_load(struct app *app);
/* The same of the rows that the screen has room for. */
void app_runs_fit(struct app *app, int rows);
/* Does it show a run that goes on, and so a time that does? */
bool app_runs_count(const struct app *app);

/* Another run than the one that the app was opened on. */

/* Show it on the same screens, beginning with SCREEN_TASKS or SCREEN_TIMELINE. Its own run goes on
 * meanwhile. */
void app_visit_open(struct app *app, int64_t run, enum screen screen);
/* Whoever is back at the list of runs has left the other run. */
void app_visit_look(struct app *app);
/* Read what is new of the app's own run. */
void app_visit_take_news(struct app *app);
/* The app's own run, as it goes on. */
struct follower *app_own_run(const struct app *app);
/* Close what is kept of it. */
void app_visit_close(struct app *app);

/* Looking back in a run that goes on. */
bool app_is_past(const struct app *app);

void app_acts_done(struct app_acts *acts);
/* Is any answer still to come? */
bool app_acts_are_open(const struct app_acts *acts);
struct bookmark_job;

/* Waits for what is being written. */
void app_bookmarks_close(struct app *app);
/* Bring them up to date with the run that is shown. */
void app_bookmarks_load(struct app *app);
/* They may be others now. */
void app_bookmarks_forget(struct app *app);

/* Keep the moment that is shown, under the name that the view has; forget one. What came of it is
 * said by app_bookmarks_look(). */
void app_bookmarks_add(struct app *app);
/* Forget the bookmark of this id, as app_bookmarks_add() keeps one: in a thread. */
void app_bookmarks_remove(struct app *app, int64_t id);
/* Say what came of the one that was written, once its thread is through. */
void app_bookmarks_look(struct app *app);

struct bundle_job;

/* Copy this run of the app's log; says so where that cannot be. */
void app_bundle_begin(struct app *app, int64_t run);
/* Show it once it is there; let go of one that was not wanted. */
void app_bundle_look(struct app *app);
/* Is one being copied? Then app_bundle_look() is due now and then, else after keys. */
bool app_bundle_copies(const struct app *app);
/* It is wanted. */
void app_bundle_keep(struct app *app);
/* Ends what is being copied, and waits for that; what has no name yet is removed. */
void app_bundle_close(struct app *app);

/* What is new and to be told, as flags, and in words; 0: nothing. */
unsigned app_notify_news(struct app_notify *notify, const struct run_state *state,
                         struct str *words);

void app_notify_done(struct app_notify *notify);

/* Compare the try that the view has marked with the one it is about; what other policies make of
 * the run that is shown. Where that cannot be, the view says why. */
void app_report_compare(struct app *app);
/* Begin what the view's file of policies would have made of the run that is shown. */
void app_report_what_if(struct app *app);
/* Read on, a page at a time. */
void app_report_go_on(struct app *app);
/* Lay the text for the screen, and forget one that was closed. */
void app_report_load(struct app *app);
void app_report_close(struct app *app);

/* The screen of this name, NULL being the tasks'. ERR_INVALID: there is none. */
ATTR_MUST_USE bool app_screen_named(const char *name, enum screen *out, struct err *err);
/* Open it, as by its own key; where that says why not, the view says so itself. */
void app_open_screen(struct app *app, enum screen screen);
/* The task of this id, else the one that the latest event is about. ERR_NOT_FOUND: there is none.
 */
ATTR_MUST_USE bool app_choose_task(struct app *app, const char *id, struct err *err);

struct correct_trial;

/* What does the work: rule_trial_run(). */
typedef bool correct_trial_fn(const struct rule_trial_asked *asked, struct rule_trial *out,
                              struct err *err);

struct correct_trial_job {
    correct_trial_fn *run;
    const struct place *place; /* borrowed; must outlive the trial */
    const char *rules;         /* borrowed for the call: a person's rules now; NULL = none */
    const char *rule;          /* borrowed for the call: the new one */
};

/* Begin. ERR_INVALID if the rule is none. */
ATTR_MUST_USE bool correct_trial_start(struct correct_trial **out,
                                       const struct correct_trial_job *job, struct err *err);
/* Have it end soon, without news; correct_trial_stop() is still to be called. */
void correct_trial_cancel(struct correct_trial *trial);
/* Cancel it and wait for its thread: for the attempt that is being judged, at most (or, if
 * it has only begun, until its rules are compiled). Once it is over, that is no time. */
void correct_trial_stop(struct correct_trial *trial);

/* How far it is; texts are valid until it is stopped. */
struct correct_trial_news correct_trial_look(struct correct_trial *trial);
/* Was it cancelled? */
bool correct_trial_is_cancelled(const struct correct_trial *trial);

#endif
