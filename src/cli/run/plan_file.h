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
    struct str text;      /* owned: as the log keeps it */
    struct str source;    /* owned: as the file has it */
    struct config config; /* owned: the settings of its project */
    char dir[PATH_MAX];   /* the run's folder: where the file is; for "-" this one */
    char path[PATH_MAX];  /* absolute, as it was named: links are not followed; "" for "-" */
};

/* Reads and checks a plan and, for `use`, the settings of its project. Prints what is wrong and
 * returns the exit code; 0 = all well. */
int plan_file_read(const char *path, enum config_use use, struct plan_file *out);
/* Writes the text that is read in place of the plan that a file has, which is any JSON value. */
typedef void plan_file_edit_fn(void *ctx, const struct json *plan, struct str *text_out);
/* The same for CONFIG_ACTS and a plan that the person did not name: refuses one that is not trusted
 * (trust.h). What is checked, run and logged is the changed text. */
int plan_file_read_trusted(const char *path, plan_file_edit_fn *edit, void *ctx,
                           struct plan_file *out);
/* How many tasks at a time: what the command line says (NULL = nothing), else the plan, else 2. */
ATTR_MUST_USE bool plan_file_jobs(const struct plan_file *file, const char *given, int *out,
                                  struct err *err);
/* Make the text anew from the plan, which has changed. */
void plan_file_rewrite(struct plan_file *file);
void plan_file_done(struct plan_file *file);

/* Print what would run, `jobs` at a time; nothing is started and no log is touched. Secrets that
 * the plan or the environment has are cut. Returns the exit code. */
int plan_shown(const struct plan_file *file, int jobs);
/* The same as JSON: the plan as the log would have it. */
int plan_shown_json(const struct plan_file *file);

#endif
