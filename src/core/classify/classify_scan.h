/*
 * classify_scan.h - the text rules over the two streams of one attempt. Pure;
 * a scan belongs to one thread, the rules it reads may be shared.
 */
#ifndef DEVS_CLASSIFY_SCAN_H
#define DEVS_CLASSIFY_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classify.h"
#include "classify_rules.h"
#include "clean_text.h"

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

#endif
