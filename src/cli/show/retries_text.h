/*
 * retries_text.h - what retries_run.c found, as text and as JSON.
 */
#ifndef DEVS_RETRIES_TEXT_H
#define DEVS_RETRIES_TEXT_H

#include "retry_help.h"
#include "str.h"
#include "time_spent.h"

/* What is known of the runs that were looked at. */
struct retries {
    struct retry_help help;
    struct time_spent spent;
    size_t timed;   /* of so many runs; of the others it would take too long to find */
    int64_t events; /* that were folded for it */
};
/* Events after which no further run is folded: a second's work. */
enum { RETRIES_TIMED_EVENTS = 400 * 1000 };

/* A table with a line for each class, and below it what the log says of it. */
void retries_text(const struct retries *retries, struct str *out);
/* One object, {"v":1,...}, and a line feed. */
void retries_json(const struct retries *retries, struct str *out);

#endif
