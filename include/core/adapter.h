/*
 * adapter.h - how an agent CLI is called and how its output is read: data, not code.
 *
 * An adapter is a JSON object (docs/agents.md has all its members). The built-in ones are the
 * files of assets/agents; settings and plans may bring more, or say what differs from one that
 * is in sight ("like"). An adapter and a set of them do not change once made; any thread may
 * read them. Pure: nothing is looked up on the machine.
 */
#ifndef DEVS_ADAPTER_H
#define DEVS_ADAPTER_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"

struct adapter;
struct adapters; /* a set; NULL stands for the built-in ones wherever one is asked for */
struct json;
struct str;
struct violations;

enum {
    ADAPTERS_MAX = 64,       /* in one set, beside the built-in ones */
    ADAPTER_RULES_MAX = 128, /* of one adapter */
    ADAPTER_ARGS_MAX = 128,  /* arguments of each list */
    ADAPTER_NAME_MAX = 64,   /* bytes */
};

/* How the CLI gets its prompt. */
enum adapter_prompt {
    ADAPTER_PROMPT_STDIN,
    ADAPTER_PROMPT_ARGUMENT, /* where {prompt} stands, else as the last argument */
};

/* What the CLI writes on stdout. */
enum adapter_output {
    ADAPTER_OUTPUT_TEXT,
    ADAPTER_OUTPUT_JSON,  /* one document */
    ADAPTER_OUTPUT_JSONL, /* an event a line */
};

/* Read the object "agents" of settings or of a plan, whose names go before those of `below`
 * (borrowed for the call). All that is wrong is added to *wrong, in the order of the document, the
 * places as JSON Pointers from "/agents"; false if there is anything. `agents` may be NULL: then
 * *out has what `below` has. The caller ends *out with adapters_free(). */
ATTR_MUST_USE bool adapters_read(const struct adapters *below, const struct json *agents,
                                 struct violations *wrong, struct adapters **out);
/* NULL is allowed. */
void adapters_free(struct adapters *adapters);

/* NULL if none has this name. Borrowed from the set; built-in ones live as long as the process. */
const struct adapter *adapters_find(const struct adapters *adapters, const char *name);
/* The one whose program this is, by argv[0] with or without its folder; NULL for none. */
const struct adapter *adapters_of_program(const struct adapters *adapters, const char *path);
/* The adapters in sight, by number from 0, own ones first and each name once; NULL behind the
 * last. */
const struct adapter *adapters_at(const struct adapters *adapters, size_t index);

/* As plans and settings call it. Valid as long as the adapters, as all texts here. */
const char *adapter_name(const struct adapter *adapter);
/* What is looked for in PATH; a path if it holds a '/'. "" only of the built-in "generic", which
 * others are like and nobody calls. */
const char *adapter_program(const struct adapter *adapter);
/* One line for people: how to get the program. "" if the adapter does not say. */
const char *adapter_install(const struct adapter *adapter);
/* Append, for people, what allows a tool that the CLI has refused: a member of the plan's step, or
 * a setting of the CLI. A name of a tool with other characters than letters, digits, '_', '.' and
 * '-' is not repeated. */
void adapter_allow_words(const struct adapter *adapter, const char *tool, struct str *out);
/* Did it come with devs, and not from settings? */
bool adapter_is_builtin(const struct adapter *adapter);
/* How many rules for events it has. */
size_t adapter_rule_count(const struct adapter *adapter);
/* Can it go on in an earlier session? */
bool adapter_resumes(const struct adapter *adapter);
/* Does the CLI read its prompt from stdin, and not from an argument? */
bool adapter_prompt_on_stdin(const struct adapter *adapter);
/* In which form the CLI tells what it does. */
enum adapter_output adapter_output(const struct adapter *adapter);

/* "NAME=value" texts that the CLI gets beside what it inherits; NULL-terminated, borrowed from
 * the adapter. */
char *const *adapter_env(const struct adapter *adapter);

/* One call of the CLI. All borrowed. */
struct adapter_call {
    const char *prompt;           /* not looked at if it goes to stdin; NULL = it is left out */
    const char *session;          /* the session to go on in; NULL = a new one */
    const char *model;            /* NULL = the CLI's own choice */
    char *const *args;            /* more arguments, NULL-terminated; NULL = none */
    char *const *permission_args; /* in place of the adapter's; NULL = the adapter's */
};

/* The program and its arguments. `session` of an adapter that cannot resume is left out. *out is
 * NULL-terminated; the caller frees it with adapter_argv_free(). */
void adapter_argv(const struct adapter *adapter, const struct adapter_call *call, char ***out);
/* NULL is allowed. */
void adapter_argv_free(char **argv);

/* Does this output of a call that failed (stdout or stderr, the last of it) say that the CLI does
 * not know the session it was to go on in? Then a new one is the way. */
bool adapter_session_is_unknown(const struct adapter *adapter, const char *bytes, size_t len);

/* May this be given to a CLI as the session to go on in? It comes from what an agent wrote: not
 * empty, at most AGENT_SESSION_MAX bytes, no control byte, and no '-' first, which would make an
 * option of it. NULL is none. */
bool adapter_session_is_id(const char *id);

/* Append the adapter as JSON; read again under the same name it is the same, without "like". */
void adapter_write(const struct adapter *adapter, struct str *out);

/* The program's name without its folder: what follows the last '/' of argv[0]. */
const char *adapter_program_of(const char *path);

#endif
