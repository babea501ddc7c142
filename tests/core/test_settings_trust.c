#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "test_main.h"

static struct json *parse(const char *text)
{
    struct json *root = NULL;
    ck_assert_msg(json_parse(text, strlen(text), &root, NULL, NULL), "%s", text);
    return root;
}

static void add_key(void *ctx, const struct settings_trust_key *found)
{
    struct str *keys = ctx;
    ck_assert_ptr_nonnull(found->value);
    str_addf(keys, "%s%s (%s)", keys->len > 0 ? ", " : "", found->key, found->why);
}

static const struct {
    const char *settings, *waits, *kept;
} cases[] = {
    {"{}", "", "{}"},
    {"[1]", "", "{}"},
    {"{\"ui\":{\"ascii\":true,\"notify_command\":[\"x\"],\"//\":1}}",
     "ui.notify_command (runs a command)", "{\"ui\":{\"ascii\":true,\"//\":1}}"},
    {"{\"agents\":{\"a\":{}},\"agent\":\"a\",\"tests\":{\"run\":[\"x\"]}}",
     "agents (runs a command), tests (runs a command)", "{\"agent\":\"a\"}"},
    {"{\"sandbox\":\"bwrap\",\"workspace\":\"copy\"}", "",
     "{\"sandbox\":\"bwrap\",\"workspace\":\"copy\"}"},
    {"{\"sandbox\":{\"network\":false,\"read_only\":true,\"best_effort\":false,\"pids\":9}}", "",
     "{\"sandbox\":{\"network\":false,\"read_only\":true,\"best_effort\":false,\"pids\":9}}"},
    {"{\"sandbox\":{\"network\":true,\"read_only\":false,\"best_effort\":true}}",
     "sandbox.network (loosens the sandbox), sandbox.read_only (loosens the sandbox), "
     "sandbox.best_effort (loosens the sandbox)",
     "{\"sandbox\":{}}"},
    {"{\"sandbox\":{\"network\":1,\"read_only\":null}}",
     "sandbox.network (loosens the sandbox), sandbox.read_only (loosens the sandbox)",
     "{\"sandbox\":{}}"},
    /* No part of a container stays that would be wrong without the rest. */
    {"{\"sandbox\":{\"kind\":\"podman\",\"image\":\"x\",\"start_timeout_ms\":9,\"pids\":9}}",
     "sandbox.kind (chooses the programs in the sandbox), "
     "sandbox.image (chooses the programs in the sandbox), "
     "sandbox.start_timeout_ms (belongs to an image)",
     "{\"sandbox\":{\"pids\":9}}"},
    {"{\"sandbox\":{\"kind\":\"none\"}}", "", "{\"sandbox\":{\"kind\":\"none\"}}"},
    {"{\"sandbox\":{\"kind\":\"bwrap\"}}", "", "{\"sandbox\":{\"kind\":\"bwrap\"}}"},
    {"{\"workspace\":{\"copy\":[\".env\"],\"kind\":\"copy\"}}",
     "workspace.copy (brings ignored files, which may hold secrets, into attempts)",
     "{\"workspace\":{\"kind\":\"copy\"}}"},
    {"{\"secrets\":{\"names\":[\"A\"],\"keep\":[\"B\"]}}", "secrets.keep (shows secrets)",
     "{\"secrets\":{\"names\":[\"A\"]}}"},
    /* What may be a misspelled name of a secret stays, so that it is complained of. */
    {"{\"secret\":1,\"secrets\":{\"nmaes\":[]}}",
     "secret (is unknown to devs), secrets.nmaes (is unknown to devs)",
     "{\"secret\":1,\"secrets\":{\"nmaes\":[]}}"},
    {"{\"//agents\":{\"a\":1},\"workspace\":{\"kind\":\"copy\",\"setup\":[\"x\"]}}",
     "workspace.setup (runs a command)",
     "{\"//agents\":{\"a\":1},\"workspace\":{\"kind\":\"copy\"}}"},
};

START_TEST(test_what_waits_and_what_is_kept)
{
    struct json *root = parse(cases[_i].settings);
    struct str waits = {0}, kept = {0};
    settings_trust_each(root, add_key, &waits);
    settings_trust_strip(root, &kept);
    ck_assert_str_eq(str_text(&waits), cases[_i].waits);
    ck_assert_str_eq(str_text(&kept), cases[_i].kept);
    json_free(root);
    str_done(&waits);
    str_done(&kept);
}
END_TEST

static bool has_row(const char *key)
{
    const char *row = NULL;
    for (size_t i = 0; (row = settings_trust_row(i)); i++) {
        if (strcmp(row, key) == 0)
            return true;
    }
    return false;
}

/* Are there rows of members of this key? */
static bool is_split(const char *key)
{
    const char *row = NULL;
    const size_t len = strlen(key);
    for (size_t i = 0; (row = settings_trust_row(i)); i++) {
        if (strncmp(row, key, len) == 0 && row[len] == '.')
            return true;
    }
    return false;
}

static int want_rows(const struct json *defs, const char *prefix, const struct json *schema)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *value = NULL;
    int count = 0;
    while (json_next(json_get(schema, "properties"), &iter, &name, &value)) {
        struct str key = {0};
        str_addf(&key, "%s%s", prefix, name);
        ck_assert_msg(has_row(str_text(&key)), "no row says whether %s needs trust",
                      str_text(&key));
        count++;
        if (is_split(str_text(&key))) {
            const char *ref = json_text(json_get(value, "$ref"), "");
            const struct json *members = json_get(defs, strrchr(ref, '/') + 1);
            ck_assert_ptr_nonnull(members);
            str_add_char(&key, '.');
            count += want_rows(defs, str_text(&key), members);
        }
        str_done(&key);
    }
    return count;
}

/* A new key of the settings has to say whether it needs trust; a row without a key is old. */
START_TEST(test_every_key_of_the_schema_has_a_row)
{
    char *text = test_read_file(test_source_path("assets/config.schema.json"));
    ck_assert_ptr_nonnull(text);
    struct json *schema = parse(text);
    const int count = want_rows(json_get(schema, "$defs"), "", schema);
    int rows = 0;
    while (settings_trust_row((size_t)rows))
        rows++;
    ck_assert_int_eq(rows, count);
    json_free(schema);
    free(text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("settings_trust");
    TCase *tcase = test_case(suite, "keys");
    tcase_add_loop_test(tcase, test_what_waits_and_what_is_kept, 0, ARRAY_LEN(cases));
    tcase_add_test(tcase, test_every_key_of_the_schema_has_a_row);
    return suite;
}
