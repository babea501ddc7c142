/* Shared by the files of the classifier. Private to core/classify and its tests. */
#ifndef DEVS_CLASSIFY_INTERNAL_H
#define DEVS_CLASSIFY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "classify.h"
#include "clean_text.h"
#include "err.h"
#include "rule_pattern.h"
#include "str.h"
#include "verdict.h"

/* Literals: finds which of many words occur in a text, ignoring case (classify_rules.c).
 *
 * LITERAL_KEY bytes of each literal select its bucket. A scan looks up the bucket for the bytes at
 * each position. Any number of threads may scan once the rules are open. */

enum {
    LITERAL_KEY = 3, /* bytes of a literal that select its bucket; also its minimum length */
    LITERAL_MAX = 4096,
    LITERAL_BUCKET_BITS = 14,
    LITERALS_MAX = 8192,
    LITERAL_NONE = -1,
};

struct literal {
    char *bytes;      /* owned; in lower case, without a NUL */
    uint16_t len;     /* bytes */
    uint16_t key_end; /* offset of the end of its key */
    uint16_t next;    /* 1 + the number of the next literal in its bucket; 0 = none */
};

struct literals {
    struct literal *items; /* owned; by number */
    size_t cap;
    int count;
    uint16_t first[1 << LITERAL_BUCKET_BITS]; /* by bucket: like `next` */
};

/* Called for each position where a literal begins. */
typedef void literals_hit_fn(void *ctx, int literal);
/* Scans the bytes once, with at most one call for each position and literal. */
void literals_scan(const struct literals *literals, const char *bytes, size_t len,
                   literals_hit_fn *hit, void *ctx);

/*
 * The forms in which servers say when to retry (retry_hint.c).
 */

enum {
    HINT_NONE = -1, /* no hint, or an invalid, negative or too long one */
    HINT_STOP = -2, /* the server asks not to retry */
};
#define HINT_MAX_MS ((int64_t)366 * 24 * 3600 * 1000) /* a longer wait is treated as a mistake */

/* The text of a hint that a rule has found. */
struct hint_text {
    const char *time; /* borrowed, not NUL-terminated */
    size_t time_len;
    const char *zone; /* borrowed; name of a zone, length 0 for none */
    size_t zone_len;
    int64_t unit_ms;                    /* unit of a number without one */
    const struct classify_input *input; /* borrowed; for the clock and the zones */
};

/* Returns milliseconds from now, 0 for the past, HINT_NONE or HINT_STOP. */
typedef int64_t hint_form_fn(const struct hint_text *text);

/* Returns the form that a rule names ("duration", ...), or NULL. */
hint_form_fn *hint_form_find(const char *name);

/* Reads "120", "1.574s", "6m12.5s", "3 days 4 hours"; a number without a unit is multiplied by
 * unit_ms. */
int64_t hint_duration(const char *text, size_t len, int64_t unit_ms);

/*
 * The rules, read from JSON and compiled (classify_rules.c).
 *
 * A rule set is immutable, so any number of threads may read it. Rules are tried in the order of
 * the file; assets/rules.json explains the members.
 */

enum {
    RULES_MAX = 512,
    RULE_GUARDS_MAX = 64, /* guards have one bit each */
    RULE_EXITS_MAX = 16,
    RULE_NEEDS_MAX = 64,
    RULE_SIGNALS_MAX = 8,
    RULE_PROGRAM_MAX = 16,
    RULE_LAUNCHERS_MAX = 8,
    RULE_LAUNCHER_MAX = 32,
};

/* The kind of step that a rule is for. */
enum rule_kind { RULE_KIND_ANY, RULE_KIND_RUN, RULE_KIND_AGENT, RULE_KIND_COUNT };

/* What the text of a rule tells about a failure. */
enum rule_rank {
    RULE_RANK_SYMPTOM, /* the effect: a connection ended, a lock could not be taken */
    RULE_RANK_PLAIN,
    RULE_RANK_CAUSE, /* the reason: outranks a symptom nearby */
    RULE_RANK_COUNT,
};

