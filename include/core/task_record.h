/*
 * task_record.h - a task that is added to a run as the log keeps it: without secrets, and short.
 * Pure.
 *
 * Long texts and long lists are cut, with how much is missing and a digest of all of it in the
 * place of the rest, so that two calls that differ only there are still two calls.
 */
#ifndef DEVS_TASK_RECORD_H
#define DEVS_TASK_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "json.h"
#include "redact.h"
#include "str.h"

enum { TASK_RECORD_ID_MAX = 64 }; /* bytes of a text that is never cut */

/* All borrowed for the call. */
struct task_record {
    const struct json *task;
    const char *stdin_bytes; /* what its steps get on stdin, NULL = nothing; size and digest are
                                kept */
    size_t stdin_len;
    const struct redactor *redactor; /* of the run; NULL = nothing is cut */
    const struct redactor *own;      /* what the task's own variables give away; likewise */
};

/* Append the text of EVENT_TASK_ADDED for this task: {"task":{...}}, at most EVENT_TEXT_MAX
 * bytes, which plan_grow() reads as a task of the same id with as many steps. False, ERR_LIMIT: it
 * has so many parts that even cut it is too long. */
ATTR_MUST_USE bool task_record_write(const struct task_record *record, struct str *out,
                                     struct err *err);

/* A redactor for the secrets in the `env` of the task's steps; *out stays NULL where it has no
 * `env`. The caller ends it with redactor_close(). ERR_LIMIT as redactor_open(). */
ATTR_MUST_USE bool task_record_redactor(const struct json *task, struct redactor **out,
                                        struct err *err);

#endif
