/*
 * Adapters from within: paths into JSON, rules, and what an adapter holds. Private to core.
 */
#ifndef DEVS_ADAPTER_INTERNAL_H
#define DEVS_ADAPTER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "adapter.h"
#include "json.h"
#include "str.h"

/*
 * Paths into JSON, used by rules.
 *
 * "message.content.*.text": members by name, elements by number ("-1" is the last one), "*" for
 * every element. "." is the value itself.
 */

enum { ADAPTER_PATH_PARTS_MAX = 8 };

/* Zero-initialized: ".". */
struct adapter_path {
    char *text; /* owned; split at the dots */
    const char *parts[ADAPTER_PATH_PARTS_MAX];
    int count;
};

/* Return false to stop. */
typedef bool adapter_found_fn(void *ctx, const struct json *value);

/* Reports each value that the path leads to, in order. */
void adapter_path_walk(const struct adapter_path *path, const struct json *root,
                       adapter_found_fn *found, void *ctx);

/*
 * Rules: the meaning of the events in the output. docs/agents.md describes the members. A rule
 * borrows texts from its JSON.
 */

/* Kinds of events. */
enum adapter_event {
    ADAPTER_EVENT_SESSION,
    ADAPTER_EVENT_TEXT,
    ADAPTER_EVENT_CALL,
    ADAPTER_EVENT_RESULT,
    ADAPTER_EVENT_USED,
    ADAPTER_EVENT_RETRY,
    ADAPTER_EVENT_NOTICE,
    ADAPTER_EVENT_ERROR, /* a failure that the end may override */
    ADAPTER_EVENT_BEGIN, /* the agent continues, so an earlier end was none */
    ADAPTER_EVENT_END,
    ADAPTER_EVENT_KNOWN,   /* known and ignored */
    ADAPTER_EVENT_REFUSED, /* the CLI denied a call */
    ADAPTER_EVENT_COUNT,
};

/* What is read from an event. */
enum adapter_member {
    ADAPTER_SESSION,
    ADAPTER_TEXT,
    ADAPTER_TURN,
    ADAPTER_TOOL,
    ADAPTER_ARGS,
    ADAPTER_ID,
    ADAPTER_OUTPUT_TEXT_OF,
    ADAPTER_EXIT,
    ADAPTER_STATUS,
    ADAPTER_ATTEMPT,
    ADAPTER_MOST,
    ADAPTER_DELAY_MS,
    ADAPTER_WORDS,
    ADAPTER_ENDED,
    ADAPTER_HEADERS,
    ADAPTER_STRUCTURED,
    ADAPTER_TURNS,
    ADAPTER_COST_USD,
    ADAPTER_TOKENS,
    ADAPTER_RESETS_AT,
    ADAPTER_MEMBER_COUNT,
};

/* Where a value comes from. */
struct adapter_source {
    struct adapter_path path;
    const char *word;  /* a fixed value; NULL = found by the path */
    const char *after; /* only what follows this text: the digits of a number, else the rest;
                          NULL = everything */
    const char *key;   /* for composed ARGS: the name of the argument */
};

struct adapter_sources {
    struct adapter_source *items; /* owned */
    size_t count;
};

/* All must hold. */
struct adapter_tests {
    struct {
        struct adapter_path path;
        const struct json *wanted;
    } * items; /* owned */
    size_t count;
};

struct adapter_rule {
    enum adapter_event event;
    const struct json *line; /* for lines that are not JSON: what they must be */
    bool on_err;             /* ... and be on stderr */
    struct adapter_tests when;
    bool has_each;
    struct adapter_path each; /* the rest applies to each element of this */
    struct adapter_tests where;
    bool fails;                   /* always a failure */
    struct adapter_tests *failed; /* owned; it failed if one of these holds */
    size_t failed_count;
    bool goes_on_always;
    bool may_go_on; /* `goes_on` tells whether a text is a part of a message */
    struct adapter_tests goes_on;
    bool each_is_turn; /* each such event is a turn */
    bool adds;         /* numbers are added to earlier ones */
    bool is_cut;       /* an end that is none, because the agent was interrupted */
    bool is_logged;    /* many programs that succeed write it, too */
    struct adapter_sources members[ADAPTER_MEMBER_COUNT];
};

/* Borrows `json` as long as the rule lives. Ignores malformed members. */
void adapter_rule_init(struct adapter_rule *rule, const struct json *json);
void adapter_rule_done(struct adapter_rule *rule);

/* Returns "call" and so on, as in `is` of a rule. Static. */
const char *adapter_event_name(enum adapter_event event);

/* Returns true if all tests hold; also if there are none. */
bool adapter_tests_hold(const struct adapter_tests *tests, const struct json *value);
/* Returns true if a line that is not JSON, given as a JSON string, passes the tests. */
bool adapter_line_holds(const struct adapter_rule *rule, const struct json *line);
/* Returns true if the event reports a failure. */
bool adapter_rule_failed(const struct adapter_rule *rule, const struct json *value);

/* Appends the texts of the first source that has any, separated by line feeds. Returns false if
 * none has. */
bool adapter_first_text(const struct adapter_sources *sources, const struct json *value,
                        struct str *out);
/* Appends the texts of all sources, separated by `between`; numbers as written. Returns false if
 * there are none. */
bool adapter_texts(const struct adapter_sources *sources, const struct json *value,
                   const char *between, struct str *out);
/* Stores the first number. Leaves *out alone if there is none. */
bool adapter_number(const struct adapter_sources *sources, const struct json *value, double *out);
/* Stores the sum of all numbers. Returns false if there are none. */
bool adapter_sum(const struct adapter_sources *sources, const struct json *value, double *out);
/* Returns the first value, or NULL. */
const struct json *adapter_value(const struct adapter_sources *sources, const struct json *value);
/* Returns the arguments of a call as a new object, which the caller frees; NULL if there are
 * none. Text that is a JSON object is parsed; any other text becomes the argument "input". */
struct json *adapter_args(const struct adapter_sources *sources, const struct json *value);

/*
 * The adapter.
 */

struct adapter {
    char *name;        /* owned */
    struct json *json; /* owned; the whole adapter without "like"; texts below borrow from it */
    bool is_builtin;
    const char *program;
    const char *called; /* name of the program, without folders */
    const char *install;
    const char *allow; /* how to allow a denied tool; "" = unknown */
    enum adapter_prompt prompt;
    enum adapter_output output;
    char **argv;                /* owned, like the next ones; NULL-terminated */
    char **argv_resume;         /* NULL = cannot resume sessions */
    char **model_args;          /* NULL = cannot select a model */
    char **permission_args;     /* NULL = none */
    char **env;                 /* "NAME=value" */
    bool result_on_stderr;      /* failures may be reported as JSON on stderr */
    const char *cut_member;     /* if the beginning of a line is lost, its end is read from this
                                   member on; or NULL */
    char **unknown_session;     /* owned; NULL = unknown */
    bool counts_turns;          /* some rule defines turns */
    struct adapter_rule *rules; /* owned */
    size_t rule_count;
};

/* Returns the variables of the set's adapter `index`, to replace texts in place while nobody
 * else knows the set; NULL after the last. */
char **adapters_own_env(struct adapters *adapters, size_t index);

#endif
