/*
 * fingerprint.h - is this result the same as the last one? 128 bits that say so.
 *
 * Over the kind and the code of the end and the bytes of both streams, each by
 * itself, so that how they interleaved does not count. Fed while the bytes come;
 * a fingerprint belongs to one thread at a time.
 */
#ifndef DEVS_FINGERPRINT_H
#define DEVS_FINGERPRINT_H

#include <stddef.h>

#include "digest.h"
#include "outcome.h"

struct fingerprint;

/* The caller ends *out with fingerprint_close(). */
void fingerprint_open(struct fingerprint **out);
void fingerprint_close(struct fingerprint *fingerprint);

/* The next bytes of stream 0 (stdout) or 1 (stderr). */
void fingerprint_add(struct fingerprint *fingerprint, int stream, const char *bytes, size_t len);

/* The result; nothing can be added after it. Never 0,0, which means "not taken". */
struct digest fingerprint_finish(struct fingerprint *fingerprint, enum outcome_kind kind, int code);

#endif
