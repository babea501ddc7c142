/*
 * number_bytes.h - numbers as bytes, the lowest first: for what is saved and loaded. Any thread.
 */
#ifndef DEVS_NUMBER_BYTES_H
#define DEVS_NUMBER_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

/* Append the lowest `bytes` bytes of the value. */
void number_bytes_put(struct str *out, uint64_t value, int bytes);

/* What is left to read; `bad` once it was too short, or held what cannot be. */
struct number_bytes {
    const unsigned char *at; /* borrowed */
    size_t len;
    bool bad;
};

/* The next number; 0 where there are not so many bytes any more. */
uint64_t number_bytes_take(struct number_bytes *from, int bytes);

#endif
