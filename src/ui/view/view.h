/*
 * view.h - what a person does with the screen: the chosen task, the order and filter of rows,
 * panes, prompts, messages, and how each screen is looked at. Pure: time is an argument, and what
 * is to be done is returned as a value.
 *
 * Tasks are named by their number, never by the row they are in, so nothing that moves on the
 * screen changes what a key is about.
 */
#ifndef DEVS_VIEW_H
#define DEVS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "bookmark.h"
#include "canvas.h"
#include "control.h"
#include "correct.h"
#include "err.h"
#include "filter.h"
#include "forensics.h"
#include "help.h"
#include "keymap.h"
#include "line_edit.h"
#include "log_lines.h"
#include "moment.h"
#include "prompt.h"
#include "replay.h"
#include "run_state.h"
#include "screen.h"
#include "str.h"
#include "timeline.h"
#include "timeline_axis.h"
#include "view_command.h"

enum {
    VIEW_STILL_MS = 5000,   /* rows keep their places so long after a key */
    VIEW_SUSPEND_MS = 3000, /* so long ^Z is remembered where it has to come twice */
    VIEW_MESSAGE_MAX = 256,
};

/* What runs behind the screen. */
enum view_mode {
    VIEW_LIVE,
    VIEW_ENDED,
    VIEW_INTERRUPTED, /* no end is recorded and nobody owns the run */
    VIEW_REPLAY,
    VIEW_PAST, /* a moment of a run that is followed */
};

/* What keys and rows are about, as it is now. */
struct view_facts {
    const struct run_state *state;     /* borrowed */
    const struct run_state *live;      /* borrowed; VIEW_PAST: the run as it goes on; else NULL */
    const struct log_tail *log;        /* borrowed */
    const struct forensics *forensics; /* borrowed; what the view's forensics are of, NULL = none */
    const struct log_pager *pager;     /* borrowed; of the view's log, NULL = it is not shown */
    const struct retry_help *retries;  /* borrowed; what became of tries; NULL = not read */
    const struct event_lines *events;  /* borrowed; the records around a place in a recording; NULL:
                                          not read */
    const struct report_rows *report;  /* borrowed; the text of what `=` has opened */
    const struct replay *replay;       /* borrowed; where the recording or the past is; else NULL */
    const struct bookmark *bookmarks;  /* borrowed; of the recording, by time */
    size_t bookmark_count;
    const char *later; /* borrowed; what came of the chosen task after it; NULL = is not shown */
    enum view_mode mode;
    enum view_mode live_mode; /* of `live` */
    bool orphaned;            /* what ran then is lost */
    bool engine_here;         /* leaving ends the run */
    bool read_only;           /* nothing can be written to the log from here */
    bool newer;               /* a newer devs wrote it */
    bool opens;               /* it is still being read: the app refuses to move in time */
    struct moment now;        /* the time shown: in a replay the recorded one */
    struct moment clock;      /* the real time */
    const char *banner;       /* borrowed; what is wrong with devs itself, NULL or "" = nothing */
    bool banner_is_mild;      /* it keeps nobody from anything yet */
    int64_t run;              /* its number */
    int live_runs;            /* runs of this log that are live, this one among them */
    const char *rules;        /* borrowed; a person's rules, see classify.h; NULL = none */
    const struct runs_list *runs; /* borrowed; what the screen of runs shows; NULL = not read */
    const char *log_file;         /* borrowed; of the log */
    bool has_plan;                /* there is a plan.json; looked up while there are no tasks */
    /* Another run was opened from the one that was there first, which goes on meanwhile: */
    const struct run_state *own; /* borrowed; NULL = it is this one, or is over */
    int64_t own_run;             /* its number */
};

/* Tasks that share one row of the list: they wait with the same result, or for the same task to
 * pass. */
struct view_fold {
    struct fault fault; /* of the members there are now */
    int leader;         /* the task they follow; -1 = they wait for their next try */
    int held;           /* how many of them are held */
};

