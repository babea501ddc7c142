/*
 * program_find.h - where a program of the machine is, as a search of our own PATH finds it.
 * Any thread.
 */
#ifndef DEVS_PROGRAM_FIND_H
#define DEVS_PROGRAM_FIND_H

#include <limits.h>
#include <stdbool.h>

/* The absolute path; false, and "", if there is none. */
bool program_find(const char *name, char out[PATH_MAX]);

#endif
