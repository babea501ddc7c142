#include "plan_schema.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "config_schema_json.h"
#include "plan_schema_json.h"

/* The one state that this layer keeps: a value that is the same whoever makes it. */
static _Atomic(struct contract *) plan_contract;
static _Atomic(struct contract *) settings_contract;

/* Two threads may both come first: then one contract is kept, the other freed. */
static const struct contract *made_once(_Atomic(struct contract *) *place, const char *text)
{
    struct contract *kept = atomic_load(place);
    if (kept)
        return kept;
    struct violations wrong = {0};
    struct contract *made = NULL;
    bool ok = contract_load(text, strlen(text), &made, &wrong);
    assert(ok); /* it is ours, and a test loads it */
    violations_done(&wrong);
    if (atomic_compare_exchange_strong(place, &kept, made))
        return made;
    contract_free(made);
    return kept;
}

const char *plan_schema_text(void)
{
    return plan_schema_json;
}

const char *settings_schema_text(void)
{
    return config_schema_json;
}

const struct contract *plan_schema(void)
{
    return made_once(&plan_contract, plan_schema_json);
}

const struct contract *settings_schema(void)
{
    return made_once(&settings_contract, config_schema_json);
}
