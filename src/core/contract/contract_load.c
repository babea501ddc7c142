/* contract_load.c - loads a schema from JSON. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "contract_internal.h"
#include "parse.h"
#include "str.h"
#include "xalloc.h"

struct part {
    const char *text;
    size_t len;
    bool is_there;
};

struct uri {
    struct part scheme, authority, path, query, fragment;
};

static struct part uri_part(const char *text, size_t len)
{
    return (struct part){.text = text, .len = len, .is_there = true};
}

static struct uri parse_uri(const char *text)
{
    static const char scheme_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789+-.";
    struct uri uri = {0};
    const size_t scheme = strspn(text, scheme_chars);
    if (ascii_is_letter(text[0]) && text[scheme] == ':') {
        uri.scheme = uri_part(text, scheme);
        text += scheme + 1;
    }
    if (strncmp(text, "//", 2) == 0) {
        uri.authority = uri_part(text + 2, strcspn(text + 2, "/?#"));
        text += 2 + uri.authority.len;
    }
    uri.path = uri_part(text, strcspn(text, "?#"));
    text += uri.path.len;
    if (*text == '?') {
        uri.query = uri_part(text + 1, strcspn(text + 1, "#"));
        text += 1 + uri.query.len;
    }
    if (*text == '#')
        uri.fragment = uri_part(text + 1, strlen(text + 1));
    return uri;
}

/* Appends the path without dot segments (RFC 3986, 5.2.4): copies one segment at a time, with the
 * '/' before it. A path without a leading '/' gets none. */
static void add_without_dots(struct str *out, const char *path, size_t len)
{
    const size_t start = out->len;
    size_t at = 0;
    while (at < len) {
        const size_t slash = path[at] == '/' ? 1 : 0;
        size_t end = at + slash;
        while (end < len && path[end] != '/')
            end++;
        const char *name = path + at + slash;
        const size_t name_len = end - at - slash;
        const bool is_up = name_len == 2 && memcmp(name, "..", 2) == 0;
        const bool is_here = name_len == 1 && *name == '.';
        if (is_up) { /* removes the last segment and the '/' before it */
            size_t kept = out->len;
            while (kept > start && out->data[kept - 1] != '/')
                kept--;
            str_cut(out, kept > start ? kept - 1 : kept);
        }
        const size_t skipped = out->len == start && path[0] != '/' ? slash : 0;
        if (!is_up && !is_here)
            str_add_n(out, path + at + skipped, end - at - skipped);
        else if (end == len && slash == 1)
            str_add_n(out, "/", 1 - skipped);
        at = end;
    }
}

static void add_part(struct str *out, const char *before, struct part part, const char *behind)
{
    if (!part.is_there)
        return;
    str_add(out, before);
    str_add_n(out, part.text, part.len);
    str_add(out, behind);
}

/* Appends the reference, resolved against `base` (RFC 3986, 5.2.2). */
static void add_resolved(struct str *out, const struct uri *base, const struct uri *reference)
{
    if (reference->scheme.is_there || reference->authority.is_there) {
        const struct uri *from = reference->scheme.is_there ? reference : base;
        add_part(out, "", from->scheme, ":");
        add_part(out, "//", reference->authority, "");
        add_without_dots(out, reference->path.text, reference->path.len);
        add_part(out, "?", reference->query, "");
        return;
    }
    add_part(out, "", base->scheme, ":");
    add_part(out, "//", base->authority, "");

    struct str path = {0};
    if (reference->path.len == 0) {
        str_add_n(&path, base->path.text, base->path.len);
    } else if (reference->path.text[0] == '/') {
        str_add_n(&path, reference->path.text, reference->path.len);
    } else {
        const bool is_bare = base->authority.is_there && base->path.len == 0;
        size_t directory = base->path.len;
        while (directory > 0 && base->path.text[directory - 1] != '/')
            directory--;
        str_add(&path, is_bare ? "/" : "");
        str_add_n(&path, base->path.text, directory);
        str_add_n(&path, reference->path.text, reference->path.len);
    }
    add_without_dots(out, str_text(&path), path.len);
    str_done(&path);

    const bool keeps_query = reference->path.len == 0 && !reference->query.is_there;
    add_part(out, "?", keeps_query ? base->query : reference->query, "");
}

