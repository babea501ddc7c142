/*
 * The schemas in assets and the tables in docs follow from the tables by which the code reads and
 * writes plans, settings and events. DEVS_UPDATE_DOCS=1 updates them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_internal.h"
#include "classify_internal.h"
#include "event.h"
#include "plan_internal.h"
#include "str.h"
#include "test_main.h"
#include "ui_settings.h"

/* The part of a file that a test checks. */
struct part {
    const char *file;
    char *text; /* owned; of the file */
    char *from, *to;
};

/* Finds the text between the first `before` after `heading` and the next `after`. */
static struct part part_find(const char *file, const char *heading, const char *before,
                             const char *after)
{
    struct part part = {.file = file, .text = test_read_file(test_source_path(file))};
    ck_assert_msg(part.text != NULL, "%s is missing", file);
    part.from = strstr(part.text, heading);
    ck_assert_msg(part.from != NULL, "%s has no '%s'", file, heading);
    part.from = strstr(part.from, before);
    ck_assert_msg(part.from != NULL, "%s has no '%s' after '%s'", file, before, heading);
    part.from += strlen(before);
    part.to = strstr(part.from, after);
    ck_assert_ptr_nonnull(part.to);
    return part;
}

/* Compares the part with `want`, or replaces it. Frees the part. */
static void part_check(struct part *part, const struct str *want)
{
    const bool is_same = want->len == (size_t)(part->to - part->from) &&
                         memcmp(str_text(want), part->from, want->len) == 0;
    if (!is_same && getenv("DEVS_UPDATE_DOCS")) {
        FILE *file = fopen(test_source_path(part->file), "wb");
        ck_assert_ptr_nonnull(file);
        ck_assert_int_gt(fprintf(file, "%.*s%s%s", (int)(part->from - part->text), part->text,
                                 str_text(want), part->to),
                         0);
        ck_assert_int_eq(fclose(file), 0);
    } else {
        ck_assert_msg(is_same, "%s differs from the tables: run with DEVS_UPDATE_DOCS=1",
                      part->file);
    }
    free(part->text);
}

/*
 * Schemas.
 */

enum { MS_PER_S = 1000 };

static void add_limit(struct str *out, const char *indent, const char *key, int64_t limit)
{
    str_addf(out, ",\n%s  \"%s\": %lld", indent, key, (long long)limit);
}

/* Returns the object of the table's struct with the default values, or NULL. */
static const void *defaults_of(const struct fields *fields)
{
    static const struct settings settings = {0};
    static const struct plan plan = {0};
    static const struct ui_settings ui = {0};
    static const struct plan_step step = {.phase = PHASE_GREEN};
    static const struct plan_limits limits = {.output_line_bytes = PLAN_LINE_BYTES};
    static char dir[] = PLAN_EXECUTOR_DIR;
    static char hand[] = PLAN_EXECUTOR_HAND;
    static const struct plan_executor executor = {
        .dir = dir, .hand = hand, .lease_ms = PLAN_LEASE_MS};
    static const struct plan_host host = {.slots = 1};
    if (fields == &plan_executor_fields)
        return &executor;
    if (fields == &plan_host_fields)
        return &host;
    if (fields == &plan_workspace_fields)
        return workspace_spec_none();
    if (fields == &plan_sandbox_fields)
        return sandbox_spec_none();
    if (fields == &ui_fields)
        return &ui;
    if (fields == &plan_step_fields)
        return &step;
    if (fields == &plan_root_fields)
        return &plan;
    if (fields == &settings_fields)
        return &settings;
    return fields == &plan_limits_fields ? &limits : NULL;
}

/* Adds a value that `object` has as JSON; nothing if it has none. */
static void add_json(const struct field *field, const void *object, struct str *out)
{
    struct field whole = *field;
    const struct fields fields = {.rows = &whole, .count = 1};
    struct str member = {0};
    if (field->type != FIELD_OTHER)
        whole.write = NULL; /* it may leave out some values */
    fields_write(&fields, object, &member);
    if (member.len > 0)
        str_add(out, strchr(str_text(&member), ':') + 1);
    str_done(&member);
}

