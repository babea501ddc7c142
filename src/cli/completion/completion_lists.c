/* completion_lists.c - words that Tab offers and that never change: from the tables of the
 * program. */
#include <string.h>

#include "completion.h"
#include "event.h"
#include "event_text.h"
#include "hook_agent.h"
#include "label.h"
#include "phase.h"
#include "sandbox_spec.h"
#include "theme.h"
#include "workspace_spec.h"

static void add_word(struct str *out, const char *word)
{
    str_addf(out, "%s%s", out->len > 0 ? " " : "", word);
}

static void add_themes(struct str *out)
{
    const char *name;
    for (size_t i = 0; (name = theme_name_at(i)); i++)
        add_word(out, name);
}

static void add_phases(struct str *out)
{
    for (int i = 0; i < PHASE_COUNT; i++)
        add_word(out, phase_name((enum phase)i));
}

/* A container is whichever of the two is here: a plan says so, nobody types it. */
static void add_sandboxes(struct str *out)
{
    for (int i = 0; i < SANDBOX_KIND_COUNT; i++) {
        if (i != SANDBOX_CONTAINER)
            add_word(out, sandbox_kind_name((enum sandbox_kind)i));
    }
}

static void add_workspaces(struct str *out)
{
    for (int i = 0; i < WORKSPACE_KIND_COUNT; i++)
        add_word(out, workspace_kind_name((enum workspace_kind)i));
}

static void add_kinds(struct str *out)
{
    for (int i = EVENT_NONE + 1; i < EVENT_KIND_COUNT; i++)
        add_word(out, event_kind_name((enum event_kind)i));
}

static void add_levels(struct str *out)
{
    for (int i = EVENT_LEVEL_ERROR; i <= EVENT_LEVEL_DEBUG; i++)
        add_word(out, event_level_name((enum event_level)i));
}

static void add_classes(struct str *out)
{
    struct str words = {0};
    verdict_label_words(&words);
    for (const char *c = str_text(&words); *c; c++) {
        if (*c != ',')
            str_add_char(out, *c);
    }
    str_done(&words);
}

static void add_hook_agents(struct str *out)
{
    const struct hook_agent *agent;
    for (size_t i = 0; (agent = hook_agent_at(i)); i++)
        add_word(out, agent->name);
}

static const struct {
    const char *name;
    void (*add)(struct str *out); /* NULL: `words` */
    const char *words;
} lists[] = {
    {"theme", add_themes, NULL},
    {"phase", add_phases, NULL},
    {"sandbox", add_sandboxes, NULL},
    {"workspace", add_workspaces, NULL},
    {"kind", add_kinds, NULL},
    {"level", add_levels, NULL},
    {"class", add_classes, NULL},
    {"hook_agent", add_hook_agents, NULL},
    {"hook_act", NULL, "install uninstall status"},
    {"view", NULL, "tasks detail log forensics timeline runs"},
    {"format", NULL, "jsonl perfetto bundle asciicast svg"},
    {"schema", NULL, "plan config"},
    {"shell", NULL, "bash zsh fish"},
};

const char *completion_list_at(size_t index)
{
    return index < ARRAY_LEN(lists) ? lists[index].name : NULL;
}

bool completion_list(const char *name, struct str *out)
{
    struct str words = {0};
    size_t i = 0;
    while (i < ARRAY_LEN(lists) && strcmp(lists[i].name, name) != 0)
        i++;
    if (i == ARRAY_LEN(lists))
        return false;
    if (lists[i].add)
        lists[i].add(&words);
    else
        str_add(&words, lists[i].words);
    str_add(out, str_text(&words));
    str_done(&words);
    return true;
}

static void add_list(const char *between, const char *name, struct str *out)
{
    struct str words = {0};
    (void)completion_list(name, &words); /* a kind names one that is there */
    for (const char *c = str_text(&words); *c; c++) {
        if (*c == ' ' && between)
            str_add(out, between);
        else
            str_add_char(out, *c);
    }
    str_done(&words);
}

void completion_add_kind(const struct completion_form forms[COMPLETION_SOURCE_COUNT],
                         struct completion_kind kind, struct str *out)
{
    str_add(out, forms[kind.source].before);
    if (kind.source == COMPLETION_FIXED)
        add_list(forms[kind.source].between, kind.list, out);
    else if (kind.source == COMPLETION_ASK)
        str_add(out, kind.list);
    str_add(out, forms[kind.source].behind);
}
