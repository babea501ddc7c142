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
};

/* A table with a line for each class, and below it what the log says of it. */
void retries_text(const struct retries *retries, struct str *out);
/* One object, {"v":1,...}, and a line feed. */
void retries_json(const struct retries *retries, struct str *out);

#endif
