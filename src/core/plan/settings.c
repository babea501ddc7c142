/*
 * The configuration file: its settings, and which of them a project may set only if a person
 * trusts it.
 */
#include "settings.h"

#include <assert.h>
#include <limits.h>
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

/*
 * Trust: which keys of devs.config.json a person must allow first.
 *
 * A project's settings come with the project, so its authors wrote them, and a step of an earlier
 * run may have. A key needs trust if it runs a command, loosens a sandbox, shows a secret, steers
 * an agent or deletes runs. The table has every key.
 */

/* When a key needs trust. */
enum need {
    NEVER,
    ALWAYS,
    UNLESS_FALSE,
    UNLESS_TRUE,
    UNLESS_HERE, /* "none" and "bwrap": the programs of the sandbox are those of this machine */
    UNKNOWN,     /* like ALWAYS; stays in the text, which is then rejected */
    BY_MEMBER,   /* decided by its members; a value without members needs none */
};

static const char runs[] = "runs a command";
static const char loosens[] = "loosens the sandbox";
static const char replaces[] = "chooses the programs in the sandbox";
static const char deletes[] = "deletes past runs";

static const struct {
    const char *key;
    enum need need;
    const char *why;
} rows[] = {
    {"$schema", NEVER, NULL},
    {"policies", NEVER, NULL},
    {"retry_limit", NEVER, NULL},
    {"limits", NEVER, NULL},
    {"on_hangup", NEVER, NULL},
    {"loops", NEVER, NULL},
    {"rules", NEVER, NULL},
    {"agent", NEVER, NULL},
    {"agents", ALWAYS, runs},
    {"tests", ALWAYS, runs},
    {"workflows", ALWAYS, "replaces the prompts that agents get"},
    {"retention", ALWAYS, deletes},
    {"workspace", BY_MEMBER, NULL},
    {"workspace.kind", NEVER, NULL},
    {"workspace.copy", ALWAYS, "brings ignored files, which may hold secrets, into attempts"},
    {"workspace.setup", ALWAYS, runs},
    {"workspace.setup_in", ALWAYS, loosens},
    {"workspace.exclude", NEVER, NULL},
    {"workspace.snapshot_bytes_max", NEVER, NULL},
    {"workspace.setup_timeout_s", NEVER, NULL},
    {"sandbox", BY_MEMBER, NULL},
    {"sandbox.kind", UNLESS_HERE, replaces},
    {"sandbox.network", UNLESS_FALSE, loosens},
    {"sandbox.memory_mb", NEVER, NULL},
    {"sandbox.pids", NEVER, NULL},
    {"sandbox.cpu_s", NEVER, NULL},
    {"sandbox.read_only", UNLESS_TRUE, loosens},
    {"sandbox.writable", ALWAYS, loosens},
    {"sandbox.env", ALWAYS, loosens},
    {"sandbox.image", ALWAYS, replaces},
    {"sandbox.start_timeout_ms", ALWAYS, "belongs to an image"},
    {"sandbox.args", ALWAYS, loosens},
    {"sandbox.best_effort", UNLESS_FALSE, loosens},
    {"sandbox.transientRetries", NEVER, NULL},
    {"secrets", BY_MEMBER, NULL},
    {"secrets.names", NEVER, NULL},
    {"secrets.keep", ALWAYS, "shows secrets"},
    {"secrets.patterns", NEVER, NULL},
    {"ui", BY_MEMBER, NULL},
    {"ui.theme", NEVER, NULL},
    {"ui.ascii", NEVER, NULL},
    {"ui.mouse", NEVER, NULL},
    {"ui.time", NEVER, NULL},
    {"ui.notify", NEVER, NULL},
    {"ui.notify_command", ALWAYS, runs},
};

const char *settings_trust_row(size_t index)
{
    return index < ARRAY_LEN(rows) ? rows[index].key : NULL;
}