/* Appends the part with its percent escapes decoded. Leaves %00 as it is, because no key contains
 * U+0000. */
static void add_decoded(struct str *out, struct part part)
{
    for (size_t i = 0; i < part.len; i++) {
        const bool is_code = part.text[i] == '%' && i + 2 < part.len;
        const int high = is_code ? parse_hex_digit(part.text[i + 1]) : -1;
        const int low = is_code ? parse_hex_digit(part.text[i + 2]) : -1;
        if (high < 0 || low < 0 || high + low == 0) {
            str_add_char(out, part.text[i]);
            continue;
        }
        str_add_char(out, (char)(high * 16 + low));
        i += 2;
    }
}

bool contract_uri_resolve(const char *base, const char *reference, struct str *out,
                          struct str *fragment)
{
    if (strlen(reference) > CONTRACT_URI_MAX)
        return false;
    const struct uri from = parse_uri(base);
    const struct uri to = parse_uri(reference);
    const size_t start = out->len;
    add_resolved(out, &from, &to);
    add_decoded(fragment, to.fragment);
    return out->len - start <= CONTRACT_URI_MAX;
}

enum { REFERENCE_SHOWN_MAX = 200 }; /* maximum bytes of a reference in a message */

/* Schemas sorted by their position in the document. */
struct directory {
    struct entry {
        uintptr_t place;
        struct contract_schema *schema;
    } * entries; /* owned */
    size_t count;
};

static void complain_of_pointer(struct contract_loader *loader, const char *pointer,
                                const char *message)
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

/* Adds an empty schema to the contract. */
static struct contract_schema *add_schema(struct contract *contract, const struct json *json)
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

static struct contract_schema *anchored_schema(const struct contract *contract, size_t resource,
                                               const char *name)
{
    for (size_t i = 0; i < contract->anchor_count; i++) {
        const struct contract_anchor *anchor = &contract->anchors[i];
        if (anchor->resource == resource && strcmp(anchor->name, name) == 0)
            return anchor->schema;
    }
    return NULL;
}

/* Returns the index of the resource with that URI; `resource_count` if there is none. */
static size_t find_resource(const struct contract *contract, const char *uri)
{
    size_t i = 0;
    while (i < contract->resource_count && strcmp(contract->resources[i].uri, uri) != 0)
        i++;
    return i;
}

static struct contract_schema *find_target(struct contract *contract,
                                           const struct directory *directory, const char *uri,
                                           const char *fragment)
{
    const size_t resource = find_resource(contract, uri);
    if (resource == contract->resource_count)
        return NULL;
    struct contract_schema *root = contract->resources[resource].root;
    if (*fragment == '\0')
        return root;
    if (*fragment != '/')
        return anchored_schema(contract, resource, fragment);
    const struct json *json = json_pointer_find(root->json, fragment);
    if (!json)
        return NULL;
    /* All `true` values are one object without a position of its own, but all schemas that are
     * `true` are equal. The same goes for `false`. */
    if (json_kind(json) == JSON_KIND_TRUE || json_kind(json) == JSON_KIND_FALSE)
        return add_schema(contract, json);
    const struct entry wanted = {.place = (uintptr_t)json};
    const struct entry *found =
        bsearch(&wanted, directory->entries, directory->count, sizeof(wanted), compare_entries);
    return found ? found->schema : NULL;
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
    if (!is_short) {
        complain_of_pointer(loader, schema->pointer, "the URI is too long");
    } else if (!schema->target) {
        /* There is no such schema, or it is outside of the contract, which is not searched. */
        const bool is_inside = find_resource(contract, str_text(&uri)) < contract->resource_count;
        const char *words =
            is_inside ? "no such schema in this contract"
                      : "the reference must be within the contract; other documents are not read";
        char *shown = json_brief(json_get(schema->json, "$ref"), REFERENCE_SHOWN_MAX);
        violations_add(loader->wrong, VIOLATION_INVALID_VALUE, schema->pointer, words,
                       "the path, $anchor or $id of a schema in this contract", shown);
        loader->failed = true;
        free(shown);
    }
    str_done(&uri);
    str_done(&fragment);
}

/* The chain of schemas that leads to the current one. */
struct chain {
    struct contract_loader *loader;
    struct contract_schema *schemas[CONTRACT_CHAIN_MAX];
    int count;
};

