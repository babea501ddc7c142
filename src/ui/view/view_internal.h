/*
 * view_internal.h - what the files of the view call of each other. Pure, as all of the view.
 */
#ifndef DEVS_VIEW_INTERNAL_H
#define DEVS_VIEW_INTERNAL_H

#include <stdbool.h>

#include "keymap.h"
#include "str.h"
#include "view.h"

struct stroke {
    struct view *view;              /* borrowed, as the facts */
    const struct view_facts *facts; /* of the moment the key went down */
    enum act act;
};

/* Carries out a stroke and returns what the app is to do. */
typedef struct view_todo stroke_fn(const struct stroke *stroke);

/* What the screen that is shown makes of the act, else what it means everywhere. */
stroke_fn stroke_do;

/* stroke_find.c: a filter for the list, a search in the log; what is next of either; what needs a
 * person, alone or the next. */
stroke_fn stroke_filter, stroke_find, stroke_only_needs_you, stroke_needs_you_next;
/* A key while the search is typed. */
struct view_todo stroke_search_key(const struct stroke *stroke, uint32_t key);

/* stroke_time.c: where in a recording, or in the past, and how fast; the try before or after; what
 * is kept, shown and compared there. */
stroke_fn stroke_transport, stroke_go_to, stroke_try, stroke_bookmark, stroke_later, stroke_compare;

/* Why an act leads nowhere in a recording or in the past, as keymap_say() takes it; NULL: it is of
 * another kind, or leads somewhere. Static. */
const char *stroke_time_refusal(const struct view *view, const struct view_facts *facts,
                                enum act act);

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

struct view;
struct view_facts;
struct view_todo;

/* Back along the trail; from its first screen to the present; from there out of devs. */
struct view_todo view_quit(struct view *view, const struct view_facts *facts);
/* What one has looked back in is left the way it was entered. */
struct view_todo view_go_to_the_present(void);
/* Stop the program; it has to be asked for twice where an engine of this process would stop. */
struct view_todo view_suspend(struct view *view, const struct view_facts *facts);

/* Bring what was asked about leaving up to date with the run. */
void view_leave_update(struct view *view, const struct view_facts *facts);

/* Lines that an act moves down (up: less than 0) where so many are in sight; to the first and the
 * last one it is farther than anything is long. 0: it does not move. */
int view_move_lines(enum act act, int page);
/* Is it by pages, or halves of them? */
bool view_move_is_by_page(enum act act);

/* Why an act cannot be done while it is shown, as keymap_say() takes it; NULL: it can. Static. */
const char *view_tasks_refusal(const struct view *view, const struct view_facts *facts,
                               enum act act);
/* Carry out a key while it is shown; false: the key means what it means everywhere. */
bool view_tasks_act(struct view *view, const struct view_facts *facts, enum act act,
                    struct view_todo *out);

#endif
