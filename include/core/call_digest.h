/*
 * call_digest.h - which call an attempt makes: 128 bits of SHA-256 over everything that makes the
 * call what it is.
 *
 * That is argv, working directory, stdin file, the variables of the step and the whole environment
 * given, its sandbox, an agent's prompt. Where the task's workspace lies is no part of it. The
 * encoding is in every log: it does not change. One thread at a time.
 */
#ifndef DEVS_CALL_DIGEST_H
#define DEVS_CALL_DIGEST_H

#include "digest.h"
#include "plan.h"

/* What all calls of a run have in common, so that it is put in order once. */
struct call_digester;

/* Copies what it is given; environment: NULL-terminated "NAME=value", NULL = none. The caller ends
 * *out with call_digester_close(). */
void call_digester_open(struct call_digester **out, const char *run_dir, char *const *environment);
/* NULL is allowed. */
void call_digester_close(struct call_digester *digester);

/* The digest of the step's call. */
struct digest call_digester_take(struct call_digester *digester, const struct plan_step *step);

#endif