enum { VIEW_FOLDS_MAX = 2 * FAULTS_MAX };

/* What an act is aimed at, and what that was then. */
struct view_target {
    int task, step, attempt; /* step -1, attempt 0: whatever is current */
    enum task_status status;
    bool held;
};

/* In the order in which Tab goes round. */
enum view_pane {
    VIEW_PANE_LIST, /* the tasks; on Detail the tries */
    VIEW_PANE_PREVIEW,
    VIEW_PANE_TIMELINE,
    VIEW_PANE_LOG,
    VIEW_PANE_EVENTS, /* the records of a recording */
    VIEW_PANE_COUNT,
};
/* Sets of them. */
enum {
    VIEW_HAS_LIST = 1 << VIEW_PANE_LIST,
    VIEW_HAS_PREVIEW = 1 << VIEW_PANE_PREVIEW,
    VIEW_HAS_TIMELINE = 1 << VIEW_PANE_TIMELINE,
    VIEW_HAS_LOG = 1 << VIEW_PANE_LOG,
    VIEW_HAS_EVENTS = 1 << VIEW_PANE_EVENTS,
};

/* One pane has its screen to itself until a person ends that. */
struct view_zoom {
    bool is_on;
    enum screen screen;
};

/* How far the preview is scrolled, in rows; of another task it begins at its top. */
struct view_preview {
    int task;
    int top, last, page;
};

/* Which tasks are marked. */
struct view_marks {
    bool *of;       /* owned; by task */
    bool *before;   /* owned; as they were before the last key that changed them, */
    bool *standing; /* owned; and without the range that is open */
    int room;
    int count;
    int range_from; /* the task where a range began, -1 = none is open */
};

enum view_undo_kind { VIEW_UNDO_NOTHING, VIEW_UNDO_ACT, VIEW_UNDO_MARKS };

/* The last act by hand, as long as it can be undone. */
struct view_undo {
    enum view_undo_kind kind;
    int64_t at_ms;               /* steady clock */
    struct control control;      /* what was asked for; */
    struct view_target *targets; /* owned; of these tasks, as they were then */
    int count;
    struct verdict_label label; /* a correction: the class before */
};

enum view_report_kind { REPORT_NONE, REPORT_COMPARE, REPORT_WHAT_IF, REPORT_BUNDLE };

/* One attempt. Attempt 0: the task's latest, whichever that is by then. */
struct view_try {
    int task, step, attempt;
};

/* A text over the screen that was asked for: two tries side by side, what other policies would have
 * made of the run (`=`), a run that is to be written as a file (`W`). */
struct view_report {
    enum view_report_kind kind; /* that is open */
    int top, last, page;        /* rows: the first one in sight, the last one that may be it */
    struct line_edit file;      /* of other policies; open while it is typed */
    struct view_try marked;     /* to be compared with another; attempt 0 = none */
};

/* What a screen has room for: lines that are not broken, and the first line of the last screen
 * of the section. */
struct view_room {
    size_t page, last;
};

/* How a person looks at the forensics of an attempt, see view_try_now(). */
struct view_forensics {
    bool right; /* the keys are the text's, not the list's */
    enum forensics_section section;
    size_t top; /* the section's first line on the screen */
    struct view_room room;
};

/* The screen of all runs. */
struct view_runs {
    int64_t chosen; /* number of a run; 0 = the newest one that is listed */
    size_t top;     /* the first that is on the screen, of those the filter lets through */
    int page;       /* rows of them that fit, at most */
    struct line_edit filter;
};

/* How the list is ordered. */
enum order_by {
    ORDER_ADDED,   /* as the plan has them, those that need a person first */
    ORDER_STATE,   /* in the order of enum shown */
    ORDER_NEXT,    /* whose wait is over first */
    ORDER_TRY,     /* most tries first */
    ORDER_NAME,    /* by id; numbers in it count as numbers */
    ORDER_CLASS,   /* alphabetically; none last */
    ORDER_LONGEST, /* longest in its state first; what has ended last */
    ORDER_COUNT,
};

