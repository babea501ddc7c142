/*
 * call_digest.h - the identity of an attempt's call: 128 bits of SHA-256 over everything that
 * defines it.
 *
 * That is argv, working directory, stdin file, the variables of the step and the whole environment
 * given, its sandbox, and an agent's prompt. The location of the task's workspace is not included.
 * The encoding is in every log, so it never changes. One thread at a time.
 */
#ifndef DEVS_CALL_DIGEST_H
#define DEVS_CALL_DIGEST_H

#include "digest.h"
#include "plan.h"

/* What all calls of a run have in common, encoded once. */
struct call_digester;

/* Copies its arguments. `environment` is NULL-terminated "NAME=value"; NULL = none. The caller
 * frees *out with call_digester_close(). */
void call_digester_open(struct call_digester **out, const char *run_dir, char *const *environment);
/* Accepts NULL. */
void call_digester_close(struct call_digester *digester);

/* Returns the digest of the step's call. */
struct digest call_digester_take(struct call_digester *digester, const struct plan_step *step);

#endif
