/*
 * The configuration file: its settings, and which of them a project may set only if a person
 * trusts it.
 */
#include "settings.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "attr.h"
#include "contract.h"
#include "json.h"
#include "plan.h"
#include "plan_internal.h"
#include "redact.h"
#include "rule_pattern.h"
#include "text.h"
#include "ui_settings.h"
#include "xalloc.h"

/* Trust: which keys of devs.config.json a person must allow first.
 *
 * A project's settings come with the project, so its authors wrote them, or even a step of an
 * earlier run did. A key needs trust if it runs a command, loosens a sandbox, shows a secret,
 * steers an agent or deletes runs. Its row in the tables below says when. */

static bool needs_trust(enum field_trust trust, const struct json *value)
{
    switch (trust) {
    case FIELD_TRUST_ALWAYS:
    case FIELD_TRUST_UNKNOWN:
        return true;
    case FIELD_TRUST_UNLESS_FALSE:
        return json_kind(value) != JSON_KIND_FALSE;
    case FIELD_TRUST_UNLESS_TRUE:
        return json_kind(value) != JSON_KIND_TRUE;
    case FIELD_TRUST_UNLESS_HERE:
        return strcmp(json_text(value, ""), "none") != 0 &&
               strcmp(json_text(value, ""), "bwrap") != 0;
    case FIELD_TRUST_NEVER:
    case FIELD_TRUST_BY_MEMBER:
        break;
    }
    return false;
}

/* Reports keys that need trust to `found`, and writes the others to `kept`. Either may be NULL. */
struct walk {
    settings_trust_fn *found;
    void *ctx;
    struct str *kept;
};

static void walk_members(const struct walk *walk, const struct fields *fields, const char *prefix,
                         const struct json *object)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *value = NULL;
    while (json_next(object, &iter, &name, &value)) {
        struct str key = {0};
        str_addf(&key, "%s%s", prefix, name);
        const struct field *row = fields_find(fields, name);
        enum field_trust trust = row ? row->trust : FIELD_TRUST_UNKNOWN;
        if (field_is_comment(name))
            trust = FIELD_TRUST_NEVER;
        if (row && trust == FIELD_TRUST_BY_MEMBER && json_kind(value) == JSON_KIND_OBJECT) {
            str_add_char(&key, '.');
            if (walk->kept) {
                str_json_key(walk->kept, name);
                str_add_char(walk->kept, '{');
            }
            walk_members(walk, row->members, str_text(&key), value);
            if (walk->kept)
                str_add_char(walk->kept, '}');
        } else {
            const bool needs = needs_trust(trust, value);
            const char *why = row && row->why ? row->why : "is unknown to devs";
            /* Unknown keys stay in the output, which settings_parse() then rejects. */
            if (walk->kept && (!needs || trust == FIELD_TRUST_UNKNOWN)) {
                str_json_key(walk->kept, name);
                json_write(walk->kept, value);
            }
            if (needs && walk->found)
                walk->found(walk->ctx, &(struct settings_trust_key){str_text(&key), why, value});
        }
        str_done(&key);
    }
}

void settings_trust_each(const struct json *root, settings_trust_fn *found, void *ctx)
{
    walk_members(&(struct walk){.found = found, .ctx = ctx}, &settings_fields, "", root);
}

void settings_trust_strip(const struct json *root, struct str *out)
{
    str_add_char(out, '{');
    walk_members(&(struct walk){.kept = out}, &settings_fields, "", root);
    str_add_char(out, '}');
}

/*
 * Settings: policies, thresholds of loops, workspaces, rules for all plans of a project, and the
 * appearance of the cockpit. Immutable once read, so any thread may read them.
 */

enum { NAMES_MAX = 256, COMMAND_ARGS_MAX = 64, PATH_CHARS_MAX = 4096 };

