/*
 * help_lines.h - what the help lists: the keys of the screen, the commands and the signs, as
 * far as they match what was typed.
 *
 * Plain values; pure.
 */
#ifndef DEVS_HELP_LINES_H
#define DEVS_HELP_LINES_H

#include <stdbool.h>

#include "help.h"
#include "shown.h"
#include "view_command.h"

struct help_together;
struct help_joined;

enum {
    HELP_LINES_MAX = UI_ACT_COUNT + VIEW_COMMANDS_MAX + SHOWN_COUNT,
    HELP_KEYS_MAX = 6 * KEY_NAME_MAX,
};

/* A line one can choose: an act with its keys (or some that belong together), a command, or a
 * sign and what it means. The pointers are borrowed from tables. */
struct help_line {
    const struct key_binding *binding;    /* NULL: a command or a sign */
    const struct help_together *together; /* NULL: the act alone */
    const struct command_row *command;    /* NULL: an act or a sign */
    const struct help_joined *joined;     /* the command and those behind it; NULL: it alone */
    enum shown sign;
    char keys[HELP_KEYS_MAX];
    char ascii[HELP_KEYS_MAX]; /* the keys, or the command, as they are typed */
};

struct help_lines {
    struct help_line at[HELP_LINES_MAX];
    int count;
};

/* The lines that match what was typed, in the order of the help. */
void help_lines_find(const struct help *help, struct help_lines *out);
/* Does a group begin with this line? */
bool help_lines_starts_group(const struct help_lines *lines, int i);

/* What the line says of its key; static, or the keymap's. */
const char *help_line_words(const struct help_line *line);
/* The heading that the line belongs under. Static. */
const char *help_line_group(const struct help_line *line);
/* How a line is called in ASCII: its keys, its command, its state word. */
const char *help_line_name(const struct help_line *line);

#endif
