/*
 * view_internal.h - what the files of the view call of each other. Pure, as all of the view.
 *
 * A screen has up to two functions here. NAME_refusal() returns why an act cannot be done now while
 * the screen is shown, as keymap_say() takes it (a static text), or NULL if it can. NAME_act()
 * carries out a key while the screen is shown; it returns false if the key means there what it
 * means everywhere.
 */
#ifndef DEVS_VIEW_INTERNAL_H
#define DEVS_VIEW_INTERNAL_H

#include <stdbool.h>

#include "keymap.h"
#include "str.h"
#include "view.h"

/* Keys and what they do everywhere. */

/* Do what a key of this act does, or say why it cannot be done here. */
struct view_todo view_do(struct view *view, const struct view_facts *facts, enum act act);

/* Why an act leads nowhere in a recording or in the past, as keymap_say() takes it; NULL: it is of
 * another kind, or leads somewhere. Static. */
const char *stroke_time_refusal(const struct view *view, const struct view_facts *facts,
                                enum act act);

/* Lines that an act moves down (up: less than 0) where so many are in sight; to the first and the
 * last one it is farther than anything is long. 0: it does not move. */
int view_move_lines(enum act act, int page);
/* Is it by pages, or halves of them? */
bool view_move_is_by_page(enum act act);

/* The screens. */

/* Why an act cannot be done on the Tasks screen. */
const char *view_tasks_refusal(const struct view *view, const struct view_facts *facts,
                               enum act act);
/* Carries out a key on the Tasks screen. */
bool view_tasks_act(struct view *view, const struct view_facts *facts, enum act act,
                    struct view_todo *out);

/* Why an act cannot be done on the Detail screen. */
const char *view_detail_refusal(const struct view *view, const struct view_facts *facts,
                                enum act act);
/* Carries out a key on the Detail screen. */
bool view_detail_act(struct view *view, const struct view_facts *facts, enum act act,
                     struct view_todo *out);

/* Appends why an act cannot be done on the Log screen; nothing if it can. */
void view_log_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                      struct str *why);
/* Carries out a key on the Log screen. */
bool view_log_act(struct view *view, const struct view_facts *facts, enum act act,
                  struct view_todo *out);
void view_log_init(struct view_log *log);
/* Handles a key while the search text is typed. */
void view_log_search_key(struct view *view, const struct view_facts *facts, uint32_t key);

/* Why an act cannot be done on the Forensics screen. */
const char *view_forensics_refusal(const struct view *view, const struct view_facts *facts,
                                   enum act act);
/* Carries out a key on the Forensics screen. Leaves *out as it is: a new frame is all that follows.
 */
bool view_forensics_act(struct view *view, const struct view_facts *facts, enum act act,
                        struct view_todo *out);
/* Look at the chosen task: at what runs, else at its latest failure, else at its latest try. */
void view_forensics_open(struct view *view, const struct view_facts *facts);

/* Why an act cannot be done on the Timeline screen. */
const char *view_timeline_refusal(const struct view *view, const struct view_facts *facts,
                                  enum act act);
/* Carries out a key on the Timeline screen. */
bool view_timeline_act(struct view *view, const struct view_facts *facts, enum act act,
                       struct view_todo *out);

/* A key while the filter is typed. */
void view_runs_type(struct view *view, uint32_t key);

/* The try that is looked at. */

/* Look at what runs, else at the latest failure, else at the latest one. */
void view_try_choose_failure(struct view *view, const struct run_state *state);
/* Is there a try before (-1) or after (1)? */
bool view_try_has(const struct view *view, const struct run_state *state, int by);
/* Look at the try before (-1) or after (1); false, and nothing changes, where there is none. */
bool view_try_step(struct view *view, const struct run_state *state, int by);

/* The list: rows, order, filter, marks. */

/* Whether the run has ended or nobody continues it, at the time shown. */
bool view_is_over(const struct view_facts *facts);
/* Move the list by so many rows; what is chosen stays so. */
void view_scroll(struct view *view, int rows);
/* Carry out a key that is about the chosen fold; false if none is chosen, or it is a key that
 * means the same everywhere. */
bool view_fold_act(struct view *view, const struct view_facts *facts, enum act act,
                   struct view_todo *out);

/* False if no order is called so. */
bool view_order_named(const char *name, enum order_by *out);
/* The numbers of all tasks as they are to stand; `out` has room for view->order_count. */
void view_order_sort(const struct view *view, const struct view_facts *facts, int *out);
/* Order by it from now on, at once. */
void view_order_take(struct view *view, const struct view_facts *facts, enum order_by by);
/* S */
void view_order_turn(struct view *view, const struct view_facts *facts);
/* s: the menu, in the last rows of the screen; a digit, or Enter, takes an order. */
void view_order_open(struct view *view);
/* Take a key while the menu is open; one that means nothing here is dropped. */
void view_order_key(struct view *view, uint32_t key, const struct view_facts *facts);

/* Read what is typed anew, for view_matches(). */
void view_filter_take(struct view *view);
/* A key while the filter is typed. Enter keeps it, or takes the nearest word where nothing fits. */
struct view_todo view_filter_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Set it as if it had been typed; "" shows all. */
void view_filter_set(struct view *view, const struct view_facts *facts, const char *text);
/* H */
void view_filter_passed(struct view *view, const struct view_facts *facts);

