/*
 * outlet.h - stdout for streams: written when the reader takes it, so that a pipe
 * that nobody empties never makes us deaf to signals. Main thread.
 */
#ifndef DEVS_OUTLET_H
#define DEVS_OUTLET_H

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

/* Told of a signal that came (its number). False: give up writing. */
typedef bool outlet_signal_fn(void *ctx, int signal);

/* A value of the caller's; all zero but signal_fd. */
struct outlet {
    struct str waiting;          /* not yet written */
    int signal_fd;               /* a signalfd; -1 = none */
    outlet_signal_fn *on_signal; /* may be NULL where signal_fd is -1 */
    void *ctx;                   /* borrowed */
    bool closed;                 /* the reader is gone: what comes is dropped */
    int error; /* errno of a write that failed with a reader there; 0 = none did */
};

/* Append a copy of the bytes to what waits; nothing once the reader is gone. */
void outlet_add(struct outlet *outlet, const char *bytes, size_t len);
/* Write all that waits. Blocks while the reader does not read, but takes signals. */
void outlet_flush(struct outlet *outlet);
/* Take the signals that are there; false if on_signal said so. */
bool outlet_take_signals(struct outlet *outlet);
void outlet_done(struct outlet *outlet);
/* Has whoever read our stdout gone away? Asks the kernel and writes nothing. */
bool outlet_is_deserted(void);

#endif
