/*
 * term_signals.h - signals while the terminal is ours, and how it is given back
 * when the process dies of one.
 *
 * One at a time in a process, because handlers have no other way to find it. Main
 * thread; the handlers run on any. A handler's own stack is the main thread's.
 */
#ifndef DEVS_TERM_SIGNALS_H
#define DEVS_TERM_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"

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

#endif
