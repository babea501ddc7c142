/*
 * term_internal.h - the parts of the terminal that term.c puts together: signals, drawing, keys.
 *
 * Main thread, between the screen's opening and its end, except where a comment says otherwise.
 */
#ifndef DEVS_TERM_INTERNAL_H
#define DEVS_TERM_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "canvas.h"
#include "err.h"
#include "mouse.h"
#include "theme.h"

enum { TERM_RESET_MAX = 512 };

/* Bytes that undo what we did to the terminal, ready for write(2). */
struct term_reset {
    char bytes[TERM_RESET_MAX];
    size_t len;
};

/* Take the signals over and remember the terminal's present settings (of stdin). */
ATTR_MUST_USE bool term_signals_open(struct err *err);
/* As they were before. Nothing happens if it is not open. */
void term_signals_close(void);

/* From now on the terminal is to be given back if the process dies. */
void term_signals_arm(const struct term_reset *reset);
/* It has been given back. */
void term_signals_disarm(void);
/* Before the terminal makes signals of its keys again: SIGQUIT ends nothing then, which ^\ may
 * send where we are to come back or are about to end; the other keys' signals are told. Until
 * term_signals_take_keys() or term_signals_close(). */
void term_signals_ignore_keys(void);
/* Take them again, as they were before. */
void term_signals_take_keys(void);
/* Put the settings of term_signals_open() back; no bytes are written. */
void term_signals_restore_settings(void);

/* Readable when there are signals. */
int term_signals_fd(void);
/* The next one, 0 if none. */
int term_signals_next(void);

/* Stop this process by SIGTSTP's own action; returns when it is continued. */
void term_signals_stop_here(void);

/* ncurses' attributes and color pair, as plain numbers. */
struct look {
    unsigned attrs;
    short pair;
};

struct term_draw;

/* Ended with term_draw_close(). */
struct term_draw *term_draw_open(bool utf8, bool color_wanted);
/* NULL is allowed. */
void term_draw_close(struct term_draw *draw);

/* Paint with this theme from now on, the whole screen at the next frame. */
void term_draw_set_theme(struct term_draw *draw, const struct theme *theme);
/* Does the terminal take UTF-8? What is drawn for one that does not is ASCII. */
bool term_draw_is_utf8(const struct term_draw *draw);

/* The canvas, as much of it as the terminal has rows and columns. */
void term_draw_show(struct term_draw *draw, const struct canvas *canvas, int rows, int columns);
/* It is not known what the terminal shows: everything is drawn anew. */
void term_draw_forget(struct term_draw *draw);
/* Whoever had the terminal meanwhile may have shown the cursor. */
void term_draw_hide_cursor(struct term_draw *draw);

struct term_keys;

/* NULL: no memory. Ended with term_keys_close(). */
struct term_keys *term_keys_open(void);
/* NULL is allowed. */
void term_keys_close(struct term_keys *keys);

/* As term_key(). */
uint32_t term_keys_next(struct term_keys *keys, bool text_wanted);
/* Forget what was typed ahead, and what was read of a key that came in parts. */
void term_keys_flush(struct term_keys *keys);
/* Nobody can type any more. */
bool term_keys_are_gone(const struct term_keys *keys);
/* Are there to be TERM_KEY_MOUSEs? At first there are none. */
void term_keys_take_mouse(struct term_keys *keys, bool taken);
/* What the latest TERM_KEY_MOUSE was. */
struct mouse term_keys_mouse(const struct term_keys *keys);

#endif