/* Reads the patterns that the schema accepts; reports patterns that do not compile. */
static void read_patterns(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    struct secret_settings *out = reader->at;
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    out->patterns = xcalloc(count + 1, sizeof(*out->patterns));
    for (size_t i = 0; i < count; i++) {
        const struct json_pointer item_path = {.up = path, .index = i};
        const struct json_pointer regex_path = {.up = &item_path, .key = "regex"};
        const char *name = json_text(json_get(json_at(value, i), "name"), NULL);
        const char *regex = json_text(json_get(json_at(value, i), "regex"), NULL);
        if (!name || !regex)
            continue;
        if (field_reader_is_sound(reader, &regex_path)) {
            struct rule_pattern *pattern = NULL;
            struct err why = {0};
            if (!rule_pattern_open(&pattern, regex, &why))
                field_reader_add(reader, VIOLATION_INVALID_VALUE, &regex_path, why.message, NULL,
                                 NULL);
            rule_pattern_close(pattern);
        }
        out->patterns[out->pattern_count++] =
            (struct redact_pattern){.name = xstrdup(name), .regex = xstrdup(regex)};
    }
}

#define AT(member) offsetof(struct secret_settings, member)
static const struct field secret_rows[] = {
    {"names", FIELD_LIST, AT(names), 0, NAMES_MAX, .own_shape = true, .trust = FIELD_TRUST_NEVER,
     .values = "at most 256 names",
     .means = "variables whose values are always secrets if they have at least 8 bytes; a name may "
              "end in `*`"},
    {"keep", FIELD_LIST, AT(keep), 0, NAMES_MAX, .own_shape = true, .trust = FIELD_TRUST_ALWAYS,
     .why = "shows secrets", .values = "at most 256 names",
     .means = "values not to cut, by the NAME in the mark: variables, kinds of tokens or patterns; "
              "a name may end in `*`",
     .see = "; needs [your trust](plan.md#settings-that-need-your-trust)"},
    {"patterns", FIELD_OTHER, .read = read_patterns, .trust = FIELD_TRUST_NEVER,
     .values = "array of at most 64 objects with `name` and `regex`",
     .means = "regular expressions (PCRE2) that match within a line; the first group that "
              "matched is cut, or the whole match if there are no groups"},
};
const struct fields secret_fields = FIELDS(secret_rows);
#undef AT

struct restoring {
    const struct redactor *redactor;
    char *const *environment;
};

/* Restores the secrets in a string of the plan, which may be NULL. */
static void restore_secret(const struct restoring *with, char **text)
{
    char name[REDACT_NAME_MAX + 1];
    struct str restored = {0};
    if (!*text || !redact_find_mark(*text, name))
        return;
    if (!redact_restore(*text, with->environment, &restored)) {
        str_done(&restored);
        return;
    }
    char *again = redact_string(with->redactor, str_text(&restored), NULL);
    if (strcmp(again, *text) == 0) {
        free(*text);
        *text = restored.data;
    } else {
        str_done(&restored);
    }
    free(again);
}

static void restore_list(const struct restoring *with, char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        restore_secret(with, &list[i]);
}

void plan_restore_secrets(struct plan *plan, const struct redactor *redactor,
                          char *const *environment)
{
    const struct restoring with = {.redactor = redactor, .environment = environment};
    char **env = NULL;
    restore_list(&with, plan->workspace.setup);
    for (int i = 0; i < plan->executor_count; i++) {
        struct plan_executor *executor = &plan->executors[i];
        for (int k = 0; k < executor->host_count; k++)
            restore_secret(&with, &executor->hosts[k].host);
        restore_secret(&with, &executor->dir);
        restore_secret(&with, &executor->hand);
        restore_list(&with, executor->args);
        restore_secret(&with, &executor->shared);
        if (executor->image)
            restore_secret(&with, &executor->image);
    }
    for (size_t i = 0; (env = adapters_own_env(plan->adapters, i)) != NULL; i++)
        restore_list(&with, env);
    for (int i = 0; i < plan->task_count; i++) {
        struct plan_task *task = &plan->tasks[i];
        if (task->own_workspace)
            restore_list(&with, task->own_workspace->setup);
        for (int j = 0; j < task->step_count; j++) {
            struct plan_step *step = &task->steps[j];
            struct plan_agent *agent = step->agent;
            if (agent) {
                restore_secret(&with, &agent->prompt);
                restore_list(&with, agent->args);
                restore_list(&with, agent->permission_args);
                restore_secret(&with, &agent->model);
                restore_secret(&with, &agent->resume);
            }
            restore_list(&with, step->argv);
            restore_list(&with, step->env);
            restore_secret(&with, &step->cwd);
            restore_secret(&with, &step->stdin_path);
            for (int k = 0; k < step->file_count; k++) {
                restore_secret(&with, &step->files[k].path);
                restore_secret(&with, &step->files[k].contains);
            }
        }
    }
}