enum rule_stream {
    RULE_STREAM_ANY,   /* stderr, then stdout */
    RULE_STREAM_ERR,   /* stderr only */
    RULE_STREAM_OUT,   /* stdout only */
    RULE_STREAM_QUIET, /* stderr; stdout only if stderr has no error */
    RULE_STREAM_COUNT,
};

struct rule_numbers {
    int items[RULE_EXITS_MAX];
    int count;
};

struct rule_launchers {
    char names[RULE_LAUNCHERS_MAX][RULE_LAUNCHER_MAX];
    int count;
};

struct rule {
    char id[VERDICT_RULE_MAX];
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    char subtype[VERDICT_SUBTYPE_MAX]; /* "$1" at its end: the group that matched */
    enum rule_stream stream;
    enum rule_rank rank;
    int tail;        /* number of last non-empty lines that the rule looks at; 0 = all */
    bool ask;        /* only a person can help */
    bool quoted;     /* also matches quoted lines */
    bool final;      /* no later rule outranks it */
    bool late;       /* outranks a transient rule that matches an earlier line of the stream */
    bool over;       /* the number in the second group must be larger than in the first */
    bool waits;      /* persistent, but waiting helps if the time is known */
    bool memory;     /* void if a counter shows that memory was not the cause */
    bool on_success; /* also applies after exit 0, and denies the success */
    bool user;       /* a user rule */
    bool off;        /* only switches off the built-in rule of the same name */
    struct rule_numbers exits;   /* none = any exit code, unless there are signals */
    struct rule_numbers signals; /* signals that it applies to; if there are any, empty `exits`
                                    means no exit code */
    enum rule_kind kind;
    char program[RULE_PROGRAM_MAX];  /* program of the step, or its agent; "" = any */
    struct rule_launchers launchers; /* the command starts one of these; none: any command */
    bool direct;                     /* the command itself is the launcher, not one in its script */
    char **words;                 /* owned; a line without any of these cannot match; NULL = none */
    int needs[RULE_NEEDS_MAX];    /* literals of the words */
    int need_count;               /* 0 = if there is a pattern, every line is tried */
    struct rule_pattern *pattern; /* owned; NULL: only facts count */
    struct rule_pattern *after;   /* owned; the previous line must match it */
    struct rule_pattern *unless;  /* owned; the line must not match it */
    struct rule_pattern *unless_text; /* owned; no line of the streams may match it */
    int retry_group;                  /* group of the pattern with a time to wait; 0: none */
    hint_form_fn *form;               /* hints: how to read the first group */
    int64_t unit_ms;                  /* hints: unit of a number without one */
    bool most;    /* hints: takes the longest time of all lines instead of the last */
    bool decides; /* hints: sufficient to judge a failure as transient */
};

struct rule_list {
    struct rule *items; /* owned */
    size_t count;
    size_t first; /* number of items[0] among the rules of all lists */
};

/* A rule that needs a literal. */
struct rule_need {
    size_t rule;  /* number of the rule */
    int32_t next; /* index of the next rule that needs it; 0 = none */
};

struct rules {
    struct rule_list verdicts; /* rules that decide the verdict */
    struct rule_list hints;    /* rules for the time to retry, in the first group */
    struct rule_list guards;   /* a matching line is quoted, not said */
    struct rule_list errors;   /* a matching line names an error */
    struct rule_list said;     /* last words of an agent that mean a failure */
    struct rule_list stopped;  /* last words of an agent that mean a failure after a denied call */
    struct rule_list service;  /* failures reported by an agent that no verdict rule matches */
    struct rule_list general;  /* rules with general words, tried if no other rule matches */
    struct literals literals;
    uint64_t *guard_bits;    /* owned; by literal: the guards that need it, one bit each */
    size_t count;            /* number of rules in all lists */
    bool *always;            /* owned; by rule number: the rule is tried whatever literals occur */
    struct rule_need *needs; /* owned; the rules that need a literal, as one list per literal */
    int32_t *first_need;     /* owned; by literal: first index in `needs`; 0 = none */
    bool for_signals;        /* some rule is for signals */
    bool for_successes;      /* some rule may deny a success */
};

