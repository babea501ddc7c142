/*
 * launched.h - which programs a command line starts: its own, and those behind `env`, `timeout`
 * and a shell's `-c`. Pure.
 */
#ifndef DEVS_LAUNCHED_H
#define DEVS_LAUNCHED_H

#include <stdbool.h>

enum {
    LAUNCHED_DEPTH_MAX = 4,          /* shells within shells */
    LAUNCHED_SCRIPT_MAX = 16 * 1024, /* bytes of a script that are read */
    LAUNCHED_WORDS_MAX = 256,        /* words of one command of a script that are read */
};

/* Does the NULL-terminated argv start `wanted`? That is a program's name ("srun"), or a name and an
 * option that has to be among its arguments ("sbatch --wait"). argv may be NULL. */
bool launched_find(char *const *argv, const char *wanted);

#endif
