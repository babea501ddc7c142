/*
 * adapter.h - how an agent CLI is called and how its output is read: data, not code.
 *
 * An adapter is a JSON object; docs/agents.md describes its members. The built-in ones are files
 * of assets/agents. Settings and plans may add others, or change some members of an existing one
 * ("like"). Adapters and sets of them are immutable once made, so any thread may read them. Pure:
 * nothing is looked up on the machine.
 */
#ifndef DEVS_ADAPTER_H
#define DEVS_ADAPTER_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"

struct adapter;
struct adapters; /* a set of adapters; NULL means the built-in ones */
struct json;
struct str;
struct violations;

enum {
    ADAPTERS_MAX = 64,       /* maximum number of adapters in one "agents" object */
    ADAPTER_RULES_MAX = 128, /* maximum number of rules of one adapter */
    ADAPTER_ARGS_MAX = 128,  /* maximum number of arguments in each list */
    ADAPTER_NAME_MAX = 64,   /* maximum length of a name in bytes */
};

/* How the CLI gets its prompt. */
enum adapter_prompt {
    ADAPTER_PROMPT_STDIN,
    ADAPTER_PROMPT_ARGUMENT, /* in place of {prompt}, else as the last argument */
    ADAPTER_PROMPT_COUNT,
};

/* What the CLI writes to stdout. */
enum adapter_output {
    ADAPTER_OUTPUT_TEXT,
    ADAPTER_OUTPUT_JSON,  /* one document */
    ADAPTER_OUTPUT_JSONL, /* one event per line */
    ADAPTER_OUTPUT_COUNT,
};

/* Reads the object "agents" of settings or of a plan; its names take precedence over those of
 * `below`, which is borrowed for the call. Adds all errors to *wrong in document order, with JSON
 * Pointers from "/agents"; returns false if there are any. If `agents` is NULL, *out has the
 * adapters of `below`. The caller calls adapters_free(). */
ATTR_MUST_USE bool adapters_read(const struct adapters *below, const struct json *agents,
                                 struct violations *wrong, struct adapters **out);
/* May be NULL. */
void adapters_free(struct adapters *adapters);

/* Returns NULL if no adapter has this name. Borrowed from the set; built-in ones live as long as
 * the process. */
const struct adapter *adapters_find(const struct adapters *adapters, const char *name);
/* Returns the adapter with this program, by argv[0] with or without its folder, or NULL. */
const struct adapter *adapters_of_program(const struct adapters *adapters, const char *path);
/* Returns the visible adapter with this number, from 0: first the set's own adapters, then built-in
 * ones whose names are not taken. NULL after the last. */
const struct adapter *adapters_at(const struct adapters *adapters, size_t index);
/* Returns the environment variables of the set's own adapter `index`, so that the caller can
 * replace the strings in place before the set is shared; NULL after the last. */
char **adapters_own_env(struct adapters *adapters, size_t index);

/* Returns the name in plans and settings. This and all other strings here live as long as the
 * adapters. */
const char *adapter_name(const struct adapter *adapter);
/* Returns the program to search for in PATH, or a path with a '/'. "" only for the built-in
 * "generic", which is only a base for others. */
const char *adapter_program(const struct adapter *adapter);
/* Returns one line for people: how to install the program. "" if unknown. */
const char *adapter_install(const struct adapter *adapter);
/* Appends, for people, how to allow a tool that the CLI has denied: a member of the plan's step, or
 * a setting of the CLI. A tool name with characters other than letters, digits, '_', '.' and '-' is
 * replaced by TOOL. */
void adapter_allow_words(const struct adapter *adapter, const char *tool, struct str *out);
/* Returns true if the adapter comes with devs and not from settings. */
bool adapter_is_builtin(const struct adapter *adapter);
/* Returns the number of rules for events. */
size_t adapter_rule_count(const struct adapter *adapter);
/* Returns true if the CLI can resume a session. */
bool adapter_resumes(const struct adapter *adapter);
/* Returns true if the CLI reads its prompt from stdin, not from an argument. */
bool adapter_prompt_on_stdin(const struct adapter *adapter);
/* Returns the form of the CLI's output. */
enum adapter_output adapter_output(const struct adapter *adapter);

/* Returns the "NAME=value" strings that the CLI gets in addition to its inherited environment;
 * NULL-terminated, borrowed from the adapter. */
char *const *adapter_env(const struct adapter *adapter);

/* One invocation of the CLI. All borrowed. */
struct adapter_call {
    const char *prompt;  /* ignored if the prompt goes to stdin; NULL = none */
    const char *session; /* the session to resume; NULL = a new one */
    const char *model;   /* NULL = the CLI's own choice */
    char *const *args;   /* more arguments, NULL-terminated; NULL = none */
    char *const
        *permission_args; /* replace the adapter's permission arguments; NULL = the adapter's */
};

/* Builds the program and its arguments. Ignores `session` if the adapter cannot resume. *out is
 * NULL-terminated; the caller calls adapter_argv_free(). */
void adapter_argv(const struct adapter *adapter, const struct adapter_call *call, char ***out);
/* May be NULL. */
void adapter_argv_free(char **argv);

/* Returns true if the end of this output (stdout or stderr) of a failed invocation says that the
 * CLI does not know the session it should resume, so that a new one is needed. */
bool adapter_session_is_unknown(const struct adapter *adapter, const char *bytes, size_t len);

/* Returns true if `id` is safe to pass to a CLI as a session id. An id comes from an agent's
 * output, so it must be nonempty, at most AGENT_SESSION_MAX bytes, without control bytes, and must
 * not begin with '-', like an option. False for NULL. */
bool adapter_session_is_id(const char *id);

/* Appends the adapter as JSON without "like"; reading it under the same name gives the same
 * adapter. */
void adapter_write(const struct adapter *adapter, struct str *out);

/* Returns the program's name without its folder: the part after the last '/' of argv[0]. */
const char *adapter_program_of(const char *path);

#endif
