/* contract_keywords.c - the table of keywords, and how each is read into a schema. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "contract_internal.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

const char contract_type_all[] = "null, boolean, object, array, number, string or integer";

static const struct {
    const char *name;
    unsigned type;
} type_names[] = {
    {"null", CONTRACT_NULL},       {"boolean", CONTRACT_BOOLEAN}, {"object", CONTRACT_OBJECT},
    {"array", CONTRACT_ARRAY},     {"number", CONTRACT_NUMBER},   {"string", CONTRACT_STRING},
    {"integer", CONTRACT_INTEGER},
};

void contract_types_add(struct str *out, unsigned mask)
{
    unsigned left = mask;
    for (size_t i = 0; i < ARRAY_LEN(type_names); i++) {
        if ((left & type_names[i].type) == 0)
            continue;
        left &= ~type_names[i].type;
        str_add(out, type_names[i].name);
        if (left != 0)
            str_add(out, (left & (left - 1)) == 0 ? " or " : ", ");
    }
}

void contract_free(struct contract *contract)
{
    if (!contract)
        return;
    for (size_t i = 0; i < contract->schema_count; i++) {
        struct contract_schema *schema = contract->schemas[i];
        for (size_t k = 0; k < schema->patterns.count; k++)
            contract_pattern_close(schema->patterns.rows[k].pattern);
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

/* Reads the value of the site. `slot` points to the member of the schema that the table names, if
 * any. */
typedef void keyword_fn(const struct contract_site *site, void *slot);

/* Returns the site of a part of the value. */
static struct contract_site part_site(const struct contract_site *site, const struct json *value,
                                      const struct json_pointer *pointer)
{
    struct contract_site part = *site;
    part.value = value;
    part.pointer = pointer;
    return part;
}

static bool is_kind(const struct contract_site *site, enum json_kind kind, const char *name)
{
    if (json_kind(site->value) == kind)
        return true;
    contract_complain_type(site, name, "wrong type");
    return false;
}

static void read_schema(const struct contract_site *site, void *slot)
{
    struct contract_schema **schema = slot;
    *schema = contract_load_schema(site);
}

