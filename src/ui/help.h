/*
 * help.h - the overlay that lists the keys of the present mode, finds and runs them.
 *
 * A plain value that belongs to the screen; pure.
 */
#ifndef DEVS_HELP_H
#define DEVS_HELP_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"
#include "keymap.h"
#include "prompt.h"

struct help {
    bool open;
    const struct keymap *keys; /* borrowed */
    struct key_place place;
    struct line_edit find; /* what was typed */
    int chosen;            /* among the lines found */
};

void help_open(struct help *help, const struct keymap *keys, struct key_place place);

/* Take a key. Enter closes the help and returns the act of the chosen line; Esc
 * (or ? with nothing typed) closes it; UI_NONE otherwise. Look at `open` after. */
enum act help_key(struct help *help, uint32_t key);

/* Over the whole canvas; lists that do not fit turn pages with the chosen line.
 * `screen` names what lies under it ("Tasks"), `target` what acts are about
 * ("T-104"), "" for nothing. */
void help_draw(const struct help *help, struct canvas *canvas, const char *screen,
               const char *target);

#endif
