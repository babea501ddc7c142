/*
 * verify_found.h - what devs debug --verify found, kept as words and numbers. Main thread.
 */
#ifndef DEVS_VERIFY_FOUND_H
#define DEVS_VERIFY_FOUND_H

#include <stddef.h>
#include <stdint.h>

#include "str.h"
#include "verify.h"

enum {
    VERIFY_VERDICTS_MAX = 1000, /* verdicts that are listed; the others are counted */
};

/* Where in the run. */
struct verify_place {
    int64_t at_ms, seq;
    char task[PLAN_ID_MAX + 1]; /* "" = of the run */
    int step, attempt;          /* step from 0 */
};

/* A decision. Texts owned. */
struct verify_decision {
    struct verify_place place;
    struct str cause;                    /* the event that it was made on, in words */
    struct str recorded, made;           /* in words; "" = nothing */
    struct str changes;                  /* what of their inputs is another: "allowed 4, now 3" */
    struct str recorded_json, made_json; /* as objects; "" = nothing */
};

/* A verdict. */
struct verify_opinion {
    struct verify_place place;
    enum verify_rules rules;
    struct str was, is; /* owned; "test-fail (rule tap.not-ok)" */
};

struct verify_found {
    int64_t run;
    struct verify_decision decisions[REDECIDE_DIFFERENCES_MAX];
    int decision_count;
    struct verify_opinion *opinions; /* owned */
    size_t opinion_count, opinion_cap;
    struct verify_sum sum;
    bool asks_rules; /* what this build's rules say otherwise counts, too */
};

/* For verify_run(): ctx is a struct verify_found. */
void verify_found_decision(void *ctx, const struct redecide_difference *difference);
/* The same of a verdict that today's rules change; beyond VERIFY_VERDICTS_MAX none is kept. */
void verify_found_verdict(void *ctx, const struct verify_verdict *verdict);
void verify_found_done(struct verify_found *found);

/* Is it another run now? Then the exit code is EXIT_WOULD_CHANGE. */
bool verify_found_differs(const struct verify_found *found);

/* The report for people, of several lines; and one JSON object without a line feed. */
void verify_found_text(const struct verify_found *found, struct str *out);
/* Append the object. */
void verify_found_json(const struct verify_found *found, struct str *out);

#endif
