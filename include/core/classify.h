/*
 * classify.h - from facts and text to a verdict. Pure; any thread.
 *
 * Order: what we know ourselves (we ended it, it never started, a signal), then
 * text by anchored rules (test and compiler verdicts outrank network words),
 * then the exit-code table, then persistent. In doubt: persistent.
 */
#ifndef DEVS_CLASSIFY_H
#define DEVS_CLASSIFY_H

#include <stddef.h>

#include "adapter.h"
#include "agent_stream.h"
#include "err.h"
#include "outcome.h"
#include "verdict.h"

enum {
    CLASSIFY_TAIL_MAX = 64 * 1024, /* bytes of each stream that text rules see */
};

/* Requirement A6 as a table: 124, 125 and 126..128 are transient, 0 is success,
 * every other code is persistent. Stateless. */
enum verdict_class classify_exit(int code);

/* The last bytes of one stream. */
struct classify_text {
    const char *bytes; /* borrowed; NULL if len is 0 */
    size_t len;        /* at most CLASSIFY_TAIL_MAX is looked at, the last of it */
    int64_t offset;    /* where bytes[0] stands in the whole stream */
};

/* Seconds that a time zone ("Europe/Berlin") is ahead of UTC at a moment; false
 * if it is not known. Reading zones is for the edge (zone.h). */
typedef bool zone_offset_fn(void *ctx, const char *zone, int64_t at_s, int *offset_s_out);

struct plan_task;

/* What checks an agent's work after it has ended. */
enum classify_checks {
    CLASSIFY_CHECKS_UNKNOWN,
    CLASSIFY_CHECKS_NONE,   /* nothing: a refused call that was its last one stopped the work */
    CLASSIFY_CHECKS_FOLLOW, /* a contract, `expect_files` or a later command */
};

struct classify_input {
    struct outcome outcome;
    struct classify_text out;
    struct classify_text err;
    const char *program;               /* borrowed; argv[0] without its folder; NULL = not known */
    char *const *argv;                 /* borrowed; NULL-terminated; NULL = not known */
    const struct adapter *agent;       /* borrowed; the agent CLI whose output this is; NULL = none
                                          is known */
    const struct agent_stream *stream; /* borrowed; the whole of `out` as it was read, ended; NULL:
                                          `out` is read */
    bool one_shot; /* the agent was asked for an answer: saying nothing at all is being cut short */
    enum classify_checks checks;
    int memory_killed; /* 1: a counter says memory, 0: it says not, -1: not known */
    int64_t cpu_s;     /* seconds of CPU time that each process of it was given; 0 = no limit */
    bool in_container; /* it ran in a container of ours: an exit code is the command's own */
    int64_t now_ms;    /* wall clock at the end; 0 = not known: hints that need it give none */
    zone_offset_fn *zone_offset; /* NULL = no zone is known */
    void *zone_ctx;              /* borrowed */
};

/* The rules. Made once, read by any number of threads; the built-in ones are compiled as the first
 * text is judged (20 ms). */
struct classifier;

/* user_rules is the JSON text of a list of rules (docs/classification.md) that are
 * added to the built-in ones or take their place; NULL for none. What
 * classifier_rules() gives may be given too: it is taken as the whole set.
 * ERR_INVALID names the rule and what was expected. The caller ends *out with
 * classifier_close(). */
ATTR_MUST_USE bool classifier_open(struct classifier **out, const char *user_rules,
                                   struct err *err);
/* NULL is allowed. */
void classifier_close(struct classifier *classifier);

/* SHA-256 of the rule set in force, 64 hex digits. Owned by the classifier. */
const char *classifier_hash(const struct classifier *classifier);
/* The rule set in force as JSON text, for the log. Owned by the classifier. */
const char *classifier_rules(const struct classifier *classifier);

/* How long a server asks us to wait, whatever the verdict; -1 if none does. */
int64_t classify_hint(const struct classifier *classifier, const struct classify_input *input);

/* What checks this step of the task; CLASSIFY_CHECKS_UNKNOWN for a step without an agent. */
enum classify_checks classify_checks_of(const struct plan_task *task, int step);

/* Requests that the agent CLI made again by itself, as far as its output tells. */
int64_t classify_own_retries(const struct classify_input *input);

/* The verdict on the failure that the agent CLI reports for its last own retry, while it still
 * runs. False if it reports none, or if no rule matches. */
bool classify_own_retry(const struct classifier *classifier, const struct classify_input *input,
                        struct verdict *out);

/* Is there a rule that may deny this attempt's success? Then its output decides about it. */
bool classify_may_deny(const struct classifier *classifier, const struct classify_input *input);

/* Judge one attempt. Linear in the text looked at. */
void classify(const struct classifier *classifier, const struct classify_input *input,
              struct verdict *out);

#endif
