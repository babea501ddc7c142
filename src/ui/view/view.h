/*
 * view.h - the state of the user interface: the selected task, sorting and filter, panes, prompts,
 * messages, what each screen shows, and the position of a replay. Pure: time is an argument, and
 * actions for the app are returned as values.
 *
 * Tasks are identified by their number, never by their row, so that rows moving on the screen do
 * not change which task a key applies to.
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
#include "event.h"
#include "filter.h"
#include "forensics.h"
#include "help.h"
#include "keymap.h"
#include "line_edit.h"
#include "log_lines.h"
#include "moment.h"
#include "plan.h"
#include "prompt.h"
#include "run_state.h"
#include "str.h"
#include "term.h"
#include "timeline.h"
#include "timeline_axis.h"
#include "view_command.h"

/*
 * The position of a replay within its recording.
 *
 * Keeps one short mark per event. The state itself belongs to the follower, which the app moves to
 * `at`. A position is an event (the last one applied) plus the time that has passed since.
 */

enum {
    REPLAY_GAP_MS_MAX = 30000, /* longer silences take only REPLAY_GAP_CUT_MS during playback */
    REPLAY_GAP_CUT_MS = 1000,  /* duration of a shortened silence */
    REPLAY_SPEED_MIN = 1,      /* minimum speed, in quarters of normal speed: 0.25x */
    REPLAY_SPEED_ONE = 4,
    REPLAY_SPEED_MAX = 256, /* maximum speed: 64x */
};

enum replay_sign { REPLAY_PLAIN, REPLAY_PASS, REPLAY_FAILURE, REPLAY_SIGN_COUNT };

struct replay_mark {
    struct moment at;
    int task;    /* -1 = none */
    int attempt; /* 0 = none */
    uint8_t kind;
    uint8_t sign; /* enum replay_sign */
};

/* The marks with a certain sign, which few events have. */
struct replay_signed {
    size_t *marks; /* owned; sorted indexes; not kept for REPLAY_PLAIN */
    size_t count, cap;
};

struct replay {
    struct replay_mark *marks; /* owned; the event's seq is the index + 1 */
    size_t count, cap;
    struct replay_signed signs[REPLAY_SIGN_COUNT];
    int64_t at;    /* seq of the last event applied, 0 = before the first */
    int64_t on_ms; /* recorded time since that event */
    int speed;     /* playback speed in quarters of normal speed */
    bool playing;
};

/* What a playback key does. */
enum replay_move {
    REPLAY_EVENT_BACK,
    REPLAY_EVENT_ON,
    REPLAY_TRY_BACK,
    REPLAY_TRY_ON,
    REPLAY_FAILURE_BACK, /* a failure of any task */
    REPLAY_FAILURE_ON,
    REPLAY_PLAY,
    REPLAY_SLOWER,
    REPLAY_FASTER,
    REPLAY_START,
    REPLAY_END,
};

void replay_init(struct replay *replay);
void replay_done(struct replay *replay);

/* Adds the mark of the next event in the recording. */
void replay_add(struct replay *replay, const struct event *event);
/* Like replay_add(), as a callback for a follower; `replay` is the context. */
bool replay_take(void *replay, const struct run_state *state, const struct event *event);

/* Carries out a playback key; `task` is the selected task. Returns false if there is nothing in
 * that direction. */
bool replay_move(struct replay *replay, enum replay_move move, int task);

/* Returns why there is nothing in that direction (input for keymap_say()), or NULL if replay_move()
 * would move. `is_past`: in the past of a live run, where moving to the end returns to the present.
 * Static. */
const char *replay_refusal(const struct replay *replay, enum replay_move move, int task,
                           bool is_past);

/* Advances by `passed_ms` of real time; stops at the end. Returns false if the replay is not
 * playing. */
bool replay_play(struct replay *replay, int64_t passed_ms);

/* Returns the current recorded time. */
struct moment replay_now(const struct replay *replay);

struct replay_words {
    const char *text;                 /* borrowed */
    const struct plan *plan;          /* borrowed; for the names of tasks */
    int64_t end_ms;                   /* wall-clock time from which "-2m" counts back */
    const struct bookmark *bookmarks; /* borrowed; bookmarks of the recording */
    size_t bookmark_count;
};

