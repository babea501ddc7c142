/* cmd_rules.c - devs rules: shows, tries and saves a user's own classification rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "classify.h"
#include "command.h"
#include "config.h"
#include "fail.h"
#include "json.h"
#include "rule_trial.h"
#include "target.h"
#include "text_file.h"

/* The options. */
struct rules_options {
    const char *try, *add; /* a file, "-" for stdin */
    bool json;
};

static const char *const lists[] = {"rules", "general", "said", "hints", "guards", "errors"};

static bool is_own(const struct json *rule)
{
    return json_bool(json_get(rule, "user"), false);
}

static const char *member_text(const struct json *rule, const char *key)
{
    return json_text(json_get(rule, key), "");
}

/* Returns what the rule says about a failure: the type or reason, or else the class; "" if it
 * says nothing on its own. */
static const char *rule_word(const struct json *rule)
{
    const char *word = member_text(rule, "type");
    if (*word == '\0')
        word = member_text(rule, "reason");
    return *word != '\0' ? word : member_text(rule, "class");
}

static size_t count_rules(const struct json *set, bool own_only)
{
    size_t count = 0;
    for (size_t list = 0; list < ARRAY_LEN(lists); list++) {
        const struct json *rules = json_get(set, lists[list]);
        for (size_t i = 0; i < json_count(rules); i++)
            count += !own_only || is_own(json_at(rules, i));
    }
    return count;
}

static void print_rules(const struct json *set, const char *hash, const struct config *config)
{
    size_t own = count_rules(set, true);
    struct str out = {0};
    str_addf(&out, "%zu rules, %zu of your own%s%s, set %.8s\n", count_rules(set, false), own,
             own > 0 ? " from " : "", own > 0 ? config->path : "", hash);
    for (size_t list = 0; list < ARRAY_LEN(lists); list++) {
        const struct json *rules = json_get(set, lists[list]);
        for (size_t i = 0; i < json_count(rules); i++) {
            const struct json *rule = json_at(rules, i);
            str_addf(&out, "  %-7s %-32s %-26s%s\n", lists[list], member_text(rule, "id"),
                     rule_word(rule), is_own(rule) ? " yours" : "");
        }
    }
    say(out.data);
    str_done(&out);
}

static void add_member(const struct json *rule, const char *key, struct str *out)
{
    if (*member_text(rule, key) != '\0')
        str_json_text(out, key, member_text(rule, key));
}

static void print_rules_json(const struct json *set, const char *hash, const struct config *config)
{
    static const char *const keys[] = {"id",      "class",  "type",    "reason",
                                       "subtype", "stream", "pattern", "unless"};
    struct str out = {0};
    str_add_char(&out, '{');
    str_json_i64(&out, "v", 1);
    str_json_text(&out, "hash", hash);
    str_json_text(&out, "settings", config->path);
    str_json_key(&out, "rules");
    str_add_char(&out, '[');
    for (size_t list = 0; list < ARRAY_LEN(lists); list++) {
        const struct json *rules = json_get(set, lists[list]);
        for (size_t i = 0; i < json_count(rules); i++) {
            str_add(&out, out.data[out.len - 1] == '[' ? "{" : ",{");
            str_json_text(&out, "list", lists[list]);
            for (size_t key = 0; key < ARRAY_LEN(keys); key++)
                add_member(json_at(rules, i), keys[key], &out);
            str_json_key(&out, "yours");
            str_add(&out, is_own(json_at(rules, i)) ? "true}" : "false}");
        }
    }
    str_add(&out, "]}");
    str_add_char(&out, '\n');
    say_json(out.data);
    str_done(&out);
}