static bool find_in_list(char *const *list, char name[REDACT_NAME_MAX + 1])
{
    for (size_t i = 0; list && list[i]; i++) {
        if (redact_find_mark(list[i], name))
            return true;
    }
    return false;
}

bool plan_step_lacks(const struct plan_step *step, char name[REDACT_NAME_MAX + 1])
{
    const struct plan_agent *agent = step->agent; /* its arguments are in the step's command */
    if (agent &&
        (redact_find_mark(agent->prompt, name) || find_in_list(adapter_env(agent->adapter), name) ||
         (agent->resume && redact_find_mark(agent->resume, name))))
        return true;
    return find_in_list(step->argv, name) || find_in_list(step->env, name) ||
           (step->cwd && redact_find_mark(step->cwd, name)) ||
           (step->stdin_path && redact_find_mark(step->stdin_path, name));
}

bool plan_setup_lacks(const struct plan_task *task, char name[REDACT_NAME_MAX + 1])
{
    return find_in_list(task->workspace->setup, name);
}

static const char *times_word(int times)
{
    static const char *const words[] = {
        [SHOWN_TIMES_AGO] = "ago", [SHOWN_TIMES_CLOCK] = "clock", [SHOWN_TIMES_UTC] = "utc"};
    static_assert(ARRAY_LEN(words) == SHOWN_TIMES_COUNT, "every way to show times has a name");
    return words[times];
}

/* In the order of their flags. */
static const char *const notify_names[] = {"needs-you", "stuck", "gave-up", "budget", "ended"};
static_assert(ARRAY_LEN(notify_names) == NOTIFY_COUNT, "every event has a name");

static const char *notify_word(int bit)
{
    return notify_names[bit];
}

static unsigned notify_flag(const char *name)
{
    for (unsigned i = 0; i < NOTIFY_COUNT; i++) {
        if (strcmp(notify_names[i], name) == 0)
            return 1U << i;
    }
    return 0;
}

const char *ui_notify_name(unsigned flag)
{
    for (unsigned i = 0; i < NOTIFY_COUNT; i++) {
        if (1U << i == flag)
            return notify_names[i];
    }
    return "?";
}

#define AT(member) offsetof(struct ui_settings, member)
static const struct field ui_rows[] = {
    {"theme", FIELD_TEXT, AT(theme), 1, PATH_CHARS_MAX, .trust = FIELD_TRUST_NEVER,
     .values = "text",
     .means = "`auto`, `dark`, `light`, `mono`, `contrast` or `cb`; or the path of a theme file, "
              "which must contain a slash, relative to the folder of the settings",
     .see = "; default `auto`"},
    {"ascii", FIELD_BOOL, AT(ascii), .trust = FIELD_TRUST_NEVER, .means = "draw with ASCII only",
     .see = "; the default depends on the locale"},
    {"mouse", FIELD_BOOL, .elsewhere = true, .trust = FIELD_TRUST_NEVER,
     .means = "capture the mouse; if false, the terminal keeps it until you press `M`",
     .see = "; default `true`"},
    {"time", FIELD_WORD, AT(times), .most = SHOWN_TIMES_COUNT, .word = times_word,
     .trust = FIELD_TRUST_NEVER, .means = "how times are shown at first; `t` changes the format"},
    {"notify", FIELD_WORDS, AT(notify), .most = NOTIFY_COUNT, .word = notify_word,
     .trust = FIELD_TRUST_NEVER,
     .means = "the events to notify about; default: none or, with `notify_command`, the events "
              "`needs-you`, `stuck`, `gave-up` and `ended`",
     .see = "; see [Events](notifications.md#events)"},
    {"notify_command", FIELD_LIST, AT(notify_command), 1, COMMAND_ARGS_MAX, 0, PATH_CHARS_MAX,
     .trust = FIELD_TRUST_ALWAYS, .why = FIELD_TRUST_RUNS,
     .means =
         "the program to run for these events, and its arguments; the program runs in `/` and gets "
         "a JSON object on stdin, `DEVS_*` variables, and the message as its last argument",
     .see = "; see [Notifications](notifications.md); needs "
            "[trust](plan.md#settings-that-need-your-trust)"},
};
const struct fields ui_fields = FIELDS(ui_rows);
#undef AT

