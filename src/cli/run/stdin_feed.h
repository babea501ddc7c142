/*
 * stdin_feed.h - the standard input of devs exec, for each attempt of its command.
 *
 * A file is given to each attempt from where it was at first. What comes through a pipe or a socket
 * is passed on as it comes, and kept, so that the next attempt reads the same bytes from their
 * beginning. One attempt reads at a time; nothing is read while none does.
 */
#ifndef DEVS_STDIN_FEED_H
#define DEVS_STDIN_FEED_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"

enum { STDIN_FEED_KEPT_MAX = 16 * 1024 * 1024 }; /* bytes; once more came, no attempt follows */

struct stdin_feed;

/* Whether this descriptor is a pipe, a socket or a file: what a command is meant to read. A
 * terminal or a device such as /dev/null is not. */
bool stdin_feed_is_input(int fd);

/* `source` is borrowed. `once`: a single attempt reads it, so nothing is kept and the command gets
 * the descriptor itself; devs then reads no more of it than the command does. */
struct stdin_feed *stdin_feed_new(int source, bool once);
void stdin_feed_free(struct stdin_feed *feed);

/* As engine_options.open_stdin; ctx is a feed. ERR_LIMIT: more than STDIN_FEED_KEPT_MAX came. */
ATTR_MUST_USE bool stdin_feed_open(void *ctx, int *fd_out, struct err *err);

#endif
