/*
 * entropy_program.h - what programs do that agents run in a shell. Private to core.
 */
#ifndef DEVS_ENTROPY_PROGRAM_H
#define DEVS_ENTROPY_PROGRAM_H

#include <stdbool.h>

/* Traits of entropy_tool.h that a program has with its first word behind it ("git",
 * "status"; "" for none); 0 where nothing is known. */
unsigned entropy_program_traits(const char *program, const char *word);

/* Says it nothing of what the line does? (`cd`, `export`, `echo`) */
bool entropy_program_is_filler(const char *program);

#endif