/* The last event applied, and the time since, as in struct replay. */
struct replay_point {
    int64_t seq, on_ms;
};

/* Finds the position that `words` describes: a bookmark's name (case does not matter), "#211" or
 * "211" (an event), "start", "end", "T-104" or "T-104 try 2" (its start), or a time as clock_find()
 * reads it. Fails with ERR_INVALID if the text cannot be parsed, and with ERR_NOT_FOUND if the
 * recording has no such position. A time after the last event gives that event and on_ms. */
ATTR_MUST_USE bool replay_find(const struct replay *replay, const struct replay_words *words,
                               struct replay_point *out, struct err *err);

enum {
    VIEW_STILL_MS = 5000, /* how long rows stay in place after a key, in ms */
    /* How long the first ^Z is remembered when suspending takes two, in ms. */
    VIEW_SUSPEND_MS = 3000,
    VIEW_MESSAGE_MAX = 256,
};

/* What the screen is showing. */
enum view_mode {
    VIEW_LIVE,
    VIEW_ENDED,
    VIEW_INTERRUPTED, /* no end is recorded and the run has no owner */
    VIEW_REPLAY,
    VIEW_PAST, /* a past moment of a live run */
};

/* The facts that keys and rows refer to, as of the moment on screen. */
struct view_facts {
    const struct run_state *state;     /* borrowed */
    const struct run_state *live;      /* borrowed; VIEW_PAST: the run at the present; otherwise
                                          NULL */
    const struct log_tail *log;        /* borrowed; output for the panes */
    const struct forensics *forensics; /* borrowed; forensics of the attempt in view; NULL = none */
    const struct log_pager *pager;     /* borrowed; pager of the Log screen; NULL = not shown */
    const struct retry_help *retries;  /* borrowed; outcomes of retries; NULL = not read */
    /* Borrowed; the records around the position of `replay`; NULL = not read. */
    const struct event_lines *events;
    const struct report_rows *report; /* borrowed; rows of the open report */
    /* Borrowed; position in the recording or the past; NULL at the present. */
    const struct replay *replay;
    const struct bookmark *bookmarks; /* borrowed; bookmarks of the run, sorted by time */
    size_t bookmark_count;
    const char *later; /* borrowed; what happened to the selected task later; NULL = not shown */
    enum view_mode mode;
    enum view_mode live_mode; /* mode of the run at the present */
    bool orphaned;            /* the owner has died, and attempts that were running are lost */
    bool engine_here;         /* the engine is in this process, so leaving ends the run */
    bool read_only;           /* the log cannot be written from here */
    bool newer;               /* the log was written by a newer devs */
    bool opens;               /* the run is still being read, so moving in time is not possible */
    struct moment now;        /* the time shown; in a replay, the recorded time */
    struct moment clock;      /* the real time */
    const char *banner;       /* borrowed; a problem with devs itself, NULL or "" = none */
    bool banner_is_mild;      /* the problem does not stop the user from working yet */
    int64_t run;              /* run number */
    int live_runs;            /* live runs in this log, including this one */
    const char *rules;        /* borrowed; the user's rules, see classify.h; NULL = none */
    const struct runs_list *runs; /* borrowed; for the Runs screen; NULL = not read */
    const char *log_file;         /* borrowed; name of the log's file */
    bool has_plan; /* plan.json exists; only checked while the list of runs is needed */
    /* The app's own run, if a different run was opened from it and it continues. */
    const struct run_state *own; /* borrowed; NULL = it is the run on screen, or has ended */
    int64_t own_run;             /* number of the app's own run; 0 = none */
};

/* Tasks that share a row of the list because they wait after the same result, or for the same task
 * to pass. */
struct view_fold {
    struct fault fault; /* the fault of its present members */
    int leader;         /* the task they wait for; -1 = they wait for their next try */
    int held;           /* how many of the tasks are held; with a leader, all count as held */
};

enum { VIEW_FOLDS_MAX = 2 * FAULTS_MAX };

/* The target of an act, with the state of the task at that time. */
struct view_target {
    int task, step, attempt; /* step -1, attempt 0: whichever is current */
    enum task_status status;
    bool held;
};