enum { ON_THE_WAY = -1 }; /* value of contract_schema.chain while it is being computed */

static int longest_chain(struct chain *chain, struct contract_schema *schema);

static int longer_chain(int length, struct chain *chain, struct contract_schema *schema)
{
    const int other = schema && !chain->loader->failed ? longest_chain(chain, schema) : 0;
    return other > length ? other : length;
}

static int longest_of_list(int length, struct chain *chain, const struct contract_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        length = longer_chain(length, chain, list->items[i]);
    return length;
}

/* Reports an error at the last $ref of the chain, or at the root. */
static int complain_chain(const struct chain *chain, const char *message)
{
    const char *pointer = "";
    for (int i = 0; i < chain->count; i++) {
        if (chain->schemas[i]->target)
            pointer = chain->schemas[i]->pointer;
    }
    complain_of_pointer(chain->loader, pointer, message);
    return 0;
}

/* Returns how many schemas apply to a value through this one, including itself. Reports an error if
 * a schema applies to the same value through itself, which would never end. */
static int longest_chain(struct chain *chain, struct contract_schema *schema)
{
    if (schema->chain > 0)
        return schema->chain;
    if (schema->chain == ON_THE_WAY)
        return complain_chain(chain, "the reference is circular: it applies to the same value "
                                     "forever");
    if (chain->count == CONTRACT_CHAIN_MAX)
        return complain_chain(chain, "the chain of references is too long");
    chain->schemas[chain->count++] = schema;
    schema->chain = ON_THE_WAY;
    int length = longer_chain(0, chain, schema->target);
    length = longest_of_list(length, chain, &schema->all_of);
    length = longest_of_list(length, chain, &schema->any_of);
    length = longest_of_list(length, chain, &schema->one_of);
    length = longer_chain(length, chain, schema->not_this);
    length = longer_chain(length, chain, schema->condition);
    length = longer_chain(length, chain, schema->then_this);
    length = longer_chain(length, chain, schema->else_this);
    for (size_t i = 0; i < schema->dependent_schemas.count; i++)
        length = longer_chain(length, chain, schema->dependent_schemas.rows[i].schema);
    schema->chain = length + 1;
    chain->count--;
    if (schema->chain > CONTRACT_CHAIN_MAX && !chain->loader->failed)
        return complain_chain(chain, "the chain of references is too long");
    return schema->chain;
}

/* Finds the target of each $ref, and rejects loops. */
static void contract_load_references(struct contract_loader *loader)
{
    struct contract *contract = loader->contract;
    const size_t count = contract->schema_count;
    struct directory directory = {.count = count};
    directory.entries = xcalloc(count, sizeof(*directory.entries));
    for (size_t i = 0; i < count; i++) {
        struct contract_schema *schema = contract->schemas[i];
        directory.entries[i] = (struct entry){.place = (uintptr_t)schema->json, .schema = schema};
    }
    qsort(directory.entries, count, sizeof(*directory.entries), compare_entries);
    for (size_t i = 0; i < count; i++) {
        if (contract->schemas[i]->reference)
            find_reference(loader, &directory, contract->schemas[i]);
    }
    free(directory.entries);

    struct chain chain = {.loader = loader};
    for (size_t i = 0; i < count && !loader->failed; i++)
        (void)longest_chain(&chain, contract->schemas[i]);
}

enum {
    SHOWN_MAX = 60,   /* bytes of a value shown in a message */
    NAMED_MAX = 1000, /* maximum number of schemas with $id, and of schemas with $anchor */
};

static const char *const draft_uri = "https://json-schema.org/draft/2020-12/schema";

static void complain_at(const struct contract_site *site, enum violation_code code,
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
    complain_at(site, VIOLATION_INVALID_VALUE, expected, message);
}

