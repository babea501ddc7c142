/* settings.h - devs.config.json: policies, thresholds of loop detection, workspaces, rules for all
 * plans of a project, and the appearance of the cockpit. Immutable once read, so any thread may
 * read it. */
#ifndef DEVS_SETTINGS_H
#define DEVS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "contract.h"
#include "entropy_limits.h"
#include "json.h"
#include "policy.h"
#include "redact.h"
#include "str.h"
#include "ui_settings.h"
#include "workspace_spec.h"

/*
 * Limits of attempts, and what a run does when its terminal goes away; shared by plans and
 * settings.
 */

enum {
    PLAN_LINE_BYTES_MIN = 1024, /* minimum of limits.output_line_bytes */
    PLAN_LINE_BYTES_MAX = 64 * 1024 * 1024,
    PLAN_LINE_BYTES = 1024 * 1024, /* default of limits.output_line_bytes */
    PLAN_PROCESSES_MAX = 100000,   /* maximum of limits.processes */
    PLAN_FILES_MAX = 32,           /* maximum entries of expect_files */
    PLAN_FILE_LINES_MAX = 1000000, /* maximum of min_lines in expect_files */
};

/* What a run does when its terminal goes away. Numbers are stable. */
enum plan_hangup {
    PLAN_HANGUP_GO_ON = 0,  /* continues without a terminal */
    PLAN_HANGUP_WAIT = 1,   /* starts nothing more, and exits when the running steps have ended */
    PLAN_HANGUP_CANCEL = 2, /* cancels the run, as a person would */
    PLAN_HANGUP_COUNT,
};

/* Limits of each attempt, whatever its sandbox. */
struct plan_limits {
    int64_t output_line_bytes; /* longer lines are split */
    int64_t processes;         /* maximum processes alive at a time; 0 = no limit */
};

/* Which keys a document has, as bits; a missing key has its default. */
enum plan_said {
    PLAN_SAYS_WORKSPACE = 1,
    PLAN_SAYS_SANDBOX = 2,
    PLAN_SAYS_LIMITS = 4,
    PLAN_SAYS_HANGUP = 8,
};

enum {
    SETTINGS_BYTES_MAX = 1024 * 1024,
    SETTINGS_RETRIES_MAX = POLICY_ATTEMPTS_MAX - 1, /* maximum of sandbox.transientRetries */
};

struct adapters;
struct plan_executor;

/* How many past runs a log may keep; 0 = no limit. log_gc.h explains the members. */
struct retention_settings {
    int days, runs, mib;
    bool automatic; /* devs run and devs exec clean up at their end */
};

/* Zero-initialized: nothing is set. */
struct settings {
    struct policy *policies; /* owned; new policies, and changed built-in policies; unique names */
    int policy_count;
    struct entropy_limits loops; /* valid if has_loops */
    bool has_loops;              /* some limits are set; the others have their defaults */
    unsigned said;               /* enum plan_said: which of the next four members are set */
    struct workspace_spec workspace;
    struct sandbox_spec sandbox;
    struct plan_limits limits;
    enum plan_hangup on_hangup;
    int64_t day_micro; /* maximum cost of a day, in millionths of a US dollar; 0 = no limit */
    struct secret_settings secrets;
    struct ui_settings ui;
    struct retention_settings retention;
    struct adapters *agents;         /* owned; NULL = only the built-in ones */
    struct plan_executor *executors; /* owned; see plan.h */
    int executor_count;
    char *rules;     /* owned; the array "rules" as JSON, NULL = none */
    char *agent;     /* owned; default agent of workflows, NULL = none */
    char **tests;    /* owned argv: the project's tests; NULL = unset */
    char *workflows; /* owned; folder with the project's own prompts and contracts, relative to
                        the settings; NULL = none */
};

/* Reads the settings. If they are invalid, returns false with all errors in *violations, in
 * document order. A syntax error is one NOT_JSON violation with line and column. The rules
 * themselves are checked by classifier_open(). The caller calls settings_done() and
 * violations_done(). */
ATTR_MUST_USE bool settings_parse(const char *text, size_t len, struct settings *out,
                                  struct violations *violations);
/* Frees the members; nothing is set afterwards. May be NULL. */
void settings_done(struct settings *settings);

/* Returns the policy with that name in these settings, otherwise the built-in policy; NULL if there
 * is none. */
const struct policy *settings_policy(const struct settings *settings, const char *name);

struct str;
/* Appends "default, infrastructure, ..., yours": the names that settings_policy() knows. */
void settings_names(const struct settings *settings, struct str *out);

/* Trust: which keys of devs.config.json a person must allow first. Any thread.
 *
 * A project's settings come with the project, so its authors wrote them, or even a step of an
 * earlier run did. A key needs trust if it runs a command, loosens a sandbox, shows a secret,
 * steers an agent or deletes runs. */

/* A key that needs trust. All borrowed: `key` until the callback returns. */
struct settings_trust_key {
    const char *key;          /* "ui.notify_command" */
    const char *why;          /* static: "runs a command"; follows the key in a sentence */
    const struct json *value; /* the value in the tree passed to settings_trust_each() */
};

/* Called for each key that needs trust. */
typedef void settings_trust_fn(void *ctx, const struct settings_trust_key *found);

/* Calls `found` for each key of the settings that needs trust, in document order. `root` is any
 * JSON value; keys that devs does not know need trust. */
void settings_trust_each(const struct json *root, settings_trust_fn *found, void *ctx);

/* Appends the settings as JSON without the keys that need trust. Unknown keys stay:
 * settings_parse() rejects them, because they may be misspelled names of secrets. */
void settings_trust_strip(const struct json *root, struct str *out);

#endif