/* All zero: as the tasks were added. */
struct view_order {
    enum order_by by;
    bool is_turned;   /* the other way round */
    bool is_open;     /* the menu is */
    enum order_by at; /* its chosen line */
};

/* Room on the screen. */
struct view_log_room {
    int rows;
    int columns; /* of text */
};

/* What is searched for, until it is found. */
enum view_log_want { VIEW_LOG_NOTHING, VIEW_LOG_MATCH, VIEW_LOG_ERROR };

/* How a person looks at the whole output of an attempt, see view_try_now(): where, wrapped or not,
 * what is searched for. Keys are pure; where they lead is settled with the lines at hand before a
 * frame is drawn. */
struct view_log {
    bool stays;     /* lines may come below the screen; else the end is followed */
    bool unwrapped; /* long lines are cut off at the right */
    bool only;      /* just the lines that match are shown */
    bool raw;       /* as it came, where an agent's words could be read */
    size_t top;     /* what is first on the screen: a place among the lines shown, */
    int row;        /* and a row of that line */
    int column;     /* unwrapped: the first one of the text on the screen */

    bool is_to_start; /* then, from there, */
    int64_t scroll;   /* so many rows are still to be gone */
    enum view_log_want want;
    int step;        /* which way: 1 or -1 */
    int64_t from;    /* line number; those after it (before it) are looked at */
    bool either_way; /* if there is none this way, take the other */
    int64_t hit;     /* the line that was found last, -1 = none */

    /* As it was before the search was opened, for Esc. */
    size_t was_top;
    int64_t was_hit;
    bool did_stay;
    bool was_only;
    struct line_edit was_search;
    bool asks_only; /* the search was opened to show only the matching lines */

    size_t below;  /* lines below the screen */
    bool is_still; /* and newer ones, which would take away those that are read here */
    struct view_log_room room;
};

enum timeline_folding { TIMELINE_FOLDS_LONG, TIMELINE_FOLDS, TIMELINE_FOLDS_NOT };

/* Sums over all tasks, as of a moment of a run. */
struct timeline_sum {
    bool is_there;
    uint64_t seed; /* the run's */
    struct moment started, at;
    bool orphaned;
    struct time_spent spent;
    struct timeline_axis axis; /* the load's */
    struct timeline_load load;
};

/* How a person looks at the timeline. Its task is the view's chosen one. */
struct view_timeline {
    int zoom; /* 0: the whole run; each one more doubles the scale */
    enum timeline_folding folding;
    bool is_placed;            /* else the cursor is at now, wherever that goes */
    int64_t cursor_ms;         /* CLOCK_BOOTTIME; placed only */
    int top, rows;             /* first row in sight, and how many there is room for */
    struct timeline_axis axis; /* as it was drawn last */
    struct timeline_sum sum;
};

struct view {
    int chosen;                /* task number, -1 = none */
    bool on_fold;              /* its fold's row is meant, not its own */
    int chosen_then;           /* the one chosen when the filter was opened */
    const struct keymap *keys; /* borrowed; the built-in ones until somebody sets others */
    struct screen_trail trail;
    struct view_try tried; /* see view_try_now() */

    int *order; /* owned; all tasks */
    int order_count;
    int task_room; /* for so many tasks there is room here, in fold_of, targets and rows */
    int *rows;     /* owned; those of `order` that the filter lets through: view_row_task() */
    int row_count;

