/*
 * diff_json.h - two attempts side by side, for programs.
 */
#ifndef DEVS_DIFF_JSON_H
#define DEVS_DIFF_JSON_H

#include "compare.h"

/* One object, {"v":1,...}, and a line feed. */
void diff_json(const struct compare *compare, struct str *out);

#endif
