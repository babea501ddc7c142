/*
 * entropy_chant.h - does one message say the same over and over? Private to core.
 *
 * Looks for a piece of CHANT_PERIOD_MIN to CHANT_PERIOD_MAX bytes that comes many times
 * without anything between, in what is left of the message without its code blocks,
 * lists, tables, quotes and rules, all of which repeat by design.
 */
#ifndef DEVS_ENTROPY_CHANT_H
#define DEVS_ENTROPY_CHANT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    CHANT_PERIOD_MIN = 6,
    CHANT_PERIOD_MAX = 400,
    CHANT_BYTES_MAX = 64 * 1024, /* of a message; of a longer one its end is looked at */
};

/* `periods` equal pieces in a row make a chant; 0: nothing does. */
bool entropy_chants(const char *text, size_t len, int periods);

#endif