void contract_complain_type(const struct contract_site *site, const char *expected,
                            const char *message)
{
    const bool is_whole = !site->pointer->up;
    complain_at(site, is_whole ? VIOLATION_NOT_OBJECT : VIOLATION_WRONG_TYPE, expected, message);
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

/* Reads $id. A schema with $id begins a resource of its own, and so does the root. */
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
        contract_complain_type(&id_site, "string", "not a URI");
    else if (!contract_uri_resolve(base, text, &uri, &fragment))
        contract_complain(&id_site, NULL, "the URI is too long");
    else if (fragment.len > 0)
        contract_complain(&id_site, NULL, "must not have a fragment; use $anchor instead");
    else if (find_resource(contract, str_text(&uri)) < contract->resource_count)
        contract_complain(&id_site, NULL, "another schema has this $id");
    else if (contract->resource_count == NAMED_MAX)
        contract_complain(&id_site, NULL, "too many schemas with an $id");
    if (contract->resource_count < NAMED_MAX)
        schema->resource = add_resource(contract, str_text(&uri), schema);
    str_done(&uri);
    str_done(&fragment);
}

static void read_anchor(const struct contract_site *site, struct contract_schema *schema)
{
    static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-_.";
    struct contract *contract = site->loader->contract;
    const struct json *anchor = json_get(site->value, "$anchor");
    if (!anchor)
        return;
    const struct json_pointer pointer = {.up = site->pointer, .key = "$anchor"};
    struct contract_site anchor_site = *site;
    anchor_site.value = anchor;
    anchor_site.pointer = &pointer;
    const char *name = contract_plain_text(anchor);
    if (!name || name[0] == '\0' || strchr("0123456789-.", name[0]) ||
        strspn(name, chars) != strlen(name)) {
        contract_complain(&anchor_site, "a name: [A-Za-z_][A-Za-z0-9_.-]*", "invalid anchor");
        return;
    }
    if (anchored_schema(contract, schema->resource, name))
        contract_complain(&anchor_site, NULL, "another schema has this $anchor");
    if (contract->anchor_count == NAMED_MAX) {
        contract_complain(&anchor_site, NULL, "too many schemas with an $anchor");
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
    contract_complain(&draft_site, draft_uri, "unsupported draft of JSON Schema");
}

struct contract_schema *contract_load_schema(const struct contract_site *site)
{
    struct contract_loader *loader = site->loader;
    const enum json_kind kind = json_kind(site->value);
    struct contract_schema *schema = add_schema(loader->contract, site->value);
    if (site->schema)
        schema->resource = site->schema->resource;
    if (site->depth > CONTRACT_NESTING_MAX) {
        contract_complain(site, NULL, "schemas are nested too deeply");
        return schema;
    }
    if (loader->contract->schema_count > CONTRACT_SCHEMAS_MAX && !loader->full) {
        loader->full = true;
        contract_complain(site, NULL, "too many schemas");
    }
    if (loader->full)
        return schema;

    if (kind == JSON_KIND_OBJECT) {
        read_draft(site);
        read_id(site, schema);
        read_anchor(site, schema);

        struct json_pointer pointer = {.up = site->pointer};
        struct contract_site keyword = *site;
        void *iter = NULL;
        keyword.schema = schema;
        keyword.pointer = &pointer;
        keyword.depth++;
        while (json_next(site->value, &iter, &pointer.key, &keyword.value))
            contract_load_keyword(&keyword, pointer.key);

        const size_t count = schema->all_of.count + schema->any_of.count + schema->one_of.count +
                             schema->dependent_schemas.count;
        schema->combines = count > 0 || schema->reference || schema->not_this || schema->condition;
    } else if (kind != JSON_KIND_TRUE && kind != JSON_KIND_FALSE) {
        contract_complain_type(site, "object or boolean", "not a schema");
    }
    return schema;
}

/* Loads the document as a contract. Takes ownership of the document, even on failure. */
static bool load_contract(struct json *document, struct contract **out, struct violations *wrong)
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
        str_addf(&message, "larger than %d KiB", CONTRACT_BYTES_MAX / 1024);
        violations_add(wrong, VIOLATION_INVALID_VALUE, "", str_text(&message), NULL, NULL);
    } else if (!json_parse_data(text, len, &document, &place, &err)) {
        str_addf(&message, "line %d, column %d: %s", place.line, place.column, err.message);
        violations_add(wrong, VIOLATION_NOT_JSON, "", str_text(&message), NULL, NULL);
    }
    str_done(&message);
    return document && load_contract(document, out, wrong);
}

bool contract_load_json(const struct json *schema, struct contract **out, struct violations *wrong)
{
    return load_contract(json_clone(schema), out, wrong);
}