/* The panes, in the order in which Tab moves the focus. */
enum view_pane {
    VIEW_PANE_LIST, /* the tasks; on Detail the attempts */
    VIEW_PANE_PREVIEW,
    VIEW_PANE_TIMELINE,
    VIEW_PANE_LOG,
    VIEW_PANE_EVENTS, /* the records of a recording */
    VIEW_PANE_COUNT,
};
/* The panes as bits. */
enum {
    VIEW_HAS_LIST = 1 << VIEW_PANE_LIST,
    VIEW_HAS_PREVIEW = 1 << VIEW_PANE_PREVIEW,
    VIEW_HAS_TIMELINE = 1 << VIEW_PANE_TIMELINE,
    VIEW_HAS_LOG = 1 << VIEW_PANE_LOG,
    VIEW_HAS_EVENTS = 1 << VIEW_PANE_EVENTS,
};

/* A pane that takes the whole screen until the user unzooms it. */
struct view_zoom {
    bool is_on;
    enum screen screen;
};

/* Scroll position of the preview, in rows. A different task starts at the top. */
struct view_preview {
    int task;
    int top, last, page;
};

/* Which tasks are marked. */
struct view_marks {
    bool *of;       /* owned; per task */
    bool *before;   /* owned; the marks before the last key that changed marks, for undo */
    bool *standing; /* owned; the marks without the open range */
    int room;
    int count;
    int range_from; /* the task where the range began, -1 = no open range */
};

enum view_undo_kind { VIEW_UNDO_NOTHING, VIEW_UNDO_ACT, VIEW_UNDO_MARKS };

/* The latest manual act, as long as it can be undone. */
struct view_undo {
    enum view_undo_kind kind;
    int64_t at_ms;               /* time of the act on the steady clock, in ms */
    struct control control;      /* the request that was sent */
    struct view_target *targets; /* owned; the tasks of the act, with their state at that time */
    int count;
    struct verdict_label label; /* for a correction: the replaced class */
};

enum view_report_kind { REPORT_NONE, REPORT_COMPARE, REPORT_WHAT_IF, REPORT_BUNDLE };

/* One attempt. Attempt 0: the task's latest, which changes over time. */
struct view_try {
    int task, step, attempt;
};

/* A report that covers the screen: two attempts side by side, the run under other policies (`=`),
 * or a run about to be exported to a file (`W`). */
struct view_report {
    enum view_report_kind kind; /* kind of the open report */
    int top, last, page;        /* in rows: first visible row, maximum of `top`, page height */
    struct line_edit file;      /* name of the file with other policies; open while being typed */
    struct view_try marked;     /* first attempt of a comparison; attempt 0 = none */
};

/* How much of a section fits: the number of lines if none is wrapped, and the first line of the
 * last page. */
struct view_room {
    size_t page, last;
};

/* The state of the Forensics screen, see view_try_now(). */
struct view_forensics {
    bool right; /* the text has the focus, not the list */
    enum forensics_section section;
    size_t top; /* first visible line of the section */
    struct view_room room;
};

/* The Runs screen. */
struct view_runs {
    int64_t chosen; /* run number; 0 = the newest in the list */
    size_t top;     /* first visible row, counting only rows that pass the filter */
    int page;       /* maximum number of rows that fit */
    struct line_edit filter;
};

/* The Hosts screen. */
struct view_hosts {
    bool is_chosen; /* otherwise the first row is selected */
    int chosen;     /* number of the machine, see rows.h */
    int top;        /* first visible row */
    int page;       /* number of rows that fit */
};

/* Sort order of the list. */
enum order_by {
    ORDER_ADDED,   /* plan order, but tasks that need the user first */
    ORDER_STATE,   /* tasks that need the user, failures, active tasks, successes */
    ORDER_NEXT,    /* shortest wait first */
    ORDER_TRY,     /* most tries first */
    ORDER_NAME,    /* by id, in natural order: numbers compare as numbers */
    ORDER_CLASS,   /* alphabetically; no class last */
    ORDER_LONGEST, /* longest time in its state first; ended tasks last */
    ORDER_COUNT,
};

/* The sort order and its menu. All zero: ORDER_ADDED. */
struct view_order {
    enum order_by by;
    bool is_turned;   /* reversed */
    bool is_open;     /* the menu is open */
    enum order_by at; /* selected line of the menu */
};