/* Adds the default value as JSON; nothing if it is 0, false or empty. */
static void add_default(const struct fields *fields, const struct field *field, struct str *out)
{
    const bool has_value = !field->elsewhere && field->type != FIELD_OBJECT;
    const void *object = has_value ? defaults_of(fields) : NULL;
    if (object && field->type == FIELD_SECONDS)
        str_add_number(out,
                       (double)*(const int64_t *)((const char *)object + field->offset) / MS_PER_S);
    else if (object)
        add_json(field, object, out);
    static const char *const none[] = {"0", "false", "[]"};
    for (int i = 0; i < TABLE_LEN(none); i++) {
        if (strcmp(str_text(out), none[i]) == 0)
            str_clear(out);
    }
}

/* Adds the type and the limits, which follow the description. */
static void add_shape(const struct field *field, const char *indent, struct str *out)
{
    static const char *const types[] = {
        [FIELD_BOOL] = "boolean", [FIELD_SWITCH] = "boolean", [FIELD_INT] = "integer",
        [FIELD_I64] = "integer",  [FIELD_REAL] = "number",    [FIELD_SECONDS] = "number",
        [FIELD_TEXT] = "string",  [FIELD_LIST] = "array",     [FIELD_WORD] = "string",
        [FIELD_WORDS] = "array",  [FIELD_CHARS] = "string",
    };
    str_addf(out, ",\n%s  \"type\": \"%s\"", indent, types[field->type]);
    switch (field->type) {
    case FIELD_OTHER:
    case FIELD_OBJECT: /* it refers to a definition */
    case FIELD_ENV:    /* the file has the shape */
    case FIELD_BOOL:
    case FIELD_SWITCH:
        break;
    case FIELD_INT:
    case FIELD_I64:
    case FIELD_REAL:
        add_limit(out, indent, "minimum", field->least);
        add_limit(out, indent, "maximum", field->most);
        if (field->not_one)
            str_addf(out,
                     ",\n%s  \"not\": {\"description\": \"0, or 2 and more: %s\", \"const\": 1}",
                     indent, field->not_one);
        break;
    case FIELD_SECONDS:
        str_addf(out, ",\n%s  \"minimum\": ", indent);
        str_add_number(out, (double)field->least / MS_PER_S);
        add_limit(out, indent, "maximum", field->most / MS_PER_S);
        break;
    case FIELD_TEXT:
    case FIELD_CHARS:
        if (field->least > 0)
            add_limit(out, indent, "minLength", field->least);
        add_limit(out, indent, "maxLength", field->most);
        break;
    case FIELD_LIST:
        if (field->least > 0)
            add_limit(out, indent, "minItems", field->least);
        add_limit(out, indent, "maxItems", field->most);
        str_addf(out, ",\n%s  \"items\": {\"type\": \"string\", ", indent);
        if (field->item_least > 0)
            str_addf(out, "\"minLength\": %d, ", field->item_least);
        str_addf(out, "\"maxLength\": %d}", field->item_most);
        break;
    case FIELD_WORD:
        str_addf(out, ",\n%s  \"enum\": [", indent);
        field_values(field, "\"", out);
        str_add(out, "]");
        break;
    case FIELD_WORDS:
        if (field->least > 0)
            add_limit(out, indent, "minItems", field->least);
        add_limit(out, indent, "maxItems", field->most);
        str_addf(out, ",\n%s  \"items\": {\"type\": \"string\", \"enum\": [", indent);
        field_values(&(struct field){.type = FIELD_WORD, .most = field->most, .word = field->word},
                     "\"", out);
        str_add(out, "]}");
        break;
    }
}

