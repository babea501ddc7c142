/*
 * redact_encode.h - how a secret may be written in other words.
 */
#ifndef DEVS_REDACT_ENCODE_H
#define DEVS_REDACT_ENCODE_H

#include <stddef.h>

enum {
    REDACT_PIECE_MAX = 2048, /* bytes that are encoded at once */
    REDACT_CODE_MAX =
        8 * REDACT_PIECE_MAX, /* bytes of one form of them; longer ones are left out */
};

/* One of the forms; some come more than once. Borrowed for the call. */
typedef void redact_code_fn(void *ctx, const char *bytes, size_t len);

/* All the forms of a value of 1..REDACT_PIECE_MAX bytes but itself. */
void redact_encode(const char *value, size_t len, redact_code_fn *code, void *ctx);

#endif