void view_marks_init(struct view_marks *marks);
void view_marks_done(struct view_marks *marks);
/* There are so many tasks now; marks of those that are gone are gone. */
void view_marks_take_tasks(struct view_marks *marks, int task_count, int before);
/* Take one of the acts UI_MARK, UI_MARK_RANGE, UI_MARK_ALL, UI_UNMARK. */
void view_marks_act(struct view *view, const struct view_facts *facts, enum act act);
/* An open range reaches to the chosen row: after each key that may have moved. */
void view_marks_stretch(struct view *view);
/* End an open range and drop what it marked. False if none is open. */
bool view_marks_drop_range(struct view *view);
/* As they were before the last key that changed them; again goes forth. */
void view_marks_undo(struct view *view);

/* Acts on tasks. */

/* The same of one task: retry, cancel, kill, hold (and let go), correct. */
bool view_task_refusal(const struct view *view, const struct view_facts *facts, int task,
                       enum act act, struct str *why);

/* What an act is aimed at: the task as it is now. */
struct view_target view_aim(const struct run_state *state, int task);
/* Retry, cancel, kill, hold or correct: the marked tasks, else the chosen one. Not for what
 * view_refusal() refuses. */
struct view_todo view_act_on_tasks(struct view *view, const struct view_facts *facts, enum act act);
/* Ask about the targets of the view. `whose` is what they are, as in struct prompt_many. */
struct view_todo view_ask_about_many(struct view *view, const struct view_facts *facts,
                                     const struct prompt_many *many);
/* Aim at all tasks that this can be done to, and ask about them; `kind` is one of
 * PROMPT_..._MANY. Says so where there are none. */
struct view_todo view_ask_about_all(struct view *view, const struct view_facts *facts,
                                    enum prompt_kind kind);

/* Take a key while a question is open. */
struct view_todo view_question_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Bring it up to date with the run. True if what it is about has changed. */
bool view_question_update(struct view *view, const struct view_facts *facts);

/* An act has been asked for, or marks have changed. Others leave all as it is. */
void view_undo_note_act(struct view *view, const struct view_facts *facts,
                        const struct view_todo *todo);
/* Marks have changed: they are what is undone next. */
void view_undo_note_marks(struct view *view, const struct view_facts *facts);

/* Has the task a try that is over? */
bool view_correct_is_possible(const struct run_state *state, int task);
/* Open the prompt for the chosen task's latest attempt that is over: there is one. */
struct view_todo view_correct_open(struct view *view, const struct view_facts *facts);
/* Why not in a replay, and what does it instead. */
void view_correct_refuse(struct view *view, const struct view_facts *facts);
/* Take a key while it is open. */
struct view_todo view_correct_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Bring it up to date with the run. True if what it asks has changed. */
bool view_correct_update(struct view *view, const struct view_facts *facts);

/* What lies over a screen, panes, the terminal, leaving. */

/* Open the empty line behind `:`. */
void view_command_open(struct view *view);
/* Run the command of this name, or open the line with it where it wants an argument. NULL opens an
 * empty line. */
struct view_todo view_command_begin(struct view *view, const struct view_facts *facts,
                                    const char *name);
/* Take a key of the open line; what is to be done is returned once it is entered. */
struct view_todo view_command_key(struct view *view, uint32_t key, const struct view_facts *facts);

/* =: on Detail and Log two tries are compared, elsewhere other policies are asked for. */
struct view_todo view_report_ask(struct view *view, const struct view_facts *facts);
/* A key while the name of a file is typed. */
struct view_todo view_report_type(struct view *view, uint32_t key);
/* A key, and the act that it means elsewhere, while the report is open: scrolls, closes it, or is
 * the answer to what it asks. */
struct view_todo view_report_key(struct view *view, uint32_t key, enum act act);
/* W: write the run that is shown, or the chosen one of all runs. */
struct view_todo view_report_bundle(struct view *view, const struct view_facts *facts);

/* Carry out a key about panes: the next one, the one before, zoom; false for any other. */
bool view_pane_act(struct view *view, enum act act);
/* Why such a key cannot be done now, as keymap_say() takes it; NULL: it can, or is another. */
const char *view_pane_refusal(const struct view *view, enum act act);

/* Carry out a key about the terminal; false for any other. */
bool view_terminal_act(struct view *view, const struct view_facts *facts, enum act act,
                       struct view_todo *out);
/* Any key while the screen stands still: what moves it on, and what changes nothing on it. */
struct view_todo view_frozen_act(struct view *view, const struct view_facts *facts, enum act act);

/* Back along the trail; from its first screen to the present; from there out of devs. */
struct view_todo view_quit(struct view *view, const struct view_facts *facts);
/* What one has looked back in is left the way it was entered. */
struct view_todo view_go_to_the_present(void);
/* Stop the program; it has to be asked for twice where an engine of this process would stop. */
struct view_todo view_suspend(struct view *view, const struct view_facts *facts);
/* Bring what was asked about leaving up to date with the run. */
void view_leave_update(struct view *view, const struct view_facts *facts);

#endif
