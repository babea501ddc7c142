/*
 * frame_internal.h - the building blocks of screens. Pure, like all frames.
 */
#ifndef DEVS_FRAME_INTERNAL_H
#define DEVS_FRAME_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"
#include "frame.h"
#include "keymap.h"
#include "log_lines.h"
#include "rows.h"
#include "run_state.h"
#include "shown.h"
#include "str.h"
#include "timeline.h"
#include "timeline_axis.h"
#include "view.h"

/* Parts that all screens share (frame.c). */

/* Returns the style of a state. */
enum style frame_style(enum shown shown);
/* Returns the time to show: the present or, if nothing is running, the last time in the log. */
struct moment frame_now(const struct frame_input *input);
/* Returns frame_now() as a struct shown_time. */
struct shown_time frame_time(const struct frame_input *input);
/* Returns the settings for texts about tasks, such as shown_now(). */
struct shown_look frame_look(const struct frame_input *input, bool ascii);
/* Appends a built-in sentence that names keys, see keymap_say(). */
void frame_say(const struct frame_input *input, const char *words, struct str *out);
/* Appends a task's id in `columns` columns. Cuts out the middle of a long id, because ids of a plan
 * often start alike and end differently. If a nearby task would look the same, keeps the part that
 * differs as well. */
void frame_add_id(const struct plan *plan, int task, int columns, struct str *out);

/* Draws text, clipped at the right end of the spot. Returns the column after it. */
int frame_put(struct canvas *canvas, struct spot spot, enum style style, const char *text);
/* Draws text that ends at a column. Returns the column where it starts. */
int frame_put_right(struct canvas *canvas, struct spot spot, enum style style, const char *text);
/* Makes the box a zone where a click focuses the pane and the wheel scrolls it. Call before adding
 * the zones of the pane's contents. */
void frame_pane_zone(struct canvas *canvas, const struct frame_box *box, uint32_t pane);
/* Draws a horizontal divider line with a title on the left and a note on the right. */
void frame_rule(struct canvas *canvas, struct spot spot, const char *title, const char *note);
/* Like frame_rule(), with a note that names keys, see frame_say(). */
void frame_rule_say(struct canvas *canvas, struct spot spot, const char *title, const char *note,
                    const struct frame_input *input);
/* Marks the start of the pane's divider line if the pane has the focus. */
void frame_pane_mark(struct canvas *canvas, struct spot spot, const struct view *view,
                     enum view_pane pane);

/* Returns the smaller of two numbers of rows or columns. */
int frame_least(int a, int b);
/* Returns the larger of two numbers of rows or columns. */
int frame_most(int a, int b);
/* Takes `rows` rows off the top of *rest, which must have at least that many. */
struct frame_box frame_take(struct frame_box *rest, int rows);
/* Takes one row and returns its number. */
int frame_take_row(struct frame_box *rest);

/* The rows around a screen's body (frame_page.c, frame_header.c, frame_message.c). */

enum {
    PAGE_MESSAGE_ROWS = 12,  /* lower: no separate row for messages */
    PAGE_CLOCK_COLUMNS = 40, /* narrower: no clock if the path needs its room */
    PAGE_PATH_COLUMNS = 60,  /* narrower: only the end of the path */
    PAGE_WIDE_COLUMNS = 120,
};

/* Position of each part; -1 for rows that are not shown. */
struct frame_page {
    struct frame_box body; /* rows 0: no room */
    struct frame_edges edges;
};
/* Lays out a page for a canvas of this size. Leaves out what does not fit. */
struct frame_page frame_page_lay(int rows, int columns, const struct frame_input *input);

/* The keys to show at the bottom, if they have an effect now. */
struct frame_keys {
    const enum act *acts; /* borrowed */
    size_t count;
    const char *const *briefs; /* borrowed; by act, see struct footer */
    size_t kept;               /* how many of the last keys to show in any case; 0 = one */
    size_t most;               /* maximum number of keys; 0 = as many as fit */
};
/* Draws everything except the body. A NULL path leaves out the head row as well. */
void frame_page_draw(struct canvas *canvas, const struct frame_page *page,
                     const struct frame_input *input, const char *path,
                     const struct frame_keys *keys);

