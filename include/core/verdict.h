/* verdict.h - what the end of an attempt means, with the evidence.
 *
 * The failure classes are seven transient types, each with a free-form subtype, and a closed list
 * of persistent reasons. Numbers are stored in the log: never renumber. */
#ifndef DEVS_VERDICT_H
#define DEVS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "str.h"

enum verdict_class {
    VERDICT_SUCCESS = 0,
    VERDICT_TRANSIENT = 1,
    VERDICT_PERSISTENT = 2,
    VERDICT_CLASS_COUNT,
};

enum transient_type {
    TRANSIENT_NONE = 0,
    TRANSIENT_NETWORK_TIMEOUT = 1,
    TRANSIENT_DOCKER_SOCKET_UNAVAILABLE = 2,
    TRANSIENT_CONTAINER_OOM = 3,
    TRANSIENT_API_RATE_LIMIT = 4,
    TRANSIENT_API_OVERLOADED = 5,
    TRANSIENT_SANDBOX_START_TIMEOUT = 6,
    TRANSIENT_RESOURCE_BUSY = 7,
    TRANSIENT_TYPE_COUNT,
};

enum reason {
    REASON_NONE = 0,
    REASON_TEST_FAIL = 1,
    REASON_COMPILE = 2,
    REASON_USAGE = 3,
    REASON_NOT_FOUND = 4,
    REASON_PERMISSION = 5,
    REASON_AUTH = 6,
    REASON_QUOTA = 7,
    REASON_CONTEXT_LENGTH = 8,
    REASON_BAD_REQUEST = 9,
    REASON_TOO_LARGE = 10,
    REASON_REFUSAL = 11,
    REASON_LIMIT = 12,
    REASON_CONTRACT = 13,
    REASON_CONFIG = 14,
    REASON_CONFLICT = 15,
    REASON_CRASH = 16,
    REASON_SETUP = 17,
    REASON_DEADLINE = 18,
    REASON_CANCELLED = 19,
    REASON_LOOP = 20,
    REASON_BUDGET = 21,
    REASON_COUNT,
};

enum verdict_stream {
    VERDICT_STREAM_NONE,
    VERDICT_STREAM_OUT,
    VERDICT_STREAM_ERR,
    VERDICT_STREAM_COUNT,
};

enum {
    VERDICT_SUBTYPE_MAX = 32,
    VERDICT_RULE_MAX = 48,
    VERDICT_MATCH_MAX = 160,  /* maximum bytes kept of the matched text, whole UTF-8 characters */
    VERDICT_NEAR_MAX = 4,     /* maximum near misses kept */
    VERDICT_LINES_MAX = 1024, /* maximum bytes of the lines about an invalid output */
};

/* Why a rule whose literal occurs in the text did not decide. */
enum near_why {
    NEAR_QUOTED,    /* a guard recognizes the line as quoted */
    NEAR_UNLESS,    /* the rule's own exception matches */
    NEAR_PATTERN,   /* the literal occurs, but the pattern does not match */
    NEAR_EXIT,      /* exit code, signal, program or kind of step does not fit */
    NEAR_OUTRANKED, /* the rule matches, but another rule comes first */
    NEAR_WHY_COUNT,
};

/* A rule that nearly decided, and its line. */
struct verdict_near {
    char rule[VERDICT_RULE_MAX];
    enum near_why why;
    enum verdict_stream stream; /* NONE: based on facts only */
    int64_t offset;             /* byte offset of the line in the whole stream */
};

/* How the result of a step differs from an expected failure (plan.h). */
enum verdict_expectation {
    VERDICT_AS_IT_IS,        /* no failure was expected, or the step failed as expected */
    VERDICT_UNEXPECTED_PASS, /* was expected to fail and passed */
    VERDICT_WRONG_REASON,    /* failed, but not as expected */
    VERDICT_EXPECTATION_COUNT,
};

/* The rule of a verdict about expected files, which needs no output. */
#define EXPECT_FILES_RULE "expect.files"

/* A plain value: copy it freely. A persistent verdict with resume_at_ms is parked: the same
 * invocation may succeed after that time, which may be hours away. */
struct verdict {
    enum verdict_class class;
    enum transient_type type;           /* transient only */
    enum reason reason;                 /* persistent only; NONE if no rule knows the reason */
    char subtype[VERDICT_SUBTYPE_MAX];  /* any word; may be empty */
    char rule[VERDICT_RULE_MAX];        /* id of the rule that decided */
    enum verdict_stream stream;         /* stream that contains the match; NONE for facts */
    int64_t offset;                     /* byte offset of the match in the whole stream */
    int64_t line;                       /* 1 = first line of the text that was read */
    char match[VERDICT_MATCH_MAX];      /* the matched line, cleaned of escapes */
    int64_t retry_after_ms;             /* a server's hint; -1 for none */
    int64_t resume_at_ms;               /* wall clock; -1 unless parked, see above */
    char hint_rule[VERDICT_RULE_MAX];   /* id of the rule that gave the time, or "" */
    bool ask;                           /* only a person can help: needs-you */
    bool no_retry;                      /* the same invocation cannot succeed: no policy retries
                                           it */
    char violations[VERDICT_LINES_MAX]; /* why the output does not fit its contract: whole lines
                                           as violations_display() writes them; usually "" */
    enum verdict_expectation expectation;
    struct verdict_near near[VERDICT_NEAR_MAX];
    int near_count;
};

