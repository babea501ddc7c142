/* task_record.h - how an added task is written to the log: without secrets, and short. Pure.
 *
 * Long strings and lists are truncated; the rest is replaced with its length and a digest of the
 * whole, so that two calls that differ only there remain different. */
#ifndef DEVS_TASK_RECORD_H
#define DEVS_TASK_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "json.h"
#include "redact.h"
#include "str.h"

enum { TASK_RECORD_ID_MAX = 64 }; /* strings up to this many bytes are never truncated */

/* Borrowed for the duration of the call. */
struct task_record {
    const struct json *task;
    const char *stdin_bytes; /* stdin of the steps; NULL = none; recorded as size and digest */
    size_t stdin_len;
    const struct redactor *redactor; /* redactor of the run; NULL = nothing is redacted */
    const struct redactor
        *own; /* redactor of the task's own variables; NULL = nothing is redacted */
};

/* Appends the task in the form of EVENT_TASK_ADDED: a JSON object of at most EVENT_TEXT_MAX bytes.
 * plan_grow() reads it as a task with the same id and the same number of steps. Fails with
 * ERR_LIMIT if the task has so many parts that it is too long even when truncated. */
ATTR_MUST_USE bool task_record_write(const struct task_record *record, struct str *out,
                                     struct err *err);

/* Creates a redactor for the secrets in the `env` of the task's steps. *out remains NULL if there
 * is no `env`. The caller frees with redactor_close(). Fails with ERR_LIMIT like
 * redactor_open(). */
ATTR_MUST_USE bool task_record_redactor(const struct json *task, struct redactor **out,
                                        struct err *err);

#endif