enum { RULES_HASH_MAX = 65 };

/* Members of a user rule, and of its "only_if". */
extern const struct fields rule_fields, rule_fact_fields;

/* Adds the errors of a user rule, with JSON Pointers into it. */
void rule_check(const struct json *json, struct violations *wrong);
/* Sets the error to the first violation of rule number `index` in a list. Returns false. */
bool rule_fail(size_t index, const struct json *rule, const struct violations *wrong,
               struct err *err);

/* Writes the SHA-256 of the rule set in hexadecimal. */
void rules_hash(const char *json, size_t len, char hash[RULES_HASH_MAX]);

/* Compiles the rules. Fails with ERR_INVALID, which names the rule. The caller calls
 * rules_close(). */
ATTR_MUST_USE bool rules_open(struct rules **out, const char *json, size_t len, struct err *err);
void rules_close(struct rules *rules);

/*
 * Scanning both streams of an attempt (classify_scan.c). A scan belongs to one thread; its rules
 * may be shared.
 */

enum {
    SCAN_NO_HIT = -1,
    SCAN_STREAMS = 2,     /* [0] stdout, [1] stderr */
    SCAN_TRIES_MAX = 128, /* maximum lines that a rule is tried on, last ones first */
    SCAN_NEAR_LINES = 40, /* maximum distance between a symptom and its cause, in lines */
    SCAN_NEAR_MAX = 16,   /* maximum number of near misses kept */
    /* Maximum bytes that all patterns of a judgment may look at. Beyond it, the remaining rules do
     * not match. */
    SCAN_WORK_MAX = 384 * 1024,
    SCAN_WORK_OUTRANKED = 3 * 1024, /* additional bytes to find outranked rules */
    SCAN_LONG_LINE = 512,           /* in a longer line, checks first whether it is quoted */
    SCAN_UNPICKED_MAX = 1024,       /* maximum bytes of a line that a rule without a literal sees */
    SCAN_WORK_OF_TRY = 64,          /* cost of a try in addition to its bytes */
};

/* A line with a literal. Each literal has a list of its lines, last line first. */
struct scan_hit {
    uint32_t line;
    int32_t older; /* index of the next hit in the list; -1 = none */
};

struct scan_stream {
    struct clean_text text;
    struct scan_hit *hits; /* owned */
    size_t hit_count;
    size_t hit_cap;
    int32_t *latest;           /* owned: index of the last hit of each literal; -1 = none */
    uint32_t line;             /* current line while the hits are collected */
    const struct rules *rules; /* borrowed */
    bool *may_match;           /* borrowed from the scan */
};

/* A rule whose literal occurred, but that did not match. */
struct scan_near {
    const struct rule *rule;
    enum near_why why;
    int stream; /* -1: only facts */
    size_t line;
};

struct scan {
    const struct rules *rules;          /* borrowed */
    const struct classify_input *input; /* borrowed */
    struct rule_matcher *matcher;
    struct scan_stream streams[SCAN_STREAMS];
    bool *may_match;     /* owned; by rule number: false if none of the rule's literals occurs */
    int err_names_error; /* 0, 1, or -1 = unknown */
    int64_t work;        /* work done so far; see SCAN_WORK_MAX */
    struct scan_near nears[SCAN_NEAR_MAX];
    int near_count;
    bool trusts;      /* treats no line as quoted: the text is an API's own message */
    bool keeps_nears; /* near misses are kept */
};

struct scan_match {
    const struct rule *rule;
    int stream; /* index into scan.streams; -1: only facts */
    size_t line;
    struct rule_span spans[RULE_SPANS]; /* offsets within the line */
};

/* Returns true if some rule may deny the success of this attempt. */
bool scan_may_deny(const struct rules *rules, const struct classify_input *input);

