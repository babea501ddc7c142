/* capture_call.c - a capture's part about the call. */
#include "capture_parts.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 1024 }; /* a longer name is nobody's secret */

static void no_more(struct str *out, const char *key, size_t left)
{
    char name[32];
    if (left == 0)
        return;
    (void)snprintf(name, sizeof(name), "%s_more", key);
    str_json_i64(out, name, (int64_t)left);
}

static size_t count_texts(char *const *texts)
{
    size_t count = 0;
    while (texts[count])
        count++;
    return count;
}

/* Is it to be left out? */
typedef bool skip_fn(const struct capture_facts *facts, const char *text);

struct list {
    const char *key;
    char *const *texts;
    const char *ends; /* a text goes up to the first of these bytes */
    skip_fn *skip;    /* NULL: all are listed */
};

/* As many as fit into CAPTURE_LIST_BYTES; the rest is counted. */
static void add_list(struct capture_writer *writer, const struct list *list)
{
    struct str *out = writer->out;
    size_t left = count_texts(list->texts);
    str_json_key(out, list->key);
    str_add_char(out, '[');
    const size_t from = out->len;
    for (char *const *text = list->texts; *text; text++, left--) {
        const size_t mark = out->len;
        if (list->skip && list->skip(writer->facts, *text))
            continue;
        str_add(out, mark > from ? "," : "");
        str_add_json(out, *text, strcspn(*text, list->ends));
        if (out->len - from > CAPTURE_LIST_BYTES) {
            out->len = mark;
            out->data[mark] = '\0';
            break;
        }
    }
    str_add_char(out, ']');
    no_more(out, list->key, left);
}

static bool is_no_secret(const struct capture_facts *facts, const char *entry)
{
    char name[NAME_BYTES];
    size_t len = strcspn(entry, "=");
    if (len >= sizeof(name))
        return true;
    (void)snprintf(name, sizeof(name), "%.*s", (int)len, entry);
    return !redactor_hides(facts->redactor, name);
}

/* What it was given: a sandbox lets only a part of it in. */
static char *const *environment_of(const struct capture_writer *writer)
{
    const struct attempt *attempt = writer->facts->attempt;
    bool is_filtered = attempt && attempt->around && attempt->around->environment;
    return is_filtered ? attempt->around->environment : writer->call->environment;
}

static void add_environment(struct capture_writer *writer)
{
    const struct list names = {"env", environment_of(writer), "=", NULL};
    const struct list secrets = {"env_cut", environment_of(writer), "=", is_no_secret};
    add_list(writer, &names);
    add_list(writer, &secrets);
}

static void add_policy(struct capture_writer *writer)
{
    char hash[DIGEST_HEX_MAX];
    struct str *out = writer->out;
    digest_to_hex(policy_digest(writer->plan->policy), hash);
    str_json_key(out, "policy");
    str_add_char(out, '{');
    str_json_text(out, "name", writer->plan->policy->name);
    str_json_text(out, "hash", hash);
    str_add_char(out, '}');
    if (writer->facts->rules_hash)
        str_json_text(out, "rules", writer->facts->rules_hash);
    else
        capture_lacks(writer, "rules", "it was over before the rules judged it");
}

static void add_sandbox(struct capture_writer *writer)
{
    const struct sandbox_spec *spec = writer->plan->sandbox;
    struct str *out = writer->out;
    str_json_key(out, "sandbox");
    str_add_char(out, '{');
    str_json_text(out, "kind", sandbox_kind_name(spec->kind));
    if (spec->image)
        str_json_text(out, "image", spec->image);
    if (spec->memory_mb > 0)
        str_json_i64(out, "memory_mb", spec->memory_mb);
    if (spec->pids > 0)
        str_json_i64(out, "pids", spec->pids);
    if (spec->cpu_s > 0)
        str_json_i64(out, "cpu_s", spec->cpu_s);
    if (spec->best_effort)
        str_json_bool(out, "best_effort", true);
    str_add_char(out, '}');
}

void capture_call(struct capture_writer *writer)
{
    const struct list argv = {"argv", writer->call->argv, "", NULL};
    add_list(writer, &argv);
    str_json_text(writer->out, "cwd", writer->call->cwd);
    add_environment(writer);
    add_policy(writer);
    add_sandbox(writer);
}