    struct view_fold folds[VIEW_FOLDS_MAX]; /* as they are now, whatever the rows show */
    int fold_count;
    int *fold_of;                           /* owned; by task: in `folds`, -1 = in none */
    struct digest unfolded[VIEW_FOLDS_MAX]; /* faults whose tasks have rows of their own */
    int unfolded_count;
    struct view_target *targets; /* owned; of the last question or act about many */
    int target_count;
    struct view_marks marks;
    struct view_undo undo;
    char last_act[VIEW_MESSAGE_MAX]; /* the last act by hand and its answer; "" = none yet */

    int top;              /* first row on the screen */
    int page;             /* rows of the list on the screen */
    bool is_scrolled;     /* by the wheel: the chosen row may be out of sight until the next key */
    int pressed_row;      /* of the screen: where the mouse was pressed last */
    int64_t still_until;  /* steady clock, ms */
    int64_t used_at_ms;   /* steady clock: when a key or the mouse was used last; 0 = never */
    bool was_over;        /* as of the last view_arrange() */
    bool choice_is_given; /* by whoever opened the view: the end of the run does not change it */
    bool unsettled;       /* the order will change when the rows may move */

    struct line_edit filter;   /* open while it is being typed */
    struct task_filter wanted; /* what it says, as of the last view_arrange(), view_narrow() */
    bool only_needs_you;
    bool hides_passed;
    struct view_order sorted; /* how the rows are ordered, and the menu of that */
    enum shown_times times;

    enum view_pane pane; /* that has the keys */
    unsigned panes;      /* VIEW_HAS_*: those on the screen */
    struct view_zoom zoom;
    struct view_preview preview;
    struct line_edit search; /* in the log */
    size_t log_back;         /* lines between the end of the log and the screen */
    size_t log_page;         /* lines of the log on the screen */

    char message[VIEW_MESSAGE_MAX]; /* answer to a key or an act; "" = none */
    int64_t message_at_ms;
    bool message_undo;        /* it answers an act: while that can be undone, the key is named */
    int64_t suspend_asked_ms; /* ^Z while something runs: steady clock; 0 = not asked */
    bool shows_later;         /* in a recording: what came after the moment that is shown */
    bool frozen;              /* the screen stands still; what happens is recorded all the same */
    bool leaves_mouse;        /* the mouse is the terminal's */
    bool leaving;             /* q w: leaves when nothing runs any more */

    struct view_command command;
    struct view_forensics forensics;
    struct view_log log;
    struct view_timeline timeline;
    struct view_runs runs;
    struct line_edit go_to;    /* a time that is typed */
    struct line_edit bookmark; /* the name of one */
    struct view_report report;
    struct help help;
    struct prompt prompt;
    struct correct correct;
};

/* What a key asks of the app. */
enum view_todo_kind {
    VIEW_DRAW,        /* nothing but a new frame */
    VIEW_ASK,         /* control */
    VIEW_ASK_MANY,    /* control, of each of the view's targets */
    VIEW_ASKED,       /* a question opened: drop what was typed ahead */
    VIEW_TRANSPORT,   /* move */
    VIEW_GO_TO,       /* the place that view->go_to says */
    VIEW_SEEK,        /* seek */
    VIEW_TO_EVENT,    /* event */
    VIEW_BOOKMARK,    /* keep the moment under the name view->bookmark */
    VIEW_UNBOOKMARK,  /* bookmark */
    VIEW_COMPARE,     /* the marked try with the one that is shown */
    VIEW_WHAT_IF,     /* the run with the policies of the file view->report.file */
    VIEW_BUNDLE,      /* run: as one file */
    VIEW_KEEP_BUNDLE, /* the one that is shown */
    VIEW_OPEN_RUN,    /* run */
    VIEW_COPY,        /* see view_copy_text() */
    VIEW_COPY_PATH,
    VIEW_THEME,  /* view->command.argument */
    VIEW_NOTIFY, /* likewise */
    VIEW_PAGER,  /* show the text of the screen's subject in $PAGER */
    VIEW_MOUSE,  /* view->leaves_mouse has changed */
    VIEW_REDRAW_ALL,
    VIEW_SUSPEND,
    VIEW_PLAIN, /* leave the screen: the run continues as lines */
    VIEW_LEAVE,
    VIEW_LEAVE_WAIT,
    VIEW_LEAVE_CANCEL,
    VIEW_LEAVE_DETACH,
    VIEW_TRY_RULE,   /* that of the open prompt, see correct.h */
    VIEW_STOP_TRIAL, /* of it */
    VIEW_SAVE_RULE,
};
struct view_todo {
    enum view_todo_kind kind;
    struct control control; /* VIEW_ASK*; `by` and the time are the app's to fill in */
    bool is_undo;           /* likewise: it undoes an act */
    enum replay_move move;  /* VIEW_TRANSPORT */
    int seek;               /* VIEW_SEEK: how far into the run, in thousandths of its time */
    int64_t event;          /* VIEW_TO_EVENT: its number */
    int64_t bookmark;       /* VIEW_UNBOOKMARK: its id */
    int64_t run;            /* VIEW_OPEN_RUN, VIEW_BUNDLE: its number */
    enum screen screen;     /* VIEW_OPEN_RUN: where, SCREEN_TASKS or SCREEN_TIMELINE */
};

