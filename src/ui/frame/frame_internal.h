/*
 * frame_internal.h - the parts that screens are made of. Pure, as all frames.
 */
#ifndef DEVS_FRAME_INTERNAL_H
#define DEVS_FRAME_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"
#include "frame.h"
#include "keymap.h"
#include "log_pager.h"
#include "run_state.h"
#include "shown.h"
#include "str.h"
#include "timeline.h"
#include "timeline_axis.h"
#include "view.h"

/* What every screen puts on its canvas. */

/* How a state looks. */
enum style frame_style(enum shown shown);
/* The time to show: of the log where nothing goes on. */
struct moment frame_now(const struct frame_input *input);
/* Does nothing go on? Then that is the time of the end, or of the last sign of life, and nothing is
 * told to be so long ago. */
bool frame_stands(const struct frame_input *input);
/* The time to show, as words that tell times take it. */
struct shown_time frame_time(const struct frame_input *input);

/* A sentence of ours that names keys, see keymap_say(). */
void frame_say(const struct frame_input *input, const char *words, struct str *out);

/* A task's id in so many columns: of a longer one the middle is left out, since those of one plan
 * often begin alike and end otherwise. Where a task near it in the plan would look the same, what
 * differs stays, too. */
void frame_add_id(const struct plan *plan, int task, int columns, struct str *out);

/* Text at a place, cut at the right end of the box. Returns the column after it. */
int frame_put(struct canvas *canvas, struct spot spot, enum style style, const char *text);
/* Text that ends at a column. Returns the column it starts at. */
int frame_put_right(struct canvas *canvas, struct spot spot, enum style style, const char *text);
/* Where a click gives the keys to a pane, and the wheel scrolls it: before what is in it. */
void frame_pane_zone(struct canvas *canvas, const struct frame_box *box, uint32_t pane);
/* A line with a title in its left and a note in its right end. */
void frame_rule(struct canvas *canvas, struct spot spot, const char *title, const char *note);
/* The same with a note that names keys, as frame_say() takes it. */
void frame_rule_say(struct canvas *canvas, struct spot spot, const char *title, const char *note,
                    const struct frame_input *input);

/* That this pane has the keys: a sign where its rule begins; nothing where another has them. */
void frame_pane_mark(struct canvas *canvas, struct spot spot, const struct view *view,
                     enum view_pane pane);

/* The rows around every screen. */
struct frame_edges frame_edges_none(void);
/* All but the footer, whose keys are the screen's own. */
void frame_draw_edges(struct canvas *canvas, const struct frame_edges *edges,
                      const struct frame_input *input);

/* The lines about the run as a whole. */

/* The whole row in one style, whatever is in it. */
void frame_paint_row(struct canvas *canvas, int row, enum style style);
/* Row 0: name, what runs behind the screen, counts, clock. */
void frame_header(struct canvas *canvas, const struct frame_input *input);
/* What is wrong with devs itself, over the whole row. */
bool frame_has_banner(const struct frame_input *input);
/* Draw that over a row; facts->banner is its text. */
void frame_banner(struct canvas *canvas, int row, const struct frame_input *input);
/* What a source's limit keeps back, in one line. */
void frame_gate(struct canvas *canvas, int row, const struct frame_input *input);
/* The answer to a key or an act, else the latest news. */
void frame_message(struct canvas *canvas, int row, const struct frame_input *input);
/* The keys that do something now; the message where it has no row of its own. */
void frame_footer(struct canvas *canvas, int row, const struct frame_input *input);
/* What keys do to the chosen task where it is held or stuck, and that is something else. */
void frame_name_acts(const struct frame_input *input, const char *briefs[UI_ACT_COUNT]);
/* The whole of a frame that is too small for more: counts, banner, chosen task, message. */
void frame_small(struct canvas *canvas, const struct frame_input *input);

/* The rows of the view that fit into the box, heads above (-1 = none). */
void frame_list(struct canvas *canvas, int heads, const struct frame_box *box,
                const struct frame_input *input);
