/*
 * plan_file.h - reads a plan from a file and reports all its errors; shows it for --dry-run.
 */
#ifndef DEVS_PLAN_FILE_H
#define DEVS_PLAN_FILE_H

#include <limits.h>

#include "config.h"
#include "json.h"
#include "plan.h"
#include "str.h"

struct plan_file {
    struct plan *plan;    /* owned */
    struct str text;      /* owned: as recorded in the log */
    struct str source;    /* owned: as in the file */
    struct config config; /* owned: the settings of its project */
    char dir[PATH_MAX];   /* the run's folder: that of the file; for "-" the current one */
    char path[PATH_MAX];  /* absolute, links not followed; "" for "-" */
};

/* Reads and checks a plan and, for `use`, the settings of its project. Prints errors and returns
 * the exit code; 0 = valid. */
int plan_file_read(const char *path, enum config_use use, struct plan_file *out);
/* Appends the text to use instead of the plan in the file, which may be any JSON value. */
typedef void plan_file_edit_fn(void *ctx, const struct json *plan, struct str *text_out);
/* Like plan_file_read() with CONFIG_ACTS, for a plan that the person did not name: rejects an
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
/* The same as JSON: the plan as the log would record it. */
int plan_shown_json(const struct plan_file *file);

#endif
