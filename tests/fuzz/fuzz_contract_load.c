/*
 * Whatever stands in a contract: it is taken, or all that is wrong is said; and one that was
 * taken answers for any value.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const values[] = {
    "null", "true", "1", "-0.5", "\"a\"", "[]", "[1,\"a\",1]", "{\"a\":{\"a\":[{}]},\"op\":1}",
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_value(const struct contract *contract, const char *text)
{
    struct violations wrong = {0};
    const bool fits = contract_check_text(contract, text, strlen(text), NULL, &wrong);
    must(fits == (wrong.count == 0));
    violations_done(&wrong);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct contract *contract = NULL;
    struct violations wrong = {0};
    struct str shown = {0};
    const bool ok = contract_load((const char *)data, size, &contract, &wrong);
    violations_display(&wrong, &shown);
    must(ok == (contract != NULL) && ok == (shown.len == 0));
    for (size_t i = 0; ok && i < ARRAY_LEN(values); i++)
        check_value(contract, values[i]);
    contract_free(contract);
    violations_done(&wrong);
    str_done(&shown);
    return 0;
}
