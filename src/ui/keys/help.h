/*
 * help.h - the overlay that lists the keys of the present screen and the commands,
 * finds and runs them.
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
/* help_draw.c. Over the whole canvas; lists that do not fit turn pages with the chosen line. */
void help_draw(const struct help *help, struct canvas *canvas, const struct help_about *about);

#endif