/* "2 above, 3 below", "3 more below": the view's rows that a list of so many rows from `top` on has
 * no room for. */
void frame_add_more_rows(const struct view *view, int top, int rows, struct str *out);
/* The chosen row with everything but what a small screen can do without. */
void frame_list_line(struct canvas *canvas, int row, const struct frame_input *input);

/* What is known of the chosen task, and the log below if the box
 * is the log's place too. */
enum frame_preview_kind { FRAME_PREVIEW_SHORT, FRAME_PREVIEW_WITH_LOG, FRAME_PREVIEW_ROOMY };
enum {
    FRAME_PREVIEW_SHORT_ROWS = 4, /* of FRAME_PREVIEW_SHORT */
    FRAME_PREVIEW_ROWS_MAX = 200, /* of all there is to scroll through */
};
/* Draw it into the box from its first row; of FRAME_PREVIEW_ROOMY from the view's row on. */
void frame_preview(struct canvas *canvas, const struct frame_box *box, enum frame_preview_kind kind,
                   const struct frame_input *input);

/* How many rows of the roomy one there are, to scroll through. */
int frame_preview_rows(int columns, const struct frame_input *input);

/* The lines of the log that fit into the box, as far up as the view is. */
enum frame_log_kind { FRAME_LOG_BARE, FRAME_LOG_WITH_TIMES };
/* Draw them, or one line that says why there are none. */
void frame_log(struct canvas *canvas, const struct frame_box *box, enum frame_log_kind kind,
               const struct frame_input *input);
/* For the rule above: what its keys do, or how to get them, as frame_say() takes it. Static. */
const char *frame_log_note(const struct view *view);
/* Are they of a step before the chosen task's present one, and what phase has that step? */
bool frame_log_is_of_other_step(const struct frame_input *input);
/* "GREEN": the phase of the step that they are of. Static. */
const char *frame_log_phase(const struct frame_input *input);

/* How a task stands, without its sign: "try 4 in 0:18, at 14:02:55", "passed at
 * 13:54:10, 8:27 ago". */
void frame_add_state(const struct frame_input *input, int task, struct str *out);
/* How much of a wait is over: "[####--------------] 10 of 45 s"; nothing where it does not wait. */
void frame_add_bar(const struct frame_input *input, int task, struct str *out);

/* One try. */

/* The share of its output that was new: ".04 ▁", or "—" where it is not known. */
void frame_add_share(const struct attempt_state *attempt, bool ascii, struct str *out);
/* "test-fail"; "passed" for one that did not fail. */
void frame_add_try_class(const struct attempt_state *attempt, struct str *out);
/* What a step has proven: "failed as expected (try 1), 6:15 ago"; false, and nothing, for none. */
bool frame_add_proof(const struct frame_input *input, int task, int step, struct str *out);
/* Did the try at this place of its step fail as the one before it did? */
bool frame_is_same_fault(const struct attempt_state *attempts, int index);

enum {
    PAGE_MESSAGE_ROWS = 12,  /* lower: no row of its own for messages */
    PAGE_CLOCK_COLUMNS = 40, /* narrower: the path goes before the clock */
    PAGE_PATH_COLUMNS = 60,  /* narrower: the path names its end only */
    PAGE_WIDE_COLUMNS = 120,
};

/* Where things are; rows of -1 are not there. */
struct frame_page {
    struct frame_box body; /* rows 0: no room for any */
    struct frame_edges edges;
};
/* Lay it out for a canvas of this size; what has no room is left out. */
struct frame_page frame_page_lay(int rows, int columns, const struct frame_input *input);

/* The keys that are named at the bottom, of those that do something now. */
struct frame_keys {
    const enum act *acts; /* borrowed */
    size_t count;
    const char *const *briefs; /* borrowed; by act, see struct footer */
    size_t kept;               /* how many of the last ones are there in any case; 0 = one */
    size_t most;               /* 0 = as many as there is room for */
};
/* All but the body; without a path the head is left out, too. */
void frame_page_draw(struct canvas *canvas, const struct frame_page *page,
                     const struct frame_input *input, const char *path,
                     const struct frame_keys *keys);

