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

/* What every screen puts on its canvas (frame.c). */

/* Returns the style of a state. */
enum style frame_style(enum shown shown);
/* Returns the time to show: that of the log if nothing runs. */
struct moment frame_now(const struct frame_input *input);
/* Whether nothing runs: then frame_now() is the time of the end, or of the last sign of life, and
 * nothing is shown as so long ago. */
bool frame_stands(const struct frame_input *input);
/* Returns frame_now() as texts about times need it. */
struct shown_time frame_time(const struct frame_input *input);
/* Appends a sentence of ours that names keys, see keymap_say(). */
void frame_say(const struct frame_input *input, const char *words, struct str *out);
/* Appends a task's id in so many columns. The middle of a longer one is left out, since ids of one
 * plan often begin alike and end differently. If a task near it in the plan would look the same,
 * what differs stays, too. */
void frame_add_id(const struct plan *plan, int task, int columns, struct str *out);

/* Draws text at a place, cut at the right end of the box. Returns the column after it. */
int frame_put(struct canvas *canvas, struct spot spot, enum style style, const char *text);
/* Draws text that ends at a column. Returns the column where it starts. */
int frame_put_right(struct canvas *canvas, struct spot spot, enum style style, const char *text);
/* Makes the box a zone where a click gives the keys to a pane, and the wheel scrolls it. Before the
 * zones of what is in the pane. */
void frame_pane_zone(struct canvas *canvas, const struct frame_box *box, uint32_t pane);
/* Draws a line with a title at its left and a note at its right end. */
void frame_rule(struct canvas *canvas, struct spot spot, const char *title, const char *note);
/* The same with a note that names keys, as frame_say() takes it. */
void frame_rule_say(struct canvas *canvas, struct spot spot, const char *title, const char *note,
                    const struct frame_input *input);
/* Draws a sign where the pane's rule begins if this pane has the keys. */
void frame_pane_mark(struct canvas *canvas, struct spot spot, const struct view *view,
                     enum view_pane pane);

/* Returns the smaller of two numbers of rows or columns. */
int frame_least(int a, int b);
/* Returns the larger one. */
int frame_most(int a, int b);
/* Takes so many rows off the top of what is left; there must be as many. */
struct frame_box frame_take(struct frame_box *rest, int rows);
/* Takes one row and returns its number. */
int frame_take_row(struct frame_box *rest);

/* The rows around a screen (frame_page.c, frame_header.c, frame_message.c). */

enum {
    PAGE_MESSAGE_ROWS = 12,  /* lower: no row of its own for messages */
    PAGE_CLOCK_COLUMNS = 40, /* narrower: the path goes before the clock */
    PAGE_PATH_COLUMNS = 60,  /* narrower: the path names its end only */
    PAGE_WIDE_COLUMNS = 120,
};

/* Where things are; rows of -1 are not shown. */
struct frame_page {
    struct frame_box body; /* rows 0: no room for any */
    struct frame_edges edges;
};
/* Lays out a page for a canvas of this size; leaves out what has no room. */
struct frame_page frame_page_lay(int rows, int columns, const struct frame_input *input);

/* The keys that are named at the bottom, of those that do something now. */
struct frame_keys {
    const enum act *acts; /* borrowed */
    size_t count;
    const char *const *briefs; /* borrowed; by act, see struct footer */
    size_t kept;               /* how many of the last ones are there in any case; 0 = one */
    size_t most;               /* 0 = as many as there is room for */
};
/* Draws everything but the body; without a path also no head. */
void frame_page_draw(struct canvas *canvas, const struct frame_page *page,
                     const struct frame_input *input, const char *path,
                     const struct frame_keys *keys);

/* Appends a path: "Tasks > T-104 > step 2 > try 3", with more or less of it as there is room, and
 * the step only if the task has several. */
void frame_add_try(const struct frame_input *input, int columns, struct str *out);
/* Appends "Tasks > T-104 checkout: tax rounding". */
void frame_add_task(const struct frame_input *input, int columns, struct str *out);

/* Returns edges of which none is shown. */
struct frame_edges frame_edges_none(void);
/* Draws everything but the footer, whose keys are the screen's own. */
void frame_draw_edges(struct canvas *canvas, const struct frame_edges *edges,
                      const struct frame_input *input);
/* Gives the whole row one style, whatever is in it. */
void frame_paint_row(struct canvas *canvas, int row, enum style style);
/* Draws row 0: name, mode, counts, clock. */
void frame_header(struct canvas *canvas, const struct frame_input *input);
/* Whether something is wrong with devs itself, and a banner says so. */
bool frame_has_banner(const struct frame_input *input);
/* Draws facts->banner over the whole row. */
void frame_banner(struct canvas *canvas, int row, const struct frame_input *input);
/* Draws what the limit of a source keeps back, in one line. */
void frame_gate(struct canvas *canvas, int row, const struct frame_input *input);
/* Draws the answer to a key or an act, else the latest news. */
void frame_message(struct canvas *canvas, int row, const struct frame_input *input);
/* Draws the keys that do something now, and the message if it has no row of its own. */
void frame_footer(struct canvas *canvas, int row, const struct frame_input *input);
/* Sets the texts of acts that mean something else for the chosen task because it is held or stuck.
 */
