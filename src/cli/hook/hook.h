/* hook.h - the agent CLIs that have hooks, the events that they send to a hook and its answers, and
 * the settings files that install hooks. Pure, except hook_install(), hook_uninstall() and
 * hook_status(). */
#ifndef DEVS_HOOK_H
#define DEVS_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum hook_kind {
    HOOK_OTHER, /* not recorded */
    HOOK_SESSION_STARTS,
    HOOK_PROMPT,      /* the user entered a prompt */
    HOOK_CALL_BEGINS, /* a tool is about to be called */
    HOOK_CALL_ENDED,
    HOOK_CALL_FAILED,
    HOOK_TURN_ENDED,  /* the agent finished its answer */
    HOOK_TURN_FAILED, /* the agent's service failed */
    HOOK_SESSION_ENDS,
};

enum { HOOK_EVENTS_MAX = 10 };

struct hook_agent {
    const char *name;         /* the name of its adapter */
    const char *project_file; /* its settings for a project, relative to the project's folder */
    const char *shared_file;  /* its settings for everybody in the project; NULL = none */
    const char *user_file;    /* its settings for all projects, relative to the home folder */
    const char *home_env;     /* environment variable that names a different folder for the user's
                                 settings; NULL = none */
    const char *home_file;    /* file name of the settings in that folder */
    const char *project_env;  /* environment variable that tells a hook the project's folder */
    int timeout;       /* timeout of the hook in the agent's settings, in seconds or milliseconds */
    bool ends_in_call; /* accepts "continue": false also before a call */
    bool hides_result; /* a blocked result is not shown to the model */
    const char *events[HOOK_EVENTS_MAX]; /* the events to install hooks for; NULL after the last */
};

/* Returns an agent by its number, from 0. Returns NULL past the end. */
const struct hook_agent *hook_agent_at(size_t index);
/* Returns NULL if there is no such agent. */
const struct hook_agent *hook_agent_named(const char *name);
/* Returns "claude, codex, ..." for people. Static. */
const char *hook_agent_names(void);
/* Returns the kind of the event of that name, of any agent. */
enum hook_kind hook_kind_of(const char *event);

/* One event. */

struct json;

enum { HOOK_INPUT_MAX = 16 * 1024 * 1024 /* bytes of JSON */ };

struct hook_input {
    struct json *json; /* owned; the strings below are borrowed from it */
    const struct hook_agent *agent;
    enum hook_kind kind;
    const char *event;       /* the agent's name for the event */
    const char *session;     /* never empty */
    const char *dir;         /* folder in which the agent works; NULL = unknown */
    const char *tool;        /* name of the tool; for calls only */
    const struct json *args; /* arguments of the call; NULL = none */
    struct str output;       /* owned; for finished calls only */
    int exit;                /* for finished calls only; 1 for a failure without a code */
    bool interrupted; /* the user interrupted the call, so its failure says nothing about the agent
                       */
    int64_t ms;       /* duration of the call; 0 = unknown */
    const char *text; /* the user's or the agent's message; "" = none */
};

/* Reads an event. If `agent` is NULL, recognizes the agent by the event. Fails with ERR_INVALID
 * if the text is not a JSON object with an event and a session. The caller ends *out with
 * hook_input_done(). */
ATTR_MUST_USE bool hook_input_read(const struct str *text, const struct hook_agent *agent,
                                   struct hook_input *out, struct err *err);
void hook_input_done(struct hook_input *input);

/* Number of rejections of one call after which the turn ends, if the CLI supports that. */
enum { HOOK_TURNED_AWAY_MAX = 3 };

/* Rejects the call that is about to be made; with `ends`, also ends the turn. */
void hook_answer_deny(const struct hook_input *input, bool ends, const char *why, struct str *out);
/* Adds a message to a finished call. `stuck`: the agent must stop. */
void hook_answer_say(const struct hook_input *input, bool stuck, const char *words,
                     struct str *out);
/* Ends the turn after a finished call. */
void hook_answer_stop(const char *why, struct str *out);

/*
 * `devs hook install`, `uninstall` and `status`: the settings files of agent CLIs. These functions
 * print. Main thread.
 */

struct hook_install {
    const struct hook_agent *agent; /* NULL: claude; for the status: all */
    bool of_user;
    const char *db; /* --db; NULL = not given */
};

/* Installs the hooks. This and the next two functions return the exit code. */
int hook_install(const struct hook_install *asked);
/* Removes exactly what hook_install() added. */
int hook_uninstall(const struct hook_install *asked);
/* Prints, for each agent, where its hooks are and whether they call devs. */
int hook_status(const struct hook_install *install);

enum { HOOK_SETTINGS_MAX = 4 * 1024 * 1024 /* bytes of a settings file */ };

/* The text of settings files. These functions fail with ERR_INVALID if the text is not a JSON
 * object, or if its "hooks" have an unknown form. Blank text counts as an empty object. */

/* Adds `command` as the hook for each event of the agent. Replaces other hooks that call "devs
 * hook". */
ATTR_MUST_USE bool hook_settings_add(struct str *text, const struct hook_agent *agent,
                                     const char *command, struct err *err);
/* Removes each hook that calls "devs hook", and the objects and lists that become empty. */
ATTR_MUST_USE bool hook_settings_remove(struct str *text, struct err *err);
/* Counts the events of the agent that call "devs hook". */
ATTR_MUST_USE bool hook_settings_count(const struct str *text, const struct hook_agent *agent,
                                       size_t *count_out, struct err *err);

#endif
