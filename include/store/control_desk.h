/*
 * control_desk.h - requests actions on runs: a small thread writes the control rows, so that no
 * screen ever waits for a lock.
 *
 * Any number of processes may have a desk. Thread: only the thread that started the desk.
 */
#ifndef DEVS_CONTROL_DESK_H
#define DEVS_CONTROL_DESK_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "control.h"
#include "err.h"
#include "place.h"

enum { CONTROL_DESK_QUEUE_MAX = 64 }; /* maximum actions waiting to be written */

struct control_desk;

/* Starts the thread and opens its connection to an existing log. Fails with ERR_NOT_FOUND,
 * ERR_DAMAGED or ERR_IO. The caller stops *out with control_desk_stop(). */
ATTR_MUST_USE bool control_desk_start(struct control_desk **out, const struct place *place,
                                      struct err *err);

/* Sends an action to another machine, and waits until it is in the log there. Sets *row_out to the
 * id of its row, which the log here has by then, too. Called on the desk's thread. */
typedef bool control_desk_send_fn(void *ctx, int64_t run, const struct control *control,
                                  int64_t *row_out, struct err *err);
/* Like control_desk_start(), for a copy of a log on another machine, in which the desk writes
 * nothing. `ctx` is borrowed until control_desk_stop(). */
ATTR_MUST_USE bool control_desk_start_far(struct control_desk **out, control_desk_send_fn *send,
                                          void *ctx, struct err *err);
/* Writes the queued actions, then stops the thread. `desk` may be NULL. */
void control_desk_stop(struct control_desk *desk);

/* Queues an action on a run and returns at once; *ticket_out identifies it. Fails with ERR_LIMIT if
 * the queue is full. If nobody owns the run, the desk takes the owner lock itself and answers
 * requests that need no engine. */
ATTR_MUST_USE bool control_desk_ask(struct control_desk *desk, int64_t run,
                                    const struct control *control, int64_t *ticket_out,
                                    struct err *err);

/* Reports the state of a ticket: sets *row_out to the id of the control row once it is committed (0
 * = not yet), or fails with the error that prevented writing it (ERR_NOT_FOUND: no such run;
 * ERR_BUSY, ERR_IO). Also fails with ERR_NOT_FOUND if the ticket is unknown or too old. */
ATTR_MUST_USE bool control_desk_row(struct control_desk *desk, int64_t ticket, int64_t *row_out,
                                    struct err *err);

#endif
