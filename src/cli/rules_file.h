/*
 * rules_file.h - a rule that a person teaches: into the project's devs.config.json.
 */
#ifndef DEVS_RULES_FILE_H
#define DEVS_RULES_FILE_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"

/* Add the JSON text of a rule, or of a list of them, to "rules" in the devs.config.json
 * nearest to `dir`, an absolute path; where there is none it is made in `dir`. A rule of a name
 * that is there takes its place. All else in the file stays as it is, comments too; its mode is
 * kept. Savers take turns; ERR_BUSY if another program holds the folder's lock for long. The new
 * text is checked as a whole, rules compiled, then takes the old one's place at once or not at all.
 * ERR_INVALID: what is wrong, nothing was written. Prints nothing. Any thread. */
ATTR_MUST_USE bool rules_add(const char *dir, const char *rule_json, struct err *err);

#endif