/* Makes a view of the tasks 0 to task_count - 1, in the plan's order, with nothing chosen. */
void view_init(struct view *view, int task_count);
void view_done(struct view *view);
/* Takes the number of tasks that the plan has now: it has grown, or a replay went back to before it
 * had. What was chosen stays chosen while it is there. Call it before anything else that takes the
 * new state. */
void view_take_tasks(struct view *view, int task_count);

/* Returns the screen that is shown. */
enum screen view_screen(const struct view *view);
/* Returns where its keys are pressed. */
struct key_place view_place(const struct view *view, const struct view_facts *facts);

/* Takes a key. */
struct view_todo view_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Brings open questions up to date with the run. Returns whether one has changed. */
bool view_update_prompt(struct view *view, const struct view_facts *facts);
/* Whether text is wanted, not single keys. */
bool view_wants_text(const struct view *view);
/* Whether something lies over the screen that has all keys. */
bool view_is_covered(const struct view *view);

/* Shows a message from `now` on, in place of the one before; cuts longer ones. */
ATTR_PRINTF(3, 4)
/* Shows a message from `now` on, in place of the one before; cuts longer ones. */
void view_say(struct view *view, const struct moment *now, const char *fmt, ...);
/* The same for a sentence that names keys, see keymap_say(). The arguments must not be text from
 * outside: its braces would be keys, too. */
ATTR_PRINTF(3, 4)
/* Shows a sentence that names keys. */
void view_tell(struct view *view, const struct moment *now, const char *fmt, ...);

/* Returns false if the act can be done now. Otherwise appends why it cannot, in words that name the
 * task. This is the one place that knows: the footer names only acts that pass here, the help says
 * why others do not, and a key is carried out only if it passes. */
bool view_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                  struct str *why);
/* Whether such an act on the task would be carried out now: not in the past, in a read-only log, or
 * without an engine. */
bool view_task_allows(const struct view_facts *facts, int task, enum act act);

/* The rows of the list. */

enum { VIEW_LEFT_ALONE_MS = 60 * 1000 }; /* without a key for so long, nobody is watching */

/* Puts the rows in order: as the plan has them, those that need a person first; once the run is
 * over, needs-you, stuck, gave-up and lost are first. When a run ends that nobody is watching, or
 * is opened afterwards, the first of these is chosen.
 *
 * While the rows must stay in place, it mends only what is no longer true, in its place. In any
 * case no task has two rows of its own, no fold has two, and each task that the filter lets through
 * has a row, its own or that of its fold. */
void view_arrange(struct view *view, const struct view_facts *facts);
/* Returns when the rows may move next (steady clock); -1 = they are in their places. */
int64_t view_wake_ms(const struct view *view);
/* The filter or what is unfolded has changed: makes the rows again at once, in their present order.
 */
