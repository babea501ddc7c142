#include "plan_contract.h"

#include <string.h>

#include "err.h"
#include "near_word.h"
#include "plan_grow.h"
#include "str.h"
#include "xalloc.h"

static struct plan_contract *find_named(const struct plan *plan, const char *name)
{
    for (int i = 0; i < plan->contract_count; i++) {
        struct plan_contract *contract = plan->contracts[i];
        if (contract->name && strcmp(contract->name, name) == 0)
            return contract;
    }
    return NULL;
}

/* One that stands in a step, too. */
static struct plan_contract *find_equal(const struct plan *plan, const char *text)
{
    for (int i = 0; i < plan->contract_count; i++) {
        struct plan_contract *contract = plan->contracts[i];
        if (!contract->name && strcmp(contract->text, text) == 0)
            return contract;
    }
    return NULL;
}

/* A new one that has no schema yet; NULL after a complaint if there is no room. */
static struct plan_contract *add(struct plan_reader *reader, const struct json_pointer *path,
                                 const char *name)
{
    struct plan *plan = reader->plan;
    if (plan->contract_count == PLAN_CONTRACTS_MAX) {
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "too many contracts in one plan: steps share those with a name",
                        "at most 1000", "more");
        return NULL;
    }
    if (!plan->contracts)
        plan->contracts = xcalloc(PLAN_CONTRACTS_MAX, sizeof(struct plan_contract *));
    struct plan_contract *contract = xcalloc(1, sizeof(*contract));
    contract->name = name ? xstrdup(name) : NULL;
    plan->contracts[plan->contract_count++] = contract;
    return contract;
}

/* Say what is wrong with a schema that stands at `path`, or in a file that it names. */
static void complain(struct plan_reader *reader, const struct json_pointer *path, const char *file,
                     const struct violations *wrong)
{
    struct str base = {0};
    json_pointer_add(&base, path, PLAN_POINTER_MAX);
    for (size_t i = 0; i < wrong->count; i++) {
        const struct violation *v = &wrong->items[i];
        struct str place = {0};
        struct str message = {0};
        str_add(&place, str_text(&base));
        if (file)
            str_addf(&message, "in '%s'%s%s: ", file, *v->path ? " at " : "", v->path);
        else
            str_add(&place, v->path);
        str_add(&message, v->message);
        violations_add(reader->violations, v->code, str_text(&place), str_text(&message),
                       v->expected, v->actual);
        str_done(&place);
        str_done(&message);
    }
    reader->violations->dropped += wrong->dropped;
    str_done(&base);
}

static void complain_full(struct plan_reader *reader, const struct json_pointer *path,
                          const char *message, const char *expected)
{
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, message, expected, "more");
    reader->contracts_full = true;
}

/* Before a contract is loaded, which takes time and memory. */
static bool has_room(struct plan_reader *reader, const struct json_pointer *path, size_t bytes)
{
    if (reader->contracts_full || plan_reader_is_full(reader))
        return false; /* the plan is refused as it is */
    if (bytes > CONTRACT_BYTES_MAX) {
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "the contract is too large",
                        "at most 1 MiB", "more");
        return false;
    }
    reader->contract_bytes += bytes;
    if (reader->contract_bytes <= PLAN_CONTRACT_BYTES_MAX)
        return true;
    complain_full(reader, path, "the contracts of one plan are too large together",
                  "at most 16 MiB");
    return false;
}

/* After it was loaded; one that is too much is given up again. */
static void count_schemas(struct plan_reader *reader, const struct json_pointer *path,
                          struct plan_contract *contract)
{
    reader->contract_schemas += contract_schema_count(contract->schema);
    if (reader->contract_schemas <= PLAN_SCHEMAS_MAX)
        return;
    complain_full(reader, path, "too many schemas in the contracts of one plan", "at most 100000");
    contract_free(contract->schema);
    contract->schema = NULL;
}

/* Make the contract of the schema, which stays without one after a complaint. */
static void make(struct plan_reader *reader, const struct json_pointer *path,
                 struct plan_contract *contract, const struct json *schema, const char *file)
{
    struct violations wrong = {0};
    struct str text = {0};
    json_write(&text, schema);
    contract->text = text.data;
    if (!has_room(reader, path, text.len))
        return;
    if (contract_load_json(schema, &contract->schema, &wrong))
        count_schemas(reader, path, contract);
    else
        complain(reader, path, file, &wrong);
    violations_done(&wrong);
}

