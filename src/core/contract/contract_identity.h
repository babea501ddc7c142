/*
 * contract_identity.h - what an output is of: the members `kernel` and `op` of the whole.
 *
 * Where a contract has alternatives, each with a constant of its own, an output is of something
 * else than was asked for if that is so for every one of them that is for its type.
 */
#ifndef DEVS_CONTRACT_IDENTITY_H
#define DEVS_CONTRACT_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#include "contract_findings.h"
#include "json_pointer.h"
#include "str.h"
#include "violation.h"

enum { CONTRACT_IDENTITIES_SHOWN = 8 }; /* constants of alternatives, for a message */

/* The constants that the alternatives have, for one of the two members. */
struct contract_identity {
    struct str expected; /* owned; "a" or "b" */
    size_t count;        /* those in it */
};

/* All zero before the first alternative. */
struct contract_identities {
    size_t alternatives;                 /* looked at, but for those of another type */
    size_t others;                       /* those that are of another kernel or op */
    struct contract_identity members[2]; /* of `kernel`, of `op` */
};

/* KERNEL_MISMATCH for the member `kernel` of the whole, OP_MISMATCH for `op`, else
 * INVALID_VALUE. */
enum violation_code contract_identity_code(const struct json_pointer *place);

/* The message of a mismatch where so many constants are expected. */
const char *contract_identity_words(enum violation_code code, size_t count);

/* Note what is wrong with one more alternative. */
void contract_identities_add(struct contract_identities *identities,
                             const struct contract_findings *findings);

/* Is the value of something else than any alternative, as far as was looked? */
bool contract_identities_differ(const struct contract_identities *identities);

/* A finding of the alternative that is nearest, in the words for them all: a mismatch where they
 * differ, else a value like any other. */
void contract_identities_reword(const struct contract_identities *identities,
                                struct contract_finding *finding);

void contract_identities_done(struct contract_identities *identities);

#endif