/* For paths: "Tasks > T-104 > step 2 > try 3", with more or less of it as there is room, and the
 * step only where the task has several. */
void frame_add_try(const struct frame_input *input, int columns, struct str *out);
/* "Tasks > T-104 checkout: tax rounding". */
void frame_add_task(const struct frame_input *input, int columns, struct str *out);

/* Is the head a bar that cannot be missed? */
bool frame_mode_is_bar(const struct view_facts *facts);
enum style frame_mode_style(const struct view_facts *facts);

/* "LIVE", "REPLAY (read only)", "PAST -2:06  (live goes on: !1 ~3 *4)"; what a narrow screen has no
 * room for is left out. */
void frame_add_mode(const struct frame_input *input, const struct canvas *canvas, struct str *out);

/* "live", or "end" of a run that is over: where the way back from the past leads. Static. */
const char *frame_present_word(const struct view_facts *facts);

/* Behind the clock: the way back from the past; nothing elsewhere. */
void frame_add_way_back(const struct frame_input *input, struct str *out);

/* The smaller, or the larger one, of two numbers of rows or columns. */
int frame_least(int a, int b);
/* The larger one. */
int frame_most(int a, int b);

/* Take so many rows off the top of what is left, which may not be more than there are. */
struct frame_box frame_take(struct frame_box *rest, int rows);
/* Take one row; its number. */
int frame_take_row(struct frame_box *rest);

/* The whole screen; on too small a canvas the lines that frame_small() has for it. */
void frame_tasks(struct canvas *canvas, const struct frame_input *input);

/* As frame_fit(), for this screen; also for those that have nothing to say of a view's panes. */
void frame_tasks_fit(struct view *view, int rows, int columns, const struct frame_input *input);

enum {
    PREVIEW_TEXT_COLUMN = 8,         /* where the lines begin, after their labels; */
    PREVIEW_TEXT_COLUMN_DETAIL = 10, /* on Detail */
    PREVIEW_WRAP_ROWS = 4,           /* rows one text may take where there is room */
};

/* The preview as it is being drawn, from the top down. */
struct preview {
    struct canvas *canvas;
    const struct frame_box *box;
    const struct frame_input *input;
    const struct run_state *state;
    enum frame_preview_kind kind;
    int task;
    int text_column; /* PREVIEW_TEXT_COLUMN* */
    int row;         /* the next free one, counted from the box's first */
};

/* Has the box no row left? */
bool preview_is_full(const struct preview *preview);
/* A labelled text: one row, or as many as it needs where there is room. */
void preview_put(struct preview *preview, const char *label, const char *text);
/* What is known beside state, reason and tries; nothing of a text that is "". */
void preview_put_misfits(struct preview *preview);
/* What its sandbox does not enforce, what is stale, and where its workspace is. */
void preview_put_place(struct preview *preview);
/* The call of its present step, as it is made; nothing where there is none. */
void preview_put_command(struct preview *preview);
/* Did any rule come near by more than a word of its pattern? */
bool preview_has_close_miss(const struct verdict *verdict);
/* How its step ended, and why so. */
void preview_put_ending(struct preview *preview);

/* How the task stands: when it goes on and by what formula, or since when it
 * has ended. */
void preview_put_state(struct preview *preview);
/* The formula by which it waits; nothing where it does not. */
void preview_put_wait(struct preview *preview);
/* A line for each step up to the present one: what it is proven on. */
void preview_put_proofs(struct preview *preview);

/* What makes it go in circles, or seem to; nothing where it does not. */
void preview_put_circles(struct preview *preview);

/* The agent of the task, what it used, its budget, its round and why; nothing where
 * it has none. */
void preview_put_agent(struct preview *preview);
/* What it said last, and whether that is proven; nothing where it has not spoken. */
void preview_put_said(struct preview *preview);

