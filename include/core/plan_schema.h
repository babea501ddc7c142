/*
 * plan_schema.h - what a plan and devs.config.json look like: the published JSON Schemas,
 * assets/plan.schema.json and assets/config.schema.json, which are part of the program.
 *
 * The same text tells an editor what can be written and is what plans are checked
 * against. Any thread.
 */
#ifndef DEVS_PLAN_SCHEMA_H
#define DEVS_PLAN_SCHEMA_H

#include "contract.h"

/* The text of the schema of plans. Static. */
const char *plan_schema_text(void);
/* The text of the schema of devs.config.json. Static. */
const char *settings_schema_text(void);

/* The contract of plans, made of its text at the first call; it stays as long as the program
 * runs. */
const struct contract *plan_schema(void);
/* The same of devs.config.json. */
const struct contract *settings_schema(void);

#endif
