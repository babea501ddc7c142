/* contract_load.c - a schema from its JSON. */
#include "contract_loading.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "contract_uri.h"
#include "str.h"
#include "xalloc.h"

enum {
    SHOWN_MAX = 60,   /* bytes of a value that are shown */
    NAMED_MAX = 1000, /* schemas with $id, and with $anchor */
};

static const char *const draft_uri = "https://json-schema.org/draft/2020-12/schema";

static void complain(const struct contract_site *site, enum violation_code code,
                     const char *expected, const char *message)
{
    struct str path = {0};
    char *shown = expected ? json_brief(site->value, SHOWN_MAX) : NULL;
    json_pointer_add(&path, site->pointer, VIOLATION_PATH_MAX);
    violations_add(site->loader->wrong, code, str_text(&path), message, expected, shown);
    site->loader->failed = true;
    free(shown);
    str_done(&path);
}

void contract_complain(const struct contract_site *site, const char *expected, const char *message)
{
    complain(site, VIOLATION_INVALID_VALUE, expected, message);
}

void contract_complain_type(const struct contract_site *site, const char *expected,
                            const char *message)
{
    const bool is_whole = !site->pointer->up;
    complain(site, is_whole ? VIOLATION_NOT_OBJECT : VIOLATION_WRONG_TYPE, expected, message);
}

const char *contract_plain_text(const struct json *value)
{
    size_t len = 0;
    const char *text = json_bytes(value, &len);
    return text && strlen(text) == len ? text : NULL;
}

static size_t add_resource(struct contract *contract, const char *uri, struct contract_schema *root)
{
    contract->resources = xgrow(contract->resources, &contract->resource_cap,
                                contract->resource_count + 1, sizeof(*contract->resources));
    contract->resources[contract->resource_count] =
        (struct contract_resource){.uri = xstrdup(uri), .root = root};
    return contract->resource_count++;
}

static bool has_resource(const struct contract *contract, const char *uri)
{
    for (size_t i = 0; i < contract->resource_count; i++) {
        if (strcmp(contract->resources[i].uri, uri) == 0)
            return true;
    }
    return false;
}

/* A schema with $id begins a resource of its own; so does the whole. */
static void read_id(const struct contract_site *site, struct contract_schema *schema)
{
    struct contract *contract = site->loader->contract;
    const struct json *id = json_get(site->value, "$id");
    const bool is_whole = contract->resource_count == 0;
    if (!id) {
        if (is_whole)
            schema->resource = add_resource(contract, "", schema);
        return;
    }
    const struct json_pointer pointer = {.up = site->pointer, .key = "$id"};
    struct contract_site id_site = *site;
    id_site.value = id;
    id_site.pointer = &pointer;
    struct str uri = {0};
    struct str fragment = {0};
    const char *text = contract_plain_text(id);
    const char *base = is_whole ? "" : contract->resources[schema->resource].uri;
    if (!text)
        contract_complain_type(&id_site, "string", "no URI");
    else if (!contract_uri_resolve(base, text, &uri, &fragment))
        contract_complain(&id_site, NULL, "the URI is too long");
    else if (fragment.len > 0)
        contract_complain(&id_site, NULL, "must not have a fragment; $anchor is for that");
    else if (has_resource(contract, str_text(&uri)))
        contract_complain(&id_site, NULL, "another schema has this $id");
    else if (contract->resource_count == NAMED_MAX)
        contract_complain(&id_site, NULL, "too many schemas have an $id");
    if (contract->resource_count < NAMED_MAX)
        schema->resource = add_resource(contract, str_text(&uri), schema);
    str_done(&uri);
    str_done(&fragment);
}

static bool is_anchor_name(const char *name)
{
    static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-_.";
    const bool starts_well = name[0] != '\0' && !strchr("0123456789-.", name[0]);
    return starts_well && strspn(name, chars) == strlen(name);
}

static bool has_anchor(const struct contract *contract, size_t resource, const char *name)
{
    for (size_t i = 0; i < contract->anchor_count; i++) {
        const struct contract_anchor *anchor = &contract->anchors[i];
        if (anchor->resource == resource && strcmp(anchor->name, name) == 0)
            return true;
    }
    return false;
}

static void read_anchor(const struct contract_site *site, struct contract_schema *schema)
{
    struct contract *contract = site->loader->contract;
    const struct json *anchor = json_get(site->value, "$anchor");
    if (!anchor)
        return;
    const struct json_pointer pointer = {.up = site->pointer, .key = "$anchor"};
    struct contract_site anchor_site = *site;
    anchor_site.value = anchor;
    anchor_site.pointer = &pointer;
    const char *name = contract_plain_text(anchor);
    if (!name || !is_anchor_name(name)) {
        contract_complain(&anchor_site, "a name: [A-Za-z_][A-Za-z0-9_.-]*", "wrong anchor");
        return;
    }
    if (has_anchor(contract, schema->resource, name))
        contract_complain(&anchor_site, NULL, "another schema has this $anchor");
    if (contract->anchor_count == NAMED_MAX) {
        contract_complain(&anchor_site, NULL, "too many schemas have an $anchor");
        return;
    }
    contract->anchors = xgrow(contract->anchors, &contract->anchor_cap, contract->anchor_count + 1,
                              sizeof(*contract->anchors));
    contract->anchors[contract->anchor_count++] =
        (struct contract_anchor){.resource = schema->resource, .name = name, .schema = schema};
}

