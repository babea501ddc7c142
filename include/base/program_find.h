/*
 * program_find.h - where a program of the machine is, as a search of our own PATH finds it.
 *
 * Looks at the machine and at the environment. Any thread.
 */
#ifndef DEVS_PROGRAM_FIND_H
#define DEVS_PROGRAM_FIND_H

#include <limits.h>
#include <stdbool.h>

/* The path of the program that a step of this name would run: in a folder of PATH (an empty one is
 * the present folder) or, where the name holds a '/', there. False, and "", if there is none. */
bool program_find(const char *name, char out[PATH_MAX]);
/* The same in folders with an absolute path only: for what devs itself calls. */
bool program_find_absolute(const char *name, char out[PATH_MAX]);

#endif