static void read_list(const struct contract_site *site, void *slot)
{
    struct contract_list *list = slot;
    if (!is_kind(site, JSON_KIND_ARRAY, "array of schemas"))
        return;
    const size_t count = json_count(site->value);
    if (count == 0)
        contract_complain(site, "at least one schema", "must not be empty");
    list->items = xcalloc(count + 1, sizeof(struct contract_schema *));
    for (size_t i = 0; i < count; i++) {
        const struct json_pointer pointer = {.up = site->pointer, .index = i};
        const struct contract_site part = part_site(site, json_at(site->value, i), &pointer);
        list->items[list->count++] = contract_load_schema(&part);
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct contract_row *one = a;
    const struct contract_row *other = b;
    return strcmp(one->key, other->key);
}

static void read_table(const struct contract_site *site, void *slot)
{
    struct contract_table *table = slot;
    if (!is_kind(site, JSON_KIND_OBJECT, "object of schemas"))
        return;
    void *iter = NULL;
    struct json_pointer pointer = {.up = site->pointer};
    const struct json *value = NULL;
    table->rows = xcalloc(json_count(site->value) + 1, sizeof(*table->rows));
    while (json_next(site->value, &iter, &pointer.key, &value)) {
        const struct contract_site part = part_site(site, value, &pointer);
        table->rows[table->count++] =
            (struct contract_row){.key = pointer.key, .schema = contract_load_schema(&part)};
    }
    qsort(table->rows, table->count, sizeof(*table->rows), compare_rows);
}

/* Reads definitions, which only references use. */
static void read_definitions(const struct contract_site *site, void *slot)
{
    (void)slot;
    struct contract_table table = {0};
    read_table(site, &table);
    free(table.rows);
}

static struct contract_pattern *open_pattern(const struct contract_site *site, const char *text,
                                             size_t len)
{
    struct contract_pattern *pattern = NULL;
    struct err err = {0};
    if (contract_pattern_open(&pattern, text, len, &err))
        return pattern;
    struct str message = {0};
    str_addf(&message, "the pattern cannot be compiled: %s", err.message);
    contract_complain(site, NULL, str_text(&message));
    str_done(&message);
    return NULL;
}

static void read_pattern(const struct contract_site *site, void *slot)
{
    struct contract_pattern **pattern = slot;
    size_t len = 0;
    const char *text = json_bytes(site->value, &len);
    if (is_kind(site, JSON_KIND_STRING, "string"))
        *pattern = open_pattern(site, text, len);
}

static void read_patterns(const struct contract_site *site, void *slot)
{
    struct contract_patterns *patterns = slot;
    if (!is_kind(site, JSON_KIND_OBJECT, "object of schemas"))
        return;
    void *iter = NULL;
    struct json_pointer pointer = {.up = site->pointer};
    const struct json *value = NULL;
    patterns->rows = xcalloc(json_count(site->value) + 1, sizeof(*patterns->rows));
    while (json_next(site->value, &iter, &pointer.key, &value)) {
        const struct contract_site part = part_site(site, value, &pointer);
        patterns->rows[patterns->count++] = (struct contract_patterned){
            .pattern = open_pattern(&part, pointer.key, strlen(pointer.key)),
            .schema = contract_load_schema(&part),
        };
    }
}

static bool is_number(const struct json *value)
{
    return json_kind(value) == JSON_KIND_INTEGER || json_kind(value) == JSON_KIND_REAL;
}

static void read_bound(const struct contract_site *site, void *slot)
{
    struct contract_bound *bound = slot;
    if (is_number(site->value))
        *bound = (struct contract_bound){.is_set = true, .value = decimal_of(site->value)};
    else
        contract_complain_type(site, "number", "wrong type");
}

static void read_multiple(const struct contract_site *site, void *slot)
{
    struct contract_bound *bound = slot;
    const struct contract_bound none = {0};
    read_bound(site, slot);
    if (!bound->is_set || (bound->value.digits > 0 && !bound->value.negative))
        return;
    contract_complain(site, "more than 0", "out of range");
    *bound = none;
}

static const char count_words[] = "a whole number of at least 0";

static void read_count(const struct contract_site *site, void *slot)
{
    int64_t *count = slot;
    struct contract_bound bound = {0};
    if (!is_number(site->value)) {
        contract_complain_type(site, count_words, "wrong type");
        return;
    }
    read_bound(site, &bound);
    const bool is_count = bound.is_set && decimal_is_integer(bound.value) && !bound.value.negative;
    if (is_count)
        *count = decimal_count(bound.value);
    else
        contract_complain(site, count_words, "out of range");
}

static void read_bool(const struct contract_site *site, void *slot)
{
    bool *flag = slot;
    const enum json_kind kind = json_kind(site->value);
    if (kind != JSON_KIND_TRUE && kind != JSON_KIND_FALSE)
        contract_complain_type(site, "boolean", "wrong type");
    *flag = kind == JSON_KIND_TRUE;
}

static void read_value(const struct contract_site *site, void *slot)
{
    const struct json **value = slot;
    *value = site->value;
}

static void read_array(const struct contract_site *site, void *slot)
{
    if (is_kind(site, JSON_KIND_ARRAY, "array"))
        read_value(site, slot);
}

/* Stores the index of a repeated element, then stops: one report is enough. */
static bool note_equal(void *ctx, size_t first, size_t second)
{
    (void)first;
    *(size_t *)ctx = second;
    return false;
}

/* Checks that the names in a list differ (validation, 6.1.1 and 6.5.3). */
static void check_unique(const struct contract_site *site)
{
    int64_t steps = INT64_MAX;
    struct json_pointer pointer = {.up = site->pointer};
    if (contract_all_differ(site->value, note_equal, &pointer.index, &steps))
        return;
    const struct contract_site part =
        part_site(site, json_at(site->value, pointer.index), &pointer);
    contract_complain(&part, NULL, "elements must be unique");
}

static void read_names(const struct contract_site *site, void *slot)
{
    if (!is_kind(site, JSON_KIND_ARRAY, "array of strings"))
        return;
    for (size_t i = 0; i < json_count(site->value); i++) {
        const struct json_pointer pointer = {.up = site->pointer, .index = i};
        const struct contract_site part = part_site(site, json_at(site->value, i), &pointer);
        if (json_kind(part.value) != JSON_KIND_STRING)
            contract_complain_type(&part, "string", "not a name");
        else if (!contract_plain_text(part.value))
            contract_complain(&part, "a string without U+0000", "not a name");
    }
    check_unique(site);
    read_value(site, slot);
}

static void read_names_by_name(const struct contract_site *site, void *slot)
{
    if (!is_kind(site, JSON_KIND_OBJECT, "object of arrays of strings"))
        return;
    void *iter = NULL;
    struct json_pointer pointer = {.up = site->pointer};
    const struct json *value = NULL;
    while (json_next(site->value, &iter, &pointer.key, &value)) {
        const struct contract_site part = part_site(site, value, &pointer);
        const struct json *names = NULL;
        read_names(&part, &names);
    }
    read_value(site, slot);
}

static void read_type(const struct contract_site *site, void *slot)
{
    unsigned *types = slot;
    const char *name = contract_plain_text(site->value);
    if (json_kind(site->value) != JSON_KIND_STRING) {
        contract_complain_type(site, contract_type_all, "wrong type");
        return;
    }
    unsigned type = 0;
    for (size_t i = 0; name && i < ARRAY_LEN(type_names); i++) {
        if (strcmp(type_names[i].name, name) == 0)
            type = type_names[i].type;
    }
    if (type == 0)
        contract_complain(site, contract_type_all, "unknown type");
    *types |= type;
}

static void read_types(const struct contract_site *site, void *slot)
{
    if (json_kind(site->value) != JSON_KIND_ARRAY) {
        read_type(site, slot);
        return;
    }
    if (json_count(site->value) == 0)
        contract_complain(site, "at least one type", "must not be empty");
    for (size_t i = 0; i < json_count(site->value); i++) {
        const struct json_pointer pointer = {.up = site->pointer, .index = i};
        const struct contract_site part = part_site(site, json_at(site->value, i), &pointer);
        read_type(&part, slot);
    }
    check_unique(site);
}

static void read_reference(const struct contract_site *site, void *slot)
{
    const char **reference = slot;
    struct str pointer = {0};
    *reference = contract_plain_text(site->value);
    if (!*reference) {
        contract_complain_type(site, "string", "not a URI");
        return;
    }
    json_pointer_add(&pointer, site->pointer, VIOLATION_PATH_MAX);
    site->schema->pointer = xstrdup(str_text(&pointer));
    str_done(&pointer);
}

/* Checks keywords that inform people or programs and do not affect validation. */
static void read_note(const struct contract_site *site, void *slot)
{
    (void)slot;
    (void)is_kind(site, JSON_KIND_STRING, "string");
}

static void read_mark(const struct contract_site *site, void *slot)
{
    bool unused = false;
    (void)slot;
    read_bool(site, &unused);
}

static void read_examples(const struct contract_site *site, void *slot)
{
    (void)slot;
    (void)is_kind(site, JSON_KIND_ARRAY, "array");
}

/* Reads a description of a string's content, which is not checked. */
static void read_content(const struct contract_site *site, void *slot)
{
    const enum json_kind kind = json_kind(site->value);
    (void)slot;
    if (kind != JSON_KIND_OBJECT && kind != JSON_KIND_TRUE && kind != JSON_KIND_FALSE)
        contract_complain_type(site, "object or boolean", "not a schema");
}

/* Accepts any value, or one that has been read already. */
static void read_nothing(const struct contract_site *site, void *slot)
{
    (void)site;
    (void)slot;
}

#define MEMBER(name) offsetof(struct contract_schema, name)

/* Keep alphabetical. */
static const struct keyword {
    const char *name;
    keyword_fn *read;
    size_t member;
} keywords[] = {
    {"$anchor", read_nothing, 0},
    {"$comment", read_note, 0},
    {"$defs", read_definitions, 0},
    {"$id", read_nothing, 0},
    {"$ref", read_reference, MEMBER(reference)},
    {"$schema", read_nothing, 0},
    {"additionalProperties", read_schema, MEMBER(additional)},
    {"allOf", read_list, MEMBER(all_of)},
    {"anyOf", read_list, MEMBER(any_of)},
    {"const", read_value, MEMBER(constant)},
    {"contains", read_schema, MEMBER(contains)},
    {"contentEncoding", read_note, 0},
    {"contentMediaType", read_note, 0},
    {"contentSchema", read_content, 0},
    {"default", read_nothing, 0},
    {"dependentRequired", read_names_by_name, MEMBER(dependent_required)},
    {"dependentSchemas", read_table, MEMBER(dependent_schemas)},
    {"deprecated", read_mark, 0},
    {"description", read_note, 0},
    {"else", read_schema, MEMBER(else_this)},
    {"enum", read_array, MEMBER(choices)},
    {"examples", read_examples, 0},
    {"exclusiveMaximum", read_bound, MEMBER(exclusive_maximum)},
    {"exclusiveMinimum", read_bound, MEMBER(exclusive_minimum)},
    {"format", read_note, 0},
    {"if", read_schema, MEMBER(condition)},
    {"items", read_schema, MEMBER(items)},
    {"maxContains", read_count, MEMBER(contained.max)},
    {"maxItems", read_count, MEMBER(elements.max)},
    {"maxLength", read_count, MEMBER(length.max)},
    {"maxProperties", read_count, MEMBER(members.max)},
    {"maximum", read_bound, MEMBER(maximum)},
    {"minContains", read_count, MEMBER(contained.min)},
    {"minItems", read_count, MEMBER(elements.min)},
    {"minLength", read_count, MEMBER(length.min)},
    {"minProperties", read_count, MEMBER(members.min)},
    {"minimum", read_bound, MEMBER(minimum)},
    {"multipleOf", read_multiple, MEMBER(multiple_of)},
    {"not", read_schema, MEMBER(not_this)},
    {"oneOf", read_list, MEMBER(one_of)},
    {"pattern", read_pattern, MEMBER(pattern)},
    {"patternProperties", read_patterns, MEMBER(patterns)},
    {"prefixItems", read_list, MEMBER(prefix_items)},
    {"properties", read_table, MEMBER(properties)},
    {"propertyNames", read_schema, MEMBER(names)},
    {"readOnly", read_mark, 0},
    {"required", read_names, MEMBER(required)},
    {"then", read_schema, MEMBER(then_this)},
    {"title", read_note, 0},
    {"type", read_types, MEMBER(types)},
    {"uniqueItems", read_bool, MEMBER(unique)},
    {"writeOnly", read_mark, 0},
};

void contract_load_keyword(const struct contract_site *site, const char *keyword)
{
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
        if (strcmp(keywords[i].name, keyword) == 0) {
            char *schema = (char *)site->schema;
            keywords[i].read(site, schema + keywords[i].member);
            return;
        }
    }

    struct near_word near = near_word_new(keyword);
    struct str message = {0};
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        near_word_offer(&near, keywords[i].name);
    str_add(&message, "unsupported keyword");
    if (near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    contract_complain(site, NULL, str_text(&message));
    str_done(&message);
}
