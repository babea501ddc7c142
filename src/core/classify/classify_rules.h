/*
 * classify_rules.h - the text rules, read from JSON and compiled.
 *
 * A rule set is made once and then only read, by any number of threads. Its
 * rules are tried in the order of the file; the file's own words say what the
 * members mean (assets/rules.json).
 */
#ifndef DEVS_CLASSIFY_RULES_H
#define DEVS_CLASSIFY_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "hint_form.h"
#include "literals.h"
#include "rule_pattern.h"
#include "verdict.h"

enum {
    RULES_MAX = 512,
    RULE_GUARDS_MAX = 64, /* one bit each */
    RULE_EXITS_MAX = 16,
    RULE_NEEDS_MAX = 64,
    RULE_SIGNALS_MAX = 8,
    RULE_PROGRAM_MAX = 16,
    RULE_LAUNCHERS_MAX = 8,
    RULE_LAUNCHER_MAX = 32,
};

/* What kind of step a rule is for. */
enum rule_kind { RULE_KIND_ANY, RULE_KIND_RUN, RULE_KIND_AGENT };

/* What a rule's words tell of a failure. */
enum rule_rank {
    RULE_RANK_SYMPTOM, /* how it showed: a connection ended, a lock was not had */
    RULE_RANK_PLAIN,
    RULE_RANK_CAUSE, /* why: it outranks a symptom near it */
};

enum rule_stream {
    RULE_STREAM_ANY,   /* stderr, then stdout */
    RULE_STREAM_ERR,   /* stderr only */
    RULE_STREAM_OUT,   /* stdout only */
    RULE_STREAM_QUIET, /* stderr; stdout only if stderr names no error */
};

struct rule {
    char id[VERDICT_RULE_MAX];
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    char subtype[VERDICT_SUBTYPE_MAX]; /* "$1" at its end: the group that matched */
    enum rule_stream stream;
    enum rule_rank rank;
    int tail;        /* only the last lines that hold anything; 0: all */
    bool ask;        /* only a person can help */
    bool quoted;     /* counts in quoted lines too */
    bool final;      /* nothing that was said later outranks it */
    bool late;       /* outranks a transient rule that matched earlier in the stream */
    bool over;       /* the second group's number must be larger than the first's */
    bool waits;      /* persistent: waiting heals it if the time is known */
    bool memory;     /* void if a counter says that memory was not the cause */
    bool on_success; /* holds after exit 0 too: it denies the success */
    int exits[RULE_EXITS_MAX];
    int exit_count; /* 0: any exit code */
    int signals[RULE_SIGNALS_MAX];
    int signal_count; /* 0: for exits; else for these signals alone */
    enum rule_kind kind;
    char program[RULE_PROGRAM_MAX]; /* of the step, or its agent; "" for any */
    char launchers[RULE_LAUNCHERS_MAX][RULE_LAUNCHER_MAX]; /* the command starts one of these */
    int launcher_count;                                    /* 0: any command */
    int needs[RULE_NEEDS_MAX];        /* literals: a line without one cannot match */
    int need_count;                   /* 0, with a pattern: every line is tried */
    struct rule_pattern *pattern;     /* owned; NULL: facts alone decide */
    struct rule_pattern *after;       /* owned; the line before must match it */
    struct rule_pattern *unless;      /* owned; the line must not match it */
    struct rule_pattern *unless_text; /* owned; no line of the streams may match it */
    int retry_group;                  /* of the pattern; it holds a time to wait; 0: none */
    hint_form_fn *form;               /* hints: how the first group is read */
    int64_t unit_ms;                  /* hints: what a number without a unit counts */
    bool most;                        /* hints: the longest of all lines, not the last one's */
    bool decides;                     /* hints: a server that says so is a cause of its own */
};

struct rule_list {
    struct rule *items; /* owned */
    size_t count;
};

struct rules {
    struct rule_list verdicts; /* decide */
    struct rule_list hints;    /* when to come back; the first group is the time */
    struct rule_list guards;   /* a line that matches one is quoted, not said */
    struct rule_list errors;   /* a line that matches one names an error */
    struct rule_list said;     /* an agent's own last words that are a failure */
    struct rule_list stopped;  /* likewise, after a call that it was refused */
    struct rule_list service;  /* an agent's failed result, of which no verdict knows a word */
    struct literals literals;
    uint64_t *guard_bits; /* owned; by literal: the guards that need it */
    bool for_signals;     /* there is a rule for signals */
    bool for_successes;   /* there is a rule that may deny a success */
};

enum { RULES_HASH_MAX = 65 };

/* The rule set's SHA-256, in hexadecimal digits. */
void rules_hash(const char *json, size_t len, char hash[RULES_HASH_MAX]);

/* Compile. ERR_INVALID names the rule. The caller ends *out with rules_close(). */
ATTR_MUST_USE bool rules_open(struct rules **out, const char *json, size_t len, struct err *err);
void rules_close(struct rules *rules);

#endif