void view_narrow(struct view *view, const struct view_facts *facts);
/* Sets how many rows of the list (0: it is not on the screen) and lines of the log the screen
 * shows, and which panes it has (VIEW_HAS_*); scrolls so that the chosen row is on the screen. */
void view_fit(struct view *view, int list_rows, int log_lines, unsigned panes);

/* Returns the task of a row, or the first task of the fold that the row stands for. */
int view_row_task(int row);
/* Whether the row stands for several tasks. */
bool view_row_is_fold(int row);
/* Returns the number of the row that a task has to itself, or -1 if it is hidden. */
int view_row_of(const struct view *view, int task);
/* Whether this fold has a row. */
bool view_has_fold_row(const struct view *view, const struct view_fold *fold);
/* Returns the number of the chosen row, or -1 if none is chosen. */
int view_chosen_row(const struct view *view);
/* Chooses what is in a row (an element of `rows`). */
void view_choose(struct view *view, int row);
/* Chooses the row with this number, or the nearest one; shows another task's log from its end. */
void view_choose_row(struct view *view, int row);

/* Returns the fold that a task is in, or NULL if it is in none (any more). */
const struct view_fold *view_fold_of(const struct view *view, int task);
/* Returns the fold whose row is chosen, or NULL if the chosen row is a task. */
const struct view_fold *view_chosen_fold(const struct view *view);
/* Whether a person has opened this fold, so that each of its tasks has a row. */
bool view_is_unfolded(const struct view *view, const struct view_fold *fold);
/* Gives the fold's tasks rows of their own, or takes them away again. */
void view_toggle_fold(struct view *view, const struct view_fold *fold);

/* Whether the filter lets this task through. */
bool view_matches(const struct view *view, const struct view_facts *facts, int task);
/* Returns how many finished tasks H hides. */
int view_hidden(const struct view *view, const struct view_facts *facts);
/* If a word of the filter fits no task, appends the state or class that was probably meant, as in
 * "nearest class: rate-limit (1)", else what is wrong with the word; nothing if there is neither.
 * Returns whether Enter takes it. */
bool view_nearest(const struct view *view, const struct view_facts *facts, struct str *out);

/* Returns "as added", "state", ...: what follows "order". Static. */
const char *view_order_name(enum order_by by);
/* Returns the same in full: "as added, needs-you first", "try, reversed". Static. */
const char *view_order_words(const struct view *view);
/* Draws the open menu over what is there. */
void view_order_draw(const struct view *view, struct canvas *canvas);

/* Returns how many tasks are marked. */
int view_marked(const struct view *view);
/* Whether this task is marked. False for a number without a task. */
bool view_is_marked(const struct view *view, int task);
/* Returns how many marked tasks have no row, not even that of a fold. */
int view_marked_hidden(const struct view *view);

enum { VIEW_UNDO_MS = 5000 };

void view_undo_done(struct view_undo *undo);
/* Appends why the last act cannot be undone (any more); returns false if it can. */
bool view_undo_refusal(const struct view *view, const struct view_facts *facts, struct str *why);
/* Undoes the last act: returns what to ask for. */
struct view_todo view_undo(struct view *view, const struct view_facts *facts);

/* Panes. */

/* Sets how many rows the preview has, and how many of them are on the screen. */
void view_preview_fit(struct view *view, int rows, int page);
/* Scrolls the preview if it has the keys and this key moves; returns false otherwise. */
bool view_preview_act(struct view *view, enum act act);
/* Whether the pane that has the keys has the screen to itself. */
bool view_is_zoomed(const struct view *view);

/* One task: Detail, Log and Forensics. */

/* Returns the try that is looked at now: attempt 0 if nothing was tried yet, task -1 if none is
 * chosen. */