/* Draw it over the whole canvas. */
void frame_detail(struct canvas *canvas, const struct frame_input *input);
/* Tell the view what a screen of this size has room for. */
void frame_detail_fit(struct view *view, int rows, int columns, const struct frame_input *input);

/* The task and the try that are looked at. */
struct detail {
    const struct frame_input *input; /* borrowed, as all below */
    const struct run_state *state;
    int task;
    struct view_try at;                  /* attempt 0: nothing was tried yet */
    const struct attempt_state *attempt; /* NULL: likewise */
    bool is_wide;                        /* there is room for everything */
};

/* The table of all tries, the next one last. */

/* Its rows without the heads. */
int detail_try_count(const struct detail *detail);
/* How many there is no room for in so many rows: "  4 more above"; nothing where all fit. */
void detail_add_hidden(const struct detail *detail, int rows, struct str *out);
/* Heads in row `heads` (-1: none), below as many tries as fit, the chosen one among them. */
void detail_draw_tries(struct canvas *canvas, int heads, const struct frame_box *box,
                       const struct detail *detail);

/* The screen. The view should have been fitted. */
void frame_timeline(struct canvas *canvas, const struct frame_input *input);
/* Fit the view to it (view_timeline_fit()); nothing where another screen is shown. */
void frame_timeline_fit(struct view *view, int rows, int columns, const struct frame_input *input);

/* As a pane: the view's rows, around the chosen one where there are too many, and the axis in the
 * box's last row; and a rule above it that says from when to when, and what the signs mean. */
void frame_timeline_pane(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input);
/* The rule above the pane, from this place on over spot.width columns. */
void frame_timeline_rule(struct canvas *canvas, struct spot spot, const struct frame_input *input);

/* The chosen task alone, as long as it is old: its bar, and the axis where the box has two rows. */
void frame_timeline_task(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input);

/* What all rows are drawn with. */
struct timeline_look {
    struct canvas *canvas;
    const struct frame_input *input;
    struct timeline_axis axis;
    int column;               /* of the canvas: where the bars begin */
    struct timeline timeline; /* owned; of the row drawn last */
    struct bar_cell cells[CANVAS_COLUMNS_MAX];
};

enum {
    TIMELINE_NOTES_COLUMNS = 66, /* of the decision, where the sums are beside it */
    TIMELINE_MORE_COLUMNS = 72,  /* narrower: the decision's title needs its rule alone */
};

/* What is under the cursor: when, what was decided and by what; a rule and lines below it. */
void timeline_draw_decision(struct timeline_look *look, const struct frame_box *box);
/* Where the time of all tasks went: a rule and four lines or more. */
void timeline_draw_spent(struct timeline_look *look, const struct frame_box *box);

/* Does retrying help: a rule, a head and a line for each class. */

/* How many rows it would take; 0: nothing is known. */
int timeline_retries_rows(const struct frame_input *input);
/* Draw them into the box, which has that many rows. */
void timeline_draw_retries(const struct timeline_look *look, const struct frame_box *box);

/* How many ran, and what failed, column by column: a rule and three lines.
 */
void timeline_draw_load(const struct timeline_look *look, int row);

/* States that have a column where any run in sight has tasks in them. */
enum { RUNS_EXTRAS = 3 };
struct runs_extra {
    enum task_status status;
    enum shown shown;
};
extern const struct runs_extra runs_extras[RUNS_EXTRAS];

/* The whole screen, as far as it has been read. */
void frame_forensics(struct canvas *canvas, const struct frame_input *input);
/* facts->pager has the lines in its window. */
void frame_pager(struct canvas *canvas, const struct frame_input *input);
/* The view's report: its rule, the rows in sight, and the keys in the last row. */
void frame_report(struct canvas *canvas, const struct frame_input *input);
/* The whole screen; its list where it has been read. */
void frame_runs(struct canvas *canvas, const struct frame_input *input);

#endif
