/*
 * project_file.h - devs.project.json: an idea and the phases that it is carried out in, as
 * `devs new-project` saves them and the other workflows read them. People may edit it.
 *
 * Main thread: what is wrong with the file is printed.
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
    char dir[PATH_MAX]; /* absolute: where the file is */
    struct json *root;  /* owned */
};

/* What is known of it beside what the agent has answered. All borrowed; NULL = not known. */
struct project_facts {
    const char *idea;
    const char *agent;
    const char *session;
};

/* Read and check the file in this folder or the nearest one above it that has one. Returns the
 * exit code; what is wrong is printed. 0: the caller ends *out with project_done(). */
int project_read(const char *dir, struct project *out);
void project_done(struct project *project);

/* How many phases it has; 0 and more. */
int project_phase_count(const struct project *project);
/* Phase `number` counts from 1. Borrowed; never NULL. */
const char *project_phase_title(const struct project *project, int number);
/* Append the phase as JSON for people and agents. */
void project_phase_json(const struct project *project, int number, struct str *out);
/* Append name, idea, summary and phases likewise. */
void project_json(const struct project *project, struct str *out);
/* Its agent, and the last session of the project's workflows; NULL = none is known. Borrowed. */
const char *project_agent(const struct project *project);
/* The id of that session, NULL likewise. Borrowed. */
const char *project_session(const struct project *project);

/* Write the file: what the project has, and what these facts say in place of what it said. */
ATTR_MUST_USE bool project_write(const struct project *project, const struct project_facts *facts,
                                 struct err *err);

/* Append what people want to read of it. */
void project_words(const struct project *project, struct str *out);

/* The file with the plan of a phase, in the project's folder. */
void project_plan_path(const struct project *project, int number, char path[PATH_MAX]);
/* The file with what came of it: "phase-2.summary.md", likewise. */
void project_summary_path(const struct project *project, int number, char path[PATH_MAX]);
/* Its name alone: "phase-2.plan.json". */
void project_plan_name(int number, char *name, size_t size);
/* Is it such a name? */
bool project_is_plan_name(const char *name);

#endif