/* Adds the rest of the member, after its description, as the file has it. */
static void add_own_shape(const char *old, const char *key, const char *indent, struct str *out)
{
    struct str begin = {0};
    struct str end = {0};
    str_addf(&begin, "\n%s\"%s\": {\n", indent, key);
    str_addf(&end, "\n%s}", indent);
    const char *from = strstr(old, str_text(&begin));
    ck_assert_msg(from != NULL, "write the shape of %s into the schema", key);
    from += begin.len - 1;
    const char *to = strstr(from, str_text(&end));
    const char *about = strstr(from, "\"description\": ");
    if (about && about < strchr(from + 1, '\n'))
        from = strchr(from + 1, '\n');
    if (from < to) {
        str_add(out, ",");
        str_add_n(out, from, (size_t)(to - from));
    }
    str_done(&begin);
    str_done(&end);
}

static const char plan_schema_file[] = "assets/plan.schema.json";
static const char config_schema_file[] = "assets/config.schema.json";

/* Adds the members of "properties", which are in this part of the file. */
static void add_properties(const struct fields *fields, const struct part *part, const char *indent,
                           struct str *out)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->rows[i];
        if (field->settings_only && part->file == plan_schema_file)
            continue;
        str_addf(out, "%s\n%s\"%s\": ", out->len > 0 ? "," : "", indent, field->key);
        if (field->ref) {
            str_addf(out, "{\"$ref\": \"#/$defs/%s\"}", field->ref);
            continue;
        }
        struct str about = {0};
        str_addf(&about, "%c%s.", toupper((unsigned char)field->means[0]), field->means + 1);
        str_addf(out, "{\n%s  \"description\": ", indent);
        str_add_json(out, str_text(&about), about.len);
        str_done(&about);
        if (field->own_shape || field->type == FIELD_OTHER)
            add_own_shape(part->from, field->key, indent, out);
        else
            add_shape(field, indent, out);
        struct str otherwise = {0};
        add_default(fields, field, &otherwise);
        if (otherwise.len > 0)
            str_addf(out, ",\n%s  \"default\": %s", indent, str_text(&otherwise));
        str_done(&otherwise);
        str_addf(out, "\n%s}", indent);
    }
}

static const struct {
    const char *file;
    const char *name; /* of the definition; NULL = the document */
    const struct fields *fields;
} definitions[] = {
    {config_schema_file, NULL, &settings_fields},
    {config_schema_file, "ui", &ui_fields},
    {config_schema_file, "retention", &retention_fields},
    {config_schema_file, "secrets", &secret_fields},
    {config_schema_file, "tests", &tests_fields},
    {config_schema_file, "adapter", &adapter_fields},
    {config_schema_file, "adapterEvent", &adapter_rule_fields},
    {config_schema_file, "rule", &rule_fields},
    {config_schema_file, "ruleFacts", &rule_fact_fields},
    {config_schema_file, "policy", &plan_policy_fields},
    {config_schema_file, "workspace", &plan_workspace_fields},
    {config_schema_file, "sandbox", &plan_sandbox_fields},
    {config_schema_file, "limits", &plan_limits_fields},
    {config_schema_file, "machines", &plan_executor_fields},
    {config_schema_file, "host", &plan_host_fields},
    {config_schema_file, "executorAdapter", &executor_adapter_fields},
    {plan_schema_file, "adapter", &adapter_fields},
    {plan_schema_file, "adapterEvent", &adapter_rule_fields},
    {plan_schema_file, NULL, &plan_root_fields},
    {plan_schema_file, "task", &plan_task_fields},
    {plan_schema_file, "step", &plan_step_fields},
    {plan_schema_file, "expect", &plan_expect_fields},
    {plan_schema_file, "expectedFile", &plan_file_fields},
    {plan_schema_file, "machines", &plan_executor_fields},
    {plan_schema_file, "host", &plan_host_fields},
    {plan_schema_file, "executorAdapter", &executor_adapter_fields},
    {plan_schema_file, "resources", &executor_resource_fields},
    {plan_schema_file, "after", &plan_after_fields},
    {plan_schema_file, "budget", &plan_budget_fields},
    {plan_schema_file, "policy", &plan_policy_fields},
    {plan_schema_file, "workspace", &plan_workspace_fields},
    {plan_schema_file, "sandbox", &plan_sandbox_fields},
    {plan_schema_file, "limits", &plan_limits_fields},
};

