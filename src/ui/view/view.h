/*
 * view.h - what a person does with the screen: the chosen task, the order and
 * filter of rows, panes, prompts, messages. Pure: time is an argument, and what
 * is to be done comes back as a value.
 *
 * Tasks are named by their number, never by the row they are in, so nothing that
 * moves on the screen changes what a key is about.
 */
#ifndef DEVS_VIEW_H
#define DEVS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "bookmark.h"
#include "control.h"
#include "correct.h"
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
#include "task_filter.h"
#include "view_command.h"
#include "view_detail.h"
#include "view_forensics.h"
#include "view_log.h"
#include "view_order.h"
#include "view_runs.h"
#include "view_timeline.h"

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

/* Tasks that are one row of the list: they wait with one and the same result, or for the
 * same task to be through. */
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

/* One pane has its screen to itself, until somebody ends that. */
struct view_zoom {
    bool is_on;
    enum screen screen;
};

/* How far the preview is scrolled, in rows; of another task it begins at its top. */
struct view_preview {
    int task;
    int top, last, page;
};

struct view_marks {
    bool *of;       /* owned; by task */
    bool *before;   /* owned; as they were before the last key that changed them, */
    bool *standing; /* owned; and without the range that is open */
    int room;
    int count;
    int range_from; /* the task where a range began, -1 = none is open */
};

enum view_undo_kind { VIEW_UNDO_NOTHING, VIEW_UNDO_ACT, VIEW_UNDO_MARKS };

struct view_undo {
    enum view_undo_kind kind;
    int64_t at_ms;               /* steady clock */
    struct control control;      /* what was asked for; */
    struct view_target *targets; /* owned; of these tasks, as they were then */
    int count;
    struct verdict_label label; /* a correction: the class before */
};

enum view_report_kind { REPORT_NONE, REPORT_COMPARE, REPORT_WHAT_IF, REPORT_BUNDLE };

