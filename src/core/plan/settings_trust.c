#include "settings_trust.h"

#include <string.h>

#include "attr.h"

/* When a key needs trust. */
enum need {
    NEVER,
    ALWAYS,
    UNLESS_FALSE,
    UNLESS_TRUE,
    UNLESS_HERE, /* "none" and "bwrap": the programs of the sandbox are those of this machine */
    UNKNOWN,     /* as ALWAYS; it stays in the text, which is refused for it */
    BY_MEMBER,   /* the rows of its members say; a value without members needs none */
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

/* Returns what the table says of the key; a key that it does not have needs trust. */
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

static void write_member(const struct walk *walk, const char *key, const struct json *value)
{
    if (!walk->kept)
        return;
    str_json_key(walk->kept, key);
    json_write(walk->kept, value);
}

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
            if (!needs || need == UNKNOWN)
                write_member(walk, name, value);
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