/* The space on the Log screen. */
struct view_log_room {
    int rows;
    int columns; /* width of the text */
};

/* The target of a search in progress. */
enum view_log_want { VIEW_LOG_NOTHING, VIEW_LOG_MATCH, VIEW_LOG_ERROR };

/* The state of the Log screen, see view_try_now(): position, wrapping, search. Keys only request a
 * position; view_log_settle() resolves it before a frame is drawn, when the lines are available. */
struct view_log {
    bool stays;     /* keep the position when lines arrive, instead of following the end */
    bool unwrapped; /* long lines are truncated on the right */
    bool only;      /* only matching lines are shown */
    bool raw;       /* show raw output even if an agent's text was extracted */
    size_t top;     /* top of the screen: index among the lines shown */
    int row;        /* top of the screen: row within line `top` */
    int column;     /* unwrapped: first visible column of the text */

    bool is_to_start; /* go to the start before scrolling */
    int64_t scroll;   /* rows still to scroll */
    enum view_log_want want;
    int step;        /* direction: 1 or -1 */
    int64_t from;    /* line number after which the search starts; with step -1, before which */
    bool either_way; /* if nothing is found in this direction, try the other */
    int64_t hit;     /* number of the line found last; -1 = none */

    /* The state before the search was opened, for Esc. */
    size_t was_top;
    int64_t was_hit;
    bool did_stay;
    bool was_only;
    struct line_edit was_search;
    bool asks_only; /* the search was opened to show only matching lines */

    size_t below;  /* lines below the screen */
    bool is_still; /* newer output exists, but would replace the lines being read */
    struct view_log_room room;
};

enum timeline_folding { TIMELINE_FOLDS_LONG, TIMELINE_FOLDS, TIMELINE_FOLDS_NOT };

/* Totals of all tasks, at a given moment of a run. */
struct timeline_sum {
    bool is_there;
    uint64_t seed; /* seed of the run, to recognize the run */
    struct moment started, at;
    bool orphaned;
    struct time_spent spent;
    struct timeline_axis axis; /* axis of the load */
    struct timeline_load load;
};

/* The state of the Timeline screen, which shows the view's selected task. */
struct view_timeline {
    int zoom; /* 0: the whole run; each step doubles the scale */
    enum timeline_folding folding;
    bool is_placed;    /* the cursor has a position of its own; otherwise it follows the present */
    int64_t cursor_ms; /* position of the cursor in ms on CLOCK_BOOTTIME; only if placed */
    int top, rows;     /* first visible row, and number of rows that fit */
    struct timeline_axis axis; /* axis as last drawn */
    struct timeline_sum sum;
};

struct view {
    int chosen;                /* task number, -1 = none */
    bool on_fold;              /* the fold's row is selected, not the task's own */
    int chosen_then;           /* the selection when the filter was opened */
    const struct keymap *keys; /* borrowed; the built-in keys unless replaced */
    struct screen_trail trail;
    struct view_try tried; /* the attempt in view, see view_try_now() */

    int *order; /* owned; all tasks, sorted */
    int order_count;
    int task_room; /* capacity of `order`, `rows`, `fold_of` and `targets`, in tasks */
    int *rows;     /* owned; the visible rows: tasks and folds, see view_row_task() */
    int row_count;

    struct view_fold folds[VIEW_FOLDS_MAX]; /* the present folds, whether or not they have rows */
    int fold_count;
    int *fold_of; /* owned; per task: index in `folds`, -1 = none */
    /* Fingerprints of the faults that the user has unfolded. */
    struct digest unfolded[VIEW_FOLDS_MAX];
    int unfolded_count;
    /* Owned; the targets of the latest question or act about many tasks. */
    struct view_target *targets;
    int target_count;
    struct view_marks marks;
    struct view_undo undo;
    char last_act[VIEW_MESSAGE_MAX]; /* the latest manual act and its answer; "" = none yet */