/* Borrows the rules and the input until scan_done(). */
void scan_init(struct scan *scan, const struct rules *rules, const struct classify_input *input);
void scan_done(struct scan *scan);
/* Forgets the work and the near misses, but not where literals occur. */
void scan_restart(struct scan *scan);

/* Finds the first rule of the list that matches. */
bool scan_first(struct scan *scan, const struct rule_list *list, struct scan_match *out);

/* Called for the lines that a rule matches, last ones and stderr first. Return false to stop. */
typedef bool scan_each_fn(void *ctx, const struct scan *scan, const struct scan_match *match);
/* Calls `each` for each line that the rule matches. */
void scan_each(struct scan *scan, const struct rule *rule, scan_each_fn *each, void *ctx);

/* Notes later rules that match, too. Called once the verdict is decided. */
void scan_outranked(struct scan *scan, const struct scan_match *decided);

/* Returns how informative a near miss is; 0 is the least. */
int scan_near_weight(enum near_why why);

/* Returns true if the line is said, not quoted. */
bool scan_is_spoken(struct scan *scan, int stream, size_t line);

/* Finds a rule of higher rank near a symptom: a cause at most SCAN_NEAR_LINES before it, after it
 * or in the other stream, or a transient rule that is not a symptom on the same line. */
bool scan_cause(struct scan *scan, const struct scan_match *symptom, struct scan_match *out);

/* Finds a persistent rule that comes after the matched rule, is marked late, and matches a later
 * line in the same stream. */
bool scan_later(struct scan *scan, const struct scan_match *match, struct scan_match *out);

/* Returns true if a line of stderr names an error. */
bool scan_err_names_error(struct scan *scan);
/* Like scan_err_names_error(), for stdout. */
bool scan_out_names_error(struct scan *scan);

/* When to retry according to the server (retry_hint.c). */

struct retry_hint {
    int64_t ms;              /* milliseconds from now, or HINT_NONE */
    const struct rule *rule; /* borrowed; NULL for none */
    int stream;              /* as in struct scan_match */
    size_t line;
};

/* Finds the best hint: that of the first rule in the list of hints that gives a time. Returns false
 * if there is none, or if the server wants no retry. */
bool retry_hint_find(struct scan *scan, struct retry_hint *out);

/* Returns the time in the `retry_group` of a verdict rule, or HINT_NONE. */
int64_t retry_hint_of_group(const struct scan *scan, const struct scan_match *match);

/* User rules (classify_user.c). */

enum { USER_RULES_MAX = 200, USER_PATTERN_MAX = 1024, USER_NEEDS_MAX = 48 };

/* Returns the text of the whole set, for rules_open(). `user` is a list of rules as in
 * docs/classification.md, a whole set (an object), or NULL. Fails with ERR_INVALID, naming the rule
 * and the expected value. */
ATTR_MUST_USE bool user_rules_add(const char *built_in, size_t len, const char *user,
                                  struct str *out, struct err *err);

/* The programs that a command line starts: argv[0], and the programs after `env`, `timeout` and a
 * shell's `-c` (classify_scan.c). */

enum {
    LAUNCHED_DEPTH_MAX = 4,          /* maximum depth of shells within shells */
    LAUNCHED_SCRIPT_MAX = 16 * 1024, /* maximum bytes of a script that are read */
    LAUNCHED_WORDS_MAX = 256,        /* maximum words of one command of a script that are read */
};

/* Returns true if the NULL-terminated argv starts `wanted`: a program's name ("srun"), or a name
 * and an option that must be among its arguments ("sbatch --wait"). If `direct`, not one in a
 * script. argv may be NULL. */
bool launched_find(char *const *argv, const char *wanted, bool direct);

/* Returns true if the command may redirect the launcher's stderr to stdout. argv may be NULL. */
bool launched_merges(char *const *argv);

/* Returns 15 for "SIGTERM"; 0 for an unknown name (classify.c). */
int facts_signal_number(const char *name);

#endif
