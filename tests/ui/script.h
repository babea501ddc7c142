/*
 * script.h - keys and events written down, with what a view and its screen make of them.
 *
 * A file of tests/data/screens is a list of cases. A case is its name and lines, each of them one
 * step. A step may be followed by checks, each after "=>", on its line or the next. A line that
 * begins with "* " starts a row of the case: it is played after the lines above the case's first
 * row, on a new story.
 *
 *   # a comment
 *   case x asks before it cancels
 *   run eight
 *   start c
 *   select c
 *   press x                  => does asked => prompt cancel c
 *   later deaf
 *   * press <Enter>          => does draw => prompt cancel c
 *   * press t                => does ask cancel c step 1 try 1 term
 *
 * script.c has the table of steps and that of checks. A check compares a whole text; "..." at its
 * end or start stands for anything, and alone for any text but none. Keys are letters, or names
 * such as <Enter> and <^D>.
 */
#ifndef DEVS_TEST_SCRIPT_H
#define DEVS_TEST_SCRIPT_H

#include <stddef.h>

struct script_line {
    const char *text; /* borrowed */
    int number;       /* in the file, from 1 */
};

struct script_case {
    const char *name; /* borrowed */
    struct script_line *lines;
    size_t count, cap;
    size_t setup; /* so many lines are above the first row; = count: there are no rows */
};

struct script {
    const char *path; /* borrowed */
    char *text;       /* never freed, like the cases */
    struct script_case *cases;
    size_t count, cap;
};

/* Reads a file of the source tree, for the whole run of the tests. `path` must outlive it. */
void script_read(struct script *script, const char *path);

/* Plays a case with all its rows, and fails the test at the first check that does not hold. */
void script_play(const struct script *script, size_t number);

#endif
