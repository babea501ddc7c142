/*
 * program_find.h - finds a program in the folders of our own PATH.
 *
 * Reads the file system and the environment. Any thread.
 */
#ifndef DEVS_PROGRAM_FIND_H
#define DEVS_PROGRAM_FIND_H

#include <limits.h>
#include <stdbool.h>

/* The path of the program that a step of this name would run: in a folder of PATH (an empty one is
 * the present folder) or, where the name holds a '/', there. False, and "", if there is none. */
bool program_find(const char *name, char out[PATH_MAX]);

/* The same for what devs itself calls: only folders of PATH with an absolute path, and none that is
 * in a project of program_avoid(), where an attempt may have put a program of that name. */
bool program_find_absolute(const char *name, char out[PATH_MAX]);

/* Programs that devs calls are not looked for in the project of this folder: the nearest
 * folder at or above it that holds ".git" or ".devs", else the folder itself. Call it before
 * anything is started. */
void program_avoid(const char *folder);

#endif
