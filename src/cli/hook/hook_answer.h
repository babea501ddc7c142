/*
 * hook_answer.h - what a hook says to the agent: JSON in the form that its CLI understands.
 * Pure. Nothing is appended where there is nothing to say.
 */
#ifndef DEVS_HOOK_ANSWER_H
#define DEVS_HOOK_ANSWER_H

#include <stdbool.h>

#include "hook_input.h"
#include "str.h"

/* A call that has been turned away so often ends the turn, where the CLI can do that. */
enum { HOOK_TURNED_AWAY_MAX = 3 };

/* The call that is about to be made is not to be made; `ends`: and the turn ends with it. */
void hook_answer_deny(const struct hook_input *input, bool ends, const char *why, struct str *out);
/* A call is over, and this is to be said about it; `stuck`: it is to stop. */
void hook_answer_say(const struct hook_input *input, bool stuck, const char *words,
                     struct str *out);
/* A call is over, and the turn ends with it. */
void hook_answer_stop(const char *why, struct str *out);

#endif