/* Returns what the table says about the key. Unknown keys need trust. */
static enum need find_need(const char *key, const char **why)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (strcmp(rows[i].key, key) != 0)
            continue;
        *why = rows[i].why;
        return rows[i].need;
    }
    *why = "is unknown to devs";
    return UNKNOWN;
}

static bool needs_trust(enum need need, const struct json *value)
{
    switch (need) {
    case ALWAYS:
    case UNKNOWN:
        return true;
    case UNLESS_FALSE:
        return json_kind(value) != JSON_KIND_FALSE;
    case UNLESS_TRUE:
        return json_kind(value) != JSON_KIND_TRUE;
    case UNLESS_HERE:
        return strcmp(json_text(value, ""), "none") != 0 &&
               strcmp(json_text(value, ""), "bwrap") != 0;
    case NEVER:
    case BY_MEMBER:
        break;
    }
    return false;
}

/* Where the walk reports keys that need trust, and writes the others. Either may be NULL. */
struct walk {
    settings_trust_fn *found;
    void *ctx;
    struct str *kept;
};

static void walk_members(const struct walk *walk, const char *prefix, const struct json *object)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *value = NULL;
    while (json_next(object, &iter, &name, &value)) {
        struct str key = {0};
        const char *why = NULL;
        str_addf(&key, "%s%s", prefix, name);
        const bool is_comment = strncmp(name, "//", 2) == 0;
        const enum need need = is_comment ? NEVER : find_need(str_text(&key), &why);
        if (need == BY_MEMBER && json_kind(value) == JSON_KIND_OBJECT) {
            str_add_char(&key, '.');
            if (walk->kept) {
                str_json_key(walk->kept, name);
                str_add_char(walk->kept, '{');
            }
            walk_members(walk, str_text(&key), value);
            if (walk->kept)
                str_add_char(walk->kept, '}');
        } else {
            const bool needs = needs_trust(need, value);
            if (walk->kept && (!needs || need == UNKNOWN)) {
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
    walk_members(&(struct walk){.found = found, .ctx = ctx}, "", root);
}

void settings_trust_strip(const struct json *root, struct str *out)
{
    str_add_char(out, '{');
    walk_members(&(struct walk){.kept = out}, "", root);
    str_add_char(out, '}');
}

/*
 * Settings: policies, thresholds of loops, workspaces, rules for all plans of a project, and the
 * appearance of the cockpit. Immutable once read, so any thread may read them.
 */

static char **read_names(const struct json *value)
{
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    size_t taken = 0;
    if (count == 0)
        return NULL;
    char **names = xcalloc(count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        const char *name = json_text(json_at(value, i), NULL);
        if (name)
            names[taken++] = xstrdup(name);
    }
    return names;
}

/* Takes what the schema accepts; reports patterns that do not compile. `value` may be NULL. */
static void read_secrets(struct plan_reader *reader, const struct json *value,
                         struct secret_settings *out)
{
    static const struct json_pointer root = {0};
    const struct json_pointer path = {.up = &root, .key = "secrets"};
    const struct json_pointer patterns_path = {.up = &path, .key = "patterns"};
    const struct json *patterns = json_get(value, "patterns");
    const size_t count = json_kind(patterns) == JSON_KIND_ARRAY ? json_count(patterns) : 0;
    out->names = read_names(json_get(value, "names"));
    out->keep = read_names(json_get(value, "keep"));
    out->patterns = xcalloc(count + 1, sizeof(*out->patterns));
    for (size_t i = 0; i < count; i++) {
        const struct json_pointer item_path = {.up = &patterns_path, .index = i};
        const struct json_pointer regex_path = {.up = &item_path, .key = "regex"};
        const char *name = json_text(json_get(json_at(patterns, i), "name"), NULL);
        const char *regex = json_text(json_get(json_at(patterns, i), "regex"), NULL);
        if (!name || !regex)
            continue;
        if (plan_reader_is_sound(reader, &regex_path)) {
            struct rule_pattern *pattern = NULL;
            struct err why = {0};
            if (!rule_pattern_open(&pattern, regex, &why))
                plan_reader_add(reader, VIOLATION_INVALID_VALUE, &regex_path, why.message, NULL,
                                NULL);
            rule_pattern_close(pattern);
        }
        out->patterns[out->pattern_count++] =
            (struct redact_pattern){.name = xstrdup(name), .regex = xstrdup(regex)};
    }
}

struct restoring {
    const struct redactor *redactor;
    char *const *environment;
};

/* A text of the plan, which may be NULL. */
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

enum { COMMAND_ARGS_MAX = 64 };

static const char *const times_names[] = {
    [SHOWN_TIMES_AGO] = "ago", [SHOWN_TIMES_CLOCK] = "clock", [SHOWN_TIMES_UTC] = "utc"};
static_assert(ARRAY_LEN(times_names) == SHOWN_TIMES_COUNT, "every way to show times has a name");

static const struct {
    const char *name;
    unsigned flag;
} notify_names[] = {
    {"needs-you", NOTIFY_NEEDS_YOU}, {"asks", NOTIFY_ASKS},     {"stuck", NOTIFY_STUCK},
    {"gave-up", NOTIFY_GAVE_UP},     {"budget", NOTIFY_BUDGET}, {"host-lost", NOTIFY_HOST_LOST},
    {"ended", NOTIFY_ENDED},
};

static unsigned notify_flag(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(notify_names); i++) {
        if (strcmp(notify_names[i].name, name) == 0)
            return notify_names[i].flag;
    }
    return 0;
}

const char *ui_notify_name(unsigned flag)
{
    for (size_t i = 0; i < ARRAY_LEN(notify_names); i++) {
        if (notify_names[i].flag == flag)
            return notify_names[i].name;
    }
    return "?";
}

/* Takes what the schema accepts. `value` may be NULL. */
static void ui_settings_read(struct plan_reader *reader, const struct json *value,
                             struct ui_settings *out)
{
    static const struct json_pointer root = {0};
    const struct json_pointer path = {.up = &root, .key = "ui"};
    const struct json_pointer command = {.up = &path, .key = "notify_command"};
    const struct json *notify = json_get(value, "notify");
    const char *theme = json_text(json_get(value, "theme"), NULL);
    const char *times = json_text(json_get(value, "time"), "");
    out->theme = theme ? xstrdup(theme) : NULL;
    out->ascii = json_bool(json_get(value, "ascii"), false);
    out->leaves_mouse = !json_bool(json_get(value, "mouse"), true);
    for (size_t i = 0; i < ARRAY_LEN(times_names); i++) {
        if (strcmp(times_names[i], times) == 0)
            out->times = (enum shown_times)i;
    }
    for (size_t i = 0; json_kind(notify) == JSON_KIND_ARRAY && i < json_count(notify); i++)
        out->notify |= notify_flag(json_text(json_at(notify, i), ""));
    plan_list_read(reader, &command, json_get(value, "notify_command"), COMMAND_ARGS_MAX,
                   &out->notify_command);
    if (!notify && out->notify_command)
        out->notify = NOTIFY_DEFAULT;
}

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
static void set_attempts(struct policy_list *list, const char *name, int attempts)
{
    if (attempts == 0)
        return;
    list->items[list->count] = *policy_named(name);
    list->items[list->count++].max_attempts = attempts;
}

/* Shorthand keys of two policies. */
struct shorthand {
    int research_attempts;
    int start_retries;
};

static const struct plan_field retry_limit_rows[] = {
    {"retry_limit", PLAN_FIELD_INT, offsetof(struct shorthand, research_attempts), 1,
     POLICY_ATTEMPTS_MAX,
     .means = "attempts of `research`; `max_attempts` of `policies.research` takes precedence"},
};
const struct plan_fields settings_retry_fields = {retry_limit_rows, ARRAY_LEN(retry_limit_rows)};

static const struct plan_field sandbox_rows[] = {
    {"transientRetries", PLAN_FIELD_INT, offsetof(struct shorthand, start_retries), 0,
     SETTINGS_RETRIES_MAX,
     .means = "how often a start is retried: `max_attempts` of `infrastructure` minus one; "
              "`policies.infrastructure` takes precedence"},
};
const struct plan_fields settings_sandbox_fields = {sandbox_rows, ARRAY_LEN(sandbox_rows)};

/* Reads the policies: shorthand keys first, so that "policies" overrides them. */
static void read_policies(struct plan_reader *reader, const struct json *root)
{
    static const struct json_pointer top = {0};
    static const struct json_pointer path = {.up = &top, .key = "policies"};
    struct policy_list *list = &reader->policies;
    const struct json *policies = json_get(root, "policies");
    struct shorthand shorthand = {.start_retries = -1};
    plan_fields_read(reader, &top, root, &settings_retry_fields, &shorthand);
    plan_fields_read(reader, &top, json_get(root, "sandbox"), &settings_sandbox_fields, &shorthand);
    set_attempts(list, "research", shorthand.research_attempts);
    set_attempts(list, "infrastructure", shorthand.start_retries + 1);
    plan_policies_load(reader, policies);
    plan_policies_check(reader, &path, policies);

    /* Drops those hidden by others of the same name. */
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        if (policy_list_find(list, list->items[i].name) == &list->items[i])
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
    /* The two with shorthand keys count, too: a plan must have room for all. */
    if (kept > PLAN_POLICIES_MAX)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, &path,
                        "too many, with those of retry_limit and transientRetries", "at most 64",
                        "more");
}

