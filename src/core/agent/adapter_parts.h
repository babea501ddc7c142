/*
 * adapter_parts.h - what an adapter is made of; for those who read it.
 */
#ifndef DEVS_ADAPTER_PARTS_H
#define DEVS_ADAPTER_PARTS_H

#include "adapter.h"
#include "adapter_rule.h"
#include "json.h"

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

/* Make an adapter of its JSON, which it owns from now on. What has not the right form is left
 * out: the schema has complained. */
struct adapter *adapter_new(const char *name, struct json *json, bool is_builtin);
void adapter_free(struct adapter *adapter);

/* The variables of the set's own adapter `index`, to put texts in the place of others as long as
 * nobody else knows the set; NULL behind the last. */
char **adapters_own_env(struct adapters *adapters, size_t index);

#endif
