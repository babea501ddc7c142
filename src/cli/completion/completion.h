/*
 * completion.h - which words a command line of devs may have where, and the files with which bash,
 * zsh and fish complete them.
 *
 * All of it is generated from the table of commands, their options and their usage;
 * completion_shells.c says what the name of a value means. Any thread.
 */
#ifndef DEVS_COMPLETION_H
#define DEVS_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "command.h"
#include "str.h"

enum completion_source {
    COMPLETION_NOTHING, /* a number, a text: nobody can know */
    COMPLETION_FILE,
    COMPLETION_DIR,
    COMPLETION_COMMAND, /* a program and its words */
    COMPLETION_FIXED,   /* a list that this devs has */
    COMPLETION_ASK,     /* what is there at that moment: completion_ask() */
    COMPLETION_SOURCE_COUNT,
};

struct completion_kind {
    enum completion_source source;
    const char *list; /* FIXED and ASK: which, "theme" or "run". Static, NULL for the others */
};

/* What an option's value is; the option of a command that has no name is one of devs itself. */
struct completion_kind completion_option_kind(const char *command, const struct option_spec *spec);

enum { COMPLETION_OPERANDS_MAX = 4, COMPLETION_LABEL_MAX = 32 };
struct completion_operand {
    struct completion_kind kind;
    char label[COMPLETION_LABEL_MAX]; /* as the usage has it, without brackets: "RUN" */
    bool repeats;                     /* the last one: any number of them */
};

/* One command, or devs before a command's name. Texts are static. A plain value. */
struct completion_command {
    const char *name; /* "" for devs itself */
    const char *words;
    struct command_listing options;
    struct completion_operand operands[COMPLETION_OPERANDS_MAX];
    size_t operand_count;
};

/* By number from 0, devs itself first; false behind the last. */
ATTR_MUST_USE bool completion_command_at(size_t index, struct completion_command *out);

/* The names of the lists of FIXED, by number from 0; NULL behind the last. */
const char *completion_list_at(size_t index);
/* Append the words of the list of that name, a space between two; false if there is none. */
bool completion_list(const char *name, struct str *out);

/* What a shell asks where somebody presses Tab. All borrowed. */
struct completion_question {
    const struct globals *globals;
    const char *list;   /* of an ASK kind */
    const char *prefix; /* what the word begins with */
    char *const *words; /* of the whole line, without the program's own; needed for some lists */
    size_t word_count;
};

/* Append what Tab may put in place of the prefix, a line each: the word, and behind a tab what it
 * is. False if there is no such list. Where nothing can be read (no log, no plan, settings with a
 * mistake) nothing is appended. Reads the log, the settings or a plan; prints nothing. */
ATTR_MUST_USE bool completion_ask(const struct completion_question *question, struct str *out);

/* How a shell says what may stand there: this before and behind the words of a FIXED list and the
 * name of one of ASK, alone for the other sources. */
struct completion_form {
    const char *before, *behind;
    const char *between; /* the words of a FIXED list; NULL = a blank */
};
/* Append the kind in the form of its source. */
void completion_add_kind(const struct completion_form forms[COMPLETION_SOURCE_COUNT],
                         struct completion_kind kind, struct str *out);

/* The file that a shell is to read. */
void completion_bash(struct str *out);
/* Likewise for zsh: a file of $fpath. */
void completion_zsh(struct str *out);
/* Likewise for fish. */
void completion_fish(struct str *out);

/* What devs init writes: it is meant where a line names no plan yet. */
#define COMPLETION_PLAN_DEFAULT "plan.json"

/* The first operand of the command line; `words` are its words without the program's name. Joins an
 * operand that bash split at "=". COMPLETION_PLAN_DEFAULT if there is none. Borrowed. */
const char *completion_plan_named(char *const *words, size_t count);

/* Show each task of the plan in this file, in its order; `title` is its id if it has none. The plan
 * need not be a right one: what cannot be read shows nothing. The texts are borrowed for the call,
 * and not cleaned. */
typedef void completion_task_fn(void *ctx, const char *id, const char *title);

#endif
