/*
 * term_internal.h - the parts of the terminal that term.c combines: signals, drawing, keys.
 *
 * Main thread, while the screen is open, unless a comment says otherwise.
 */
#ifndef DEVS_TERM_INTERNAL_H
#define DEVS_TERM_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "canvas.h"
#include "err.h"
#include "term.h"
#include "theme.h"

enum { TERM_RESET_MAX = 512 };

/* Bytes that undo our changes to the terminal, ready for write(2). */
struct term_reset {
    char bytes[TERM_RESET_MAX];
    size_t len;
};

/* Installs the signal handlers and saves the terminal settings (of stdin). */
ATTR_MUST_USE bool term_signals_open(struct err *err);
/* Restores the previous handlers. Does nothing if the handlers are not installed. */
void term_signals_close(void);

/* From now on, `reset` is written if the process dies. Copies `reset`. */
void term_signals_arm(const struct term_reset *reset);
/* Call when the terminal has been reset. */
void term_signals_disarm(void);
/* Call before the keys of the terminal generate signals again. Ignores SIGQUIT (^\), because it
 * could arrive when the app is about to resume or to end; signals of other keys are still reported.
 * Lasts until term_signals_take_keys() or term_signals_close(). */
void term_signals_ignore_keys(void);
/* Ends the effect of term_signals_ignore_keys(). */
void term_signals_take_keys(void);
/* Restores the settings saved by term_signals_open(). Writes no bytes. */
void term_signals_restore_settings(void);

/* Returns a descriptor that is readable when there are signals. */
int term_signals_fd(void);
/* Returns the next signal, 0 if none. */
int term_signals_next(void);

/* Stops this process with SIGTSTP's default action; returns when it is continued. */
void term_signals_stop_here(void);

/* ncurses' attributes and color pair, as plain numbers. */
struct look {
    unsigned attrs;
    short pair;
};

struct term_draw;

/* Free with term_draw_close(). */
struct term_draw *term_draw_open(bool utf8, bool color_wanted);
/* `draw` may be NULL. */
void term_draw_close(struct term_draw *draw);

/* Uses this theme from now on and redraws the whole screen with the next frame. */
void term_draw_set_theme(struct term_draw *draw, const struct theme *theme);
/* Returns true if the terminal accepts UTF-8. Otherwise, everything is drawn in ASCII. */
bool term_draw_is_utf8(const struct term_draw *draw);

/* Draws the canvas, clipped to the terminal's size. */
void term_draw_show(struct term_draw *draw, const struct canvas *canvas, int rows, int columns);
/* Makes the next frame redraw everything, because the terminal's contents are unknown. */
void term_draw_forget(struct term_draw *draw);
/* Hides the cursor, which another program may have shown. */
void term_draw_hide_cursor(struct term_draw *draw);

struct term_keys;

/* Returns NULL if out of memory. Free with term_keys_close(). */
struct term_keys *term_keys_open(void);
/* `keys` may be NULL. */
void term_keys_close(struct term_keys *keys);

/* See term_key(). */
uint32_t term_keys_next(struct term_keys *keys, bool text_wanted);
/* Discards typeahead and incomplete key sequences. */
void term_keys_flush(struct term_keys *keys);
/* Returns true if the terminal has been closed. */
bool term_keys_are_gone(const struct term_keys *keys);
/* Turns TERM_KEY_MOUSE reports on or off; they are off at first. */
void term_keys_take_mouse(struct term_keys *keys, bool taken);
/* Returns the mouse event of the latest TERM_KEY_MOUSE. */
struct mouse term_keys_mouse(const struct term_keys *keys);

#endif
