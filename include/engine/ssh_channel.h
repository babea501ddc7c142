/*
 * ssh_channel.h - one program on another machine, by ssh: its stdin, stdout and stderr.
 *
 * Uses the person's own configuration of ssh, and asks nothing: ssh must reach the host without a
 * password. Any thread, but one at a time.
 */
#ifndef DEVS_SSH_CHANNEL_H
#define DEVS_SSH_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"
#include "str.h"

/* The descriptors do not block. */
struct ssh_channel {
    pid_t pid;
    int pidfd; /* readable once ssh has ended */
    int in;    /* to the stdin of the program */
    int out;   /* from its stdout */
    int err;   /* from its stderr, and that of ssh */
};

/* Starts ssh. `command` is parsed by the shell of the login there: build it from words with
 * shell_word_add() and ssh_path_add(). `environment` is that of ssh itself. Fails with ERR_IO if
 * ssh cannot be started. The caller closes *out with ssh_channel_close(). */
ATTR_MUST_USE bool ssh_channel_open(struct ssh_channel *out, const char *host, const char *command,
                                    char *const *environment, struct err *err);
enum { SSH_CHANNEL_END_MS = 1000 };
/* Ends ssh, within SSH_CHANNEL_END_MS, and closes the descriptors. Returns its exit code, or -1 if
 * a signal ended it. The program there sees the end of its stdin. */
int ssh_channel_close(struct ssh_channel *channel);

/* Appends a path as a word of the other machine's shell. A leading "~/" is the home folder. */
void ssh_path_add(const char *path, struct str *out);
/* Appends to what is kept of ssh's stderr: its first REMOTE_ERRORS_MAX bytes (remote.h). */
void tool_add_error(struct str *errors, const char *bytes, size_t len);
/* Appends the last line of ssh's stderr that is not empty, cleaned; it usually names the cause. */
void tool_last_error(const struct str *errors, struct str *out);

#endif