#define AT(member) offsetof(struct retention_settings, member)
static const struct field retention_rows[] = {
    {"days", FIELD_INT, AT(days), 1, 36500,
     .means = "number of days after its last event until a run is deleted"},
    {"runs", FIELD_INT, AT(runs), 1, 100000,
     .means = "maximum number of runs to keep; older runs are deleted"},
    {"mib", FIELD_INT, AT(mib), 1, 1048576,
     .means = "maximum size in MiB of all runs to keep; older runs are deleted"},
    {"automatic", FIELD_BOOL, AT(automatic),
     .means = "`true`: `devs run` and `devs exec` delete old runs at their end; `false`, the "
              "default: only `devs gc` does"},
};
const struct fields retention_fields = FIELDS(retention_rows);
#undef AT

#define AT(member) offsetof(struct settings, member)
static const struct field tests_rows[] = {
    {"run", FIELD_LIST, AT(tests), 1, PLAN_ARGS_MAX, 0, PLAN_TEXT_MAX,
     .means = "the program and its arguments"},
};
const struct fields tests_fields = FIELDS(tests_rows);

static const struct field settings_rows[] = {
    {"$schema", FIELD_OTHER, .trust = FIELD_TRUST_NEVER, .values = "text",
     .means = "location of this schema, for editors"},
    {"policies", FIELD_OTHER, .ref = "policies", .trust = FIELD_TRUST_NEVER,
     .values = "object, at most 64",
     .means = "as in a plan, but it can also change the built-in policies"},
    {"retry_limit", FIELD_INT, .least = 1, .most = POLICY_ATTEMPTS_MAX, .elsewhere = true,
     .trust = FIELD_TRUST_NEVER,
     .means = "maximum attempts of the policy `research`; `max_attempts` of `policies.research` "
              "takes precedence"},
    {"workspace", FIELD_OTHER, .ref = "workspace", .members = &plan_workspace_fields,
     .trust = FIELD_TRUST_BY_MEMBER, .values = "a kind, or an object",
     .means = "as in a plan; `devs exec` always works in place"},
    {"sandbox", FIELD_OTHER, .ref = "sandbox", .members = &plan_sandbox_fields,
     .trust = FIELD_TRUST_BY_MEMBER, .values = "a kind, or an object", .means = "as in a plan"},
    {"limits", FIELD_OBJECT, AT(limits), .members = &plan_limits_fields, .ref = "limits",
     .trust = FIELD_TRUST_NEVER, .means = "as in a plan"},
    {"on_hangup", FIELD_WORD, AT(on_hangup), .most = PLAN_HANGUP_COUNT, .word = plan_hangup_word,
     .trust = FIELD_TRUST_NEVER, .means = PLAN_HANGUP_MEANS},
    {"day_usd", FIELD_REAL, AT(day_micro), .own_shape = true, .read = plan_budget_read_cost,
     .trust = FIELD_TRUST_NEVER, .values = "more than 0, up to 1,000,000",
     .means = "maximum cost of all runs in the log on the same day, in US dollars",
     .see = ": [agents.md](agents.md#budgets)"},
    {"loops", FIELD_OTHER, .ref = "loops", .trust = FIELD_TRUST_NEVER,
     .values = "`strict`, `normal`, `off`, or an object", .means = "as in a plan",
     .see = "; see [Loops](#loops)"},
    {"secrets", FIELD_OBJECT, AT(secrets), .members = &secret_fields, .ref = "secrets",
     .trust = FIELD_TRUST_BY_MEMBER, .means = "additional secrets, and exceptions",
     .see = ": [secrets.md](secrets.md#settings)"},
    {"agents", FIELD_OTHER, .ref = "agents", .trust = FIELD_TRUST_ALWAYS, .why = FIELD_TRUST_RUNS,
     .values = "object", .means = "as in a plan", .see = ": [agents.md](agents.md)"},
    {"executors", FIELD_OTHER, .ref = "executors", .trust = FIELD_TRUST_ALWAYS,
     .why = "starts programs on other machines", .values = "object, at most 32",
     .means = "as in a plan; a plan's own executor of the same name takes precedence",
     .see = "; see [Other machines](#other-machines)"},
    {"ui", FIELD_OBJECT, AT(ui), .members = &ui_fields, .ref = "ui", .trust = FIELD_TRUST_BY_MEMBER,
     .means = "how the cockpit looks and behaves", .see = ": [terminal.md](terminal.md#settings)"},
    {"retention", FIELD_OBJECT, AT(retention), .members = &retention_fields, .ref = "retention",
     .trust = FIELD_TRUST_ALWAYS, .why = "deletes past runs",
     .means = "how much the run log keeps of past runs",
     .see = ": [run-log.md](run-log.md#retention)"},
    {"agent", FIELD_TEXT, AT(agent), 1, 64, .trust = FIELD_TRUST_NEVER,
     .values = "name of an agent",
     .means = "the default agent of `devs new-project` and `devs plan-phase`",
     .see = ": [workflows.md](workflows.md#which-agent)"},
    {"workflows", FIELD_TEXT, AT(workflows), 1, PATH_CHARS_MAX, .trust = FIELD_TRUST_ALWAYS,
     .why = "replaces the prompts for agents", .values = "path",
     .means = "a folder, relative to this file, with your own prompts (new-project.md, "
              "plan-phase.md) and contracts (new-project.json)",
     .see = ": [workflows.md](workflows.md#prompts-of-your-own)"},
    {"tests", FIELD_OBJECT, .members = &tests_fields, .ref = "tests", .trust = FIELD_TRUST_ALWAYS,
     .why = FIELD_TRUST_RUNS, .values = "`{\"run\": [...]}`",
     .means = "the project's tests, which `run_tests` of `devs mcp` runs",
     .see = ": [mcp.md](mcp.md)"},
    {"rules", FIELD_OTHER, .trust = FIELD_TRUST_NEVER, .values = "array, at most 200",
     .means = "rules for verdicts, in addition to the built-in ones or instead of them",
     .see = ": [classification.md](classification.md#rules)"},
};
const struct fields settings_fields = FIELDS(settings_rows);
#undef AT

