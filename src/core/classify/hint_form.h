/*
 * hint_form.h - the ways in which servers say when to come back: a small table
 * of forms, each one function. Pure.
 */
#ifndef DEVS_HINT_FORM_H
#define DEVS_HINT_FORM_H

#include <stddef.h>
#include <stdint.h>

#include "classify.h"

enum {
    HINT_NONE = -1, /* garbage, negative or too much */
    HINT_STOP = -2, /* the server asks us not to come back */
};
#define HINT_MAX_MS ((int64_t)366 * 24 * 3600 * 1000) /* more is no wait but a mistake */

/* What a rule has found. */
struct hint_text {
    const char *time; /* borrowed, not terminated */
    size_t time_len;
    const char *zone; /* borrowed; a zone's name, length 0 for none */
    size_t zone_len;
    int64_t unit_ms;                    /* what a number without a unit counts */
    const struct classify_input *input; /* borrowed: the clock, the zones */
};

/* Milliseconds from now, 0 for what is past, or one of the two above. */
typedef int64_t hint_form_fn(const struct hint_text *text);

/* By the name that a rule gives it ("duration", ...); NULL if there is none. */
hint_form_fn *hint_form_find(const char *name);

/* "120", "1.574s", "6m12.5s", "3 days 4 hours"; a number without a unit counts
 * unit_ms. */
int64_t hint_duration(const char *text, size_t len, int64_t unit_ms);

#endif
