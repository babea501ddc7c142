/*
 * redact_encode.h - a secret in other encodings, and the known forms of secrets in base64. Pure.
 */
#ifndef DEVS_REDACT_ENCODE_H
#define DEVS_REDACT_ENCODE_H

#include <stddef.h>

#include "redact_forms.h"

enum {
    REDACT_PIECE_MAX = 2048, /* bytes that are encoded at once */
    REDACT_CODE_MAX =
        8 * REDACT_PIECE_MAX, /* bytes of one form of them; longer ones are left out */
};

/* One of the forms; some come more than once. Borrowed for the call. */
typedef void redact_code_fn(void *ctx, const char *bytes, size_t len);

/* All the forms of a value of 1..REDACT_PIECE_MAX bytes but itself. */
void redact_encode(const char *value, size_t len, redact_code_fn *code, void *ctx);

enum {
    REDACT_PLACES = 3,         /* where in a group of three bytes a token may begin */
    REDACT_BASE64_START = 32,  /* letters that a form's start has in base64, at the most */
    REDACT_DECODED_MAX = 1024, /* bytes that are decoded to see what a token is */
};

/* The letters that hang on nothing but the form's start, where it is the byte `place` of a
 * group; with the alphabet of URLs if `url`. False: that form is not looked for in base64. */
bool redact_base64_start(size_t form, size_t place, bool url, char out[REDACT_BASE64_START]);

/* As redact_form_look(); text->bytes begins with such letters. */
enum redact_found redact_base64_look(size_t form, size_t place, const struct redact_place *text,
                                     struct redact_cut *cut);

#endif
