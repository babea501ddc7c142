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
 * The small paths into JSON that rules of adapters are made of.
 *
 * "message.content.*.text": members by name, elements by number ("-1" is the last one), "*" is
 * every element. "." is the value itself. Pure.
 */

enum { ADAPTER_PATH_PARTS_MAX = 8 };

/* All zero is ".". */
struct adapter_path {
    char *text; /* owned; cut at the dots */
    const char *parts[ADAPTER_PATH_PARTS_MAX];
    int count;
};

/* Parts beyond the limit are left out: the schema refuses them. */
void adapter_path_init(struct adapter_path *path, const char *text);
void adapter_path_done(struct adapter_path *path);

/* False: no more are wanted. */
typedef bool adapter_found_fn(void *ctx, const struct json *value);

/* Each value that the path leads to, in order. */
void adapter_path_walk(const struct adapter_path *path, const struct json *root,
                       adapter_found_fn *found, void *ctx);
/* The first one; NULL if there is none. */
const struct json *adapter_path_first(const struct adapter_path *path, const struct json *root);

/*
 * The rules of an adapter: which event of the output is what. Pure.
 *
 * A rule is made once of its JSON and borrows texts from it. docs/agents.md says what the members
 * mean.
 */

/* What an event is. */
enum adapter_event {
    ADAPTER_EVENT_SESSION,
    ADAPTER_EVENT_TEXT,
    ADAPTER_EVENT_CALL,
    ADAPTER_EVENT_RESULT,
    ADAPTER_EVENT_USED,
    ADAPTER_EVENT_RETRY,
    ADAPTER_EVENT_NOTICE,
    ADAPTER_EVENT_ERROR, /* a failure that the end has the last word on */
    ADAPTER_EVENT_BEGIN, /* the agent goes on: an end before it was none */
    ADAPTER_EVENT_END,
    ADAPTER_EVENT_KNOWN,   /* known and ignored */
    ADAPTER_EVENT_REFUSED, /* the CLI did not allow a call */
    ADAPTER_EVENT_COUNT,
};

/* What is taken out of an event. */
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
    const char *word;  /* the value itself; NULL = it is found by the path */
    const char *after; /* takes only what follows this text: the digits of a number, else the rest;
                          NULL = all */
    const char *key;   /* of ARGS that are put together: the argument's name */
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
    const struct json *line; /* the rule is for lines that are not JSON: what they must be */
    bool on_err;             /* ... and stand on stderr */
    struct adapter_tests when;
    bool has_each;
    struct adapter_path each; /* the rest is of each element of this */
    struct adapter_tests where;
    bool fails;                   /* whatever it says */
    struct adapter_tests *failed; /* owned; it has failed if one of these holds */
    size_t failed_count;
    bool goes_on_always;
    bool may_go_on; /* `goes_on` says whether a text is a piece of a message */
    struct adapter_tests goes_on;
    bool each_is_turn; /* each such event is a turn */
    bool adds;         /* numbers are added to what was before */
    bool is_cut;       /* an end that is none: it was interrupted */
    bool is_logged;    /* many a program writes it and does well */
    struct adapter_sources members[ADAPTER_MEMBER_COUNT];
};

/* `json` is borrowed as long as the rule lives. What has not the right form is left out. */
void adapter_rule_init(struct adapter_rule *rule, const struct json *json);
void adapter_rule_done(struct adapter_rule *rule);

/* "call", as `is` of a rule has it. Static. */
const char *adapter_event_name(enum adapter_event event);

/* Do all hold of the value? Of none at all: yes. */
bool adapter_tests_hold(const struct adapter_tests *tests, const struct json *value);
/* Does the text of a line that is not JSON, given as a JSON string, pass? */
bool adapter_line_holds(const struct adapter_rule *rule, const struct json *line);
/* Does the event say that it failed? */
bool adapter_rule_failed(const struct adapter_rule *rule, const struct json *value);

/* Append the texts of the first source that leads to any, a line feed between two of them. False
 * if none does. */
bool adapter_first_text(const struct adapter_sources *sources, const struct json *value,
                        struct str *out);
/* Append the texts that the sources lead to, `between` two of them; numbers as they are. False if
 * there is none. */
bool adapter_texts(const struct adapter_sources *sources, const struct json *value,
                   const char *between, struct str *out);
/* The first number; *out is untouched if there is none. */
bool adapter_number(const struct adapter_sources *sources, const struct json *value, double *out);
/* The sum of all numbers; false if there is none. */
bool adapter_sum(const struct adapter_sources *sources, const struct json *value, double *out);
/* The first value; NULL if there is none. */
const struct json *adapter_value(const struct adapter_sources *sources, const struct json *value);
/* The arguments of a call as an object of its own, which the caller frees; NULL if there are
 * none. Text that is a JSON object is parsed; any other text becomes the argument "input". */
struct json *adapter_args(const struct adapter_sources *sources, const struct json *value);

/*
 * What an adapter is made of; for those who read it.
 */

struct adapter {
    char *name;        /* owned */
    struct json *json; /* owned; the whole adapter, without "like"; texts below borrow from it */
    bool is_builtin;
    const char *program;
    const char *called; /* the name of the program, without folders */
    const char *install;
    const char *allow; /* how a refused tool is allowed; "" = it does not say */
    enum adapter_prompt prompt;
    enum adapter_output output;
    char **argv;                /* owned, as the next ones; NULL-terminated */
    char **argv_resume;         /* NULL = it cannot go on in a session */
    char **model_args;          /* NULL = it cannot be told a model */
    char **permission_args;     /* NULL = none */
    char **env;                 /* "NAME=value" */
    bool result_on_stderr;      /* a failure may be told as JSON on stderr */
    const char *cut_member;     /* from it on the end of a line is read whose beginning is lost; or
                                   NULL */
    char **unknown_session;     /* owned; NULL = not known */
    bool counts_turns;          /* rules say what a turn is */
    struct adapter_rule *rules; /* owned */
    size_t rule_count;
};

/* The variables of the set's own adapter `index`, to put texts in the place of others as long as
 * nobody else knows the set; NULL behind the last. */
char **adapters_own_env(struct adapters *adapters, size_t index);

#endif
