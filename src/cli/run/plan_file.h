/*
 * plan_file.h - reads a plan from a file and reports all its errors; shows it for --dry-run; and
 * checks, chooses and changes its agents.
 */
#ifndef DEVS_PLAN_FILE_H
#define DEVS_PLAN_FILE_H

#include <limits.h>

#include "adapter.h"
#include "config.h"
#include "json.h"
#include "plan.h"
#include "str.h"

struct plan_file {
    struct plan *plan;    /* owned */
    struct str text;      /* owned: the plan as recorded in the log */
    struct str source;    /* owned: the plan as in the file */
    struct config config; /* owned: the settings of its project */
    char
        dir[PATH_MAX]; /* the run's folder: the folder of the file, or the current folder for "-" */
    char path[PATH_MAX]; /* absolute path of the file, links not followed; "" for "-" */
};

/* Reads and checks a plan and, for `use`, the settings of its project. Prints errors and returns
 * the exit code; 0 = valid. */
int plan_file_read(const char *path, enum config_use use, struct plan_file *out);
/* Appends the text that replaces the plan of the file, which may be any JSON value. */
typedef void plan_file_edit_fn(void *ctx, const struct json *plan, struct str *text_out);
/* Like plan_file_read() with CONFIG_ACTS, for a plan that the user did not name: rejects an
 * untrusted plan (trust.h), and checks, runs and logs the edited text. */
int plan_file_read_trusted(const char *path, plan_file_edit_fn *edit, void *ctx,
                           struct plan_file *out);
/* Returns the number of parallel tasks: from the command line (NULL = not given), or else from
 * the plan, or else 2. */
ATTR_MUST_USE bool plan_file_jobs(const struct plan_file *file, const char *given, int *out,
                                  struct err *err);
/* Rewrites the text after the plan has changed. */
void plan_file_rewrite(struct plan_file *file);
void plan_file_done(struct plan_file *file);

/* Prints what would run, `jobs` at a time, without starting anything or touching the log.
 * Secrets of the plan and the environment are redacted. Returns the exit code. */
int plan_shown(const struct plan_file *file, int jobs);
/* Like plan_shown(), as JSON: the plan as the log would record it. */
int plan_shown_json(const struct plan_file *file);

/*
 * The agents of a plan: checks that their programs are installed, chooses one, and changes agent,
 * model or session as the command line requests.
 */

/* The requested changes; NULL = as the plan says. Everything is borrowed. */
struct plan_agents_edit {
    const char *agent;   /* replaces the agent of every step, and drops keys that only the old agent
                            understands */
    const char *model;   /* NULL = the plan's own model */
    const char *session; /* session for steps that have none */
    const char *owner;   /* agent whose steps get `session`; NULL = all agents */
};

/* Appends the plan, a JSON value, with the changes; other JSON is appended unchanged. A
 * plan_file_edit_fn; ctx is the edit. */
void plan_agents_edit(void *ctx, const struct json *plan, struct str *out);

/* Checks whether a step must fail because its agent's program is missing. Prints what is missing
 * and how to install it, and returns the exit code. Accepts programs that may appear later:
 * paths that an earlier step may create, programs in a container or on another machine, or in the
 * step's own PATH. */
int plan_agents_check(const struct plan *plan);

/* Appends what the agent of this step of the task is missing as one line; nothing if it can run. */
void plan_agents_missing(const struct plan *plan, const struct plan_task *task,
                         const struct plan_step *step, struct str *out);

/* Finds the adapter called `name`, whose program must be installed. NULL means the first installed
 * one in the order of adapters_at(). Returns the exit code: EXIT_USAGE for an unknown name,
 * EXIT_NO_AGENT if the program is missing. *out is borrowed from the set. */
int agent_choose(const struct adapters *adapters, const char *name, const struct adapter **out);

#endif
