/*
 * hook_agent.h - the agent CLIs that tell hooks what they do: what their events are called and
 * where their settings are. Static data.
 */
#ifndef DEVS_HOOK_AGENT_H
#define DEVS_HOOK_AGENT_H

#include <stdbool.h>
#include <stddef.h>

enum hook_kind {
    HOOK_OTHER, /* nothing that is recorded */
    HOOK_SESSION_STARTS,
    HOOK_PROMPT,      /* a person has said something */
    HOOK_CALL_BEGINS, /* a tool is about to be called */
    HOOK_CALL_ENDED,
    HOOK_CALL_FAILED,
    HOOK_TURN_ENDED,  /* the agent has said what it had to say */
    HOOK_TURN_FAILED, /* its service said no */
    HOOK_SESSION_ENDS,
};

enum { HOOK_EVENTS_MAX = 10 };

struct hook_agent {
    const char *name;         /* of its adapter */
    const char *project_file; /* its settings for one project, below that one's folder */
    const char *shared_file;  /* the same, for all who work on it; NULL = none */
    const char *user_file;    /* those for all projects, below the home folder */
    const char *home_env;     /* variable that names another folder for those; NULL = none */
    const char *home_file;    /* their name in that folder */
    const char *project_env;  /* variable in which it tells a hook the project's folder */
    int timeout;              /* of a hook in its settings: seconds, or milliseconds */
    bool ends_in_call;        /* "continue": false is understood before a call, too */
    bool hides_result;        /* a result that is blocked is kept from the model */
    const char *events[HOOK_EVENTS_MAX]; /* that are asked for; NULL behind the last */
};

/* By number from 0; NULL behind the last. */
const struct hook_agent *hook_agent_at(size_t index);
/* By name; NULL for none. */
const struct hook_agent *hook_agent_named(const char *name);
/* "claude, codex, ..." for people. Static. */
const char *hook_agent_names(void);
/* What the event of that name is, whosever it is. */
enum hook_kind hook_kind_of(const char *event);

#endif
