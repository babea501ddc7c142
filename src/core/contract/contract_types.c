#include "contract_types.h"

#include <string.h>

#include "attr.h"
#include "contract_schema.h"

const char contract_type_all[] = "null, boolean, object, array, number, string or integer";

static const struct {
    const char *name;
    unsigned type;
} types[] = {
    {"null", CONTRACT_NULL},       {"boolean", CONTRACT_BOOLEAN}, {"object", CONTRACT_OBJECT},
    {"array", CONTRACT_ARRAY},     {"number", CONTRACT_NUMBER},   {"string", CONTRACT_STRING},
    {"integer", CONTRACT_INTEGER},
};

unsigned contract_type_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    }
    return 0;
}

unsigned contract_types_of(const struct json *value)
{
    switch (json_kind(value)) {
    case JSON_KIND_OBJECT:
        return CONTRACT_OBJECT;
    case JSON_KIND_ARRAY:
        return CONTRACT_ARRAY;
    case JSON_KIND_STRING:
        return CONTRACT_STRING;
    case JSON_KIND_INTEGER:
        return CONTRACT_NUMBER | CONTRACT_INTEGER;
    case JSON_KIND_REAL:
        return decimal_is_integer(decimal_of(value)) ? CONTRACT_NUMBER | CONTRACT_INTEGER
                                                     : CONTRACT_NUMBER;
    case JSON_KIND_TRUE:
    case JSON_KIND_FALSE:
        return CONTRACT_BOOLEAN;
    case JSON_KIND_NULL:
        return CONTRACT_NULL;
    case JSON_KIND_NONE:
    case JSON_KIND_COUNT:
        break;
    }
    return 0;
}

void contract_types_add(struct str *out, unsigned mask)
{
    unsigned left = mask;
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if ((left & types[i].type) == 0)
            continue;
        left &= ~types[i].type;
        str_add(out, types[i].name);
        if (left != 0)
            str_add(out, (left & (left - 1)) == 0 ? " or " : ", ");
    }
}
