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
    SCAN_STREAMS = 2,      /* [0] stdout, [1] stderr */
    SCAN_TRIES_MAX = 2000, /* lines that one literal offers to a rule, the last ones first */
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
    int32_t *latest; /* owned: a literal's last hit, -1 for none */
    uint32_t line;   /* while it is filled */
};

struct scan {
    const struct rules *rules;          /* borrowed */
    const struct classify_input *input; /* borrowed */
    struct rule_matcher *matcher;
    struct scan_stream streams[SCAN_STREAMS];
    int err_names_error; /* -1: not asked yet */
};

struct scan_match {
    const struct rule *rule;
    int stream; /* index into scan.streams; -1: facts alone */
    size_t line;
    struct rule_span spans[RULE_SPANS]; /* in the line */
};

void scan_init(struct scan *scan, const struct rules *rules, const struct classify_input *input);
void scan_done(struct scan *scan);

/* Does the rule hold? The last line that it matches is the evidence. */
bool scan_rule(struct scan *scan, const struct rule *rule, struct scan_match *out);

/* The first rule of the list, from `first` on, that holds. */
bool scan_first(struct scan *scan, const struct rule_list *list, size_t first,
                struct scan_match *out);

/* A persistent rule behind match's own that is marked late and holds on a line
 * behind the matched one, in the same stream. */
bool scan_later(struct scan *scan, const struct scan_match *match, struct scan_match *out);

/* Has stderr a line that names an error? */
bool scan_err_names_error(struct scan *scan);

#endif
