#include "plan_agents_edit.h"

#include <string.h>

#include "attr.h"

/* What writes a value that stands under a key, or in a list under it. */
typedef void write_fn(const struct plan_agents_edit *edit, const struct json *value,
                      struct str *out);

/* An object whose member `key`, a list, has each of its elements written by `write`; all else is
 * copied. */
static void write_list_of(const struct plan_agents_edit *edit, const struct json *object,
                          const char *key, write_fn *write, struct str *out)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *member = NULL;
    if (json_kind(object) != JSON_KIND_OBJECT) {
        json_write(out, object);
        return;
    }
    str_add_char(out, '{');
    while (json_next(object, &iter, &name, &member)) {
        str_json_key(out, name);
        if (strcmp(name, key) != 0 || json_kind(member) != JSON_KIND_ARRAY) {
            json_write(out, member);
            continue;
        }
        str_add_char(out, '[');
        for (size_t i = 0; i < json_count(member); i++) {
            str_add(out, i > 0 ? "," : "");
            write(edit, json_at(member, i), out);
        }
        str_add_char(out, ']');
    }
    str_add_char(out, '}');
}

/* The text in place of this member of an agent's step; NULL = it stays. */
static const char *replaced(const struct plan_agents_edit *edit, const char *key)
{
    if (strcmp(key, "agent") == 0)
        return edit->agent;
    return strcmp(key, "model") == 0 ? edit->model : NULL;
}

/* What one agent's program understands, another's does not; a session is its own likewise. */
static bool is_of_agent_alone(const char *key)
{
    static const char *const keys[] = {"args", "permission_args", "model", "resume"};
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        found = found || strcmp(key, keys[i]) == 0;
    return found;
}

static void write_step(const struct plan_agents_edit *edit, const struct json *step,
                       struct str *out)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    const char *agent = json_text(json_get(step, "agent"), NULL);
    if (!agent) {
        json_write(out, step);
        return;
    }
    const bool is_other = edit->agent && strcmp(edit->agent, agent) != 0;
    agent = edit->agent ? edit->agent : agent;
    bool is_owned = !edit->owner || strcmp(edit->owner, agent) == 0;
    str_add_char(out, '{');
    while (json_next(step, &iter, &key, &member)) {
        const char *text = replaced(edit, key);
        if (is_other && is_of_agent_alone(key))
            continue;
        str_json_key(out, key);
        if (text)
            str_add_json(out, text, strlen(text));
        else
            json_write(out, member);
    }
    if (edit->model && (is_other || !json_get(step, "model")))
        str_json_text(out, "model", edit->model);
    if (edit->session && is_owned && (is_other || !json_get(step, "resume")))
        str_json_text(out, "resume", edit->session);
    str_add_char(out, '}');
}

static void write_task(const struct plan_agents_edit *edit, const struct json *task,
                       struct str *out)
{
    write_list_of(edit, task, "steps", write_step, out);
}

void plan_agents_edit(void *ctx, const struct json *plan, struct str *out)
{
    write_list_of(ctx, plan, "tasks", write_task, out);
}