static char *copy_text(const struct json *json)
{
    const char *text = json_text(json, NULL);
    return text ? xstrdup(text) : NULL;
}

/* The schema has the bounds. */
static int read_limit(const struct json *retention, const char *key)
{
    int64_t value = 0;
    plan_reader_whole(json_get(retention, key), &value);
    return value > 0 && value <= INT_MAX ? (int)value : 0;
}

/* First the shape, then the meaning. All errors come in document order. */
static bool read_document(const struct json *root, struct settings *settings,
                          struct violations *wrong)
{
    static const struct json_pointer top = {0};
    static const struct json_pointer tests_path = {.up = &top, .key = "tests"};
    static const struct json_pointer run_path = {.up = &tests_path, .key = "run"};
    struct violations meaning = {0};
    struct plan_reader reader = {
        .shape = wrong, .violations = &meaning, .builtin_may_change = true};
    bool is_formed = plan_shape_check(settings_schema(), root, wrong);
    settings->policies = xcalloc(SETTINGS_POLICIES_MAX, sizeof(*settings->policies));
    reader.policies.items = settings->policies;
    read_policies(&reader, root);
    settings->policy_count = reader.policies.count;
    settings->loops = entropy_limits_new();
    settings->has_loops = entropy_limits_read(&settings->loops, json_get(root, "loops"), NULL);
    plan_surroundings_read(&reader, root, settings);
    read_secrets(&reader, json_get(root, "secrets"), &settings->secrets);
    ui_settings_read(&reader, json_get(root, "ui"), &settings->ui);
    const struct json *retention = json_get(root, "retention");
    settings->retention = (struct retention_settings){
        .days = read_limit(retention, "days"),
        .runs = read_limit(retention, "runs"),
        .mib = read_limit(retention, "mib"),
        .automatic = json_bool(json_get(retention, "automatic"), false),
    };
    const struct json *agents = json_get(root, "agents");
    struct violations of_agents = {0};
    if (json_count(agents) > 0 && !adapters_read(NULL, agents, &of_agents, &settings->agents))
        settings->agents = NULL; /* errors have been reported */
    violations_merge(&meaning, &of_agents, root);
    settings->agent = copy_text(json_get(root, "agent"));
    settings->workflows = copy_text(json_get(root, "workflows"));
    /* The schema has reported an empty command. */
    plan_list_read(&reader, &run_path, json_get(json_get(root, "tests"), "run"), PLAN_ARGS_MAX,
                   &settings->tests);
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
