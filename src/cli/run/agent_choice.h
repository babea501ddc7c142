/*
 * agent_choice.h - which agent a workflow asks, and whether it is on this machine.
 *
 * Main thread: what is wrong is printed, with what would help.
 */
#ifndef DEVS_AGENT_CHOICE_H
#define DEVS_AGENT_CHOICE_H

#include "adapter.h"

/* Find the adapter called `name`, whose program must be here; NULL: the first one, in the order of
 * adapters_at(), whose program is. Returns the exit code: EXIT_USAGE for a name that no adapter
 * has, EXIT_NO_AGENT if the program is missing. *out is borrowed from the set. */
int agent_choose(const struct adapters *adapters, const char *name, const struct adapter **out);

#endif
