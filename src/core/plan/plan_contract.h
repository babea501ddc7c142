/*
 * plan_contract.h - the output contracts of a plan: JSON Schemas that stand in a step, in
 * the plan under a name, or in a file. Each is made once, however many steps have it.
 */
#ifndef DEVS_PLAN_CONTRACT_H
#define DEVS_PLAN_CONTRACT_H

#include "plan_reader.h"

/* Make all contracts of the plan's object "contracts" (anything else: none). What is wrong
 * with them is among reader->contract_violations. */
void plan_contracts_load(struct plan_reader *reader, const struct json *value);

/* Read the "contract" of the reader's present step. */
void plan_contract_read(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value);

#endif