    int top;          /* first visible row */
    int page;         /* number of rows of the list that fit */
    bool is_scrolled; /* the wheel has scrolled: the selected row may be off screen until the next
                         key */
    int pressed_row;  /* screen row where the mouse was last pressed */
    int64_t still_until;  /* time until which rows stay in place, on the steady clock, in ms */
    int64_t used_at_ms;   /* time of the latest key or mouse event on the steady clock, in ms; 0 =
                             never */
    bool was_over;        /* the run was over at the last view_arrange() */
    bool choice_is_given; /* set by the caller: the end of the run does not change the selection */
    bool unsettled;       /* the order will change as soon as rows may move */

    struct line_edit filter;   /* open while being typed */
    struct task_filter wanted; /* the parsed filter, as of the last view_arrange() or
                                  view_narrow() */
    bool only_needs_you;
    bool hides_passed;
    struct view_order sorted; /* the sort order and its menu */
    enum shown_times times;

    enum view_pane pane; /* the pane with the focus */
    unsigned panes;      /* VIEW_HAS_*: the visible panes */
    struct view_zoom zoom;
    struct view_preview preview;
    struct line_edit search; /* the search text of the log */
    size_t log_back;         /* lines between the end of the log and the visible ones */
    size_t log_page;         /* number of log lines that fit */

    char message[VIEW_MESSAGE_MAX]; /* the answer to a key or an act; "" = none */
    int64_t message_at_ms;
    bool message_undo;        /* the message answers an act, and names the undo key while undoing is
                                 possible */
    int64_t suspend_asked_ms; /* time of the first ^Z on the steady clock, in ms; 0 = none */
    bool shows_later;         /* in a recording: show what happened after the current moment */
    bool frozen;              /* the screen is frozen; recording continues */
    bool leaves_mouse;        /* mouse events are left to the terminal */
    bool leaving;             /* after q w: leave when nothing is running any more */

    struct view_command command;
    struct view_forensics forensics;
    struct view_log log;
    struct view_timeline timeline;
    struct view_runs runs;
    struct view_hosts hosts;
    struct line_edit go_to;    /* a position in time being typed, see replay_find() */
    struct line_edit bookmark; /* the name of a bookmark */
    struct view_report report;
    struct help help;
    struct prompt prompt;
    struct correct correct;
};

/* The action that the app must carry out after a key. */
enum view_todo_kind {
    VIEW_DRAW,        /* only draw a new frame */
    VIEW_ASK,         /* send `control` */
    VIEW_ASK_MANY,    /* send `control` for each of the view's targets */
    VIEW_ASKED,       /* a question was opened: discard typeahead */
    VIEW_TRANSPORT,   /* carry out `move` */
    VIEW_GO_TO,       /* go to the position in view->go_to */
    VIEW_SEEK,        /* go to `seek` */
    VIEW_TO_EVENT,    /* go to `event` */
    VIEW_BOOKMARK,    /* bookmark the moment under the name in view->bookmark */
    VIEW_UNBOOKMARK,  /* remove `bookmark` */
    VIEW_COMPARE,     /* compare the marked attempt with the one shown */
    VIEW_WHAT_IF,     /* compute the outcome of the run under the policies in view->report.file */
    VIEW_BUNDLE,      /* copy `run` to a file */
    VIEW_KEEP_BUNDLE, /* keep the bundle that is shown */
    VIEW_OPEN_RUN,    /* open `run` */
    VIEW_COPY,        /* copy, see view_copy_text() */
    VIEW_COPY_PATH,
    VIEW_THEME,  /* change the theme to view->command.argument */
    VIEW_NOTIFY, /* change notifications to view->command.argument */
    VIEW_PAGER,  /* show the screen's content in $PAGER */
    VIEW_MOUSE,  /* view->leaves_mouse has changed */
    VIEW_REDRAW_ALL,
    VIEW_SUSPEND,
    VIEW_PLAIN, /* leave the screen and continue with plain lines */
    VIEW_LEAVE,
    VIEW_LEAVE_WAIT,
    VIEW_LEAVE_CANCEL,
    VIEW_LEAVE_DETACH,
    VIEW_TRY_RULE,   /* try the rule in the open prompt, see correct.h */
    VIEW_STOP_TRIAL, /* stop the trial */
    VIEW_SAVE_RULE,
};
struct view_todo {
    enum view_todo_kind kind;
    struct control control; /* VIEW_ASK*; the app fills in `by` and the time */
    bool is_undo;           /* VIEW_ASK*: the request undoes an act */
    enum replay_move move;  /* VIEW_TRANSPORT */
    int seek;               /* VIEW_SEEK: position in the run's time, in thousandths */
    int64_t event;          /* VIEW_TO_EVENT: seq of the event */
    int64_t bookmark;       /* VIEW_UNBOOKMARK: id of the bookmark */
    int64_t run;            /* VIEW_OPEN_RUN, VIEW_BUNDLE: run number */
    enum screen screen;     /* VIEW_OPEN_RUN: SCREEN_TASKS or SCREEN_TIMELINE */
};