void plan_contracts_load(struct plan_reader *reader, const struct json *value)
{
    static const struct json_pointer root = {0};
    static const struct json_pointer path = {.up = &root, .key = "contracts"};
    struct violations *others = reader->violations;
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    reader->violations = reader->contract_violations;
    while (json_next(value, &iter, &key, &member)) {
        struct json_pointer place = {.up = &path, .key = key};
        if (plan_reader_is_comment(key) || !plan_reader_is_sound(reader, &place))
            continue;
        struct plan_contract *contract = add(reader, &place, key);
        if (contract)
            make(reader, &place, contract, member, NULL);
    }
    reader->violations = others;
}

/* A name that nothing has. */
static void complain_unknown(struct plan_reader *reader, const struct json_pointer *path,
                             const char *name, const char *why)
{
    const struct plan *plan = reader->plan;
    struct near_word near = near_word_new(name);
    struct str message = {0};
    for (int i = 0; i < plan->contract_count; i++) {
        if (plan->contracts[i]->schema && plan->contracts[i]->name)
            near_word_offer(&near, plan->contracts[i]->name);
    }
    str_add(&message, "unknown contract ");
    str_add_json(&message, name, strlen(name));
    if (near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    else if (why)
        str_addf(&message, ", and no file: %s", why);
    plan_reader_invalid(reader, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void make_of_text(struct plan_reader *reader, const struct json_pointer *path,
                         struct plan_contract *contract, const struct str *text)
{
    struct violations wrong = {0};
    struct json *schema = plan_reader_json(str_text(text), text->len, CONTRACT_BYTES_MAX, &wrong);
    if (schema)
        make(reader, path, contract, schema, contract->name);
    else
        complain(reader, path, contract->name, &wrong);
    violations_done(&wrong);
    json_free(schema);
}

/* The contract in a file, remembered by its name; one that cannot be had, too, so that it
 * is complained about once. */
static struct plan_contract *read_file(struct plan_reader *reader, const struct json_pointer *path,
                                       const char *name)
{
    struct str text = {0};
    struct err err = {0};
    bool is_comment = plan_reader_is_comment(name); /* as a key of the written plan */
    bool ok =
        reader->files && !is_comment && reader->files->read(reader->files->ctx, name, &text, &err);
    struct plan_contract *contract = add(reader, path, name);
    if (ok && contract)
        make_of_text(reader, path, contract, &text);
    else if (contract)
        complain_unknown(reader, path, name, err.code != ERR_NONE ? err.message : NULL);
    reader->plan->has_files = reader->plan->has_files || ok;
    str_done(&text);
    return contract;
}

/* Does the text hold a plan that could be run beside this one? It has the same agents. */
static bool check_plan(const void *ctx, const char *text, size_t len, struct violations *wrong)
{
    const struct plan *around = ctx;
    const struct settings settings = {.agents = around->adapters};
    const struct plan_context context = {.settings = &settings};
    struct plan *plan = NULL;
    bool ok = plan_parse_with(text, len, &context, &plan, wrong) && plan_is_whole(plan, wrong);
    plan_free(plan);
    return ok;
}

/* The one contract that is built in. */
static struct plan_contract *plan_of_output(struct plan_reader *reader,
                                            const struct json_pointer *path)
{
    struct plan_contract *contract = add(reader, path, PLAN_CONTRACT_PLAN);
    if (contract)
        contract_for_text(check_plan, reader->plan, &contract->schema);
    return contract;
}

static struct plan_contract *inline_contract(struct plan_reader *reader,
                                             const struct json_pointer *path,
                                             const struct json *schema)
{
    struct str text = {0};
    json_write(&text, schema);
    struct plan_contract *contract = find_equal(reader->plan, str_text(&text));
    if (!contract) {
        contract = add(reader, path, NULL);
        if (contract)
            make(reader, path, contract, schema, NULL);
    }
    str_done(&text);
    return contract;
}

void plan_contract_read(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    const char *name = json_text(value, NULL);
    struct plan_contract *contract = name ? find_named(reader->plan, name) : NULL;
    if (!plan_reader_is_sound(reader, path))
        return;
    if (name && !contract && strcmp(name, PLAN_CONTRACT_PLAN) == 0)
        contract = plan_of_output(reader, path);
    else if (name && !contract)
        contract = read_file(reader, path, name);
    else if (!name)
        contract = inline_contract(reader, path, value);
    if (contract && contract->schema)
        reader->plan->tasks[reader->task].steps[reader->step].contract = contract;
}
