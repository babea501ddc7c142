/*
 * redact_base64.h - known tokens inside of base64 (RFC 4648), whose forms are looked at in what
 * it decodes to.
 */
#ifndef DEVS_REDACT_BASE64_H
#define DEVS_REDACT_BASE64_H

#include "redact_forms.h"

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
