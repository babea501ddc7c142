/*
 * contract_findings.h - violations in the order of the document, however they are found.
 *
 * Schemas apply to one place many times (allOf, $ref), so what is wrong is not found in order,
 * and some of it twice. Places compare by the way down to them: a place comes before what is
 * within it, a missing member after all members that are there.
 */
#ifndef DEVS_CONTRACT_FINDINGS_H
#define DEVS_CONTRACT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "json_pointer.h"
#include "violation.h"

/* What is wrong at a place. */
struct contract_fault {
    enum violation_code code;
    const char *message;
    const char *expected; /* NULL where not known */
    const char *actual;   /* likewise */
    bool is_choice;       /* a constant that differs */
};

struct contract_finding {
    size_t *way; /* owned; from the whole to the place: indexes of elements and members */
    size_t depth;
    const char *key;                   /* the last of the place, NULL for an element; borrowed */
    char *path;                        /* owned */
    char *message, *expected, *actual; /* owned */
    enum violation_code code;
};

/* With `max` set, all else zero is empty. */
struct contract_findings {
    struct contract_finding *items; /* owned; in document order, of one place as they came */
    size_t count;
    size_t cap;
    size_t max;     /* those kept, the first of the document */
    size_t dropped; /* the others */
    bool mismatch;  /* any one is a mismatch of kernel or op */
    size_t depth;   /* of the value that is checked: 0, or that of an alternative */
    long weight;    /* how far the value is from fitting */
};

/* Returns how many places on the way were looked at for that, and for finding where it goes. */
size_t contract_findings_add(struct contract_findings *findings, const struct json_pointer *place,
                             const struct contract_fault *fault);

/* Take over a finding of others, whose texts and way are moved; their weight is not. Returns as
 * contract_findings_add() does. */
size_t contract_findings_take(struct contract_findings *findings, struct contract_finding *finding);

/* Add them to the list of violations. */
void contract_findings_move(struct contract_findings *findings, struct violations *out);
void contract_findings_done(struct contract_findings *findings);

#endif