/* Appends a path, shortened to fit: "Tasks > T-104 > step 2 > try 3". The step appears only if the
 * task has several. */
void frame_add_try(const struct frame_input *input, int columns, struct str *out);
/* Appends "Tasks > T-104 checkout: tax rounding". */
void frame_add_task(const struct frame_input *input, int columns, struct str *out);

/* Returns edges with no row shown. */
struct frame_edges frame_edges_none(void);
/* Draws everything except the footer, whose keys depend on the screen. */
void frame_draw_edges(struct canvas *canvas, const struct frame_edges *edges,
                      const struct frame_input *input);
/* Sets the style of a whole row, whatever its contents. */
void frame_paint_row(struct canvas *canvas, int row, enum style style);
/* Draws row 0: name, mode, counts, clock. */
void frame_header(struct canvas *canvas, const struct frame_input *input);
/* Returns true if a banner reports a problem with devs itself. */
bool frame_has_banner(const struct frame_input *input);
/* Draws facts->banner over the whole row. */
void frame_banner(struct canvas *canvas, int row, const struct frame_input *input);
/* Draws a line about a source whose limit holds tasks back. */
void frame_gate(struct canvas *canvas, int row, const struct frame_input *input);
/* Draws the answer to a key or an act, or the latest news. */
void frame_message(struct canvas *canvas, int row, const struct frame_input *input);
/* Draws the keys that have an effect now, or the message if it has no row of its own. */
void frame_footer(struct canvas *canvas, int row, const struct frame_input *input);
/* Sets the footer texts of acts whose effect differs because the selected task is held or stuck. */
void frame_name_acts(const struct frame_input *input, const char *briefs[UI_ACT_COUNT]);
/* Draws a frame for a canvas too small for anything else: counts, banner, selected task,
 * message. */
void frame_small(struct canvas *canvas, const struct frame_input *input);

/* Returns true if the header is a conspicuous bar. */
bool frame_mode_is_bar(const struct view_facts *facts);
enum style frame_mode_style(const struct view_facts *facts);
/* Appends the mode: "LIVE", "REPLAY (read only)", "PAST -2:06  (live continues: !1 ~3 *4)",
 * shortened on narrow screens. */
void frame_add_mode(const struct frame_input *input, const struct canvas *canvas, struct str *out);
/* Returns the word for the end of the past: "live", or "end" if the run has ended. Static. */
const char *frame_present_word(const struct view_facts *facts);
/* In the past, appends the key that returns to the present, for display after the clock. */
void frame_add_way_back(const struct frame_input *input, struct str *out);

/* The Tasks screen and its list (frame_tasks.c, frame_list.c). */

/* Draws the whole screen; on a small canvas calls frame_small(). */
void frame_tasks(struct canvas *canvas, const struct frame_input *input);
/* Like frame_fit(), for Tasks and for screens without panes of their own. */
void frame_tasks_fit(struct view *view, int rows, int columns, const struct frame_input *input);
/* Draws the rows of the view that fit into the box, and the headings in row `heads` (-1 = none). */
void frame_list(struct canvas *canvas, int heads, const struct frame_box *box,
                const struct frame_input *input);
/* Appends "2 above, 3 below", "3 more below": how many rows of the view a list of `rows` rows
 * starting at `top` does not show. */
void frame_add_more_rows(const struct view *view, int top, int rows, struct str *out);
/* Draws the selected row with the essentials for a small screen. */
void frame_list_line(struct canvas *canvas, int row, const struct frame_input *input);

/* The preview (frame_preview.c, frame_state.c): what is known about the selected task, with the log
 * below if the box includes the log. */

enum frame_preview_kind { FRAME_PREVIEW_SHORT, FRAME_PREVIEW_WITH_LOG, FRAME_PREVIEW_ROOMY };
enum {
    FRAME_PREVIEW_SHORT_ROWS = 4, /* maximum rows of FRAME_PREVIEW_SHORT */
    FRAME_PREVIEW_ROWS_MAX = 200, /* maximum height of the scrollable text in rows */
};
/* Draws the preview into the box from its first row; FRAME_PREVIEW_ROOMY from the view's scroll
 * position. */