struct view_try view_try_now(const struct view *view, const struct run_state *state);
/* Returns NULL if there is none. */
const struct attempt_state *view_try_state(const struct run_state *state,
                                           const struct view_try *one);
/* Looks at this try until another task is chosen. */
void view_try_choose(struct view *view, const struct view_try *one);
/* Looks at the try in this row of the table, counted from 0 over all steps, and at the end of its
 * log; changes nothing beyond the table. A task must be chosen. */
void view_detail_choose(struct view *view, const struct run_state *state, int row);

struct log_pager;
struct log_source;

/* Goes to the chosen task's output. */
void view_log_open(struct view *view, const struct view_facts *facts);
/* Goes to the end of another attempt's lines. Wrapping and the search stay. */
void view_log_restart(struct view_log *log);
/* Sets what is searched for and shown, as the person has it now. Call it before lines are read. */
void view_log_sync(struct view *view, struct log_pager *pager);
/* Goes where the keys led, as far as the lines are known, and reads those that are then on the
 * screen. Says what cannot be found. */
ATTR_MUST_USE bool view_log_settle(struct view *view, const struct view_facts *facts,
                                   struct log_pager *pager, const struct log_source *source,
                                   struct err *err);

/* The panes, for a mouse. */
enum { VIEW_FORENSICS_LIST, VIEW_FORENSICS_TEXT };

/* Keeps the scrolling within what there is. */
void view_forensics_fit(struct view *view, struct view_room room);

/* The timeline. */

enum {
    TIMELINE_FOLD_MS = 30 * 60 * 1000, /* a longer run folds what is idle unless told otherwise */
    TIMELINE_ZOOM_MAX = 24,
    TIMELINE_SUM_MS = 1000, /* of many tasks it takes a while: it is made no more often */
};

/* Goes to the timeline. */
void view_timeline_open(struct view *view);
/* Sets what the screen shows: the axis, and so many rows; scrolls so that the chosen row is on the
 * screen. */
void view_timeline_fit(struct view *view, const struct timeline_axis *axis, int rows);
/* Adds up where the time went up to `now`, and what ran and failed along the axis as it is drawn,
 * unless that was done within the last second. After view_timeline_fit(). */
void view_timeline_sum(struct view *view, const struct view_facts *facts, const struct moment *now);
/* Whether idle stretches are folded in a run of this length. */
bool view_timeline_folds(const struct view_timeline *timeline, int64_t run_ms);
/* Returns where the cursor is (CLOCK_BOOTTIME, ms). */
int64_t view_timeline_cursor(const struct view_timeline *timeline, const struct moment *now);

/* All runs. */

struct runs_list;

/* Returns the chosen run as an index in list->shown; if it is gone, the nearest older one.
 * list->shown_count if the list is empty. */
size_t view_runs_chosen(const struct view_runs *runs, const struct runs_list *list);
/* Scrolls so that the chosen run is among the `page` rows on the screen. */
void view_runs_fit(struct view_runs *runs, const struct runs_list *list, int page);
/* Returns why an act cannot be done on this screen, as keymap_say() takes it, or NULL if it can.
 * Static. */
const char *view_runs_refusal(const struct view *view, const struct view_facts *facts,
                              enum act act);
/* Carries out a key on this screen; returns false if it means what it means everywhere. */
bool view_runs_act(struct view *view, const struct view_facts *facts, enum act act,
                   struct view_todo *out);
/* Runs are compared on the command line: shows the command for the chosen run and the next older
 * one in the list, or the next newer one for the oldest. Returns false on another screen, and if
 * the list has fewer than two runs. */
bool view_runs_say_compare(struct view *view, const struct view_facts *facts);

/* What is kept and shown. */

/* Returns the bookmark of the moment that is shown, or NULL if it has none. Borrowed. */
const struct bookmark *view_bookmark_here(const struct view_facts *facts);
/* Sets how many rows the report has, and how many are on the screen. */
void view_report_fit(struct view *view, int rows, int page);

#endif