void frame_name_acts(const struct frame_input *input, const char *briefs[UI_ACT_COUNT]);
/* Draws a frame that is too small for more: counts, banner, chosen task, message. */
void frame_small(struct canvas *canvas, const struct frame_input *input);

/* Whether the head is a bar that cannot be missed. */
bool frame_mode_is_bar(const struct view_facts *facts);
enum style frame_mode_style(const struct view_facts *facts);
/* Appends "LIVE", "REPLAY (read only)", "PAST -2:06  (live goes on: !1 ~3 *4)"; leaves out what a
 * narrow screen has no room for. */
void frame_add_mode(const struct frame_input *input, const struct canvas *canvas, struct str *out);
/* Returns "live", or "end" for a run that is over: where the way back from the past leads. Static.
 */
const char *frame_present_word(const struct view_facts *facts);
/* Appends the way back from the past, after the clock; nothing elsewhere. */
void frame_add_way_back(const struct frame_input *input, struct str *out);

/* The Tasks screen and its list (frame_tasks.c, frame_list.c). */

/* Draws the whole screen; on too small a canvas calls frame_small(). */
void frame_tasks(struct canvas *canvas, const struct frame_input *input);
/* Does what frame_fit() does, for this screen and for those without panes of their own. */
void frame_tasks_fit(struct view *view, int rows, int columns, const struct frame_input *input);
/* Draws the rows of the view that fit into the box, and the heads above (-1 = none). */
void frame_list(struct canvas *canvas, int heads, const struct frame_box *box,
                const struct frame_input *input);
/* Appends "2 above, 3 below", "3 more below": the view's rows that a list of so many rows from
 * `top` on has no room for. */
void frame_add_more_rows(const struct view *view, int top, int rows, struct str *out);
/* Draws the chosen row with all that a small screen cannot do without. */
void frame_list_line(struct canvas *canvas, int row, const struct frame_input *input);

/* The preview (frame_preview.c, frame_state.c): what is known of the chosen task, and the log below
 * it if the box is the log's place, too. */

enum frame_preview_kind { FRAME_PREVIEW_SHORT, FRAME_PREVIEW_WITH_LOG, FRAME_PREVIEW_ROOMY };
enum {
    FRAME_PREVIEW_SHORT_ROWS = 4, /* of FRAME_PREVIEW_SHORT */
    FRAME_PREVIEW_ROWS_MAX = 200, /* of all there is to scroll through */
};
/* Draws it into the box from its first row; FRAME_PREVIEW_ROOMY from the view's row on. */
void frame_preview(struct canvas *canvas, const struct frame_box *box, enum frame_preview_kind kind,
                   const struct frame_input *input);
/* Returns how many rows the roomy one has, to scroll through. */
int frame_preview_rows(int columns, const struct frame_input *input);

enum {
    PREVIEW_TEXT_COLUMN = 8,         /* where the lines begin, after their labels; */
    PREVIEW_TEXT_COLUMN_DETAIL = 10, /* on Detail */
    PREVIEW_WRAP_ROWS = 4,           /* rows one text may take where there is room */
};

/* The preview while it is drawn, from the top down. */
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

/* Whether the box has no row left. */
bool preview_is_full(const struct preview *preview);
/* Draws a labelled text: one row, or as many as it needs if there is room; nothing for "". */
void preview_put(struct preview *preview, const char *label, const char *text);
/* Draws why an output does not fit its contract. */
void preview_put_misfits(struct preview *preview);
/* Draws what the sandbox does not enforce, what is stale, and where the workspace is. */
void preview_put_place(struct preview *preview);
/* Draws the command of the present step, as it is made; nothing if there is none. */
void preview_put_command(struct preview *preview);
/* Whether any rule came near by more than a word of its pattern. */
bool preview_has_close_miss(const struct verdict *verdict);
/* Draws how the step ended, and why. */
void preview_put_ending(struct preview *preview);
/* Draws how the task stands: when it continues and by what formula, or since when it has ended. */
void preview_put_state(struct preview *preview);
/* Draws the formula by which it waits; nothing if it does not wait. */
void preview_put_wait(struct preview *preview);
/* Draws a line for each step up to the present one: what it is proven on. */
void preview_put_proofs(struct preview *preview);
/* Draws why the task is seen as looping, or may loop; nothing otherwise. */
void preview_put_circles(struct preview *preview);
/* Draws the agent of the task, what it used, its budget, its round and why; nothing if it has none.
 */
void preview_put_agent(struct preview *preview);
/* Draws what the agent said last, and whether that is proven; nothing if it said nothing. */
void preview_put_said(struct preview *preview);

