/*
 * frame_parts.h - the parts that screens are made of, for frame_*.c only.
 */
#ifndef DEVS_FRAME_PARTS_H
#define DEVS_FRAME_PARTS_H

#include "frame.h"
#include "shown.h"

/* frame_put.c: what every screen puts on its canvas. */
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

/* frame_page.c: the rows around every screen. */
struct frame_edges frame_edges_none(void);
/* All but the footer, whose keys are the screen's own. */
void frame_draw_edges(struct canvas *canvas, const struct frame_edges *edges,
                      const struct frame_input *input);

/* frame_header.c: the lines about the run as a whole. */
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
/* frame_message.c: the answer to a key or an act, else the latest news. */
void frame_message(struct canvas *canvas, int row, const struct frame_input *input);
/* frame_footer.c: the keys that do something now; the message where it has no row of its own. */
void frame_footer(struct canvas *canvas, int row, const struct frame_input *input);
/* What keys do to the chosen task where it is held or stuck, and that is something else. */
void frame_name_acts(const struct frame_input *input, const char *briefs[UI_ACT_COUNT]);
/* The whole of a frame that is too small for more: counts, banner, chosen task, message. */
void frame_small(struct canvas *canvas, const struct frame_input *input);

/* frame_transport.c: where a replay is, in words and as a bar. */
void frame_transport(struct canvas *canvas, int row, const struct frame_input *input);
/* The bar, with the times of its ends where there is room; nothing without a moment. */
void frame_scrubber(struct canvas *canvas, int row, const struct frame_input *input);

/* frame_list.c: the rows of the view that fit into the box, heads above (-1 = none). */
void frame_list(struct canvas *canvas, int heads, const struct frame_box *box,
                const struct frame_input *input);
/* frame_status.c: below the list, how it was made, and what was done by hand last; in a box of one
 * row, what it leaves out. */
void frame_status(struct canvas *canvas, const struct frame_box *box,
                  const struct frame_input *input);
/* Are tasks kept from the list, by a filter or since they have finished? */
bool frame_list_is_narrowed(const struct frame_input *input);
/* "2 above, 3 below", "3 more below": the view's rows that a list of so many rows from `top` on has
 * no room for. */
void frame_add_more_rows(const struct view *view, int top, int rows, struct str *out);
/* The chosen row with everything but what a small screen can do without. */
void frame_list_line(struct canvas *canvas, int row, const struct frame_input *input);

/* frame_preview.c: what is known of the chosen task, and the log below if the box
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

/* frame_log.c: the lines of the log that fit into the box, as far up as the view is. */
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

/* frame_state.c: how a task stands, without its sign: "try 4 in 0:18, at 14:02:55", "passed at
 * 13:54:10, 8:27 ago". */
void frame_add_state(const struct frame_input *input, int task, struct str *out);
/* How much of a wait is over: "[####--------------] 10 of 45 s"; nothing where it does not wait. */
void frame_add_bar(const struct frame_input *input, int task, struct str *out);

/* frame_try.c: one try. */
/* The share of its output that was new: ".04 ▁", or "—" where it is not known. */
void frame_add_share(const struct attempt_state *attempt, bool ascii, struct str *out);
/* "test-fail"; "passed" for one that did not fail. */
void frame_add_try_class(const struct attempt_state *attempt, struct str *out);
/* What a step has proven: "failed as expected (try 1), 6:15 ago"; false, and nothing, for none. */
bool frame_add_proof(const struct frame_input *input, int task, int step, struct str *out);
/* Did the try at this place of its step fail as the one before it did? */
bool frame_is_same_fault(const struct attempt_state *attempts, int index);

#endif
