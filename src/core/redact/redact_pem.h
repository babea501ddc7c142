/*
 * redact_pem.h - the lines of a private key behind its first one (RFC 7468, RFC 1421).
 */
#ifndef DEVS_REDACT_PEM_H
#define DEVS_REDACT_PEM_H

#include "redact_forms.h"

/* As redact_tail_take(): lines of base64, header fields, up to and with the line that ends the
 * key. A line feed may be written as \n. What follows a first line that stands alone, in the
 * source of a program, is not taken. */
size_t redact_pem_take(struct redact_tail *tail, const char *bytes, size_t len, bool ended);

#endif