static void check_definition(const char *file, const char *name, const struct fields *fields)
{
    struct str heading = {0};
    struct str want = {0};
    if (name)
        str_addf(&heading, "\n    \"%s\": {\n", name);
    struct part part =
        name ? part_find(file, str_text(&heading), "\n      \"properties\": {", "\n      }")
             : part_find(file, "{", "\n  \"properties\": {", "\n  }");
    add_properties(fields, &part, name ? "        " : "    ", &want);
    part_check(&part, &want);
    str_done(&want);
    str_done(&heading);
}

START_TEST(test_schemas_have_the_members)
{
    check_definition(definitions[_i].file, definitions[_i].name, definitions[_i].fields);
}
END_TEST

/* The thresholds of loops have a table of their own, with the numbers of all presets. */
START_TEST(test_schemas_have_the_thresholds)
{
    enum { ROWS_MAX = 64 };
    struct field rows[ROWS_MAX] = {
        {"preset", FIELD_OTHER,
         .means = "the numbers to start from: `strict` stops earlier, `normal` is the default, "
                  "`off` never stops and never warns"}};
    struct str about[ROWS_MAX] = {0};
    struct fields fields = {.rows = rows, .count = 1};
    const struct entropy_limit *limit;
    for (; (limit = entropy_limit(fields.count - 1)) != NULL; fields.count++) {
        struct str *means = &about[fields.count];
        ck_assert_uint_lt(fields.count, ROWS_MAX);
        str_addf(means, "%s; strict %d, normal %d, off %d; 0 disables it", limit->about,
                 limit->strict, limit->normal, limit->off);
        rows[fields.count] = (struct field){
            limit->name, FIELD_INT, .most = limit->max,
            .not_one = limit->min > 1 ? "one alone is no repeat" : NULL, .means = str_text(means)};
    }
    check_definition(plan_schema_file, "loops", &fields);
    check_definition(config_schema_file, "loops", &fields);
    for (size_t i = 0; i < fields.count; i++)
        str_done(&about[i]);
}
END_TEST

/*
 * Pages. Each table follows a comment "<!-- keys of ... -->".
 */

static void add_values(const struct field *field, struct str *out)
{
    ck_assert_msg(field->values || field->type != FIELD_OTHER, "%s: which values does it have?",
                  field->key);
    if (field->values)
        str_add(out, field->values);
    else
        field_values(field, "`", out);
}

/* Adds a JSON value as the docs write it: words without quotes, long numbers in groups. */
static void add_shown(const struct field *field, const struct str *json, struct str *out)
{
    if (field->type == FIELD_I64) {
        field_add_grouped(out, strtoll(str_text(json), NULL, 10));
        return;
    }
    for (const char *at = str_text(json); *at; at++) {
        if (!strchr("[]\"", *at))
            str_addf(out, "%c%s", *at, *at == ',' ? " " : "");
    }
}

static struct part page_find(const char *file, const char *of)
{
    struct str heading = {0};
    str_addf(&heading, "<!-- keys of %s,", of);
    struct part part = part_find(file, str_text(&heading), "-->\n\n", "\n\n");
    str_done(&heading);
    return part;
}

