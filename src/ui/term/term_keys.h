/*
 * term_keys.h - keys and the mouse as ncurses and the terminal give them.
 *
 * Main thread, between the screen's opening and its end.
 */
#ifndef DEVS_TERM_KEYS_H
#define DEVS_TERM_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "mouse.h"

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
