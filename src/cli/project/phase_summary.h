/*
 * phase_summary.h - what came of a phase, as a Markdown file beside its plan: for people, and for
 * the agent that plans the next phase. Main thread.
 */
#ifndef DEVS_PHASE_SUMMARY_H
#define DEVS_PHASE_SUMMARY_H

#include "attr.h"
#include "command.h"
#include "err.h"
#include "project_file.h"
#include "session.h"

enum {
    PHASE_SUMMARY_TASKS_MAX = 500, /* that are described; the others are counted */
    PHASE_SUMMARY_FILES_MAX = 50,  /* of a task that are named; the others are counted */
};

/* All borrowed. */
struct phase_summary {
    const struct globals *globals;
    const struct project *project;
    int number; /* of the phase */
    const struct session_end *end;
};

/* Write the file, which replaces the one of an earlier run; `path` is where it is. False, and
 * nothing is written, if the name is a link or anything else that is not a plain file, or if it
 * cannot be written. end->state must be there. */
ATTR_MUST_USE bool phase_summary_save(const struct phase_summary *summary, char path[PATH_MAX],
                                      struct err *err);

#endif