/* Makes a view of the tasks 0 to task_count - 1, in the plan's order. Selects the first task, if
 * there is one. */
void view_init(struct view *view, int task_count);
void view_done(struct view *view);
/* Sets the number of tasks, which changes when the plan grows or a replay moves back. The selection
 * stays if its task still exists. Call before any other function that uses the new state. */
void view_take_tasks(struct view *view, int task_count);

/* Returns the screen on display. */
enum screen view_screen(const struct view *view);
/* Returns the screen and mode that determine which keys apply. */
struct key_place view_place(const struct view *view, const struct view_facts *facts);

/* Handles a key. */
struct view_todo view_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Updates open questions to the state of the run. Returns true if one has changed. */
bool view_update_prompt(struct view *view, const struct view_facts *facts);
/* Returns true if typed keys are text at present. */
bool view_wants_text(const struct view *view);
/* Returns true if an overlay takes all keys. */
bool view_is_covered(const struct view *view);

/* Shows a message from `now` on, in place of the previous one. Truncates long messages. `fmt` is a
 * printf() format. */
ATTR_PRINTF(3, 4)
void view_say(struct view *view, const struct moment *now, const char *fmt, ...);
/* Like view_say(), for a sentence that names keys, see keymap_say(). Never pass untrusted text as
 * an argument, because braces in it would be replaced by keys. `fmt` is a printf() format. */
ATTR_PRINTF(3, 4)
void view_tell(struct view *view, const struct moment *now, const char *fmt, ...);

/* Returns true and appends why, naming the task, if the act has no effect now. All users of keys
 * rely on this function: the footer shows only acts with an effect, the help shows why others have
 * none, and a key is carried out only if its act has an effect. */
bool view_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                  struct str *why);
/* Returns true if the run accepts this act on a task now: false in the past, with a read-only log,
 * and for acts that need an engine if there is none. */
bool view_task_allows(const struct view_facts *facts, int task, enum act act);

/* The rows of the list. */

/* A run without a key or mouse event for this long is unattended, in ms. */
enum { VIEW_LEFT_ALONE_MS = 60 * 1000 };

/* Sorts the rows: in plan order, but tasks that need the user first; when the run is over,
 * needs-you, stuck, gave-up and lost come first. If a run ends unattended, or is opened after its
 * end, selects the first of these tasks.
 *
 * While rows must not move, only corrects wrong rows in place. In any case, no task or fold has two
 * rows, and each task that passes the filter has a row of its own or is in a fold that has one. */
void view_arrange(struct view *view, const struct view_facts *facts);
/* Returns when the rows may move next, in ms on the steady clock; -1 = the rows are already
 * sorted. */
int64_t view_wake_ms(const struct view *view);
/* Rebuilds the rows at once, in their present order. Call after the filter or the unfolded folds
 * have changed. */
void view_narrow(struct view *view, const struct view_facts *facts);
/* Sets how many rows of the list (0: not visible) and lines of the log fit on the screen, and which
 * panes it has (VIEW_HAS_*). Scrolls so that the selected row is visible. */
void view_fit(struct view *view, int list_rows, int log_lines, unsigned panes);

/* Returns the task of a row, or the first task of the row's fold. */
int view_row_task(int row);
/* Returns true if the row is for several tasks. */
bool view_row_is_fold(int row);
/* Returns the index of a task's own row, or -1 if the task has none. */
int view_row_of(const struct view *view, int task);
/* Returns true if this fold has a row. */
bool view_has_fold_row(const struct view *view, const struct view_fold *fold);
/* Returns the index of the selected row, or -1 if none is selected. */
int view_chosen_row(const struct view *view);
/* Selects the task or fold of a row; `row` is an element of view->rows. */
void view_choose(struct view *view, int row);
/* Selects the row with this index, or the nearest one. Moves to the end of the log if the task
 * changes. */
