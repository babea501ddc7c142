/*
 * term_out.h - bytes to the terminal past ncurses, which knows nothing of them.
 *
 * Main thread; stdout is the terminal.
 */
#ifndef DEVS_TERM_OUT_H
#define DEVS_TERM_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"

/* A terminal that takes nothing for TERM_OUT_WAIT_MS gets no more of it. */
enum { TERM_OUT_WAIT_MS = 1000 };
/* Write the bytes up to the NUL, as they are. */
void term_out_write(const char *bytes);

/* As term_copy(). */
ATTR_MUST_USE bool term_out_copy(const char *text, size_t len);
/* As term_notify(). */
void term_out_notify(const char *message);

#endif