bool ui_notify_parse(const char *names, unsigned *out)
{
    static const char between[] = " ,";
    enum { NAME_MAX_LEN = 15 };
    unsigned flags = 0;
    for (const char *at = names + strspn(names, between); *at;) {
        char name[NAME_MAX_LEN + 1] = "";
        const size_t len = strcspn(at, between);
        if (len <= NAME_MAX_LEN)
            memcpy(name, at, len);
        const unsigned flag = notify_flag(name);
        if (flag == 0 && strcmp(name, "off") != 0)
            return false;
        flags = flag == 0 ? 0 : flags | flag;
        at += len;
        at += strspn(at, between);
    }
    *out = flags;
    return true;
}

bool ui_theme_is_file(const char *theme)
{
    return strchr(theme, '/') != NULL;
}

/* Changes the attempts of a built-in policy; 0 = unchanged. */
static void set_attempts(struct policy_list *list, const char *name, int64_t attempts)
{
    if (attempts == 0)
        return;
    list->items[list->count] = *policy_named(name);
    list->items[list->count++].max_attempts = (int)attempts;
}

/* Reads the policies: shorthand keys first, so that "policies" overrides them. */
static void read_policies(struct field_reader *reader, const struct json *root)
{
    static const struct json_pointer top = {0};
    static const struct json_pointer path = {.up = &top, .key = "policies"};
    struct policy_list *list = &reader->doc->policies;
    const struct json *policies = json_get(root, "policies");
    int64_t attempts = 0;
    int64_t retries = -1;
    field_read_number(json_get(root, "retry_limit"), 1, POLICY_ATTEMPTS_MAX, &attempts);
    field_read_number(json_get(json_get(root, "sandbox"), "transientRetries"), 0,
                      SETTINGS_RETRIES_MAX, &retries);
    set_attempts(list, "research", attempts);
    set_attempts(list, "infrastructure", retries + 1);
    plan_policies_load(reader, policies);
    plan_policies_check(reader, &path, policies);

    /* Drop policies that are hidden by others of the same name. */
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        if (policy_list_find(list, list->items[i].name) == &list->items[i])
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
    /* The two policies with shorthand keys count, too, because a plan must have room for all. */
    if (kept > PLAN_POLICIES_MAX)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, &path,
                         "too many policies, including those of retry_limit and transientRetries",
                         "at most 64", "more");
}