/* Returns an empty verdict: success, no hint. */
struct verdict verdict_new(void);

/* Sets a transient type and the two strings, cut to fit; keeps the other evidence. */
void verdict_set_transient(struct verdict *verdict, enum transient_type type, const char *subtype,
                           const char *rule);
/* Like verdict_set_transient(), for a persistent failure and its reason. */
void verdict_set_persistent(struct verdict *verdict, enum reason reason, const char *subtype,
                            const char *rule);

/* Sets evidence that is in neither stream, cut to fit. */
void verdict_set_match(struct verdict *verdict, const char *text);

/* Returns "success", "transient", "persistent". */
const char *verdict_class_name(enum verdict_class class);
/* Returns "NETWORK_TIMEOUT", ...; "" for NONE. */
const char *transient_type_name(enum transient_type type);
/* Returns "test-fail", ...; "" for NONE. */
const char *reason_name(enum reason reason);

/* Returns "quoted", "unless", "pattern", "exit", "outranked". */
const char *near_why_name(enum near_why why);
/* Returns "stdout", "stderr"; "" for NONE. */
const char *verdict_stream_name(enum verdict_stream stream);

/* Adds a near miss; drops it if there are VERDICT_NEAR_MAX. */
void verdict_add_near(struct verdict *verdict, const struct verdict_near *near);

/* Adds a line about the invalid output, without a line feed. Returns false and adds nothing if
 * it does not fit whole. */
ATTR_MUST_USE bool verdict_add_line(struct verdict *verdict, const char *line, size_t len);

/* The inverse of transient_type_name(). Returns false and leaves *out unchanged for an unknown
 * string. */
ATTR_MUST_USE bool transient_type_parse(const char *text, enum transient_type *out);
/* The inverse of reason_name(). Returns false and leaves *out unchanged for an unknown string. */
ATTR_MUST_USE bool reason_parse(const char *text, enum reason *out);

enum { VERDICT_WORD_MAX = 32 };

struct outcome;
/* Returns the short word of the CLASS column: "network", "rate-limit", "docker", "oom",
 * "overloaded", "start-timeout", "busy"; the word of a persistent reason; otherwise "exit 1",
 * "signal 9", "timeout" from kind and code. Empty for a success. */
const char *verdict_word(const struct verdict *verdict, const struct outcome *outcome,
                         char out[VERDICT_WORD_MAX]);

/*
 * Labels: the class of a verdict without its evidence, as one word.
 */

/* A plain value. */
struct verdict_label {
    enum verdict_class class;
    enum transient_type type; /* transient only */
    enum reason reason;       /* persistent only; NONE: no specific reason */
};

/* Returns "success", "persistent", a transient type ("NETWORK_TIMEOUT") or a persistent reason
 * ("test-fail"): the names in the log. */
const char *verdict_label_word(const struct verdict_label *label);

/* The inverse of verdict_label_word(), ignoring case; also accepts the short words shown on screens
 * ("network"). Returns false for anything else, including "transient", which says too little. */
ATTR_MUST_USE bool verdict_label_parse(const char *text, struct verdict_label *out);

/* Compares class, type and reason. */
bool verdict_label_equals(const struct verdict_label *a, const struct verdict_label *b);

/* Appends all names in the log that verdict_label_parse() accepts, separated by ", ". */
void verdict_label_words(struct str *out);

/*
 * Records: a verdict as events store it.
 */

/* Like struct verdict_near. */
struct verdict_near_record {
    const char *rule; /* borrowed, NULL = none */
    enum near_why why;
    enum verdict_stream stream;
    int64_t offset;
};

/* The members of struct verdict. Strings are borrowed; NULL = none. */
struct verdict_record {
    struct verdict_label label;
    enum verdict_expectation expectation;
    enum verdict_stream stream;
    bool ask, no_retry;
    int64_t offset, line;
    int64_t retry_after_ms, resume_at_ms;
    const char *rule, *subtype, *match, *hint_rule, *violations;
    struct verdict_near_record near[VERDICT_NEAR_MAX];
    int near_count;
};

/* Converts a verdict to a record, which borrows the strings of the verdict. */
void verdict_to_record(const struct verdict *verdict, struct verdict_record *out);
/* Converts a record to a verdict. Copies the first line of each string, and all lines of the
 * violations, as far as they fit. */
void verdict_from_record(const struct verdict_record *record, struct verdict *out);

#endif