START_TEST(test_C8_the_documented_policies_are_the_built_in_ones)
{
    struct part part = page_find("docs/policies.md", "a policy");
    struct str want = {0};
    const struct policy *policy;
    str_add(&want, "| key | value and meaning |");
    for (size_t i = 0; (policy = policy_builtin(i)) != NULL; i++)
        str_addf(&want, " `%s` |", policy->name);
    str_add(&want, "\n| --- | --- |");
    for (size_t i = 0; policy_builtin(i); i++)
        str_add(&want, " --- |");
    for (size_t i = 0; i < plan_policy_fields.count; i++) {
        const struct field *field = &plan_policy_fields.rows[i];
        str_addf(&want, "\n| `%s` | ", field->key);
        add_values(field, &want);
        str_addf(&want, "; %s |", field->means);
        for (size_t k = 0; (policy = policy_builtin(k)) != NULL; k++) {
            struct str json = {0};
            add_json(field, policy, &json);
            str_add(&want, " ");
            if (json.len > 0)
                add_shown(field, &json, &want);
            str_add(&want, " |");
            str_done(&json);
        }
    }
    part_check(&part, &want);
    str_done(&want);
}
END_TEST

static const struct {
    const char *file;
    const char *of;
    const struct fields *fields;
    const char *from, *before; /* first key, and the key after the last; NULL = no limit */
} tables[] = {
    {"docs/plan.md", "a plan", &plan_root_fields, NULL, NULL},
    {"docs/plan.md", "a task", &plan_task_fields, NULL, NULL},
    {"docs/plan.md", "a step", &plan_step_fields, NULL, "agent"},
    {"docs/agents.md", "an agent's step", &plan_step_fields, "agent", NULL},
    {"docs/agents.md", "an adapter", &adapter_fields, NULL, NULL},
    {"docs/agents.md", "a rule for events", &adapter_rule_fields, NULL, NULL},
    {"docs/classification.md", "a rule", &rule_fields, NULL, NULL},
    {"docs/classification.md", "only_if", &rule_fact_fields, NULL, NULL},
    {"docs/agents.md", "a budget", &plan_budget_fields, NULL, NULL},
    {"docs/plan.md", "an expectation", &plan_expect_fields, NULL, NULL},
    {"docs/plan.md", "an expected file", &plan_file_fields, NULL, NULL},
    {"docs/plan.md", "the settings", &settings_fields, NULL, NULL},
    {"docs/terminal.md", "ui", &ui_fields, NULL, NULL},
    {"docs/run-log.md", "retention", &retention_fields, NULL, NULL},
    {"docs/secrets.md", "secrets", &secret_fields, NULL, NULL},
    {"docs/plan.md", "a workspace", &plan_workspace_fields, NULL, NULL},
    {"docs/plan.md", "a sandbox", &plan_sandbox_fields, NULL, NULL},
    {"docs/plan.md", "limits", &plan_limits_fields, NULL, NULL},
    {"docs/plan.md", "after", &plan_after_fields, NULL, NULL},
    {"docs/plan.md", "an executor", &plan_executor_fields, NULL, NULL},
    {"docs/plan.md", "a host", &plan_host_fields, NULL, NULL},
    {"docs/plan.md", "resources", &executor_resource_fields, NULL, NULL},
    {"docs/plan.md", "an executor's adapter", &executor_adapter_fields, NULL, NULL},
};

/* Adds the row of a key; `of` is the key of the object that has it, or "". */
static void add_row(const struct fields *fields, const struct field *field, const char *of,
                    struct str *out)
{
    struct str otherwise = {0};
    str_addf(out, "\n| `%s%s%s` | ", of, of[0] != '\0' ? "." : "", field->key);
    add_values(field, out);
    str_add(out, " | ");
    for (const char *at = field->means; *at; at++)
        str_addf(out, "%s%c", *at == '|' ? "\\" : "", *at); /* a bar would end the cell */
    add_default(fields, field, &otherwise);
    if (otherwise.len > 0) {
        const char *quote = field->type == FIELD_WORD || field->type == FIELD_TEXT ? "`" : "";
        str_addf(out, "; default %s", quote);
        add_shown(field, &otherwise, out);
        str_add(out, quote);
    }
    str_addf(out, "%s |", field->see ? field->see : "");
    str_done(&otherwise);
}

