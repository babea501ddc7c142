/*
 * log_words.h - what stands around an attempt's output: its command before it, how it ended and
 * what the engine made of that after it. Pure.
 */
#ifndef DEVS_LOG_WORDS_H
#define DEVS_LOG_WORDS_H

#include "log_reader.h"
#include "run_state.h"
#include "str.h"

/* "$ make test"; "" where the attempt is not known. */
void log_words_command(const struct run_state *state, const struct log_output_key *key,
                       struct str *out);
/* "-- exit 1 after 1:47; 96 lines to out, 0 to err; 31 MiB peak"; "" while it runs. */
void log_words_end(const struct run_state *state, const struct log_output_key *key,
                   struct str *out);
/* "== engine: test-fail, try 3 of 6, waits 45 s (15 s x2^2 = 60 s, jitter 0.75 -> 45 s)", "==
 * engine: test-fail, try 2 in round 2, then round 3"; "" while it runs. */
void log_words_decision(const struct run_state *state, const struct log_output_key *key,
                        struct str *out);
/* The attempt; NULL where there is none. */
const struct attempt_state *log_words_attempt(const struct run_state *state,
                                              const struct log_output_key *key);
/* What its verdict went by, where the state has that: of the last attempt of its step that failed.
 * Read into *room; NULL for any other. */
const struct verdict *log_words_verdict(const struct run_state *state,
                                        const struct log_output_key *key, struct verdict *room);

#endif