static void read_draft(const struct contract_site *site)
{
    const struct json *draft = json_get(site->value, "$schema");
    const struct json_pointer pointer = {.up = site->pointer, .key = "$schema"};
    const char *text = json_text(draft, "");
    const size_t len = strlen(draft_uri);
    const bool is_ours =
        strncmp(text, draft_uri, len) == 0 && (text[len] == '\0' || strcmp(text + len, "#") == 0);
    if (!draft || is_ours)
        return;
    struct contract_site draft_site = *site;
    draft_site.value = draft;
    draft_site.pointer = &pointer;
    contract_complain(&draft_site, draft_uri, "another draft of JSON Schema");
}

static void read_keywords(const struct contract_site *site, struct contract_schema *schema)
{
    struct json_pointer pointer = {.up = site->pointer};
    struct contract_site keyword = *site;
    void *iter = NULL;
    keyword.schema = schema;
    keyword.pointer = &pointer;
    keyword.depth++;
    while (json_next(site->value, &iter, &pointer.key, &keyword.value))
        contract_load_keyword(&keyword, pointer.key);
}

static bool is_within_limits(const struct contract_site *site)
{
    struct contract_loader *loader = site->loader;
    if (site->depth > CONTRACT_NESTING_MAX) {
        contract_complain(site, NULL, "schemas are nested too deeply");
        return false;
    }
    if (loader->contract->schema_count > CONTRACT_SCHEMAS_MAX && !loader->full) {
        loader->full = true;
        contract_complain(site, NULL, "too many schemas");
    }
    return !loader->full;
}

/* Does the check have anything to do for what it does in contract_combined.c? */
static bool combines(const struct contract_schema *schema)
{
    const size_t count = schema->all_of.count + schema->any_of.count + schema->one_of.count +
                         schema->dependent_schemas.count;
    return count > 0 || schema->reference || schema->not_this || schema->condition;
}

struct contract_schema *contract_load_schema(const struct contract_site *site)
{
    const enum json_kind kind = json_kind(site->value);
    struct contract_schema *schema = contract_schema_new(site->loader->contract, site->value);
    if (site->schema)
        schema->resource = site->schema->resource;
    if (!is_within_limits(site))
        return schema;
    if (kind == JSON_KIND_OBJECT) {
        read_draft(site);
        read_id(site, schema);
        read_anchor(site, schema);
        read_keywords(site, schema);
        schema->combines = combines(schema);
    } else if (kind != JSON_KIND_TRUE && kind != JSON_KIND_FALSE) {
        contract_complain_type(site, "object or boolean", "a schema is expected");
    }
    return schema;
}

/* Takes the document, also when it fails. */
static bool load(struct json *document, struct contract **out, struct violations *wrong)
{
    struct contract *contract = xcalloc(1, sizeof(*contract));
    struct contract_loader loader = {.contract = contract, .wrong = wrong};
    const struct json_pointer root = {0};
    const struct contract_site site = {.loader = &loader, .value = document, .pointer = &root};
    contract->document = document;
    contract->root = contract_load_schema(&site);
    if (!loader.failed)
        contract_load_references(&loader);
    if (loader.failed)
        contract_free(contract);
    else
        *out = contract;
    return !loader.failed;
}

void contract_for_text(contract_text_fn *check, const void *ctx, struct contract **out)
{
    static const char anything[] = "true";
    bool is_loaded = contract_load(anything, strlen(anything), out, NULL);
    assert(is_loaded);
    (*out)->text_check = check;
    (*out)->text_ctx = ctx;
}

bool contract_load(const char *text, size_t len, struct contract **out, struct violations *wrong)
{
    struct json *document = NULL;
    struct json_place place = {0};
    struct err err = {0};
    struct str message = {0};
    if (len > CONTRACT_BYTES_MAX) {
        str_addf(&message, "more than %d KiB", CONTRACT_BYTES_MAX / 1024);
        violations_add(wrong, VIOLATION_INVALID_VALUE, "", str_text(&message), NULL, NULL);
    } else if (!json_parse_data(text, len, &document, &place, &err)) {
        str_addf(&message, "line %d, column %d: %s", place.line, place.column, err.message);
        violations_add(wrong, VIOLATION_NOT_JSON, "", str_text(&message), NULL, NULL);
    }
    str_done(&message);
    return document && load(document, out, wrong);
}

bool contract_load_json(const struct json *schema, struct contract **out, struct violations *wrong)
{
    return load(json_clone(schema), out, wrong);
}