static int list_rules(const struct config *config, bool json)
{
    struct classifier *classifier = NULL;
    struct json *set = NULL;
    struct err err = {0};
    bool ok = classifier_open(&classifier, config->settings.rules, &err);
    if (ok) {
        const char *text = classifier_rules(classifier);
        ok = json_parse(text, strlen(text), &set, NULL, &err);
    }
    if (ok)
        (json ? print_rules_json : print_rules)(set, classifier_hash(classifier), config);
    json_free(set);
    classifier_close(classifier);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

static void print_trial(const struct rule_trial *trial)
{
    struct str out = {0};
    if (trial->changed == 0)
        rule_trial_words(trial, &out);
    else
        str_addf(&out, "%lld of %lld would change", (long long)trial->changed,
                 (long long)trial->attempts);
    str_add_char(&out, '\n');
    for (int i = 0; i < trial->change_count; i++) {
        const struct rule_trial_change *change = &trial->changes[i];
        struct str what = {0};
        str_addf(&what, "%s -> %s", change->from, change->to);
        str_addf(&out, "%6lld  %-32s ", (long long)change->count, what.data);
        str_add(&out, change->look ? " look at these: " : " ");
        for (int k = 0; k < change->example_count; k++) {
            str_add(&out, k > 0 ? ", " : "");
            rule_trial_attempt_words(&change->examples[k], &out);
        }
        str_add(&out, change->count > change->example_count ? ", ...\n" : "\n");
        str_done(&what);
    }
    if (trial->others > 0)
        str_addf(&out, "%6lld  other changes\n", (long long)trial->others);
    if (trial->skipped > 0 && trial->changed > 0)
        str_addf(&out, "%6lld  could not be read\n", (long long)trial->skipped);
    say(out.data);
    str_done(&out);
}

/* Prints the trial as one JSON object. `saved` is where the rule was added; "" if it was only
 * tested. */
static void print_trial_json(const struct rule_trial *trial, const char *saved)
{
    struct str out = {0};
    str_add_char(&out, '{');
    str_json_i64(&out, "v", 1);
    str_json_i64(&out, "attempts", trial->attempts);
    str_json_i64(&out, "changed", trial->changed);
    str_json_i64(&out, "skipped", trial->skipped);
    str_json_i64(&out, "others", trial->others);
    str_json_key(&out, "changes");
    str_add_char(&out, '[');
    for (int i = 0; i < trial->change_count; i++) {
        const struct rule_trial_change *change = &trial->changes[i];
        str_add(&out, i > 0 ? ",{" : "{");
        str_json_text(&out, "from", change->from);
        str_json_text(&out, "to", change->to);
        str_json_i64(&out, "count", change->count);
        str_json_bool(&out, "look", change->look);
        str_json_key(&out, "examples");
        str_add_char(&out, '[');
        for (int k = 0; k < change->example_count; k++) {
            str_add(&out, k > 0 ? ",{" : "{");
            str_json_i64(&out, "run", change->examples[k].run);
            str_json_text(&out, "task", change->examples[k].task);
            str_json_i64(&out, "step", change->examples[k].step + 1);
            str_json_i64(&out, "attempt", change->examples[k].attempt);
            str_add_char(&out, '}');
        }
        str_add(&out, "]}");
    }
    str_add_char(&out, ']');
    if (*saved != '\0')
        str_json_text(&out, "saved", saved);
    str_add_char(&out, '}');
    str_add_char(&out, '\n');
    say_json(out.data);
    str_done(&out);
}

static bool show_progress(void *progress, int64_t done, int64_t total)
{
    progress_say(progress, "judging", done, total);
    return true;
}

/* Tries the rule on everything recorded here. An empty log is not an error when adding a rule. */
static bool try_rule(const struct globals *globals, const struct config *config,
                     const struct str *rule, bool may_lack_log, struct rule_trial *out,
                     struct err *err)
{
    struct str rules = {0};
    struct place place;
    struct err why = {0};
    bool ok = rule_list_add(config->settings.rules, str_text(rule), &rules, err);
    if (ok && !find_log(globals->db, false, &place, &why)) {
        str_done(&rules);
        if (!may_lack_log)
            *err = why;
        return may_lack_log;
    }
    struct progress progress = progress_new();
    const struct rule_trial_asked asked = {.place = &place,
                                           .rules = config->settings.rules,
                                           .new_rules = str_text(&rules),
                                           .progress = show_progress,
                                           .ctx = &progress};
    ok = ok && rule_trial_run(&asked, out, err);
    progress_done(&progress);
    str_done(&rules);
    return ok;
}

static int teach_rule(struct globals *globals, const struct config *config, const char *dir,
                      const struct rules_options *options)
{
    struct str rule = {0};
    struct rule_trial trial = {0};
    struct err err = {0}, why = {0};
    const char *file = options->add ? options->add : options->try;
    char path[PATH_MAX + sizeof("/devs.config.json")] = "";
    bool ok = read_text_input(file, RULE_LIST_BYTES_MAX, &rule, &why) ||
              err_set(&err, why.code, "%s: %s", file, why.message);
    ok = ok && try_rule(globals, config, &rule, options->add != NULL, &trial, &err);
    if (ok && !options->json)
        print_trial(&trial);
    if (ok && options->add) {
        ok = rules_add(dir, str_text(&rule), &err);
        (void)snprintf(path, sizeof(path), "%s%s", config->path[0] != '\0' ? config->path : dir,
                       config->path[0] != '\0' ? "" : "/devs.config.json");
    }
    str_done(&rule);
    if (!ok)
        return fail(&err);
    if (options->json) {
        print_trial_json(&trial, path);
    } else if (options->add) {
        struct str added = {0};
        str_addf(&added, "added to %s\n", path);
        say(added.data);
        str_done(&added);
    } else {
        (void)puts("nothing was saved");
    }
    return options->try && trial.changed > 0 ? EXIT_WOULD_CHANGE : EXIT_ALL_PASSED;
}

int cmd_rules(struct globals *globals, int argc, char **argv)
{
    struct rules_options options = {0};
    const struct option_spec specs[] = {
        {"try", 0, "FILE",
         "show what this rule would change in all recorded tries (- is stdin); exit with 3 if "
         "anything would change",
         NULL, &options.try},
        {"add", 0, "FILE", "do the same, then add the rule to devs.config.json", NULL,
         &options.add},
        {"json", 0, NULL, "print one JSON object", &options.json, NULL},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 0};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (options.try && options.add)
        return fail_usage("choose one", "--try and --add are mutually exclusive");
    char dir[PATH_MAX];
    struct config config;
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "this folder no longer exists");
    code = config_read(dir, CONFIG_LOOKS, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    code = options.try || options.add ? teach_rule(globals, &config, dir, &options)
                                      : list_rules(&config, options.json);
    config_done(&config);
    return code;
}
