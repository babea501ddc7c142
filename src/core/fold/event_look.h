/*
 * event_look.h - an event and what it names, looked up once: for its words and its JSON.
 */
#ifndef DEVS_EVENT_LOOK_H
#define DEVS_EVENT_LOOK_H

#include <stdbool.h>

#include "event.h"
#include "json.h"
#include "run_state.h"
#include "str.h"

struct event_look {
    const struct run_state *state;
    const struct event *event;
    struct json **tree;                  /* of the event's text; NULL in it until somebody asks */
    const struct plan_step *plan;        /* NULL for an event of the run */
    const struct step_state *step;       /* likewise */
    const struct attempt_state *attempt; /* NULL where there is none */
    struct str *out;
};

/* All borrowed. *tree is NULL; the caller frees it behind the look. */
struct event_look event_look_up(const struct run_state *state, const struct event *event,
                                struct json **tree, struct str *out);
/* The event's text, parsed when it is asked for first; NULL if there is none, or no JSON. */
const struct json *event_look_text(const struct event_look *look);
/* Append `before`, what a member says that is a string, and `behind`. False: there is none, or it
 * says nothing. */
bool event_look_say(const struct event_look *look, const char *before, const char *key,
                    const char *behind);
/* Is what such an event speaks of there? Without it nothing is said. */
bool event_look_is_there(const struct event_look *look);
/* What went wrong with the attempt, in the words of the program where a rule saw them. */
void event_look_error(const struct event_look *look, struct str *out);

/* Which retry a wait comes before, and of how many at most: never fewer than that one,
 * for a wait that uses up no attempt may come after the last that counts. */
struct event_retry {
    int64_t at, max;
};
/* Read it from its text; of a text without it: the first of one. */
struct event_retry event_look_retry(const struct event_look *look);

/* What one kind of event says, without the task and the attempt. */
typedef void event_words_fn(const struct event_look *w);

/* event_text_place.c */
event_words_fn event_words_workspace_made, event_words_workspace_saved, event_words_workspace_reset,
    event_words_tree_proven, event_words_workspace_changed, event_words_result_kept,
    event_words_sandbox_lacks, event_words_time_stopped, event_words_secrets_cut;
/* event_text_agent.c */
event_words_fn event_words_agent_session, event_words_agent_used, event_words_agent_call,
    event_words_budget, event_words_round_started, event_words_task_added;

#endif
