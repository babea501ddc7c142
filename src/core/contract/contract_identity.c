#include "contract_identity.h"

#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "xalloc.h"

/* In the order of struct contract_identities. */
static const struct {
    const char *key;
    enum violation_code code;
    const char *one;
    const char *several;
} rows[] = {
    {"kernel", VIOLATION_KERNEL_MISMATCH, "another kernel than the one asked for",
     "another kernel than those asked for"},
    {"op", VIOLATION_OP_MISMATCH, "another op than the one asked for",
     "another op than those asked for"},
};

static size_t row_of(enum violation_code code)
{
    return code == rows[0].code ? 0 : 1;
}

enum violation_code contract_identity_code(const struct json_pointer *place)
{
    const bool is_member = place->up && !place->up->up && place->key;
    for (size_t i = 0; is_member && i < ARRAY_LEN(rows); i++) {
        if (strcmp(place->key, rows[i].key) == 0)
            return rows[i].code;
    }
    return VIOLATION_INVALID_VALUE;
}

const char *contract_identity_words(enum violation_code code, size_t count)
{
    const size_t row = row_of(code);
    return count == 1 ? rows[row].one : rows[row].several;
}

static const char join[] = " or ";

/* Is it one of those that are joined? */
static bool is_among(const char *constants, const char *constant)
{
    const size_t len = strlen(constant);
    const char *at = constants;
    for (;;) {
        const bool begins = strncmp(at, constant, len) == 0;
        if (begins && (at[len] == '\0' || strncmp(at + len, join, strlen(join)) == 0))
            return true;
        at = strstr(at, join);
        if (!at)
            return false;
        at += strlen(join);
    }
}

static void add_constant(struct contract_identity *member, const char *constant)
{
    const bool is_there = is_among(str_text(&member->expected), constant);
    if (is_there || member->count > CONTRACT_IDENTITIES_SHOWN)
        return;
    if (member->count > 0)
        str_add(&member->expected, join);
    str_add(&member->expected,
            member->count < CONTRACT_IDENTITIES_SHOWN ? constant : "another one");
    member->count++;
}

void contract_identities_add(struct contract_identities *identities,
                             const struct contract_findings *findings)
{
    bool is_other = false;
    bool is_of_type = true;
    for (size_t i = 0; i < findings->count; i++) {
        const struct contract_finding *finding = &findings->items[i];
        const bool is_type =
            finding->code == VIOLATION_WRONG_TYPE || finding->code == VIOLATION_NOT_OBJECT;
        is_of_type = is_of_type && !(is_type && finding->depth == findings->depth);
        if (!violation_is_mismatch(finding->code))
            continue;
        is_other = true;
        add_constant(&identities->members[row_of(finding->code)], finding->expected);
    }
    identities->alternatives += is_of_type ? 1 : 0;
    identities->others += is_of_type && is_other ? 1 : 0;
}

bool contract_identities_differ(const struct contract_identities *identities)
{
    return identities->alternatives > 0 && identities->others == identities->alternatives;
}

void contract_identities_reword(const struct contract_identities *identities,
                                struct contract_finding *finding)
{
    if (!violation_is_mismatch(finding->code))
        return;
    const struct contract_identity *member = &identities->members[row_of(finding->code)];
    const bool differ = contract_identities_differ(identities);
    const char *words =
        differ ? contract_identity_words(finding->code, member->count) : "must be this value";
    free(finding->message);
    finding->message = xstrdup(words);
    if (differ) {
        free(finding->expected);
        finding->expected = xstrdup(str_text(&member->expected));
    } else {
        finding->code = VIOLATION_INVALID_VALUE;
    }
}

void contract_identities_done(struct contract_identities *identities)
{
    for (size_t i = 0; i < ARRAY_LEN(identities->members); i++)
        str_done(&identities->members[i].expected);
}
