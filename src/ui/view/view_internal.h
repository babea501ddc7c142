/* view_internal.h - functions that the files of the view share. Pure, like the rest of the view.
 *
 * A screen has up to two functions here. While the screen is on display, NAME_refusal() returns why
 * an act has no effect now, or NULL if it has one; the string is static and written for
 * keymap_say(). NAME_act() carries out a key; it returns false if the key has its general meaning
 * on this screen. */
#ifndef DEVS_VIEW_INTERNAL_H
#define DEVS_VIEW_INTERNAL_H

#include <stdbool.h>

#include "keymap.h"
#include "str.h"
#include "view.h"

/* Keys and their general meaning. */

/* Carries out an act, or shows why it has no effect here. */
struct view_todo view_do(struct view *view, const struct view_facts *facts, enum act act);

/* Returns why a move in time has no effect in a recording or in the past; input for keymap_say().
 * NULL if it has an effect, or if the act is not a move in time. Static. */
const char *stroke_time_refusal(const struct view *view, const struct view_facts *facts,
                                enum act act);

/* Returns how many lines an act moves down (negative: up), with a page of `page` lines. For the
 * first and last line, returns a number larger than any length. 0: the act does not move. */
int view_move_lines(enum act act, int page);
/* Returns true if the act moves by pages or half pages. */
bool view_move_is_by_page(enum act act);

/* The screens. */

/* Returns why an act has no effect on the Tasks screen. */
const char *view_tasks_refusal(const struct view *view, const struct view_facts *facts,
                               enum act act);
/* Carries out a key on the Tasks screen. */
bool view_tasks_act(struct view *view, const struct view_facts *facts, enum act act,
                    struct view_todo *out);

/* Returns why an act has no effect on the Detail screen. */
const char *view_detail_refusal(const struct view *view, const struct view_facts *facts,
                                enum act act);
/* Carries out a key on the Detail screen. */
bool view_detail_act(struct view *view, const struct view_facts *facts, enum act act,
                     struct view_todo *out);

/* Appends why an act has no effect on the Log screen; nothing if it has one. */
void view_log_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                      struct str *why);
/* Carries out a key on the Log screen. */
bool view_log_act(struct view *view, const struct view_facts *facts, enum act act,
                  struct view_todo *out);
/* Handles a key while the search text is being typed. */
void view_log_search_key(struct view *view, const struct view_facts *facts, uint32_t key);

/* Returns why an act has no effect on the Forensics screen. */
const char *view_forensics_refusal(const struct view *view, const struct view_facts *facts,
                                   enum act act);
/* Carries out a key on the Forensics screen. Leaves *out unchanged, because only a new frame is
 * needed. */
bool view_forensics_act(struct view *view, const struct view_facts *facts, enum act act,
                        struct view_todo *out);
/* Opens the screen for the selected task: its running attempt, or else its latest failure, or else
 * its latest attempt. */
void view_forensics_open(struct view *view, const struct view_facts *facts);

/* Returns why an act has no effect on the Timeline screen. */
const char *view_timeline_refusal(const struct view *view, const struct view_facts *facts,
                                  enum act act);
/* Carries out a key on the Timeline screen. */
bool view_timeline_act(struct view *view, const struct view_facts *facts, enum act act,
                       struct view_todo *out);

/* Returns why an act has no effect on the Hosts screen. */
const char *view_hosts_refusal(const struct view_facts *facts, enum act act);
/* Carries out a key on the Hosts screen. */
bool view_hosts_act(struct view *view, const struct view_facts *facts, enum act act,
                    struct view_todo *out);

/* The attempt in view. */

/* Selects the selected task's running attempt, or else its latest failure, or else its latest
 * attempt. */
void view_try_choose_failure(struct view *view, const struct run_state *state);
/* Returns true if there is an attempt before (-1) or after (1). */
bool view_try_has(const struct view *view, const struct run_state *state, int by);
/* Selects the attempt before (-1) or after (1). Returns false and changes nothing if there is
 * none. */
bool view_try_step(struct view *view, const struct run_state *state, int by);

/* The list: rows, order, filter, marks. */

/* Returns true if, at the time shown, the run has ended or has no owner. */
bool view_is_over(const struct view_facts *facts);
/* Scrolls the list by `rows` rows without changing the selection. */
void view_scroll(struct view *view, int rows);
/* Carries out a key for the selected fold. Returns false if none is selected, or the key has its
 * general meaning. */
bool view_fold_act(struct view *view, const struct view_facts *facts, enum act act,
                   struct view_todo *out);

/* Finds the sort order with this name. Returns false if there is none. */
bool view_order_named(const char *name, enum order_by *out);
/* Gets the numbers of all tasks in sort order; `out` must have room for view->order_count. */
void view_order_sort(const struct view *view, const struct view_facts *facts, int *out);
/* Changes the sort order and sorts at once. */
void view_order_take(struct view *view, const struct view_facts *facts, enum order_by by);
/* S: reverses the sort order. */
void view_order_turn(struct view *view, const struct view_facts *facts);
/* Handles a key while the menu is open; ignores unknown keys. */
void view_order_key(struct view *view, uint32_t key, const struct view_facts *facts);

/* Handles a key while the filter is being typed. Enter keeps the filter, or takes the suggested
 * word if nothing matches. */
