/* stdin_feed.h - the standard input of devs exec, for each attempt of its command.
 *
 * A file is passed to each attempt from its original offset. Input from a pipe or socket is passed
 * on as it arrives, and kept, so that the next attempt reads the same bytes from the beginning. One
 * attempt reads at a time; nothing is read between attempts. */
#ifndef DEVS_STDIN_FEED_H
#define DEVS_STDIN_FEED_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"

/* Bytes; if the input is longer, no second attempt is possible. */
enum { STDIN_FEED_KEPT_MAX = 16 * 1024 * 1024 };

struct stdin_feed;

/* Returns whether the descriptor is a pipe, a socket or a file, and therefore meant to be read. A
 * terminal or a device such as /dev/null is not. */
bool stdin_feed_is_input(int fd);

/* Borrows `source`. With `once` a single attempt reads the input: the command gets the descriptor
 * itself, and devs reads and keeps nothing. */
struct stdin_feed *stdin_feed_new(int source, bool once);
void stdin_feed_free(struct stdin_feed *feed);

/* For engine_options.open_stdin; ctx is a feed. Fails with ERR_LIMIT after more than
 * STDIN_FEED_KEPT_MAX bytes. */
ATTR_MUST_USE bool stdin_feed_open(void *ctx, int *fd_out, struct err *err);

#endif