void view_choose_row(struct view *view, int row);

/* Returns the fold that a task is in, or NULL. */
const struct view_fold *view_fold_of(const struct view *view, int task);
/* Returns the fold whose row is selected, or NULL if the selected row is a task's own. */
const struct view_fold *view_chosen_fold(const struct view *view);
/* Returns true if the user has unfolded this fold, so that each of its tasks has a row. */
bool view_is_unfolded(const struct view *view, const struct view_fold *fold);
/* Folds or unfolds: removes or adds separate rows for the fold's tasks. */
void view_toggle_fold(struct view *view, const struct view_fold *fold);

/* Returns true if this task passes the filter. */
bool view_matches(const struct view *view, const struct view_facts *facts, int task);
/* Returns how many passed tasks H hides. */
int view_hidden(const struct view *view, const struct view_facts *facts);
/* If a word of the filter matches no task, appends the state or class that was probably meant, as
 * in "nearest class: rate-limit (1)", or what is wrong with the word; otherwise nothing. Returns
 * true if Enter accepts the suggestion. */
bool view_nearest(const struct view *view, const struct view_facts *facts, struct str *out);

/* Returns the name of a sort order: "as added", "state", ... Static. */
const char *view_order_name(enum order_by by);
/* Returns the description of the current order: "as added, needs-you first", "state, reversed".
 * Static. */
const char *view_order_words(const struct view *view);
/* Draws the open menu over the screen. */
void view_order_draw(const struct view *view, struct canvas *canvas);

/* Returns how many tasks are marked. */
int view_marked(const struct view *view);
/* Returns true if this task is marked. False for a number without a task. */
bool view_is_marked(const struct view *view, int task);
/* Returns how many marked tasks have no row, not even that of a fold. */
int view_marked_hidden(const struct view *view);

enum { VIEW_UNDO_MS = 5000 };

void view_undo_done(struct view_undo *undo);
/* Returns true and appends why if the latest act cannot be undone (any more). */
bool view_undo_refusal(const struct view *view, const struct view_facts *facts, struct str *why);
/* Undoes the latest act: returns the request for the app. */
struct view_todo view_undo(struct view *view, const struct view_facts *facts);

/* Panes. */

/* Sets how many rows the preview has, and how many of them fit on the screen. */
void view_preview_fit(struct view *view, int rows, int page);
/* Scrolls the preview if it has the focus and the act moves; returns false otherwise. */
bool view_preview_act(struct view *view, enum act act);
/* Returns true if the pane with the focus takes the whole screen. */
bool view_is_zoomed(const struct view *view);

/* One task: Detail, Log and Forensics. */

/* Returns the attempt in view: attempt 0 if there is none yet, task -1 if no task is selected. */
struct view_try view_try_now(const struct view *view, const struct run_state *state);
/* Returns the attempt, or NULL if there is none. */
const struct attempt_state *view_try_state(const struct run_state *state,
                                           const struct view_try *one);
/* Keeps this attempt in view until a different task is selected. */
void view_try_choose(struct view *view, const struct view_try *one);
/* Selects the attempt in this row of the table (counted from 0 over all steps), and moves to the
 * end of its log. Does nothing if there is no such row. A task must be selected. */
void view_detail_choose(struct view *view, const struct run_state *state, int row);

struct log_pager;
struct log_source;

/* Opens the output of the selected task. */
void view_log_open(struct view *view, const struct view_facts *facts);
/* Moves to the end of the log, for a different attempt. Keeps wrapping and the search. */
void view_log_restart(struct view_log *log);
/* Copies the present search and display settings to the pager. Call before reading lines. */
void view_log_sync(struct view *view, struct log_pager *pager);
/* Moves to the position that keys have requested, if its lines are known, and loads the lines for
 * the screen. Shows a message if the search target cannot be found. */
ATTR_MUST_USE bool view_log_settle(struct view *view, const struct view_facts *facts,
                                   struct log_pager *pager, const struct log_source *source,
                                   struct err *err);

/* The panes, for mouse zones. */
enum { VIEW_FORENSICS_LIST, VIEW_FORENSICS_TEXT };

