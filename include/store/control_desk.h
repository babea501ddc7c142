/*
 * control_desk.h - asking for acts: a small thread that writes control rows, so
 * that no screen ever waits for a lock.
 *
 * Any number of processes may have one; each call below may come from the
 * thread that started the desk only.
 */
#ifndef DEVS_CONTROL_DESK_H
#define DEVS_CONTROL_DESK_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "control.h"
#include "err.h"
#include "place.h"

enum { CONTROL_DESK_QUEUE_MAX = 64 }; /* acts that wait to be written */

struct control_desk;

/* Start the thread and open its connection to the log, which is there. ERR_NOT_FOUND, ERR_DAMAGED,
 * ERR_IO. The caller ends *out with control_desk_stop(). */
ATTR_MUST_USE bool control_desk_start(struct control_desk **out, const struct place *place,
                                      struct err *err);
/* Writes what is queued, then ends. NULL is allowed. */
void control_desk_stop(struct control_desk *desk);

/* Queue an act on a run; returns at once. *ticket_out names it. ERR_LIMIT if the
 * queue is full. For a run that nobody owns the desk takes the owner lock itself
 * and answers what needs no engine. */
ATTR_MUST_USE bool control_desk_ask(struct control_desk *desk, int64_t run,
                                    const struct control *control, int64_t *ticket_out,
                                    struct err *err);

/* What became of a ticket: the control row's id once it is committed (0 = not
 * yet), or the error that kept it from being written (ERR_NOT_FOUND: no such run; ERR_BUSY,
 * ERR_IO). ERR_NOT_FOUND also for a ticket that was never given, or so long ago that it is
 * forgotten. */
ATTR_MUST_USE bool control_desk_row(struct control_desk *desk, int64_t ticket, int64_t *row_out,
                                    struct err *err);

#endif