struct view_report {
    enum view_report_kind kind; /* that is open */
    int top, last, page;        /* rows: the first one in sight, the last one that may be it */
    struct line_edit file;      /* of other policies; open while it is typed */
    struct view_try marked;     /* to be compared with another; attempt 0 = none */
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
    VIEW_COPY,        /* see view_copy.h */
    VIEW_COPY_PATH,
    VIEW_THEME,  /* view->command.argument */
    VIEW_NOTIFY, /* likewise */
    VIEW_PAGER,  /* show the text of the screen's subject in $PAGER */
    VIEW_MOUSE,  /* view->leaves_mouse has changed */
    VIEW_REDRAW_ALL,
    VIEW_SUSPEND,
    VIEW_PLAIN, /* leave the screen: the run goes on as lines */
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

/* A view of the tasks 0 to task_count - 1, in the plan's order, with nothing chosen. */
void view_init(struct view *view, int task_count);
void view_done(struct view *view);
/* The plan has so many tasks now: it has grown, or a replay went back to before it had. What was
 * chosen stays chosen while it is there. Before anything else that takes the new state. */
void view_take_tasks(struct view *view, int task_count);

/* The screen that is shown. */
enum screen view_screen(const struct view *view);
/* Where its keys are pressed. */
struct key_place view_place(const struct view *view, const struct view_facts *facts);

/* view_rows.c */
/* Whether the run has ended or nobody continues it, at the time shown. */
bool view_is_over(const struct view_facts *facts);
enum { VIEW_LEFT_ALONE_MS = 60 * 1000 }; /* without a key for so long, nobody is watching */
/* Put the rows in order: as the plan has them, those that need a person first; once the run is
 * over, needs-you, stuck, gave-up and lost are first. When a run ends that nobody is watching, or
 * is opened afterwards, the first of these is chosen.
 * While they have to stay where they are, only what is not true any more is mended in its
 * place: whatever happens, no task has two rows of its own, no fold has two, and each task
 * that the filter lets through has a row, its own or that of its fold. */
void view_arrange(struct view *view, const struct view_facts *facts);
/* When the rows may move next: steady clock; -1 = they are in their places. */
int64_t view_wake_ms(const struct view *view);

/* The filter or what is unfolded has changed: make the rows anew at once, in the order they
 * have. */
void view_narrow(struct view *view, const struct view_facts *facts);

/* How much of list (0: it is not on the screen) and log the screen shows, and which panes it has
 * (VIEW_HAS_*); scrolls so that the chosen row is there. */
void view_fit(struct view *view, int list_rows, int log_lines, unsigned panes);
/* Move the list by so many rows; what is chosen stays so. */
void view_scroll(struct view *view, int rows);

/* What is in a row: a task, or the fold that it is the first of. */
enum { VIEW_NO_ROW = -1 };
/* Its task, for either. */
int view_row_task(int row);
/* Does the row stand for several tasks? */
bool view_row_is_fold(int row);

/* The number of the row that a task has to itself, -1 if it is hidden. */
int view_row_of(const struct view *view, int task);
/* Has this fold a row? */
bool view_has_fold_row(const struct view *view, const struct view_fold *fold);
/* The number of the row that is chosen, -1 if none is. */
int view_chosen_row(const struct view *view);
/* Choose what is in a row (an element of `rows`). */
void view_choose(struct view *view, int row);
/* Choose the row of this number, or the nearest there is; another task's log is shown from its
 * end. */
void view_choose_row(struct view *view, int row);

/* view_fold.c */
/* Find the folds there are now. */
void view_find_folds(struct view *view, const struct run_state *state);
/* The fold that a task is in, NULL if it is in none (any more). */
const struct view_fold *view_fold_of(const struct view *view, int task);
/* The fold whose row is chosen, NULL if the chosen row is a task. */
const struct view_fold *view_chosen_fold(const struct view *view);
/* Has a person opened this fold, so that each of its tasks has a row? */
bool view_is_unfolded(const struct view *view, const struct view_fold *fold);
/* Carry out a key that is about the chosen fold; false if none is chosen, or it is a key that
 * means the same everywhere. */
bool view_fold_act(struct view *view, const struct view_facts *facts, enum act act,
                   struct view_todo *out);
/* Give the fold's tasks rows of their own, or take them away again. */
void view_toggle_fold(struct view *view, const struct view_fold *fold);

/* Show a message from `now` on, in place of the one before; longer ones are cut. */
ATTR_PRINTF(3, 4)
/* Show a message from `now` on, in place of the one before; longer ones are cut. */
void view_say(struct view *view, const struct moment *now, const char *fmt, ...);
/* The same of a sentence that names keys, see keymap_say(). What is put in is no text from outside:
 * its braces would be keys, too. */
ATTR_PRINTF(3, 4)
/* Show it likewise. */
void view_tell(struct view *view, const struct moment *now, const char *fmt, ...);

/* Do what a key of this act does, or say why it cannot be done here. */
struct view_todo view_do(struct view *view, const struct view_facts *facts, enum act act);
/* Take a key. */
struct view_todo view_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Bring open questions up to date with the run. True if one has changed. */
bool view_update_prompt(struct view *view, const struct view_facts *facts);
/* Is text wanted, not single keys? */
bool view_wants_text(const struct view *view);
/* Does something lie over the screen that has all keys? */
bool view_is_covered(const struct view *view);

struct view;
struct view_facts;

/* The screen has these panes now. One that is gone gives the keys to the list. */
void view_panes_take(struct view *view, unsigned panes);
/* The preview has so many rows in all, and so many of them are on the screen. */
void view_preview_fit(struct view *view, int rows, int page);
/* Scroll it where it has the keys and this is a key that moves; else false. */
bool view_preview_act(struct view *view, enum act act);
/* Does the pane that has the keys have the screen to itself? */
bool view_is_zoomed(const struct view *view);

/* Carry out a key about panes: the next one, the one before, zoom; false for any other. */
bool view_pane_act(struct view *view, enum act act);
/* Why such a key cannot be done now, as keymap_say() takes it; NULL: it can, or is another. */
const char *view_pane_refusal(const struct view *view, enum act act);

void view_marks_init(struct view_marks *marks);
void view_marks_done(struct view_marks *marks);
/* There are so many tasks now; marks of those that are gone are gone. */
void view_marks_take_tasks(struct view_marks *marks, int task_count, int before);

/* How many tasks are marked. */
int view_marked(const struct view *view);
/* Is this task? False for a number that is none. */
bool view_is_marked(const struct view *view, int task);
/* How many of them have no row, not even that of a fold. */
int view_marked_hidden(const struct view *view);

/* Take one of the acts UI_MARK, UI_MARK_RANGE, UI_MARK_ALL, UI_UNMARK. */
void view_marks_act(struct view *view, const struct view_facts *facts, enum act act);
/* An open range reaches to the chosen row: after each key that may have moved. */
void view_marks_stretch(struct view *view);
/* End an open range and drop what it marked. False if none is open. */
bool view_marks_drop_range(struct view *view);
/* As they were before the last key that changed them; again goes forth. */
void view_marks_undo(struct view *view);

enum { VIEW_UNDO_MS = 5000 };

struct view_target;
struct view_todo;

void view_undo_done(struct view_undo *undo);
/* An act has been asked for, or marks have changed. Others leave all as it is. */
void view_undo_note_act(struct view *view, const struct view_facts *facts,
                        const struct view_todo *todo);
/* Marks have changed: they are what is undone next. */
void view_undo_note_marks(struct view *view, const struct view_facts *facts);

/* Why the last act cannot be undone (any more); false: it can. */
bool view_undo_refusal(const struct view *view, const struct view_facts *facts, struct str *why);
/* Undo it: what is to be asked for. */
struct view_todo view_undo(struct view *view, const struct view_facts *facts);

/* =: on Detail and Log two tries are compared, elsewhere other policies are asked for. */
struct view_todo view_report_ask(struct view *view, const struct view_facts *facts);
/* A key while the name of a file is typed. */
struct view_todo view_report_type(struct view *view, uint32_t key);
/* It has so many rows, and so many are in sight. */
void view_report_fit(struct view *view, int rows, int page);
/* A key, and the act that it means elsewhere, while the report is open: scrolls, closes it, or is
 * the answer to what it asks. */
struct view_todo view_report_key(struct view *view, uint32_t key, enum act act);
/* W: write the run that is shown, or the chosen one of all runs. */
struct view_todo view_report_bundle(struct view *view, const struct view_facts *facts);

/* The bookmark of the moment that is shown, NULL if it has none. Borrowed. */
const struct bookmark *view_bookmark_here(const struct view_facts *facts);

/* m: asks for a name, or takes away the one that is here. */
struct view_todo view_bookmark(struct view *view, const struct view_facts *facts);
/* A key while the name is typed. */
struct view_todo view_bookmark_key(struct view *view, uint32_t key);

/* Read what is typed anew, for view_matches(). */
void view_filter_take(struct view *view);
/* Does the filter let this task through? */
bool view_matches(const struct view *view, const struct view_facts *facts, int task);
/* How many finished tasks H keeps back. */
int view_hidden(const struct view *view, const struct view_facts *facts);

/* Where a word of the filter fits no task, the state or class that was probably meant, as
 * in "nearest class: rate-limit (1)"; else what is wrong with it; nothing is appended if there is
 * neither. True if Enter takes it. */
bool view_nearest(const struct view *view, const struct view_facts *facts, struct str *out);

/* A key while the filter is typed. Enter keeps it, or takes the nearest word where nothing fits. */
struct view_todo view_filter_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Set it as if it had been typed; "" shows all. */
void view_filter_set(struct view *view, const struct view_facts *facts, const char *text);
/* H */
void view_filter_passed(struct view *view, const struct view_facts *facts);

#endif
