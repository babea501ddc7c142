/*
 * The official tests of JSON Schema, draft 2020-12, where they are: ../shared/data/json-schema.
 * A group is left out only for a keyword that contracts do not have, or for a reference to
 * another document; and then its schema must be refused when it is loaded.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "test_main.h"

enum { SKIPPED = 77, FILES_MAX = 200, SHOWN_MAX = 160 };

static const char folder[] = "../shared/data/json-schema/draft2020-12";

/* Keywords of the draft that contracts do not have (docs/contracts.md). */
static const char *const left_out[] = {
    "$dynamicAnchor", "$dynamicRef", "unevaluatedItems", "unevaluatedProperties", "$vocabulary",
};

/* Groups that refer to a document of their own, which a contract cannot. */
static const struct {
    const char *file;
    const char *group;
} other_documents[] = {
    {"defs.json", "validate definition against metaschema"},
    {"dynamicRef.json", "$ref to $dynamicRef finds detached $dynamicAnchor"},
    {"ref.json", "remote ref, containing refs itself"},
    {"refRemote.json", NULL},
    {"vocabulary.json", NULL},
};

static char *files[FILES_MAX];
static int file_count;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_files(void)
{
    DIR *dir = opendir(test_source_path(folder));
    if (!dir) {
        (void)printf("skipped: %s is not here\n", folder);
        exit(SKIPPED);
    }
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && strcmp(dot, ".json") == 0 && file_count < FILES_MAX)
            files[file_count++] = strdup(entry->d_name);
    }
    (void)closedir(dir);
    qsort(files, (size_t)file_count, sizeof(files[0]), compare_names);
}

/* The first keyword anywhere in the schema that contracts do not have. */
static const char *keyword_left_out(const struct json *value)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    const char *found = NULL;
    for (size_t i = 0; i < ARRAY_LEN(left_out) && !found; i++)
        found = json_get(value, left_out[i]) ? left_out[i] : NULL;
    while (!found && json_next(value, &iter, &key, &member))
        found = keyword_left_out(member);
    for (size_t i = 0; !found && json_kind(value) == JSON_KIND_ARRAY && i < json_count(value); i++)
        found = keyword_left_out(json_at(value, i));
    return found;
}

static const char *why_left_out(const char *file, const struct json *group)
{
    const char *name = json_text(json_get(group, "description"), "");
    for (size_t i = 0; i < ARRAY_LEN(other_documents); i++) {
        const char *own = other_documents[i].group;
        if (strcmp(other_documents[i].file, file) == 0 && (!own || strcmp(own, name) == 0))
            return "another document";
    }
    return keyword_left_out(json_get(group, "schema"));
}

static int check_refused(const char *file, const struct json *group, struct violations *wrong)
{
    const char *name = json_text(json_get(group, "description"), "");
    const char *why = why_left_out(file, group);
    struct str lines = {0};
    violations_display(wrong, &lines);
    (void)printf("%s %s, %s: %s\n  %s", why ? "left out" : "REFUSED", file, name, why ? why : "",
                 str_text(&lines));
    str_done(&lines);
    return why ? 0 : 1;
}

static int check_test(const struct contract *contract, const char *where, const struct json *test)
{
    struct violations wrong = {0};
    const struct json *data = json_get(test, "data");
    const bool want = json_bool(json_get(test, "valid"), false);
    const bool got = contract_check(contract, data, &wrong);
    const bool is_right = got == want && got == (wrong.count == 0);
    if (!is_right) {
        char *shown = json_brief(data, SHOWN_MAX);
        (void)printf("WRONG %s, %s: %s is %s\n", where,
                     json_text(json_get(test, "description"), ""), shown, want ? "valid" : "not");
        free(shown);
    }
    violations_done(&wrong);
    return is_right ? 0 : 1;
}

/* How many mistakes there are; adds to the numbers of tests. */
static int check_group(const char *file, const struct json *group, int *ran, int *refused)
{
    struct contract *contract = NULL;
    struct violations wrong = {0};
    char where[PATH_MAX];
    int mistakes = 0;
    (void)snprintf(where, sizeof(where), "%s, %s", file,
                   json_text(json_get(group, "description"), ""));
    const struct json *tests = json_get(group, "tests");
    if (!contract_load_json(json_get(group, "schema"), &contract, &wrong)) {
        mistakes = check_refused(file, group, &wrong);
        *refused += (int)json_count(tests);
    } else {
        for (size_t i = 0; i < json_count(tests); i++)
            mistakes += check_test(contract, where, json_at(tests, i));
        *ran += (int)json_count(tests);
    }
    contract_free(contract);
    violations_done(&wrong);
    return mistakes;
}

START_TEST(test_official_answers)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, files[_i]);
    char *text = test_read_file(test_source_path(path));
    ck_assert_ptr_nonnull(text);
    struct json *groups = NULL;
    struct err err = {0};
    ck_assert_msg(json_parse_data(text, strlen(text), &groups, NULL, &err), "%s", err.message);

    int mistakes = 0;
    int ran = 0;
    int refused = 0;
    for (size_t i = 0; i < json_count(groups); i++)
        mistakes += check_group(files[_i], json_at(groups, i), &ran, &refused);

    (void)printf("%s: %d tests ran, %d left out\n", files[_i], ran, refused);
    json_free(groups);
    free(text);
    (void)fflush(stdout); /* a test that fails ends at once */
    ck_assert_msg(mistakes == 0, "%s: %d wrong", files[_i], mistakes);
}
END_TEST

Suite *test_suite(void)
{
    list_files();
    Suite *suite = suite_create("contract_suite");
    tcase_add_loop_test(test_case(suite, "official"), test_official_answers, 0, file_count);
    return suite;
}
