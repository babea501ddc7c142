/*
 * redact_assigned.h - secrets that are found by what is before them: a name (password=...,
 * "api_key":
 * "...", Cookie: ..., netrc) or the first line of a PEM block. Pure.
 */
#ifndef DEVS_REDACT_ASSIGNED_H
#define DEVS_REDACT_ASSIGNED_H

#include "redact_forms.h"

/* How much a value must look like a secret for the name in front of it. */
enum redact_trust {
    REDACT_TRUST_PASSWORD, /* people make them: 6 characters, not a word */
    REDACT_TRUST_KEY,      /* programs make them: 8 characters, not a word */
    REDACT_TRUST_TOKEN,    /* the name means many things: 16 characters with letters and digits */
};

/* A value after `name_len` bytes of its name. */
enum redact_found redact_assigned_look(enum redact_trust trust, const struct redact_place *place,
                                       size_t name_len, struct redact_cut *cut);
/* "Cookie: a=b; c=d", "Set-Cookie: a=b; Path=/": from the first value on. */
enum redact_found redact_cookie_look(const struct redact_place *place, size_t name_len,
                                     struct redact_cut *cut);
/* "machine h login u password p", on one line or on several. */
enum redact_found redact_netrc_look(const struct redact_place *place, size_t name_len,
                                    struct redact_cut *cut);

/* As redact_tail_take(): lines of base64, header fields, up to and with the line that ends the
 * key. A line feed may be written as \n. If the first line is alone, as in the source of a
 * program, nothing after it is taken. */
size_t redact_pem_take(struct redact_tail *tail, const char *bytes, size_t len, bool ended);

#endif
