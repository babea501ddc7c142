/*
 * project_file.h - devs.project.json: an idea and its phases, saved by `devs new-project` and read
 * by the other workflows. People may edit it.
 *
 * Main thread: errors in the file are printed.
 */
#ifndef DEVS_PROJECT_FILE_H
#define DEVS_PROJECT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "json.h"
#include "str.h"

#define PROJECT_FILE_NAME "devs.project.json"

enum {
    PROJECT_BYTES_MAX = 1024 * 1024,
    PROJECT_PHASES_MAX = 99,
};

struct project {
    char dir[PATH_MAX]; /* absolute folder of the file */
    struct json *root;  /* owned */
};

/* Facts beside the agent's answer. Everything is borrowed; NULL = unknown. */
struct project_facts {
    const char *idea;
    const char *agent;
    const char *session;
};

/* Reads and checks the file in this folder or the nearest one above. Prints errors and returns
 * the exit code; if 0, the caller ends *out with project_done(). */
int project_read(const char *dir, struct project *out);
void project_done(struct project *project);

/* Returns the number of phases, which may be 0. */
int project_phase_count(const struct project *project);
/* Phase `number` counts from 1. Borrowed; never NULL. */
const char *project_phase_title(const struct project *project, int number);
/* Appends the phase as JSON for people and agents. */
void project_phase_json(const struct project *project, int number, struct str *out);
/* Appends name, idea, summary and phases as JSON for people and agents. */
void project_json(const struct project *project, struct str *out);
/* Returns the agent of the last session of the project's workflows; NULL = unknown. Borrowed. */
const char *project_agent(const struct project *project);
/* Returns the id of that session; NULL = unknown. Borrowed. */
const char *project_session(const struct project *project);

/* Writes the file: the project, with its facts replaced by the given ones. */
ATTR_MUST_USE bool project_write(const struct project *project, const struct project_facts *facts,
                                 struct err *err);

/* Appends the project as text for people. */
void project_words(const struct project *project, struct str *out);

/* Returns the path of a phase's plan, in the project's folder. */
void project_plan_path(const struct project *project, int number, char path[PATH_MAX]);
/* Returns the path of a phase's summary, "phase-2.summary.md" in the project's folder. */
void project_summary_path(const struct project *project, int number, char path[PATH_MAX]);
/* Returns the name of a phase's plan: "phase-2.plan.json". */
void project_plan_name(int number, char *name, size_t size);
/* Whether the name is that of a phase's plan. */
bool project_is_plan_name(const char *name);

#endif
