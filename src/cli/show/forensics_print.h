/*
 * forensics_print.h - `devs debug --forensics [RUN/]TASK`: what is known of an attempt's end.
 */
#ifndef DEVS_FORENSICS_PRINT_H
#define DEVS_FORENSICS_PRINT_H

#include <stdbool.h>

#include "attempt_pick.h"
#include "command.h"

/* Print it to stdout, as text or as one JSON object. `target` is RUN/TASK or TASK. Returns the
 * exit code. */
int forensics_print(struct globals *globals, const char *target, const struct attempt_words *words,
                    bool json);

#endif
