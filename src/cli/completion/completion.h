/* completion.h - the words that can follow at each position of a command line, and the completion
 * files for bash, zsh and fish.
 *
 * Everything is generated from the table of commands, their options and their usage;
 * completion_shells.c says what the name of a value means. Any thread. */
#ifndef DEVS_COMPLETION_H
#define DEVS_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "command.h"
#include "str.h"

enum completion_source {
    COMPLETION_NOTHING, /* a number or text: cannot be completed */
    COMPLETION_FILE,
    COMPLETION_DIR,
    COMPLETION_COMMAND, /* a program and its arguments */
    COMPLETION_FIXED,   /* a fixed list built into devs */
    COMPLETION_ASK,     /* computed on demand by completion_ask() */
    COMPLETION_SOURCE_COUNT,
};

struct completion_kind {
    enum completion_source source;
    const char *list; /* FIXED and ASK: name of the list, such as "theme" or "run"; static. NULL for
                         the others */
};

/* Returns the kind of an option's value. The command "" stands for options of devs itself. */
struct completion_kind completion_option_kind(const char *command, const struct option_spec *spec);

enum { COMPLETION_OPERANDS_MAX = 4, COMPLETION_LABEL_MAX = 32 };
struct completion_operand {
    struct completion_kind kind;
    char label[COMPLETION_LABEL_MAX]; /* as in the usage, without brackets: "RUN" */
    bool repeats;                     /* may be repeated; only the last operand can be */
};

/* A command, or devs itself, before the name of a command. Strings are static. A plain value. */
struct completion_command {
    const char *name; /* "" for devs itself */
    const char *words;
    struct command_listing options;
    struct completion_operand operands[COMPLETION_OPERANDS_MAX];
    size_t operand_count;
};

/* Returns a command by number; 0 is devs itself. Returns false past the last one. */
ATTR_MUST_USE bool completion_command_at(size_t index, struct completion_command *out);

/* Returns the name of a FIXED list by its number, from 0; NULL past the last. */
const char *completion_list_at(size_t index);
/* Appends the words of the list of that name, separated by spaces. Returns false if there is no
 * such list. */
bool completion_list(const char *name, struct str *out);

/* The query of a shell when the user presses Tab. Everything is borrowed. */
struct completion_question {
    const struct globals *globals;
    const char *list;   /* name of a list of kind ASK */
    const char *prefix; /* the beginning of the word */
    char *const *words; /* the line without the program's name; needed for some lists */
    size_t word_count;
};

/* Appends the words that can replace the prefix, one per line, each followed by a tab and a
 * description. Returns false if there is no such list. Appends nothing if nothing can be read
 * (no log, no plan, invalid settings). Reads the log, the settings or a plan; prints nothing. */
ATTR_MUST_USE bool completion_ask(const struct completion_question *question, struct str *out);

/* Templates for the completions of a shell: text before and after the words of a FIXED list or the
 * name of an ASK list; for other sources, just the text. */
struct completion_form {
    const char *before, *behind;
    const char *between; /* between the words of a FIXED list; NULL = a blank */
};
/* Appends the kind in the form for its source. */
void completion_add_kind(const struct completion_form forms[COMPLETION_SOURCE_COUNT],
                         struct completion_kind kind, struct str *out);

/* Appends the completion file for bash. */
void completion_bash(struct str *out);
/* Appends the completion file for zsh, for a folder of $fpath. */
void completion_zsh(struct str *out);
/* Appends the completion file for fish. */
void completion_fish(struct str *out);

/* The file that devs init writes, used if the line names no plan yet. */
#define COMPLETION_PLAN_DEFAULT "plan.json"

/* Returns the first operand of the command line; `words` are its words without the program's
 * name. Joins an operand that bash split at "=". Returns COMPLETION_PLAN_DEFAULT if there is
 * none. Borrowed. */
const char *completion_plan_named(char *const *words, size_t count);

#endif
