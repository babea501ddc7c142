/*
 * app_parts.h - what the files of the app share. Main thread only.
 */
#ifndef DEVS_APP_PARTS_H
#define DEVS_APP_PARTS_H

#include "app.h"
#include "app_acts.h"
#include "app_bookmarks.h"
#include "app_bundle.h"
#include "app_notify.h"
#include "app_report.h"
#include "canvas.h"
#include "clock.h"
#include "correct_trial.h"
#include "event_lines.h"
#include "follower.h"
#include "log_elsewhere.h"
#include "log_pager.h"
#include "retry_help.h"
#include "runs_list.h"
#include "str.h"
#include "term.h"
#include "view.h"

enum {
    APP_FRAME_MS = 100,       /* frames that the log causes are no closer than this */
    APP_ANSWER_MS = 100,      /* how often answers are looked for while some are due */
    APP_ORPHAN_MS = 5000,     /* how often a run without news is looked after */
    APP_FAULT_MS = 1000,      /* how often a log that could not be read is looked at again */
    APP_TROUBLE_MS = 1000,    /* how often it is asked what is wrong with the log */
    APP_MILD_MS = 10000,      /* what is shown may be so old before the banner is red */
    APP_CLOCK_MS = 60000,     /* how long it is said that somebody set the clock */
    APP_EVENTS_TURN = 100000, /* events read in one go, so that keys come through */
    APP_KEYS_MAX = 32,        /* keys taken in one go, so that their effect is seen */
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
    bool opens;           /* what there is of the run is not all read yet: app_opening.c */
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

/* app_facts.c: what is shown, and of when. */
/* The run as the view sees it now. */
struct view_facts app_facts(const struct app *app);
/* How the run as it is now goes, whatever moment of it is looked at. */
enum view_mode app_present_mode(const struct app *app);
/* May only be shown what happened up to app_facts().now? Of a recording, of the past, in a
 * picture: what came later is in the log, too. */
bool app_is_bounded(const struct app *app);
/* How a run is best looked at: one that goes on live, else as a recording. */
enum app_mode app_mode_of(const struct follower *follower);

/* app.c: the loop. */
/* Did the engine in this process end before the run did, unasked? */
bool app_engine_stopped(const struct app *app);
/* The run without a terminal. app_close() ends what was opened, however far that came. */
ATTR_MUST_USE bool app_open_run(struct app *app, struct err *err);
/* End all of it, the terminal first; what was never opened is left out. */
void app_close(struct app *app);

/* Read what is new of the run. */
void app_take_news(struct app *app);

/* app_keys.c: what comes from people. */
/* Every key and signal that is there now. */
void app_take_keys(struct app *app);
/* Every signal that is there now, until one ends the app. */
void app_take_signals(struct app *app);
/* This turn is the last one. */
void app_leave(struct app *app, enum app_leave leave, int signal);

/* app_terminal.c: what the terminal does beside showing frames. */
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

/* app_ask.c: acts on tasks. */
void app_ask(struct app *app, const struct view_todo *todo);
/* Ask the same of each of the view's targets; todo->control has the verb. */
void app_ask_many(struct app *app, const struct view_todo *todo);
/* Show what was answered to acts that were asked for. */
void app_answer_acts(struct app *app);

/* app_correct.c: the rule in the open prompt. */
/* Try it; what comes of it is looked for by app_rule_look(). */
void app_rule_try(struct app *app);
void app_rule_stop(struct app *app);
/* Write the rule where options->save_rule keeps it, and say what came of that. */
void app_rule_save(struct app *app);
/* Show how far the trial is, and its result once it is over. */
void app_rule_look(struct app *app);

/* app_show.c: from the state of the app to the screen. */
/* Draw onto the canvas; app_show() also carries it to the terminal. */
void app_draw(struct app *app);
/* app_draw(), and carry it to the terminal. */
void app_show(struct app *app);
/* The terminal has another size, or shows something else: draw all of it anew. */
void app_resize(struct app *app);

/* app_retries.c: what became of tries after a failure, where Detail or Timeline is shown. */
void app_load_retries(struct app *app);

/* app_tail.c: the last lines of what the chosen task's latest attempt wrote, for panes. */
void app_load_tail(struct app *app);

/* app_log.c: what attempts wrote. */
/* Of the same attempt, read in the same way? */
bool app_same_output(const struct log_output_key *a, const struct log_output_key *b);
/* What is later than this is not shown. */
int64_t app_until(const struct app *app);
/* What was read is as new as it can be where both are the same. */
struct app_log_version app_version_now(const struct app *app);
/* Would reading again give the same? */
bool app_same_version(const struct app_log_version *a, const struct app_log_version *b);
/* The lines on the log's screen, where that is shown: where the keys led. */
void app_load_log(struct app *app, const struct view_facts *facts);
/* Read and look on without a frame. */
void app_log_go_on(struct app *app);

/* app_opening.c: what there is of a run when it is opened is read in slices. */
/* Read the first slice of a recording: enough for a first frame, at its end. */
ATTR_MUST_USE bool app_replay_open(struct app *app, struct err *err);
/* The same of a run that may go on; where that is all there is, its news are taken too. */
void app_live_open(struct app *app);
/* Read one slice more, if there is more. */
void app_opening_go_on(struct app *app);
/* Read all that is left. */
void app_opening_finish(struct app *app);
/* To where the options say that it opens; nothing where they do not. */
ATTR_MUST_USE bool app_opening_stand(struct app *app, struct err *err);
/* Not all is read: say that there is no going about in it yet. */
ATTR_MUST_USE bool app_opening_refuses(struct app *app);
/* How far it is, for the banner. */
void app_opening_tell(const struct app *app, struct str *out);

/* app_replay.c: where in it one is. */
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

/* app_events.c: the records around the moment that is shown. */
void app_load_events(struct app *app);
/* What came of the chosen task after it. */
void app_load_what_came(struct app *app);
void app_events_close(struct app *app);

/* app_runs.c: the list of all runs, and another run than the app's own. */
/* Bring the list up to date where the screen shows it. */
void app_runs_load(struct app *app);
/* The same of the rows that the screen has room for. */
void app_runs_fit(struct app *app, int rows);
/* Does it show a run that goes on, and so a time that does? */
bool app_runs_count(const struct app *app);

/* app_visit.c: another run than the one that the app was opened on. */
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

/* app_past.c: looking back in a run that goes on. */
bool app_is_past(const struct app *app);
/* Show the past from now on, at the last event; false: it cannot be read, and that is said. */
ATTR_MUST_USE bool app_past_enter(struct app *app);
/* Back to the run as it is. */
void app_past_leave(struct app *app);

#endif