void frame_preview(struct canvas *canvas, const struct frame_box *box, enum frame_preview_kind kind,
                   const struct frame_input *input);
/* Returns the number of rows of FRAME_PREVIEW_ROOMY, for scrolling. */
int frame_preview_rows(int columns, const struct frame_input *input);

enum {
    PREVIEW_TEXT_COLUMN = 8,         /* column of the text, after its label */
    PREVIEW_TEXT_COLUMN_DETAIL = 10, /* column of the text on Detail */
    PREVIEW_WRAP_ROWS = 4,           /* maximum rows of one text in a roomy preview */
};

/* A preview being drawn from top to bottom. */
struct preview {
    struct canvas *canvas;
    const struct frame_box *box;
    const struct frame_input *input;
    const struct run_state *state;
    enum frame_preview_kind kind;
    int task;
    int text_column; /* one of PREVIEW_TEXT_COLUMN... */
    int row; /* next free row, relative to the top of the box; negative while scrolled out */
};

/* Returns the state of the task that is shown. */
static inline const struct task_state *preview_task(const struct preview *preview)
{
    return &preview->state->tasks[preview->task];
}

/* Returns true if the box has no row left. */
bool preview_is_full(const struct preview *preview);
/* Draws a labelled text in one row, or in up to PREVIEW_WRAP_ROWS rows of a roomy preview; nothing
 * for "". */
void preview_put(struct preview *preview, const char *label, const char *text);
/* Draws the rows with preview_put() and frees them. Draws a ROW_ASIDE only in a roomy preview. */
void preview_put_rows(struct preview *preview, struct rows *rows);
/* Draws the complete command of the current step; nothing if there is none. */
void preview_put_command(struct preview *preview);
/* Draws the state of the task: when it continues and by which formula, or since when it has
 * ended. */
void preview_put_state(struct preview *preview);
/* Draws the formula of the wait; nothing if the task does not wait. */
void preview_put_wait(struct preview *preview);
/* Draws the proof of each step up to the current one. */
void preview_put_proofs(struct preview *preview);
/* Draws the task's agent, its loop or suspected loop, and where it works. */
void preview_put_agent(struct preview *preview);
/* Draws the agent's last message, and whether it is proven; nothing if there is none. */
void preview_put_said(struct preview *preview);

/* Appends the state of a task (shown_now()), and the key that changes it. */
void frame_add_state(const struct frame_input *input, int task, bool is_brief, struct str *out);
/* Appends the progress of a wait: "[####--------------] 10 of 45 s"; nothing if the task does not
 * wait. */
void frame_add_bar(const struct frame_input *input, int task, struct str *out);
/* Appends the share of a try's output that was new: ".04 ▁", or "—" if unknown. */
void frame_add_share(const struct attempt_state *attempt, bool ascii, struct str *out);
/* Appends the proof of a step: "failed as expected (try 1), 6:15 ago". Returns false and appends
 * nothing if it has proven nothing. */
bool frame_add_proof(const struct frame_input *input, int task, int step, struct str *out);
/* Returns true if the try at this index of its step failed with the same result as the previous
 * one. */
bool frame_is_same_fault(const struct attempt_state *attempts, int index);

/* The output of a try (frame_log.c). */

enum frame_log_kind { FRAME_LOG_BARE, FRAME_LOG_WITH_TIMES };
/* Draws the last lines that fit into the box, at the view's scroll position, or a line that says
 * why there are none. */
void frame_log(struct canvas *canvas, const struct frame_box *box, enum frame_log_kind kind,
               const struct frame_input *input);
/* Returns the text for the divider line above the log: what its keys do, or how to focus it; input
 * for frame_say(). Static. */
const char *frame_log_note(const struct view *view);
/* Returns true if the lines belong to an earlier step of the selected task. frame_log_phase() names
 * that step. */
bool frame_log_is_of_other_step(const struct frame_input *input);
/* Returns the phase of the step that the lines belong to, such as "GREEN". Static. */
const char *frame_log_phase(const struct frame_input *input);
/* Draws the Log screen. facts->pager must have the lines in its window. */
void frame_pager(struct canvas *canvas, const struct frame_input *input);

/* The Detail screen (frame_detail.c, frame_detail_tries.c). */