/* Sets how much fits, and limits scrolling to the available lines. */
void view_forensics_fit(struct view *view, struct view_room room);

/* The timeline. */

enum {
    TIMELINE_FOLD_MS = 30 * 60 * 1000, /* longer runs fold idle time by default */
    TIMELINE_ZOOM_MAX = 24,
    TIMELINE_SUM_MS = 1000, /* minimum interval in ms between computations, because they take a
                               while with many tasks */
};

/* Sets the axis and the number of rows that fit; scrolls so that the selected row is visible. */
void view_timeline_fit(struct view *view, const struct timeline_axis *axis, int rows);
/* Computes where the time went up to `now`, and what ran and failed along the drawn axis. Does
 * nothing if that was done less than TIMELINE_SUM_MS ago for the same run and axis. Call after
 * view_timeline_fit(). */
void view_timeline_sum(struct view *view, const struct view_facts *facts, const struct moment *now);
/* Returns true if idle stretches are folded in a run of this length. */
bool view_timeline_folds(const struct view_timeline *timeline, int64_t run_ms);
/* Returns the cursor's time (CLOCK_BOOTTIME, ms). */
int64_t view_timeline_cursor(const struct view_timeline *timeline, const struct moment *now);

/* All runs. */

struct runs_list;

/* Returns the selected run as an index in list->shown; if it is not in the list, the nearest older
 * one. Returns list->shown_count if the list is empty. */
size_t view_runs_chosen(const struct view_runs *runs, const struct runs_list *list);
/* Scrolls so that the selected run is among the `page` visible rows. */
void view_runs_fit(struct view_runs *runs, const struct runs_list *list, int page);
/* Returns why an act has no effect on this screen (input for keymap_say()), or NULL if it has one.
 * Static. */
const char *view_runs_refusal(const struct view *view, const struct view_facts *facts,
                              enum act act);
/* Carries out a key on this screen; returns false if the key has its general meaning. */
bool view_runs_act(struct view *view, const struct view_facts *facts, enum act act,
                   struct view_todo *out);
/* Shows the command that compares the selected run with the next older one in the list (for the
 * oldest run, the next newer one), because runs can only be compared on the command line. Returns
 * false on other screens, and if the list has fewer than two runs. */
bool view_runs_say_compare(struct view *view, const struct view_facts *facts);

/* The machines of the run. */

struct hosts;

/* Returns the row of the selected machine; the first row if it has none. */
int view_hosts_chosen(const struct view_hosts *view, const struct hosts *hosts);
/* Scrolls so that the selected machine is among the `page` visible rows. */
void view_hosts_fit(struct view_hosts *view, const struct hosts *hosts, int page);
/* Selects the machine in this row, or in the nearest one. */
void view_hosts_choose(struct view *view, const struct view_facts *facts, int row);
/* Returns the number of the selected machine, see rows.h. */
int view_hosts_now(const struct view *view, const struct view_facts *facts);

/* Bookmarks and reports. */

/* Returns the bookmark of the moment on screen, or NULL. Borrowed. */
const struct bookmark *view_bookmark_here(const struct view_facts *facts);
/* Sets how many rows the report has, and how many fit on the screen. */
void view_report_fit(struct view *view, int rows, int page);

/*
 * Terminal features: copying, $PAGER, the frozen screen, and the mouse. A click selects the row or
 * pane under it or acts as the key shown there; the wheel scrolls and never selects; dragging along
 * the time line moves in time.
 */

/* Appends the text to copy to `text`, and its description for the message line to `words`. The text
 * is the id and title of the selected task or of all marked tasks, the visible lines of a log, the
 * section of the forensics, or the number of the selected run. Returns false if there is nothing to
 * copy. */
bool view_copy_text(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words);

/* Like view_copy_text(), for a path: the workspace of the selected task, or else the log's file. */
bool view_copy_path(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words);

enum { VIEW_WHEEL_ROWS = 3, VIEW_SEEK_WHOLE = 1000 };

/* Handles a mouse event. `canvas` is the frame on the screen, with its mouse zones. */
struct view_todo view_mouse(struct view *view, const struct view_facts *facts,
                            const struct canvas *canvas, const struct mouse *mouse);

#endif
