/*
 * entropy_program.h - what programs do that agents run in a shell. Private to core.
 */
#ifndef DEVS_ENTROPY_PROGRAM_H
#define DEVS_ENTROPY_PROGRAM_H

#include <stdbool.h>

/* Traits of entropy_tool.h that a program has with the words behind it ("gh", "pr checks";
 * "" for none); 0 where nothing is known. */
unsigned entropy_program_traits(const char *program, const char *words);

/* Does it run code that is part of the command? (`python -c '...'`) */
bool entropy_program_runs_code(const char *program, const char *words);

/* Says it nothing of what the line does? (`cd`, `export`, `echo`) */
bool entropy_program_is_filler(const char *program);

#endif