/* Checks first the shape, then the meaning. All errors come in document order. */
static bool read_document(const struct json *root, struct settings *settings,
                          struct violations *wrong)
{
    static const struct json_pointer top = {0};
    struct violations meaning = {0};
    struct plan_reading doc = {.builtin_may_change = true};
    struct field_reader reader = {.shape = wrong, .violations = &meaning, .doc = &doc};
    bool is_formed = plan_shape_check(settings_schema(), root, wrong);
    settings->policies = xcalloc(SETTINGS_POLICIES_MAX, sizeof(*settings->policies));
    doc.policies.items = settings->policies;
    read_policies(&reader, root);
    settings->policy_count = doc.policies.count;
    settings->loops = entropy_limits_new();
    settings->has_loops = entropy_limits_read(&settings->loops, json_get(root, "loops"), NULL);
    plan_surroundings_read(&reader, root, settings);
    fields_read(&reader, &top, root, &settings_fields, settings);
    const struct json *ui = json_get(root, "ui");
    settings->ui.leaves_mouse = !json_bool(json_get(ui, "mouse"), true);
    if (settings->ui.notify_command && !json_get(ui, "notify"))
        settings->ui.notify = NOTIFY_DEFAULT;
    const struct json *agents = json_get(root, "agents");
    struct violations of_agents = {0};
    if (json_count(agents) > 0 && !adapters_read(NULL, agents, &of_agents, &settings->agents))
        settings->agents = NULL; /* errors have been reported */
    violations_merge(&meaning, &of_agents, root);
    struct violations of_executors = {0};
    plan_executors_read_settings(&reader, json_get(root, "executors"), &of_executors, settings);
    violations_merge(&meaning, &of_executors, root);
    const struct json *rules = json_get(root, "rules");
    if (json_count(rules) > 0) {
        struct str text = {0};
        json_write(&text, rules);
        settings->rules = text.data;
    }

    bool ok = is_formed && meaning.count == 0;
    violations_merge(wrong, &meaning, root);
    return ok;
}

bool settings_parse(const char *text, size_t len, struct settings *out,
                    struct violations *violations)
{
    struct json *root = plan_reader_json(text, len, SETTINGS_BYTES_MAX, violations);
    if (!root)
        return false;
    struct settings settings = {0};
    struct violations wrong = {0};
    bool ok = read_document(root, &settings, &wrong);
    violations_merge(violations, &wrong, NULL);
    json_free(root);
    if (ok)
        *out = settings;
    else
        settings_done(&settings);
    return ok;
}

void settings_done(struct settings *settings)
{
    if (!settings)
        return;
    free(settings->policies);
    workspace_spec_done(&settings->workspace);
    sandbox_spec_done(&settings->sandbox);
    secret_settings_done(&settings->secrets);
    free(settings->ui.theme);
    text_list_free(settings->ui.notify_command);
    free(settings->rules);
    adapters_free(settings->agents);
    plan_executors_free(settings->executors, settings->executor_count);
    text_list_free(settings->tests);
    free(settings->agent);
    free(settings->workflows);
    *settings = (struct settings){0};
}

const struct policy *settings_policy(const struct settings *settings, const char *name)
{
    const struct policy_list list = {.items = settings->policies, .count = settings->policy_count};
    return policy_list_find(&list, name);
}

void settings_names(const struct settings *settings, struct str *out)
{
    const struct policy_list list = {.items = settings->policies, .count = settings->policy_count};
    policy_list_names(&list, NULL, out);
}
