/*
 * workflow_text.h - the prompts and contracts of workflows: the project's own files where there
 * are some, else the built-in ones. Any thread.
 */
#ifndef DEVS_WORKFLOW_TEXT_H
#define DEVS_WORKFLOW_TEXT_H

#include "attr.h"
#include "config.h"
#include "err.h"
#include "str.h"

enum { WORKFLOW_TEXT_MAX = 1024 * 1024 }; /* bytes of a prompt's text or of a contract */

/* Append the text `name`: "new-project.md", "new-project.json" or "plan-phase.md". The settings'
 * folder `workflows` goes first. ERR_INVALID if there is no such folder, or a
 * file in it cannot be read. */
ATTR_MUST_USE bool workflow_text_read(const struct config *config, const char *name,
                                      struct str *out, struct err *err);

#endif
