#include "contract_schema.h"

#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

struct contract_schema *contract_schema_new(struct contract *contract, const struct json *json)
{
    const struct contract_range any = {.min = 0, .max = INT64_MAX};
    struct contract_schema *schema = xcalloc(1, sizeof(*schema));
    schema->json = json;
    schema->refuses_all = json_kind(json) == JSON_KIND_FALSE;
    schema->length = any;
    schema->elements = any;
    schema->members = any;
    schema->contained = (struct contract_range){.min = 1, .max = INT64_MAX};
    contract->schemas = xgrow(contract->schemas, &contract->schema_cap, contract->schema_count + 1,
                              sizeof(struct contract_schema *));
    contract->schemas[contract->schema_count++] = schema;
    return schema;
}

/* As strcmp(): most keys differ in their first byte. */
static int key_order(const char *key, const char *other)
{
    const int order = (unsigned char)key[0] - (unsigned char)other[0];
    return order != 0 ? order : strcmp(key, other);
}

struct contract_schema *contract_table_find(const struct contract_table *table, const char *key)
{
    size_t from = 0;
    size_t to = table->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = key_order(key, table->rows[middle].key);
        if (order == 0)
            return table->rows[middle].schema;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

static void schema_free(struct contract_schema *schema)
{
    for (size_t i = 0; i < schema->patterns.count; i++)
        contract_pattern_close(schema->patterns.rows[i].pattern);
    contract_pattern_close(schema->pattern);
    free(schema->patterns.rows);
    free(schema->prefix_items.items);
    free(schema->properties.rows);
    free(schema->dependent_schemas.rows);
    free(schema->all_of.items);
    free(schema->any_of.items);
    free(schema->one_of.items);
    free(schema->pointer);
    free(schema);
}

void contract_free(struct contract *contract)
{
    if (!contract)
        return;
    for (size_t i = 0; i < contract->schema_count; i++)
        schema_free(contract->schemas[i]);
    for (size_t i = 0; i < contract->resource_count; i++)
        free(contract->resources[i].uri);
    free(contract->schemas);
    free(contract->resources);
    free(contract->anchors);
    json_free(contract->document);
    free(contract);
}

size_t contract_schema_count(const struct contract *contract)
{
    return contract->schema_count;
}
