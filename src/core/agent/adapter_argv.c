/* adapter_argv.c - the command line of an agent's CLI, by its adapter. */
#include <assert.h>
#include <string.h>

#include "adapter.h"
#include "adapter_parts.h"
#include "agent_stream.h"
#include "str.h"
#include "text_list.h"
#include "xalloc.h"

/* Words in braces that an argument may hold, and what they stand for. */
struct filling {
    const char *name;
    const char *value; /* NULL = the argument stays as it is */
};

enum { FILLINGS = 3 };

/* A list that grows. */
struct args {
    char **items;
    size_t count;
    size_t cap;
};

static void add_arg(struct args *args, char *text)
{
    assert(args->count + 1 < args->cap);
    args->items[args->count++] = text;
}

/* Copy `text`, each "{name}" in it that has a value filled in. True if `name` was among them. */
static bool fill(struct str *out, const char *text, const struct filling *fillings,
                 const char *name)
{
    bool filled = false;
    while (*text != '\0') {
        const size_t plain = strcspn(text, "{");
        str_add_n(out, text, plain);
        text += plain;
        size_t taken = 0;
        for (size_t i = 0; i < FILLINGS && taken == 0; i++) {
            const size_t len = strlen(fillings[i].name);
            if (!fillings[i].value || strncmp(text, fillings[i].name, len) != 0)
                continue;
            str_add(out, fillings[i].value);
            filled = filled || strcmp(fillings[i].name, name) == 0;
            taken = len;
        }
        if (taken == 0 && *text != '\0')
            str_add_char(out, *text++);
        else
            text += taken;
    }
    return filled;
}

/* Add a list of the adapter's; true if the prompt stands in it. */
static bool add_filled(struct args *args, char *const *texts, const struct filling *fillings)
{
    bool has_prompt = false;
    for (size_t i = 0; texts && texts[i]; i++) {
        struct str text = {0};
        has_prompt = fill(&text, texts[i], fillings, "{prompt}") || has_prompt;
        add_arg(args, text.data ? text.data : xstrdup(""));
    }
    return has_prompt;
}

static void add_copies(struct args *args, char *const *texts)
{
    for (size_t i = 0; texts && texts[i]; i++)
        add_arg(args, xstrdup(texts[i]));
}

void adapter_argv(const struct adapter *adapter, const struct adapter_call *call, char ***out)
{
    const bool resumes = call->session && adapter->argv_resume;
    const bool says_prompt = call->prompt && adapter->prompt == ADAPTER_PROMPT_ARGUMENT;
    char *const *argv = resumes ? adapter->argv_resume : adapter->argv;
    char *const *permissions =
        call->permission_args ? call->permission_args : adapter->permission_args;
    const struct filling fillings[FILLINGS] = {
        {"{session}", resumes ? call->session : NULL},
        {"{model}", call->model},
        {"{prompt}", says_prompt ? call->prompt : NULL},
    };
    struct args args = {.cap = 3 + text_list_count(argv) + text_list_count(adapter->model_args) +
                               text_list_count(permissions) + text_list_count(call->args)};
    args.items = xcalloc(args.cap, sizeof(*args.items));

    add_arg(&args, xstrdup(adapter->program));
    const bool has_prompt = add_filled(&args, argv, fillings);
    if (call->model)
        (void)add_filled(&args, adapter->model_args, fillings);
    add_copies(&args, permissions);
    add_copies(&args, call->args);
    if (says_prompt && !has_prompt)
        add_arg(&args, xstrdup(call->prompt));
    *out = args.items;
}

bool adapter_session_is_id(const char *id)
{
    enum { DELETE = 0x7f };
    const size_t len = id ? strlen(id) : 0;
    bool is_id = len > 0 && len <= AGENT_SESSION_MAX && id[0] != '-';
    for (size_t i = 0; i < len && is_id; i++)
        is_id = (unsigned char)id[i] >= ' ' && id[i] != DELETE;
    return is_id;
}

void adapter_argv_free(char **argv)
{
    text_list_free(argv);
}
