/*
 * parse.h - checked parsing of numbers from text and from binary data. Any thread.
 */
#ifndef DEVS_PARSE_H
#define DEVS_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

/* Parses text that must be exactly one decimal number in [min, max]. Fails with ERR_INVALID, whose
 * message says what was expected. */
ATTR_MUST_USE bool parse_i64(const char *text, int64_t min, int64_t max, int64_t *out,
                             struct err *err);

/* Returns the value of a hex digit of either case, -1 for any other character. */
int parse_hex_digit(char c);

/* Appends the lowest `bytes` bytes of the value in little-endian order, for storage. */
void number_bytes_put(struct str *out, uint64_t value, int bytes);

/* A cursor over stored numbers. `bad` is set when there are too few bytes, or by the reader when a
 * value is impossible. */
struct number_bytes {
    const unsigned char *at; /* borrowed */
    size_t len;
    bool bad;
};

/* Returns the next number; 0 if fewer than `bytes` bytes are left. */
uint64_t number_bytes_take(struct number_bytes *from, int bytes);

#endif
