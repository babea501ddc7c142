/*
 * parse.h - numbers read from text and from bytes, checked. Any thread.
 */
#ifndef DEVS_PARSE_H
#define DEVS_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

/* The whole text must be one decimal number in [min, max]; ERR_INVALID says
 * what was expected. */
ATTR_MUST_USE bool parse_i64(const char *text, int64_t min, int64_t max, int64_t *out,
                             struct err *err);

/* The value of a hex digit of either case, -1 for another character. */
int parse_hex_digit(char c);

/* Append the lowest `bytes` bytes of the value, the lowest first: a form to save. */
void number_bytes_put(struct str *out, uint64_t value, int bytes);

/* Saved numbers that are still to be read; `bad` once there were too few bytes, or the reader found
 * a value that is not possible. */
struct number_bytes {
    const unsigned char *at; /* borrowed */
    size_t len;
    bool bad;
};

/* The next number; 0 if fewer bytes than that are left. */
uint64_t number_bytes_take(struct number_bytes *from, int bytes);

#endif
