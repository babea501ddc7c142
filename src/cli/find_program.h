/*
 * find_program.h - is there such a program? Any thread.
 */
#ifndef DEVS_FIND_PROGRAM_H
#define DEVS_FIND_PROGRAM_H

#include <stdbool.h>

/* Would a step find this program: in a folder of PATH, or, where the name holds a '/', there?
 * Looks at the machine; an empty folder of PATH counts as the present one. */
bool find_program(const char *name);

#endif
