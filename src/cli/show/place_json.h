/*
 * place_json.h - where a task works and what its proofs are worth, as members of an object
 * for programs.
 */
#ifndef DEVS_PLACE_JSON_H
#define DEVS_PLACE_JSON_H

#include "run_state.h"
#include "str.h"

/* "workspace": {"kind","path","branch","result"} where the task does not work in place; no path
 * once the result is kept;
 * "sandbox_lacks": words where keys are not enforced, and "proofs": what is known of each step
 * that has passed. */
void place_json(const struct run_state *state, int task, struct str *out);

#endif
