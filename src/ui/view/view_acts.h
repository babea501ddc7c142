/*
 * view_acts.h - what is done to tasks: to the chosen one, or to all that are marked. Part of a
 * view; pure.
 */
#ifndef DEVS_VIEW_ACTS_H
#define DEVS_VIEW_ACTS_H

#include <stdbool.h>

#include "str.h"
#include "view.h"

/* Why an act cannot be done now, in words that name the task; false: it can, and nothing is
 * appended. The footer names only acts that it lets through, the help says why not, and a key is
 * carried out only where it can be: this is the one place that knows. */
bool view_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                  struct str *why);
/* The same of one task: retry, cancel, kill, hold (and let go), correct. */
bool view_task_refusal(const struct view *view, const struct view_facts *facts, int task,
                       enum act act, struct str *why);

/* Whether such an act on the task would be carried out now: not in the past, in a read-only log, or
 * without an engine. */
bool view_task_allows(const struct view_facts *facts, int task, enum act act);

/* What an act is aimed at: the task as it is now. */
struct view_target view_aim(const struct run_state *state, int task);
/* What a question about a task says of it now. */
struct prompt_target view_asked_of(const struct run_state *state, int task);

/* Retry, cancel, kill, hold or correct: the marked tasks, else the chosen one. Not for what
 * view_refusal() refuses. */
struct view_todo view_act_on_tasks(struct view *view, const struct view_facts *facts, enum act act);
/* view_question.c */
/* Take a key while a question is open. */
struct view_todo view_question_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Bring it up to date with the run. True if what it is about has changed. */
bool view_question_update(struct view *view, const struct view_facts *facts);

/* view_acts_many.c */
/* Ask about the targets of the view. `whose` is what they are, as in struct prompt_many. */
struct view_todo view_ask_about_many(struct view *view, const struct view_facts *facts,
                                     const struct prompt_many *many);
/* Aim at all tasks that this can be done to, and ask about them; `kind` is one of
 * PROMPT_..._MANY. Says so where there are none. */
struct view_todo view_ask_about_all(struct view *view, const struct view_facts *facts,
                                    enum prompt_kind kind);
/* Aim at the marked tasks that this can be done to, and ask about them. */
struct view_todo view_act_on_marked(struct view *view, const struct view_facts *facts,
                                    enum act act);
/* The targets of an open question are as they are now. True if one has changed. */
bool view_update_targets(struct view *view, const struct view_facts *facts);

#endif
