/* classify.h - derives a verdict from facts and text. Pure; any thread.
 *
 * The order: facts that devs knows itself (it ended the attempt, the program never started, a
 * signal), then text by anchored rules (test and compiler failures outrank network words), then the
 * table of exit codes, then persistent. When in doubt: persistent. */
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
    CLASSIFY_TAIL_MAX = 64 * 1024, /* maximum bytes of each stream that rules see */
};

/* Returns the class of an exit code by the table of requirement A6: 124, 125 and 126..128 are
 * transient, 0 is success, every other code is persistent. */
enum verdict_class classify_exit(int code);

/* The end of a stream. */
struct classify_text {
    const char *bytes; /* borrowed; NULL if len is 0 */
    size_t len;        /* only the last CLASSIFY_TAIL_MAX bytes are read */
    int64_t offset;    /* offset of bytes[0] in the whole stream */
};

/* Sets *offset_s_out to the number of seconds that a time zone ("Europe/Berlin") is ahead of UTC at
 * the given time. Returns false if the zone is unknown. Zone files are read outside of core
 * (zone.h). */
typedef bool zone_offset_fn(void *ctx, const char *zone, int64_t at_s, int *offset_s_out);

struct plan_task;

/* How the work of an agent is checked afterwards. */
enum classify_checks {
    CLASSIFY_CHECKS_UNKNOWN,
    CLASSIFY_CHECKS_NONE,   /* no check follows: a denied call at the end stopped the work */
    CLASSIFY_CHECKS_FOLLOW, /* a contract, `expect_files` or a later command checks the work */
};

struct classify_input {
    struct outcome outcome;
    struct classify_text out;
    struct classify_text err;
    const char *program;         /* borrowed; argv[0] without its folder; NULL = unknown */
    char *const *argv;           /* borrowed; NULL-terminated; NULL = unknown */
    const struct adapter *agent; /* borrowed; the agent CLI that wrote the output; NULL =
                                    unknown */
    const struct agent_stream
        *stream;   /* borrowed; the complete parse of `out`; NULL = parse `out` */
    bool one_shot; /* the agent was asked for an answer, so no output means that the answer was cut
                      short */
    enum classify_checks checks;
    int memory_killed; /* 1 if a counter shows that memory was the cause, 0 if it shows the
                          opposite, -1 if unknown */
    int64_t cpu_s;     /* limit of CPU time for each process in seconds; 0 = none */
    bool in_container; /* the attempt ran in a container that devs started, so the exit code is the
                          command's */
    int64_t now_ms; /* wall clock at the end of the attempt; 0 = unknown: rules that need it find no
                       time */
    zone_offset_fn *zone_offset; /* NULL = zones are unknown */
    void *zone_ctx;              /* borrowed */
};

/* A rule set. Immutable, so any number of threads may read it. The built-in rules are compiled when
 * they are first needed (20 ms). */
struct classifier;

/* Opens a rule set. `user_rules` is the JSON text of a list of rules (docs/classification.md) that
 * are added to the built-in ones or replace them; may be NULL. The text of classifier_rules()
 * replaces the whole set. Fails with ERR_INVALID, naming the rule and the expected value. The
 * caller calls classifier_close(). */
ATTR_MUST_USE bool classifier_open(struct classifier **out, const char *user_rules,
                                   struct err *err);
/* May be NULL. */
void classifier_close(struct classifier *classifier);

/* Returns the SHA-256 of the rule set in force as 64 hex digits. Owned by the classifier. */
const char *classifier_hash(const struct classifier *classifier);
/* Returns the rule set in force as JSON, for the log. Owned by the classifier. */
const char *classifier_rules(const struct classifier *classifier);

/* Returns the wait that a server asks for in ms, whatever the verdict; -1 if no server asks for
 * one. */
int64_t classify_hint(const struct classifier *classifier, const struct classify_input *input);

/* Returns how this step of the task is checked; CLASSIFY_CHECKS_UNKNOWN for a step without an
 * agent. */
enum classify_checks classify_checks_of(const struct plan_task *task, int step);

/* Returns the number of requests that the agent CLI itself retried, as far as its output shows. */
int64_t classify_own_retries(const struct classify_input *input);

/* Judges the failure that the agent CLI reports for its last own retry, while the CLI still runs.
 * Returns false if it reports none, or if no rule matches. */
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

/* Input that pure code cannot obtain itself. */
struct classify_edge {
    int64_t now_ms; /* the time used for rows without a time */
    zone_offset_fn *zone_offset;
    void *zone_ctx;
    const struct adapters *adapters; /* borrowed; agents that rows may name; NULL = built-in ones */
};

/* Judges `row` and appends the verdict as a JSON row and a line feed. Fails with ERR_INVALID and
 * appends nothing if the row is invalid. */
ATTR_MUST_USE bool classify_row(const struct classifier *classifier, const struct str *row,
                                const struct classify_edge *edge, struct str *out, struct err *err);

/* User rules as JSON text, for classifier_open(). */

enum { RULE_LIST_BYTES_MAX = 1024 * 1024 };

/* Appends to *out the list `rules` (may be NULL) with the rules of `rule`: the JSON of one rule or
 * of a list. A rule replaces the existing rule of the same name; new rules come last. Fails with
 * ERR_INVALID if an argument has the wrong form; classifier_open() checks the rules themselves. */
ATTR_MUST_USE bool rule_list_add(const char *rules, const char *rule, struct str *out,
                                 struct err *err);

struct json;
struct violations;
/* Adds the errors of each rule in the list "rules" of the settings, with JSON Pointers from
 * "/rules". Skips rules that already have errors in *wrong. */
void classifier_check(const struct json *rules, struct violations *wrong);

/* Returns whether `rules`, a JSON list or NULL, has a rule with this name. */
bool rule_list_has(const char *rules, const char *name);

/* Returns the name of a rule, or "". Owned by the rule. */
const char *rule_list_name(const struct json *rule);

/*
 * Facts: the end of an attempt as devs itself knows it. Pure.
 */

/* Judges by facts alone: devs ended the attempt, the program never started, a signal, a memory
 * counter, the CPU time limit. Returns false and leaves *out alone if text or the exit code must
 * decide. */
bool facts_judge(const struct classify_input *input, struct verdict *out);

#endif