/* Appends how a task stands, without its sign: "try 4 in 0:18, at 14:02:55", "passed at 13:54:10,
 * 8:27 ago". */
void frame_add_state(const struct frame_input *input, int task, struct str *out);
/* Appends how much of a wait is over: "[####--------------] 10 of 45 s"; nothing if it does not
 * wait. */
void frame_add_bar(const struct frame_input *input, int task, struct str *out);
/* Appends the share of a try's output that was new: ".04 ▁", or "—" if it is not known. */
void frame_add_share(const struct attempt_state *attempt, bool ascii, struct str *out);
/* Appends "test-fail"; "passed" for a try that did not fail. */
void frame_add_try_class(const struct attempt_state *attempt, struct str *out);
/* Appends what a step has proven: "failed as expected (try 1), 6:15 ago". Returns false, and
 * appends nothing, if it has proven nothing. */
bool frame_add_proof(const struct frame_input *input, int task, int step, struct str *out);
/* Whether the try at this index of its step failed as the one before it did. */
bool frame_is_same_fault(const struct attempt_state *attempts, int index);

/* The output of a try (frame_log.c). */

enum frame_log_kind { FRAME_LOG_BARE, FRAME_LOG_WITH_TIMES };
/* Draws the last lines that fit into the box, as far up as the view is, or one line that says why
 * there are none. */
void frame_log(struct canvas *canvas, const struct frame_box *box, enum frame_log_kind kind,
               const struct frame_input *input);
/* Returns what the rule above says: what its keys do, or how to get them, as frame_say() takes it.
 * Static. */
const char *frame_log_note(const struct view *view);
/* Whether the lines are of a step before the chosen task's present one; frame_log_phase() names it.
 */
bool frame_log_is_of_other_step(const struct frame_input *input);
/* Returns "GREEN": the phase of the step that the lines are of. Static. */
const char *frame_log_phase(const struct frame_input *input);
/* Draws the Log screen. facts->pager has the lines in its window. */
void frame_pager(struct canvas *canvas, const struct frame_input *input);

/* The Detail screen (frame_detail.c, frame_detail_tries.c). */

/* Draws it over the whole canvas. */
void frame_detail(struct canvas *canvas, const struct frame_input *input);
/* Tells the view what a screen of this size has room for. */
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

/* Returns the number of rows of the table of tries, without its heads. The next try is the last
 * one. */
int detail_try_count(const struct detail *detail);
/* Appends how many tries so many rows have no room for: "  4 more above"; nothing if all fit. */
void detail_add_hidden(const struct detail *detail, int rows, struct str *out);
/* Draws heads in row `heads` (-1: none), below as many tries as fit, the chosen one among them. */
void detail_draw_tries(struct canvas *canvas, int heads, const struct frame_box *box,
                       const struct detail *detail);

/* The timeline (frame_timeline.c, frame_timeline_notes.c). */

/* Draws the screen, after frame_timeline_fit(). */
void frame_timeline(struct canvas *canvas, const struct frame_input *input);
/* Fits the view to it with view_timeline_fit(); does nothing if another screen is shown. */
void frame_timeline_fit(struct view *view, int rows, int columns, const struct frame_input *input);
/* Draws it as a pane: the view's rows, around the chosen one if there are too many, and the axis in
 * the box's last row. */
void frame_timeline_pane(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input);
/* Draws the rule above the pane, spot.width columns: from when to when it is, and what the signs
 * mean. */
void frame_timeline_rule(struct canvas *canvas, struct spot spot, const struct frame_input *input);
/* Draws the chosen task alone, as long as it is old: its bar, and the axis if the box has two rows.
 */
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

/* Draws what is under the cursor: when, what was decided and by what; a rule and lines below it. */
void timeline_draw_decision(struct timeline_look *look, const struct frame_box *box);
/* Draws where the time of all tasks went: a rule and four lines or more. */
void timeline_draw_spent(struct timeline_look *look, const struct frame_box *box);
/* Returns how many rows timeline_draw_retries() needs; 0: nothing is known. */
int timeline_retries_rows(const struct frame_input *input);
/* Draws whether retrying helps: a rule, a head and a line for each class, into a box with as many
 * rows. */
void timeline_draw_retries(const struct timeline_look *look, const struct frame_box *box);
/* Draws how many tries ran, and what failed, column by column: a rule and three lines. */
void timeline_draw_load(const struct timeline_look *look, int row);

/* Other screens, and what is drawn over one. */

/* Draws the Forensics screen, as far as it has been read. */
void frame_forensics(struct canvas *canvas, const struct frame_input *input);
/* Draws the Runs screen; its list only once that has been read. */
void frame_runs(struct canvas *canvas, const struct frame_input *input);
/* Draws the view's report: its rule, the rows in sight, and the keys in the last row. */
void frame_report(struct canvas *canvas, const struct frame_input *input);

#endif
