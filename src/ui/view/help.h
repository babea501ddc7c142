/*
 * help.h - the overlay that lists the keys of the present screen, the commands and the signs, finds
 * and runs them.
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
    struct line_edit find; /* what was typed */
    int chosen;            /* among the lines found */
    const char *command;   /* static; of the line that was run, if it is one of a command */
};

/* Open it for the keys of this place, nothing searched for; `keys` are borrowed. */
void help_open(struct help *help, const struct keymap *keys, struct key_place place);

/* Take a key. Enter closes the help and returns the act of the chosen line, UI_COMMAND of one
 * that names a command (help->command); Esc (or ? with nothing typed) closes it; UI_NONE
 * otherwise. Look at `open` after. */
enum act help_key(struct help *help, uint32_t key);

/* What lies under the help. */
struct help_about {
    const char *screen;          /* "Tasks" */
    const char *target;          /* what acts are about, "T-104"; "" for nothing */
    const char *const *refusals; /* borrowed; by act: why it cannot be done now; NULL = all can */
};
/* Over the whole canvas; lists that do not fit turn pages with the chosen line. */
void help_draw(const struct help *help, struct canvas *canvas, const struct help_about *about);

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