/* Keys that only settings have are with the settings, such as `sandbox.transientRetries`. */
START_TEST(test_pages_have_the_keys)
{
    const struct fields *fields = tables[_i].fields;
    struct part part = page_find(tables[_i].file, tables[_i].of);
    struct str want = {0};
    str_add(&want, "| key | value | meaning |\n| --- | --- | --- |");
    const char *from = tables[_i].from;
    const char *before = tables[_i].before;
    const struct field *end = before ? fields_find(fields, before) : NULL;
    const struct field *field = from ? fields_find(fields, from) : fields->rows;
    for (end = end ? end : fields->rows + fields->count; field < end; field++) {
        if (!field->settings_only)
            add_row(fields, field, "", &want);
        for (size_t k = 0; field->members && k < field->members->count; k++) {
            if (field->members->rows[k].settings_only)
                add_row(field->members, &field->members->rows[k], field->key, &want);
        }
    }
    part_check(&part, &want);
    str_done(&want);
}
END_TEST

START_TEST(test_C8_every_threshold_is_documented)
{
    struct part part = page_find("docs/entropy.md", "loops");
    struct str want = {0};
    str_add(&want, "| name | `strict` | `normal` | `off` | at most | counts |\n"
                   "| --- | --- | --- | --- | --- | --- |");
    const struct entropy_limit *limit;
    for (size_t i = 0; (limit = entropy_limit(i)) != NULL; i++)
        str_addf(&want, "\n| `%s` | %d | %d | %d | %d | %s |", limit->name, limit->strict,
                 limit->normal, limit->off, limit->max, limit->about);
    part_check(&part, &want);
    str_done(&want);
}
END_TEST

START_TEST(test_the_page_has_the_fields_of_events)
{
    struct part part = part_find(
        "docs/run-log.md", "<!-- made from the table in src/core/fold/event_data.c:", "-->\n\n",
        "\nA wait is `min(");
    struct str want = {0};
    event_fields_table(&want);
    part_check(&part, &want);
    str_done(&want);
}
END_TEST

/* The setting's row names the default events, and docs/notifications.md describes all of them. */
START_TEST(test_the_events_that_notify_are_documented)
{
    const char *means = fields_find(&ui_fields, "notify")->means;
    char *page = test_read_file(test_source_path("docs/notifications.md"));
    ck_assert_ptr_nonnull(page);
    for (unsigned flag = 1; flag < 1U << NOTIFY_COUNT; flag <<= 1) {
        char name[32];
        char row[40];
        (void)snprintf(name, sizeof(name), "`%s`", ui_notify_name(flag));
        (void)snprintf(row, sizeof(row), "\n| %s | ", name);
        ck_assert_msg((strstr(means, name) != NULL) == ((NOTIFY_DEFAULT & flag) != 0), "%s", name);
        ck_assert_msg(strstr(page, row) != NULL, "docs/notifications.md has no row of %s", name);
    }
    free(page);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_page");
    TCase *schemas = test_case(suite, "schemas");
    tcase_add_loop_test(schemas, test_schemas_have_the_members, 0, TABLE_LEN(definitions));
    tcase_add_test(schemas, test_schemas_have_the_thresholds);
    TCase *pages = test_case(suite, "pages");
    tcase_add_loop_test(pages, test_pages_have_the_keys, 0, TABLE_LEN(tables));
    tcase_add_test(pages, test_C8_the_documented_policies_are_the_built_in_ones);
    tcase_add_test(pages, test_C8_every_threshold_is_documented);
    tcase_add_test(pages, test_the_page_has_the_fields_of_events);
    tcase_add_test(pages, test_the_events_that_notify_are_documented);
    return suite;
}
