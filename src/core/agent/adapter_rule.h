/*
 * adapter_rule.h - the rules of an adapter: which event of the output is what. Pure.
 *
 * A rule is made once of its JSON and borrows texts from it. docs/agents.md says what the
 * members mean.
 */
#ifndef DEVS_ADAPTER_RULE_H
#define DEVS_ADAPTER_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "adapter_path.h"
#include "json.h"
#include "str.h"

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

#endif
