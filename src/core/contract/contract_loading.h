/*
 * contract_loading.h - what the parts of the contract's compiler share.
 *
 * What is wrong is added to the list, and the next keyword is read, so that all of it is
 * found in one go.
 */
#ifndef DEVS_CONTRACT_LOADING_H
#define DEVS_CONTRACT_LOADING_H

#include <stdbool.h>

#include "contract_schema.h"
#include "json_pointer.h"
#include "violation.h"

struct contract_loader {
    struct contract *contract;
    struct violations *wrong; /* borrowed */
    bool failed;              /* something was wrong */
    bool full;                /* no more schemas are taken, and that was said */
};

/* The value of one keyword, or a part of it. */
struct contract_site {
    struct contract_loader *loader;
    struct contract_schema *schema;     /* that has the keyword */
    const struct json *value;           /* borrowed from the document */
    const struct json_pointer *pointer; /* of the value */
    int depth;                          /* schemas around it */
};

/* Add to the list that the value is not right: INVALID_VALUE, and its own text as `actual`
 * where something is `expected`, which may be NULL. */
void contract_complain(const struct contract_site *site, const char *expected, const char *message);
/* The same for a value of a type that is not `expected`: WRONG_TYPE, or NOT_OBJECT of the whole. */
void contract_complain_type(const struct contract_site *site, const char *expected,
                            const char *message);

/* The text of a string; NULL of anything else and of one that holds U+0000. */
const char *contract_plain_text(const struct json *value);

/* The schema that the value of the site is. What is wrong in it is said; never NULL. */
struct contract_schema *contract_load_schema(const struct contract_site *site);

/* Read a keyword's value into the schema of the site; says so if it is none that we know. */
void contract_load_keyword(const struct contract_site *site, const char *keyword);

#endif
