/*
 * settings.h - the text of devs.config.json: policies, limits of looping, where
 * steps work, rules for all plans of a project, and how the cockpit looks.
 *
 * Settings do not change after they were read; any thread may read them.
 */
#ifndef DEVS_SETTINGS_H
#define DEVS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "entropy_limits.h"
#include "plan_limits.h"
#include "policy.h"
#include "redact.h"
#include "sandbox_spec.h"
#include "ui_settings.h"
#include "violation.h"
#include "workspace_spec.h"

enum {
    SETTINGS_BYTES_MAX = 1024 * 1024,
    SETTINGS_RETRIES_MAX = POLICY_ATTEMPTS_MAX - 1, /* of sandbox.transientRetries */
};

struct adapters;

/* How much of past runs a log may keep; 0 = all there is. What they mean is in log_gc.h. */
struct retention_settings {
    int days, runs, mib;
    bool automatic; /* devs run and devs exec see to it at their end */
};

/* All zero: nothing is set. */
struct settings {
    struct policy
        *policies; /* owned; new ones, and built-in ones that are changed; no name twice */
    int policy_count;
    struct entropy_limits loops; /* those of has_loops only */
    bool has_loops;              /* the settings say something of it; the rest is at its default */
    unsigned said;               /* enum plan_said: which of these four are set */
    struct workspace_spec workspace;
    struct sandbox_spec sandbox;
    struct plan_limits limits;
    enum plan_hangup on_hangup;
    struct secret_settings secrets;
    struct ui_settings ui;
    struct retention_settings retention;
    struct adapters *agents; /* owned; those of the settings, NULL = the built-in ones alone */
    char *rules;             /* owned; the array "rules" as JSON text, NULL = none */
    char *agent;             /* owned; the agent of workflows that name none, NULL = none */
    char **tests;            /* owned argv: the project's tests; NULL = not said */
    char *workflows; /* owned; a folder with prompts and contracts of the project's own, relative
                        to that of the settings; NULL = none */
};

/* Read the settings. False and *violations filled (all that is wrong, in document
 * order) if they are not right; a syntax error is one NOT_JSON violation with line and
 * column. What a rule holds is not looked into: that is for classifier_open(). The
 * caller ends *out with settings_done(), *violations with violations_done(). */
ATTR_MUST_USE bool settings_parse(const char *text, size_t len, struct settings *out,
                                  struct violations *violations);
/* Free. NULL is allowed; nothing is set afterwards. */
void settings_done(struct settings *settings);

/* The policy of that name as these settings have it, else the built-in one; NULL for
 * neither. */
const struct policy *settings_policy(const struct settings *settings, const char *name);

struct str;
/* "default, infrastructure, ..., yours": names that settings_policy() knows. */
void settings_names(const struct settings *settings, struct str *out);

#endif