struct view_todo view_filter_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Sets the filter as if it had been typed; "" shows all. */
void view_filter_set(struct view *view, const struct view_facts *facts, const char *text);
/* H: hides or shows passed tasks. */
void view_filter_passed(struct view *view, const struct view_facts *facts);

void view_marks_init(struct view_marks *marks);
void view_marks_done(struct view_marks *marks);
/* Sets the number of tasks, from `before` to `task_count`; removes the marks of tasks that no
 * longer exist. */
void view_marks_take_tasks(struct view_marks *marks, int task_count, int before);
/* Carries out UI_MARK, UI_MARK_RANGE, UI_MARK_ALL or UI_UNMARK. */
void view_marks_act(struct view *view, const struct view_facts *facts, enum act act);
/* Extends an open range to the selected row. Call after each key that may have moved. */
void view_marks_stretch(struct view *view);
/* Ends an open range and removes its marks. Returns false if none is open. */
bool view_marks_drop_range(struct view *view);
/* Restores the marks from before the last key that changed them. A second call undoes that. */
void view_marks_undo(struct view *view);

/* Acts on tasks. */

/* Like view_refusal(), but for a single task, and only for retry, cancel, kill, hold (and release)
 * and correct. */
bool view_task_refusal(const struct view *view, const struct view_facts *facts, int task,
                       enum act act, struct str *why);

/* Returns the task as a target, with its present state. */
struct view_target view_aim(const struct run_state *state, int task);
/* Carries out retry, cancel, kill, hold or correct on the marked tasks, or the selected one. Call
 * only if view_refusal() allows the act. */
struct view_todo view_act_on_tasks(struct view *view, const struct view_facts *facts, enum act act);
/* Opens a question about the view's targets. many->whose describes them, see struct prompt_many. */
struct view_todo view_ask_about_many(struct view *view, const struct view_facts *facts,
                                     const struct prompt_many *many);
/* Makes targets of all tasks that allow the act, and asks about them; `kind` is one of
 * PROMPT_..._MANY. Shows a message if there is no such task. */
struct view_todo view_ask_about_all(struct view *view, const struct view_facts *facts,
                                    enum prompt_kind kind);

/* Handles a key while a question is open. */
struct view_todo view_question_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Updates the question to the state of the run. Returns true if its subject has changed. */
bool view_question_update(struct view *view, const struct view_facts *facts);

/* Remembers an act that was requested, so that it can be undone. Ignores other actions. */
void view_undo_note_act(struct view *view, const struct view_facts *facts,
                        const struct view_todo *todo);
/* Remembers for undo that marks have changed. */
void view_undo_note_marks(struct view *view, const struct view_facts *facts);

/* Returns true if the task has an attempt that is over. */
bool view_correct_is_possible(const struct run_state *state, int task);
/* Opens the prompt for the latest ended attempt of the selected task. One must exist. */
struct view_todo view_correct_open(struct view *view, const struct view_facts *facts);
/* Shows why correcting is not possible in a replay, and which command to use instead. */
void view_correct_refuse(struct view *view, const struct view_facts *facts);
/* Handles a key while the prompt is open. */
struct view_todo view_correct_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Updates the prompt to the state of the run. Returns true if the question has changed. */
bool view_correct_update(struct view *view, const struct view_facts *facts);

/* Overlays, panes, the terminal, leaving. */

/* Opens an empty command line, as `:` does. */
void view_command_open(struct view *view);
/* Runs the command with this name, or opens the command line with it if it needs an argument. NULL
 * opens an empty line. */
struct view_todo view_command_begin(struct view *view, const struct view_facts *facts,
                                    const char *name);
/* Handles a key of the command line. Returns the app's action when the line is entered. */
struct view_todo view_command_key(struct view *view, uint32_t key, const struct view_facts *facts);

/* Handles `=`: on Detail and Log, marks an attempt or compares two; elsewhere, asks for a file with
 * other policies. */
struct view_todo view_report_ask(struct view *view, const struct view_facts *facts);
/* Handles a key while the report is open: scrolls, closes it, or answers its question. `act` is
 * what the key means elsewhere. */
struct view_todo view_report_key(struct view *view, uint32_t key, enum act act);
/* Handles `W`: exports the run on screen, or on the Runs screen the selected run. */
struct view_todo view_report_bundle(struct view *view, const struct view_facts *facts);

/* Carries out a pane key: next, previous, zoom. Returns false for other acts. */
bool view_pane_act(struct view *view, enum act act);
/* Returns why a pane key has no effect now (input for keymap_say()). NULL: it has one, or the act
 * is not about panes. */
const char *view_pane_refusal(const struct view *view, enum act act);

/* Carries out a key for a terminal feature. Returns false for other acts. */
bool view_terminal_act(struct view *view, const struct view_facts *facts, enum act act,
                       struct view_todo *out);
/* Handles any key while the screen is frozen: keys that unfreeze the screen, and keys that work
 * without changing it. */
struct view_todo view_frozen_act(struct view *view, const struct view_facts *facts, enum act act);

/* Goes back one screen; on the first screen of the past, returns to the present; in the present,
 * quits devs or asks about it. */
struct view_todo view_quit(struct view *view, const struct view_facts *facts);
/* Suspends the program. If that would stop an engine in this process while tries are running, the
 * key must be pressed twice. */
struct view_todo view_suspend(struct view *view, const struct view_facts *facts);
/* Updates the questions about leaving to the state of the run. */
void view_leave_update(struct view *view, const struct view_facts *facts);

#endif
