/*
 * classify.h - from facts and text to a verdict. Pure; any thread.
 *
 * The order: what devs knows itself (it ended the attempt, it never started, a signal), then text
 * by anchored rules (test and compiler failures outrank network words), then the table of exit
 * codes, then persistent. When in doubt: persistent.
 */
#ifndef DEVS_CLASSIFY_H
#define DEVS_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "adapter.h"
#include "agent_stream.h"
#include "attr.h"
#include "err.h"
#include "outcome.h"
#include "str.h"
#include "verdict.h"

enum {
    CLASSIFY_TAIL_MAX = 64 * 1024, /* bytes of each stream that rules see */
};

/* Requirement A6 as a table: 124, 125 and 126..128 are transient, 0 is success, every other code
 * is persistent. Stateless. */
enum verdict_class classify_exit(int code);

/* The end of a stream. */
struct classify_text {
    const char *bytes; /* borrowed; NULL if len is 0 */
    size_t len;        /* only the last CLASSIFY_TAIL_MAX bytes are read */
    int64_t offset;    /* of bytes[0] in the whole stream */
};

/* Returns in *offset how many seconds a time zone ("Europe/Berlin") is ahead of UTC at a moment;
 * false if it is unknown. Zones are read outside of core (zone.h). */
typedef bool zone_offset_fn(void *ctx, const char *zone, int64_t at_s, int *offset_s_out);

struct plan_task;

/* What checks the work of an agent afterwards. */
enum classify_checks {
    CLASSIFY_CHECKS_UNKNOWN,
    CLASSIFY_CHECKS_NONE,   /* nothing: a denied call at the end stopped the work */
    CLASSIFY_CHECKS_FOLLOW, /* a contract, `expect_files` or a later command */
};

struct classify_input {
    struct outcome outcome;
    struct classify_text out;
    struct classify_text err;
    const char *program;               /* borrowed; argv[0] without its folder; NULL = unknown */
    char *const *argv;                 /* borrowed; NULL-terminated; NULL = unknown */
    const struct adapter *agent;       /* borrowed; the agent CLI that wrote the output; NULL =
                                          unknown */
    const struct agent_stream *stream; /* borrowed; `out` as it was read, ended; NULL: read `out` */
    bool one_shot; /* the agent was asked for an answer: no output means that it was cut short */
    enum classify_checks checks;
    int memory_killed; /* 1: a counter shows that memory was the cause; 0: that it was not; -1:
                          unknown */
    int64_t cpu_s;     /* limit of CPU time for each process in seconds; 0 = none */
    bool in_container; /* ran in a container of ours: the exit code is the command's own */
    int64_t now_ms;    /* wall clock at the end; 0 = unknown: hints that need it give none */
    zone_offset_fn *zone_offset; /* NULL = zones are unknown */
    void *zone_ctx;              /* borrowed */
};

/* The rules. Made once, read by any number of threads. The built-in ones are compiled when the
 * first text is judged (20 ms). */
struct classifier;

/* `user_rules` is the JSON text of a list of rules (docs/classification.md) that are added to
 * the built-in ones or replace them; may be NULL. The text of classifier_rules() is taken as the
 * whole set. Fails with ERR_INVALID, which names the rule and what was expected. The caller
 * calls classifier_close(). */
ATTR_MUST_USE bool classifier_open(struct classifier **out, const char *user_rules,
                                   struct err *err);
/* May be NULL. */
void classifier_close(struct classifier *classifier);

/* Returns the SHA-256 of the rule set in force as 64 hex digits. Owned by the classifier. */
const char *classifier_hash(const struct classifier *classifier);
/* Returns the rule set in force as JSON, for the log. Owned by the classifier. */
const char *classifier_rules(const struct classifier *classifier);

/* Returns how long a server asks to wait, whatever the verdict; -1 if none does. */
int64_t classify_hint(const struct classifier *classifier, const struct classify_input *input);

/* Returns what checks this step of the task; CLASSIFY_CHECKS_UNKNOWN for a step without an
 * agent. */
enum classify_checks classify_checks_of(const struct plan_task *task, int step);

/* Returns the requests that the agent CLI itself retried, as far as its output tells. */
int64_t classify_own_retries(const struct classify_input *input);

/* The verdict on the failure that the agent CLI reports for its last own retry, while it still
 * runs. Returns false if there is none, or if no rule matches. */
bool classify_own_retry(const struct classifier *classifier, const struct classify_input *input,
                        struct verdict *out);

/* Returns true if some rule may deny the success of this attempt, so that its output matters. */
bool classify_may_deny(const struct classifier *classifier, const struct classify_input *input);

/* Judges an attempt. Linear in the text that is read. */
void classify(const struct classifier *classifier, const struct classify_input *input,
              struct verdict *out);

/*
 * Judging a failure in a JSON row, for `devs classify`.
 */

/* What pure code cannot know. */
struct classify_edge {
    int64_t now_ms; /* for rows without a time */
    zone_offset_fn *zone_offset;
    void *zone_ctx;
    const struct adapters *adapters; /* borrowed; agents that rows may name; NULL = built-in ones */
};

/* Appends the verdict's row and a line feed. Fails with ERR_INVALID and appends nothing if the
 * row is invalid. */
ATTR_MUST_USE bool classify_row(const struct classifier *classifier, const struct str *row,
                                const struct classify_edge *edge, struct str *out, struct err *err);

/*
 * A person's rules as JSON text, for classifier_open().
 */

enum { RULE_LIST_BYTES_MAX = 1024 * 1024 };

/* Appends to *out the list `rules` (may be NULL) with `rule`, the text of one rule or a list. A
 * rule replaces the one of the same name; new ones come last. Fails with ERR_INVALID if a text
 * has the wrong form; classifier_open() checks the rules themselves. */
ATTR_MUST_USE bool rule_list_add(const char *rules, const char *rule, struct str *out,
                                 struct err *err);

struct json;
struct violations;
/* Adds the errors of each rule of the list "rules" of settings, with JSON Pointers from "/rules".
 * Skips rules that already have errors in *wrong. */
void classifier_check(const struct json *rules, struct violations *wrong);

/* Returns whether `rules`, a JSON list or NULL, has a rule with this name. */
bool rule_list_has(const char *rules, const char *name);

/* Returns the name of a rule, or "". Owned by the rule. */
const char *rule_list_name(const struct json *rule);

/*
 * Facts: the end of an attempt as devs itself knows it. Pure.
 */

/* Judges by facts alone: devs ended it, it never started, a signal, a memory counter. Returns
 * false and leaves *out alone if text or the exit code must decide. */
bool facts_judge(const struct classify_input *input, struct verdict *out);

#endif
