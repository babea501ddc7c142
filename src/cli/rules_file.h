/*
 * rules_file.h - adds a rule that a person teaches to the project's devs.config.json.
 */
#ifndef DEVS_RULES_FILE_H
#define DEVS_RULES_FILE_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"

/* Adds the JSON text of a rule, or of a list of rules, to "rules" in the devs.config.json
 * nearest to `dir`, an absolute path; creates the file in `dir` if there is none. A rule
 * replaces the one of the same name. Everything else in the file is unchanged, including
 * comments and its mode. Savers take turns; fails with ERR_BUSY if another program holds the
 * folder's lock for long. The new text is checked as a whole, with rules compiled, and then
 * replaces the old one atomically or not at all. Fails with ERR_INVALID, with nothing written.
 * Prints nothing. Any thread. */
ATTR_MUST_USE bool rules_add(const char *dir, const char *rule_json, struct err *err);

#endif
