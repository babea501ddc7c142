/*
 * contract_judge.h - the end of an attempt whose step has an output contract: did it
 * succeed with what was asked for? Pure.
 */
#ifndef DEVS_CONTRACT_JUDGE_H
#define DEVS_CONTRACT_JUDGE_H

#include <stddef.h>
#include <stdint.h>

#include "contract.h"
#include "verdict.h"

enum { CONTRACT_OUTPUT_MAX = 1024 * 1024 }; /* more output than this fits no contract */

/* What the attempt wrote to standard output. */
struct contract_output {
    const char *bytes; /* borrowed; the last bytes of it, all of them if it is no more */
    size_t len;
    int64_t written; /* bytes in all */
};

struct violations;
/* Turn the verdict of an attempt that succeeded into a persistent one with reason
 * `contract` where its output does not fit: the violations are in the evidence, as many
 * as there is room for, and no_retry is set by requirement D3 (only a list of fixable codes
 * is tried again). Nothing changes where the output fits, and where the attempt did not
 * succeed: its failure is the news then. All violations are appended to *found, which the caller
 * ends with violations_done(). */
void contract_judge(const struct contract *contract, const struct contract_output *output,
                    struct verdict *verdict, struct violations *found);

#endif
