/* surroundings_facts.c - what the log is told of an attempt's workspace and sandbox. */
#include "surroundings.h"

#include <string.h>

static void tell_made(const struct surroundings *around, surroundings_fact_fn *tell, void *ctx)
{
    const struct workspace_made *made = &around->made;
    const struct workspace_slot *slot = around->call.slot;
    const struct input_fact fact = {
        .kind = EVENT_WORKSPACE_MADE, .a = around->call.kind, .b = made->ms};
    struct str text = {0};
    str_add_char(&text, '{');
    str_json_text(&text, "path", workspace_top(slot->workspace));
    if (made->base[0] != '\0')
        str_json_text(&text, "base", made->base);
    if (made->branch[0] != '\0')
        str_json_text(&text, "branch", made->branch);
    str_json_i64(&text, "setup_ms", made->setup_ms);
    str_json_i64(&text, "copied", made->copied);
    str_add_char(&text, '}');
    tell(ctx, &fact, text.data);
    str_done(&text);
}

static struct input_fact tree_fact(enum event_kind kind, const struct tree_facts *tree)
{
    return (struct input_fact){.kind = kind,
                               .a = (int64_t)tree->digest.hi,
                               .b = (int64_t)tree->digest.lo,
                               .c = tree->files,
                               .d = tree->bytes,
                               .e = tree->ms};
}

static void tell_before(const struct surroundings *around, surroundings_fact_fn *tell, void *ctx)
{
    const struct tree_facts *tree = &around->before;
    struct input_fact fact = tree_fact(EVENT_WORKSPACE_SAVED, tree);
    if (around->was_reset) {
        fact.kind = EVENT_WORKSPACE_RESET;
        fact.c = tree->changed;
        fact.d = tree->written;
    }
    tell(ctx, &fact, NULL);
}

/* "memory_mb, network" as a list. */
static void add_keys(const char *keys, struct str *text)
{
    const char *comma = "";
    str_json_key(text, "keys");
    str_add_char(text, '[');
    while (*keys) {
        size_t len = strcspn(keys, ", ");
        if (len > 0) {
            str_add(text, comma);
            str_add_json(text, keys, len);
            comma = ",";
        }
        keys += len + strspn(keys + len, ", ");
    }
    str_add_char(text, ']');
}

static void tell_lacks(const struct surroundings *around, surroundings_fact_fn *tell, void *ctx)
{
    const struct input_fact fact = {.kind = EVENT_SANDBOX_LACKS};
    struct str text = {0};
    str_add_char(&text, '{');
    add_keys(str_text(&around->lacks), &text);
    str_json_text(&text, "why", str_text(&around->lacks_why));
    str_add_char(&text, '}');
    tell(ctx, &fact, text.data);
    str_done(&text);
}

void surroundings_tell_prepared(const struct surroundings *around, surroundings_fact_fn *tell,
                                void *ctx)
{
    if (around->has_made)
        tell_made(around, tell, ctx);
    if (around->has_before)
        tell_before(around, tell, ctx);
    if (around->lacks.len > 0 && around->call.attempt == 1)
        tell_lacks(around, tell, ctx);
}

void surroundings_tell_kept(const struct surroundings *around, surroundings_fact_fn *tell,
                            void *ctx)
{
    const struct workspace_kept *kept = &around->kept;
    if (around->has_after) {
        const struct input_fact proven = tree_fact(EVENT_TREE_PROVEN, &around->after);
        tell(ctx, &proven, NULL);
    }
    const struct input_fact fact = {.kind = EVENT_RESULT_KEPT,
                                    .a = kept->is_branch ? EVENT_KEPT_BRANCH : EVENT_KEPT_TREE};
    struct str text = {0};
    str_add_char(&text, '{');
    if (kept->is_branch) {
        str_json_text(&text, "branch", kept->branch);
        str_json_text(&text, "commit", kept->commit);
    } else {
        str_json_text(&text, "path", str_text(&kept->path));
    }
    str_add_char(&text, '}');
    tell(ctx, &fact, text.data);
    str_done(&text);
}
