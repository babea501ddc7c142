/* contract_references.c - $ref and its anchors, found when a schema is loaded. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contract_loading.h"
#include "contract_uri.h"
#include "str.h"
#include "xalloc.h"

enum { REFERENCE_SHOWN_MAX = 200 }; /* bytes */

/* Schemas by where they stand in the document, sorted. */
struct directory {
    struct entry {
        uintptr_t place;
        struct contract_schema *schema;
    } * entries; /* owned */
    size_t count;
};

static void complain(struct contract_loader *loader, const char *pointer, const char *message)
{
    violations_add(loader->wrong, VIOLATION_INVALID_VALUE, pointer, message, NULL, NULL);
    loader->failed = true;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *one = a;
    const struct entry *other = b;
    return one->place < other->place ? -1 : one->place > other->place;
}

static struct directory directory_of(const struct contract *contract)
{
    struct directory directory = {.count = contract->schema_count};
    directory.entries = xcalloc(directory.count, sizeof(*directory.entries));
    for (size_t i = 0; i < directory.count; i++) {
        struct contract_schema *schema = contract->schemas[i];
        directory.entries[i] = (struct entry){.place = (uintptr_t)schema->json, .schema = schema};
    }
    qsort(directory.entries, directory.count, sizeof(*directory.entries), compare_entries);
    return directory;
}

/* The JSON library has but one `true` and one `false`, so these stand nowhere; but all schemas
 * that are `true` are alike. */
static struct contract_schema *schema_at(struct contract *contract,
                                         const struct directory *directory, const struct json *json)
{
    const struct entry wanted = {.place = (uintptr_t)json};
    if (json_kind(json) == JSON_KIND_TRUE || json_kind(json) == JSON_KIND_FALSE)
        return contract_schema_new(contract, json);
    const struct entry *found =
        bsearch(&wanted, directory->entries, directory->count, sizeof(wanted), compare_entries);
    return found ? found->schema : NULL;
}

static struct contract_schema *anchored(const struct contract *contract, size_t resource,
                                        const char *name)
{
    for (size_t i = 0; i < contract->anchor_count; i++) {
        const struct contract_anchor *anchor = &contract->anchors[i];
        if (anchor->resource == resource && strcmp(anchor->name, name) == 0)
            return anchor->schema;
    }
    return NULL;
}

static struct contract_schema *find_target(struct contract *contract,
                                           const struct directory *directory, const char *uri,
                                           const char *fragment)
{
    for (size_t i = 0; i < contract->resource_count; i++) {
        struct contract_schema *root = contract->resources[i].root;
        if (strcmp(contract->resources[i].uri, uri) != 0)
            continue;
        if (*fragment == '\0')
            return root;
        if (*fragment != '/')
            return anchored(contract, i, fragment);
        const struct json *json = json_pointer_find(root->json, fragment);
        return json ? schema_at(contract, directory, json) : NULL;
    }
    return NULL;
}

static bool has_document(const struct contract *contract, const char *uri)
{
    for (size_t i = 0; i < contract->resource_count; i++) {
        if (strcmp(contract->resources[i].uri, uri) == 0)
            return true;
    }
    return false;
}

/* Nothing is there, or it is outside of the contract, where nothing is looked for. */
static void complain_target(struct contract_loader *loader, const struct contract_schema *schema,
                            const char *uri)
{
    const bool is_inside = has_document(loader->contract, uri);
    const char *words = is_inside
                            ? "there is no such schema in this contract"
                            : "only references within the contract are followed, other documents "
                              "are not read";
    char *shown = json_brief(json_get(schema->json, "$ref"), REFERENCE_SHOWN_MAX);
    violations_add(loader->wrong, VIOLATION_INVALID_VALUE, schema->pointer, words,
                   "the place, $anchor or $id of a schema in it", shown);
    loader->failed = true;
    free(shown);
}

static void find_reference(struct contract_loader *loader, const struct directory *directory,
                           struct contract_schema *schema)
{
    struct contract *contract = loader->contract;
    struct str uri = {0};
    struct str fragment = {0};
    const char *base = contract->resources[schema->resource].uri;
    const bool is_short = contract_uri_resolve(base, schema->reference, &uri, &fragment);
    if (is_short)
        schema->target = find_target(contract, directory, str_text(&uri), str_text(&fragment));
    if (!is_short)
        complain(loader, schema->pointer, "the URI is too long");
    else if (!schema->target)
        complain_target(loader, schema, str_text(&uri));
    str_done(&uri);
    str_done(&fragment);
}

/* The schemas that are applied on the way to where the walk is. */
struct chain {
    struct contract_loader *loader;
    struct contract_schema *schemas[CONTRACT_CHAIN_MAX];
    int count;
};

enum { ON_THE_WAY = -1 }; /* instead of a length */

static int longest(struct chain *chain, struct contract_schema *schema);

static int longer(int length, struct chain *chain, struct contract_schema *schema)
{
    const int other = schema && !chain->loader->failed ? longest(chain, schema) : 0;
    return other > length ? other : length;
}

static int longest_of_list(int length, struct chain *chain, const struct contract_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        length = longer(length, chain, list->items[i]);
    return length;
}

/* The last $ref on the way is named; where there is none, the whole contract. */
static int complain_chain(const struct chain *chain, const char *message)
{
    const char *pointer = "";
    for (int i = 0; i < chain->count; i++) {
        if (chain->schemas[i]->target)
            pointer = chain->schemas[i]->pointer;
    }
    complain(chain->loader, pointer, message);
    return 0;
}

/* How many schemas apply to a value through this one, itself counted, one within the other. A
 * schema that applies to the same value through itself would never end. */
static int longest(struct chain *chain, struct contract_schema *schema)
{
    if (schema->chain > 0)
        return schema->chain;
    if (schema->chain == ON_THE_WAY)
        return complain_chain(chain, "the reference goes in circles: it applies to the same value "
                                     "for ever");
    if (chain->count == CONTRACT_CHAIN_MAX)
        return complain_chain(chain, "too many references, one after the other");
    chain->schemas[chain->count++] = schema;
    schema->chain = ON_THE_WAY;
    int length = longer(0, chain, schema->target);
    length = longest_of_list(length, chain, &schema->all_of);
    length = longest_of_list(length, chain, &schema->any_of);
    length = longest_of_list(length, chain, &schema->one_of);
    length = longer(length, chain, schema->not_this);
    length = longer(length, chain, schema->condition);
    length = longer(length, chain, schema->then_this);
    length = longer(length, chain, schema->else_this);
    for (size_t i = 0; i < schema->dependent_schemas.count; i++)
        length = longer(length, chain, schema->dependent_schemas.rows[i].schema);
    schema->chain = length + 1;
    chain->count--;
    if (schema->chain > CONTRACT_CHAIN_MAX && !chain->loader->failed)
        return complain_chain(chain, "too many references, one after the other");
    return schema->chain;
}

void contract_load_references(struct contract_loader *loader)
{
    struct contract *contract = loader->contract;
    struct directory directory = directory_of(contract);
    const size_t count = contract->schema_count;
    for (size_t i = 0; i < count; i++) {
        if (contract->schemas[i]->reference)
            find_reference(loader, &directory, contract->schemas[i]);
    }
    free(directory.entries);
    struct chain chain = {.loader = loader};
    for (size_t i = 0; i < count && !loader->failed; i++)
        (void)longest(&chain, contract->schemas[i]);
}
