/*
 * circles_json.h - that something goes in circles, or may, as members for programs.
 */
#ifndef DEVS_CIRCLES_JSON_H
#define DEVS_CIRCLES_JSON_H

#include "shown.h"
#include "str.h"

/* Append "circles":{"level","rung","count","period","first_step","first_attempt","last_step",
 * "last_attempt","masked","masks","equal","words"} inside the caller's braces; nothing where
 * `level` is ok. Steps and attempts count from 1; what does not apply is left out. */
void circles_json(const struct shown_circle *circle, enum entropy_level level, struct str *out);

#endif
