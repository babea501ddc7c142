/*
 * What the files of the classifier share. Private to core/classify and its tests.
 */
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

/*
 * Which of many words stand in a text, in one pass over it.
 *
 * An Aho-Corasick automaton over the literals of all rules; letters match in both cases. Built
 * once, then read by any number of threads.
 */

enum {
    LITERALS_CLASSES_MAX = 128, /* different bytes, both cases counted once */
    LITERALS_NODES_MAX = 20000, /* characters in all literals together */
    LITERALS_END = 0x8000,
    LITERAL_NONE = -1,
};

struct literals {
    uint8_t class_of[256]; /* 0: in no literal */
    int classes;
    int32_t *next;    /* owned: [node * LITERALS_CLASSES_MAX + class]; gone once built */
    uint16_t *table;  /* owned: the same, [node * classes + class], small for the caches;
                         LITERALS_END is added where a literal ends in the next node */
    int32_t *literal; /* owned: the literal that ends in this node */
    int32_t *also;    /* owned: the next node whose literal ends here too, 0 for none */
    size_t nodes;
    size_t nodes_cap;
    int count;
};

/* Called for every place where a literal ends. */
typedef void literals_hit_fn(void *ctx, int literal);
/* One pass over the bytes, at most one call for each place and literal. */
void literals_scan(const struct literals *literals, const char *bytes, size_t len,
                   literals_hit_fn *hit, void *ctx);

/*
 * The ways in which servers say when to come back: a small table of forms, each one function.
 * Pure.
 */

enum {
    HINT_NONE = -1, /* garbage, negative or too much */
    HINT_STOP = -2, /* the server asks us not to come back */
};
#define HINT_MAX_MS ((int64_t)366 * 24 * 3600 * 1000) /* more is no wait but a mistake */

/* What a rule has found. */
struct hint_text {
    const char *time; /* borrowed, not terminated */
    size_t time_len;
    const char *zone; /* borrowed; a zone's name, length 0 for none */
    size_t zone_len;
    int64_t unit_ms;                    /* what a number without a unit counts */
    const struct classify_input *input; /* borrowed: the clock, the zones */
};

/* Milliseconds from now, 0 for what is past, or one of the two above. */
typedef int64_t hint_form_fn(const struct hint_text *text);

/* By the name that a rule gives it ("duration", ...); NULL if there is none. */
hint_form_fn *hint_form_find(const char *name);

/* "120", "1.574s", "6m12.5s", "3 days 4 hours"; a number without a unit counts
 * unit_ms. */
int64_t hint_duration(const char *text, size_t len, int64_t unit_ms);

/*
 * The text rules, read from JSON and compiled.
 *
 * A rule set is made once and then only read, by any number of threads. Its rules are tried in
 * the order of the file; the file's own words say what the members mean (assets/rules.json).
 */

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

/*
 * The text rules over the two streams of one attempt. Pure; a scan belongs to one thread, the
 * rules it reads may be shared.
 */

enum {
    SCAN_NO_HIT = -1,
    SCAN_STREAMS = 2,     /* [0] stdout, [1] stderr */
    SCAN_TRIES_MAX = 128, /* lines that a rule is tried on, the last ones first */
    SCAN_NEAR_LINES = 40, /* a cause counts so far from its symptom */
    SCAN_NEAR_MAX = 16,   /* near misses that are remembered */
    /* Bytes that patterns look at, one pattern after the other, in one judgement. What a
     * text costs beyond that is not worth its verdict: the rules left do not hold. */
    SCAN_WORK_MAX = 384 * 1024,
    SCAN_WORK_OUTRANKED = 3 * 1024, /* more of it, to name what was outranked */
    SCAN_LONG_LINE = 512,           /* a longer one is asked first whether it is quoted */
    SCAN_UNPICKED_MAX = 1024,       /* bytes of a line that a rule without a literal sees */
    SCAN_WORK_OF_TRY = 64,          /* what a try costs beside its bytes */
};

/* Where the literals stand: a list of lines for each of them, the last first. */
struct scan_hit {
    uint32_t line;
    int32_t older; /* -1: none */
};

struct scan_stream {
    struct clean_text text;
    struct scan_hit *hits; /* owned */
    size_t hit_count;
    size_t hit_cap;
    int32_t *latest;            /* owned: a literal's last hit, -1 for none */
    uint32_t line;              /* while it is filled */
    const uint64_t *guard_bits; /* borrowed: rules.guard_bits */
};

