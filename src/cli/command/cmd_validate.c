/* cmd_validate.c - devs validate: contracts as a filter of JSON lines. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "contract.h"
#include "fail.h"
#include "plan.h"
#include "repair.h"
#include "schema_words.h"
#include "str.h"
#include "text_file.h"

/* The options. */
struct validate_options {
    const char *contract; /* a file */
    const char *schema;   /* the name of a published schema to print */
    const char *instance; /* a file, "-" for stdin, NULL if not given */
    bool repair;
    bool json;
    bool words;
};

/* The published schemas. */
static const struct {
    const char *name;
    const char *(*text)(void);
} schemas[] = {
    {"config", settings_schema_text},
    {"plan", plan_schema_text},
};

static const char hint[] = "see devs validate --help";

static int print_schema(const char *name, bool as_words)
{
    for (size_t i = 0; i < ARRAY_LEN(schemas); i++) {
        if (strcmp(schemas[i].name, name) != 0)
            continue;
        struct str words = {0};
        if (as_words)
            schema_words(schemas[i].text(), &words);
        (void)fputs(as_words ? str_text(&words) : schemas[i].text(), stdout);
        str_done(&words);
        return EXIT_ALL_PASSED;
    }
    return fail_usage(hint, "validate: unknown schema '%s', expected plan or config", name);
}

static void add_text(struct str *out, const char *key, const char *text)
{
    if (text) {
        str_json_text(out, key, text);
    } else {
        str_json_key(out, key);
        str_add(out, "null");
    }
}

static void add_violations(struct str *out, const struct violations *wrong)
{
    str_json_key(out, "violations");
    str_add_char(out, '[');
    for (size_t i = 0; i < wrong->count; i++) {
        const struct violation *violation = &wrong->items[i];
        str_add(out, i > 0 ? ",{" : "{");
        str_json_text(out, "path", violation->path);
        str_json_text(out, "code", violation_code_name(violation->code));
        str_json_text(out, "message", violation->message);
        add_text(out, "expected", violation->expected);
        add_text(out, "actual", violation->actual);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
    str_json_i64(out, "dropped", (int64_t)wrong->dropped);
}

/* Reports errors in the contract itself: nothing was validated. */
static void report_bad_contract(const char *path, bool json, const struct violations *wrong)
{
    const size_t count = wrong->count + wrong->dropped;
    struct str out = {0}, lines = {0};
    if (json) {
        str_add_char(&out, '{');
        str_json_i64(&out, "v", 1);
        str_json_key(&out, "valid");
        str_add(&out, "null");
        str_json_key(&out, "contract");
        str_add_char(&out, '{');
        add_violations(&out, wrong);
        str_add(&out, "}}\n");
        say_json(str_text(&out));
    }
    warn("contract '%s': %zu error%s", path, count, count == 1 ? "" : "s");
    violations_display(wrong, &lines);
    str_add(&lines, "hint: see docs/contracts.md for the keywords that a contract may use\n");
    say_error(str_text(&lines));
    str_done(&lines);
    str_done(&out);
}

/* Opens the contract. Prints errors and returns the exit code. */
static int open_contract(const char *path, bool json, struct contract **out)
{
    struct str text = {0};
    struct violations wrong = {0};
    struct err err = {0};
    struct err why = {0};
    int code = EXIT_USAGE;
    if (!read_text_input(path, CONTRACT_BYTES_MAX, &text, &why)) {
        (void)err_set(&err, why.code, "contract '%s': %s", path, why.message);
        (void)err_hint(&err, "%s", hint);
        code = fail(&err);
    } else if (contract_load(str_text(&text), text.len, out, &wrong)) {
        code = EXIT_ALL_PASSED;
    } else {
        report_bad_contract(path, json, &wrong);
    }
    violations_done(&wrong);
    str_done(&text);
    return code;
}

static void print_result(const struct validate_options *options, const struct violations *wrong)
{
    struct str prompt = {0};
    struct str out = {0};
    const bool wants_prompt = options->repair && wrong->count > 0;
    if (wants_prompt)
        repair_prompt(wrong, &prompt);
    if (options->json) {
        str_add_char(&out, '{');
        str_json_i64(&out, "v", 1);
        str_json_bool(&out, "valid", wrong->count == 0);
        add_violations(&out, wrong);
        str_json_bool(&out, "retry", repair_may_retry(wrong));
        if (wants_prompt)
            str_json_text(&out, "prompt", str_text(&prompt));
        str_add(&out, "}\n");
        say_json(str_text(&out));
    } else if (wants_prompt && isatty(STDOUT_FILENO)) {
        say(str_text(&prompt));
    } else if (wants_prompt) {
        /* A pipe gets the prompt unchanged, because an agent reads it. */
        (void)fputs(str_text(&prompt), stdout);
    } else if (!options->repair) {
        violations_display(wrong, &out);
        say(str_text(&out));
    }
    if (wants_prompt && !repair_may_retry(wrong))
        warn("validate: different kernel or op than required; a retry will not help");
    str_done(&prompt);
    str_done(&out);
}

static int check_instance(const struct validate_options *options, const struct contract *contract)
{
    const char *const from = options->instance ? options->instance : "-";
    struct str text = {0};
    struct err err = {0}, why = {0};
    struct violations wrong = {0};
    int code = EXIT_ALL_PASSED;
    /* reading stops at the limit; the check then reports the size */
    if (!read_text_input(from, CONTRACT_INSTANCE_MAX, &text, &why) && why.code != ERR_LIMIT) {
        (void)err_set(&err, why.code, "'%s': %s", from, why.message);
        (void)err_hint(&err, "%s", hint);
        code = fail(&err);
    } else {
        const bool fits = contract_check_text(contract, str_text(&text), text.len, NULL, &wrong);
        print_result(options, &wrong);
        code = fits ? EXIT_ALL_PASSED : EXIT_GAVE_UP;
    }
    violations_done(&wrong);
    str_done(&text);
    return code;
}

static int validate_instance(const struct validate_options *options)
{
    struct contract *contract = NULL;
    if (options->schema)
        return print_schema(options->schema, options->words);
    if (options->words)
        return fail_usage(hint, "validate: --words needs --schema");
    if (!options->contract)
        return fail_usage(hint, "validate: missing --contract FILE");
    int code = open_contract(options->contract, options->json, &contract);
    if (code != EXIT_ALL_PASSED)
        return code;
    if (!options->instance && isatty(STDIN_FILENO))
        code = fail_usage(hint, "validate: the contract is valid; name a file to check, or - for "
                                "standard input");
    else
        code = check_instance(options, contract);
    contract_free(contract);
    return code;
}

int cmd_validate(struct globals *globals, int argc, char **argv)
{
    struct validate_options options = {0};
    const struct option_spec specs[] = {
        {"contract", 0, "FILE", "the JSON Schema that the output must match (docs/contracts.md)",
         NULL, &options.contract},
        {"repair", 0, NULL, "print a repair prompt for an agent instead of the errors",
         &options.repair, NULL},
        {"json", 0, NULL, "print one JSON object", &options.json, NULL},
        {"schema", 0, "NAME", "print the schema of a plan or of devs.config.json: plan, config",
         NULL, &options.schema},
        {"words", 0, NULL, "with --schema: describe the schema's keys as text", &options.words,
         NULL},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 1};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    options.instance = line.operands > 0 ? argv[0] : NULL;
    return validate_instance(&options);
}