/* Draws the Detail screen over the whole canvas. */
void frame_detail(struct canvas *canvas, const struct frame_input *input);
/* Like frame_fit(), for the Detail screen. */
void frame_detail_fit(struct view *view, int rows, int columns, const struct frame_input *input);

/* The task and the try in view. */
struct detail {
    const struct frame_input *input; /* borrowed, like everything below */
    const struct run_state *state;
    int task;
    struct view_try at;                  /* attempt 0: no attempt yet */
    const struct attempt_state *attempt; /* NULL: no attempt yet */
    bool is_wide;                        /* the wide layout, which has room for everything */
};

/* Returns the number of rows in the table of tries, without its headings. If the task is waiting,
 * the last row is the planned next try. */
int detail_try_count(const struct detail *detail);
/* Appends how many tries a table of `rows` rows does not show: "  4 more above  2 more below";
 * nothing if all fit. */
void detail_add_hidden(const struct detail *detail, int rows, struct str *out);
/* Draws the headings in row `heads` (-1: none), and below them as many tries as fit, including the
 * selected one. */
void detail_draw_tries(struct canvas *canvas, int heads, const struct frame_box *box,
                       const struct detail *detail);

/* The timeline (frame_timeline.c, frame_timeline_notes.c). */

/* Draws the screen. Call frame_timeline_fit() first. */
void frame_timeline(struct canvas *canvas, const struct frame_input *input);
/* Fits the view to the Timeline screen with view_timeline_fit(); does nothing on other screens. */
void frame_timeline_fit(struct view *view, int rows, int columns, const struct frame_input *input);
/* Draws the timeline as a pane: the rows of the view, scrolled to the selected one, and in the last
 * row of the box the axis. */
void frame_timeline_pane(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input);
/* Draws the divider line above the pane, spot.width columns wide, with the time range and the
 * meaning of the signs. */
void frame_timeline_rule(struct canvas *canvas, struct spot spot, const struct frame_input *input);
/* Draws the bar of the selected task over its whole life, and the axis if the box has two rows. */
void frame_timeline_task(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input);

/* The data that all rows of a timeline share. */
struct timeline_look {
    struct canvas *canvas;
    const struct frame_input *input;
    struct timeline_axis axis;
    int column;               /* canvas column where the bars begin */
    struct timeline timeline; /* owned; the timeline of the row drawn last */
    struct bar_cell cells[CANVAS_COLUMNS_MAX];
};

enum {
    TIMELINE_NOTES_COLUMNS = 66, /* width of the decision if the sums are shown beside it */
    TIMELINE_MORE_COLUMNS = 72,  /* narrower: the decision's title takes the whole divider line */
};

/* Draws the decision under the cursor: when, what and on what basis. Starts with a divider line. */
void timeline_draw_decision(struct timeline_look *look, const struct frame_box *box);
/* Draws where the time of all tasks went: a divider line and at least four lines. */
void timeline_draw_spent(struct timeline_look *look, const struct frame_box *box);
/* Returns how many rows timeline_draw_retries() needs; 0: nothing is known. */
int timeline_retries_rows(const struct frame_input *input);
/* Draws whether retrying helps: a divider line, a heading and a line for each class. The box must
 * have timeline_retries_rows() rows. */
void timeline_draw_retries(const struct timeline_look *look, const struct frame_box *box);
/* Draws how many tries were running and what failed, column by column: a divider line and three
 * lines. */
void timeline_draw_load(const struct timeline_look *look, int row);

/* Other screens and overlays. */

/* Draws the Forensics screen with the data read so far. */
void frame_forensics(struct canvas *canvas, const struct frame_input *input);
/* Draws the Hosts screen. Call frame_hosts_fit() first. */
void frame_hosts(struct canvas *canvas, const struct frame_input *input);
/* Like frame_fit(), for the Hosts screen. */
void frame_hosts_fit(struct view *view, int rows, int columns, const struct frame_input *input);
/* Draws the Runs screen, with its list if that has been read. */
void frame_runs(struct canvas *canvas, const struct frame_input *input);
/* Draws the view's report: its divider line, the visible rows, and the keys in the last row. */
void frame_report(struct canvas *canvas, const struct frame_input *input);

#endif