/* A rule that had its literal, and lost. */
struct scan_near {
    const struct rule *rule;
    enum near_why why;
    int stream; /* -1: facts alone */
    size_t line;
};

struct scan {
    const struct rules *rules;          /* borrowed */
    const struct classify_input *input; /* borrowed */
    struct rule_matcher *matcher;
    struct scan_stream streams[SCAN_STREAMS];
    int err_names_error; /* -1: not asked yet */
    int64_t work;        /* done so far, see SCAN_WORK_MAX */
    struct scan_near nears[SCAN_NEAR_MAX];
    int near_count;
    bool trusts;      /* every line is spoken: an API's own words */
    bool keeps_nears; /* near misses are wanted now */
};

struct scan_match {
    const struct rule *rule;
    int stream; /* index into scan.streams; -1: facts alone */
    size_t line;
    struct rule_span spans[RULE_SPANS]; /* in the line */
};

/* Is there a rule that may deny the success of such an attempt? */
bool scan_may_deny(const struct rules *rules, const struct classify_input *input);

/* Both are borrowed until scan_done(). */
void scan_init(struct scan *scan, const struct rules *rules, const struct classify_input *input);
void scan_done(struct scan *scan);

/* The first rule of the list that holds. */
bool scan_first(struct scan *scan, const struct rule_list *list, struct scan_match *out);

/* Called for the lines that a rule holds on, the last first; stderr first. Goes on
 * while it answers true. */
typedef bool scan_each_fn(void *ctx, const struct scan *scan, const struct scan_match *match);
/* Call `each` for them. */
void scan_each(struct scan *scan, const struct rule *rule, scan_each_fn *each, void *ctx);

/* After the decision: rules behind the one that decided which hold too. */
void scan_outranked(struct scan *scan, const struct scan_match *decided);

/* How much a near miss tells, 0 the least. */
int scan_near_weight(enum near_why why);

/* Is the line said, not quoted? */
bool scan_is_spoken(struct scan *scan, int stream, size_t line);

/* A rule of a higher rank that holds near a symptom: a cause at most SCAN_NEAR_LINES before it,
 * after it or in the other stream, or a transient rule that is no symptom on the same line. */
bool scan_cause(struct scan *scan, const struct scan_match *symptom, struct scan_match *out);

/* A persistent rule behind match's own that is marked late and holds on a line
 * behind the matched one, in the same stream. */
bool scan_later(struct scan *scan, const struct scan_match *match, struct scan_match *out);

/* Whether a line of stderr names an error. */
bool scan_err_names_error(struct scan *scan);
/* The same of stdout. */
bool scan_out_names_error(struct scan *scan);

/*
 * When a server asks us to come back, from its own words. Pure.
 */

struct retry_hint {
    int64_t ms;              /* from now; HINT_NONE */
    const struct rule *rule; /* borrowed; NULL for none */
    int stream;              /* where it stands, as in struct scan_match */
    size_t line;
};

/* The best hint of a scan: the first rule in the list of hints that gives a time.
 * False if there is none. */
bool retry_hint_find(struct scan *scan, struct retry_hint *out);

/* The time in a verdict rule's own group, HINT_NONE if there is none. */
int64_t retry_hint_of_group(const struct scan *scan, const struct scan_match *match);

/*
 * Rules of a person, put among the built-in ones. Pure.
 */

enum { USER_RULES_MAX = 200, USER_PATTERN_MAX = 1024 };

/* The text of the whole set, for rules_open(). `user` is a list of rules as
 * docs/classification.md has them, a whole set (an object), or NULL. ERR_INVALID names
 * the rule and what was expected. */
ATTR_MUST_USE bool user_rules_add(const char *built_in, size_t len, const char *user,
                                  struct str *out, struct err *err);

/*
 * Which programs a command line starts: its own, and those behind `env`, `timeout` and a shell's
 * `-c`. Pure.
 */

enum {
    LAUNCHED_DEPTH_MAX = 4,          /* shells within shells */
    LAUNCHED_SCRIPT_MAX = 16 * 1024, /* bytes of a script that are read */
    LAUNCHED_WORDS_MAX = 256,        /* words of one command of a script that are read */
};

/* Does the NULL-terminated argv start `wanted`? That is a program's name ("srun"), or a name and an
 * option that has to be among its arguments ("sbatch --wait"). argv may be NULL. */
bool launched_find(char *const *argv, const char *wanted);

#endif
