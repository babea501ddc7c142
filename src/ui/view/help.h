/*
 * help.h - the overlay that lists the keys of the current screen, the commands and the signs, lets
 * the user search them, and runs them.
 *
 * A plain value that belongs to the screen; pure.
 */
#ifndef DEVS_HELP_H
#define DEVS_HELP_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"
#include "keymap.h"
#include "line_edit.h"
#include "shown.h"
#include "view_command.h"

struct help {
    bool open;
    const struct keymap *keys; /* borrowed */
    struct key_place place;
    struct line_edit find; /* the search text */
    int chosen;            /* index among the matching lines */
    const char *command;   /* static; the command of the line that was run, if any */
};

/* Opens the help for the keys in this place, without a search. Borrows `keys`. */
void help_open(struct help *help, const struct keymap *keys, struct key_place place);

/* Handles a key. Enter closes the help and returns the act of the selected line, or UI_COMMAND for
 * a command (in help->command). Esc closes the help, and so does ? while nothing is typed.
 * Otherwise returns UI_NONE. Check `open` afterwards. */
enum act help_key(struct help *help, uint32_t key);

/* The screen under the help. */
struct help_about {
    const char *screen;          /* "Tasks" */
    const char *target;          /* the subject of acts, "T-104"; "" = none */
    const char *const *refusals; /* borrowed; for each act, why it has no effect now, or NULL if it
                                    has one. NULL: all acts have an effect */
};
/* Draws over the whole canvas. Lists that do not fit are split into pages; shows the page of the
 * selected line. */
void help_draw(const struct help *help, struct canvas *canvas, const struct help_about *about);

struct help_together;
struct help_joined;

enum {
    HELP_LINES_MAX = UI_ACT_COUNT + VIEW_COMMANDS_MAX + SHOWN_COUNT,
    HELP_KEYS_MAX = 6 * KEY_NAME_MAX,
};

/* A line that can be selected: an act with its keys (or several related acts), a command, or a sign
 * and its meaning. The pointers are borrowed from tables. */
struct help_line {
    const struct key_binding *binding;    /* NULL: a command or a sign */
    const struct help_together *together; /* NULL: a single act */
    const struct command_row *command;    /* NULL: an act or a sign */
    /* The line stands for this and the following commands; NULL: a single command. */
    const struct help_joined *joined;
    enum shown sign;
    char keys[HELP_KEYS_MAX];
    char ascii[HELP_KEYS_MAX]; /* the keys or the command, as typed */
};

struct help_lines {
    struct help_line at[HELP_LINES_MAX];
    int count;
};

/* Gets the lines that match the search text, in the order of the help. */
void help_lines_find(const struct help *help, struct help_lines *out);
/* Returns true if line `i` is the first of its group. */
bool help_lines_starts_group(const struct help_lines *lines, int i);

/* Returns the description of the line. Static, or owned by the keymap. */
const char *help_line_words(const struct help_line *line);
/* Returns the heading above the line. Static. */
const char *help_line_group(const struct help_line *line);
/* Returns the name of the line in ASCII: its keys, its command, its state word. */
const char *help_line_name(const struct help_line *line);

#endif
