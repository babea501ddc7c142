/* executor_adapter.c - adapters of executors: the built-in ones, their command lines, and what
 * clusters print. */
#include "executor.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor_kubernetes_json.h"
#include "executor_slurm_json.h"
#include "executor_ssh_json.h"
#include "json.h"
#include "plan.h"
#include "plan_internal.h"
#include "text.h"
#include "xalloc.h"

const char *executor_kind_name(enum executor_kind kind)
{
    static const char *const names[] = {
        [EXECUTOR_SSH] = "ssh", [EXECUTOR_SLURM] = "slurm", [EXECUTOR_KUBERNETES] = "kubernetes"};
    static_assert(ARRAY_LEN(names) == EXECUTOR_KIND_COUNT, "every kind has a name");
    return (unsigned)kind < EXECUTOR_KIND_COUNT ? names[kind] : "?";
}

/* The members of an adapter. */

enum { WORDS_MAX = 100, WORD_CHARS_MAX = 4096, SCRIPT_CHARS_MAX = 65536, STATES_MAX = 100 };

#define AT(member) offsetof(struct executor_adapter, member)
#define COMMAND(key, member, words)                                                                \
    {                                                                                              \
        key, FIELD_LIST, AT(member), 0, WORDS_MAX, 1, WORD_CHARS_MAX, .means = (words)             \
    }
#define RESOURCE(key, number)                                                                      \
    {                                                                                              \
        key, FIELD_LIST, AT(resources) + (number) * sizeof(char **), 0, WORDS_MAX, 1,              \
            WORD_CHARS_MAX,                                                                        \
            .means = "arguments of `submit`, or parts of `script`, for this resource: `{value}`"   \
    }
static const struct field adapter_rows[] = {
    COMMAND("submit", submit,
            "asks for a job and prints its name: `{run}`, `{name}`, `{args}`, `{resources}`, "
            "`{image}`"),
    {"script", FIELD_TEXT, AT(script), 1, SCRIPT_CHARS_MAX, .values = "text",
     .means = "its standard input, with `{hold}`, the shell command that the job must run, and "
              "`{resources}`, with commas between them"},
    {"script_is_json", FIELD_BOOL, AT(script_is_json),
     .means = "words in `script` are escaped as in a JSON string"},
    COMMAND("channel", channel,
            "runs the shell command `{command}` in `{job}`, connected to its input and output"),
    COMMAND("list", list, "prints a line `JOB|STATE|REASON|NODE` for each job of `{run}`"),
    COMMAND("cancel", cancel, "ends `{job}`"),
    COMMAND("who", who, "prints the user who cancelled `{job}`, if that is known"),
    COMMAND("ping", ping, "exits with 0 if the cluster answers"),
    {"states", FIELD_ENV, AT(states), 0, STATES_MAX, .own_shape = true,
     .means = "what `STATE`, or `STATE/REASON`, means: `queued`, `running`, `ending`, `ended`, "
              "`time limit`, `preempted`, `cancelled`, `memory`, `node failed` or `refused`"},
    COMMAND("nodes", nodes, "prints a line `STATE|COUNT` for the nodes in each state"),
    {"node_states", FIELD_ENV, AT(node_states), 0, STATES_MAX, .own_shape = true,
     .means = "what `STATE` of nodes means: `up`, `drain` or `down`; default: `up`"},
    COMMAND("refused", refused, "parts of messages of `submit` that no retry can help"),
    COMMAND("down", down, "parts of messages that may go away; default: all others"),
    RESOURCE("cpus", RESOURCE_CPUS),
    RESOURCE("memory_mb", RESOURCE_MEMORY_MB),
    RESOURCE("time_s", RESOURCE_TIME_S),
    RESOURCE("gpus", RESOURCE_GPUS),
    RESOURCE("features", RESOURCE_FEATURES),
};
const struct fields executor_adapter_fields = FIELDS(adapter_rows);
#undef AT
#undef COMMAND
#undef RESOURCE

void executor_adapter_init(struct executor_adapter *adapter, enum executor_kind kind)
{
    const char *const texts[] = {[EXECUTOR_SSH] = executor_ssh_json,
                                 [EXECUTOR_SLURM] = executor_slurm_json,
                                 [EXECUTOR_KUBERNETES] = executor_kubernetes_json};
    static_assert(ARRAY_LEN(texts) == EXECUTOR_KIND_COUNT, "every kind has an adapter");
    struct json *members = NULL;
    const bool ok = json_parse(texts[kind], strlen(texts[kind]), &members, NULL, NULL);
    assert(ok); /* embedded */
    (void)ok;
    *adapter = (struct executor_adapter){0};
    fields_take(members, &executor_adapter_fields, adapter);
    json_free(members);
}

enum { LISTS = 11 + RESOURCE_COUNT };

static void find_lists(struct executor_adapter *adapter, char ***out[LISTS])
{
    char ***const fixed[] = {&adapter->submit,      &adapter->channel, &adapter->list,
                             &adapter->cancel,      &adapter->ping,    &adapter->states,
                             &adapter->nodes,       &adapter->refused, &adapter->down,
                             &adapter->node_states, &adapter->who};
    static_assert(ARRAY_LEN(fixed) + RESOURCE_COUNT == LISTS, "every list is found");
    memcpy(out, fixed, sizeof(fixed));
    for (int i = 0; i < RESOURCE_COUNT; i++)
        out[ARRAY_LEN(fixed) + (size_t)i] = &adapter->resources[i];
}

void executor_adapter_done(struct executor_adapter *adapter)
{
    char ***lists[LISTS];
    find_lists(adapter, lists);
    for (int i = 0; i < LISTS; i++)
        text_list_free(*lists[i]);
    free(adapter->script);
    *adapter = (struct executor_adapter){0};
}

void executor_adapter_copy(struct executor_adapter *adapter)
{
    char ***lists[LISTS];
    find_lists(adapter, lists);
    for (int i = 0; i < LISTS; i++)
        *lists[i] = text_list_copy(*lists[i]);
    adapter->script = adapter->script ? xstrdup(adapter->script) : NULL;
}

bool executor_adapter_equals(const struct executor_adapter *a, const struct executor_adapter *b)
{
    struct str texts[2] = {0};
    fields_write_object(&executor_adapter_fields, a, &texts[0]);
    fields_write_object(&executor_adapter_fields, b, &texts[1]);
    const bool is_same = strcmp(str_text(&texts[0]), str_text(&texts[1])) == 0;
    str_done(&texts[0]);
    str_done(&texts[1]);
    return is_same;
}

bool executor_adapter_is_builtin(const struct executor_adapter *adapter, enum executor_kind kind)
{
    struct executor_adapter builtin;
    executor_adapter_init(&builtin, kind);
    const bool is_same = executor_adapter_equals(adapter, &builtin);
    executor_adapter_done(&builtin);
    return is_same;
}

/* What a cluster prints. */

enum outcome_cause meaning_cause(enum job_meaning meaning)
{
    switch (meaning) {
    case MEANS_TIME_LIMIT:
        return CAUSE_TIME_LIMIT;
    case MEANS_PREEMPTED:
        return CAUSE_PREEMPTED;
    case MEANS_CANCELLED:
        return CAUSE_CANCELLED;
    case MEANS_MEMORY:
        return CAUSE_MEMORY;
    case MEANS_NODE_FAILED:
        return CAUSE_NODE;
    default:
        return CAUSE_NONE;
    }
}

static const char *meaning_word(enum job_meaning meaning)
{
    static const char *const words[] = {
        [MEANS_QUEUED] = "queued", [MEANS_RUNNING] = "running", [MEANS_ENDING] = "ending",
        [MEANS_ENDED] = "ended",   [MEANS_REFUSED] = "refused",
    };
    const enum outcome_cause cause = meaning_cause(meaning);
    return cause != CAUSE_NONE ? outcome_cause_name(cause) : words[meaning];
}

/* Finds the meaning of `state`, or of `state`/`reason` if `reason` is not empty. */
static bool find_meaning(const struct executor_adapter *adapter, const char *state,
                         const char *reason, size_t len, enum job_meaning *out)
{
    struct str key = {0};
    bool found = false;
    str_addf(&key, "%s%s%.*s=", state, len > 0 ? "/" : "", (int)len, reason);
    for (size_t i = 0; adapter->states && adapter->states[i] && !found; i++) {
        const char *word = adapter->states[i] + key.len;
        if (strncmp(adapter->states[i], str_text(&key), key.len) != 0)
            continue;
        for (int k = 0; k < MEANING_COUNT && !found; k++) {
            found = strcmp(word, meaning_word((enum job_meaning)k)) == 0;
            if (found)
                *out = (enum job_meaning)k;
        }
    }
    str_done(&key);
    return found;
}

/* Copies a text that a cluster has printed: cleaned, and without blanks around it. */
static void take_text(const char *text, size_t len, char out[JOB_TEXT_MAX])
{
    struct str clean = {0};
    text_clean(&clean, text, len);
    const char *from = str_text(&clean) + strspn(str_text(&clean), " ");
    size_t size = strlen(from);
    while (size > 0 && from[size - 1] == ' ')
        size--;
    if (size >= JOB_TEXT_MAX)
        size = JOB_TEXT_MAX - 1;
    while (size > 0 && ((unsigned char)from[size] & 0xc0) == 0x80)
        size--; /* not within a character */
    memcpy(out, from, size);
    out[size] = '\0';
    str_done(&clean);
}

bool executor_read_line(const struct executor_adapter *adapter, const char *line, size_t len,
                        struct job_line *out)
{
    enum { COLUMNS = 4 };
    char texts[COLUMNS][JOB_TEXT_MAX];
    const char *at = line;
    for (int i = 0; i < COLUMNS; i++) {
        const size_t left = len - (size_t)(at - line);
        const char *bar = i < COLUMNS - 1 ? memchr(at, '|', left) : NULL;
        if (len > JOB_LINE_MAX || (i < COLUMNS - 1 && !bar))
            return false;
        take_text(at, bar ? (size_t)(bar - at) : left, texts[i]);
        at = bar ? bar + 1 : at;
    }
    const char *state = texts[1];
    char *reason = texts[2];
    out->meaning = MEANS_RUNNING;
    (void)find_meaning(adapter, state, "", 0, &out->meaning);
    for (const char *word = reason; *word; word += strspn(word, " ")) {
        const size_t size = strcspn(word, " ");
        if (find_meaning(adapter, state, word, size, &out->meaning))
            break;
        word += size;
    }
    if (strcmp(reason, "None") == 0)
        reason[0] = '\0';
    memcpy(out->job, texts[0], sizeof(texts[0]));
    memcpy(out->reason, reason, sizeof(texts[0]));
    memcpy(out->node, texts[3], sizeof(texts[0]));
    return out->job[0] != '\0';
}

/* Returns the count of `out` that nodes in this state belong to. */
static int *nodes_in(const struct executor_adapter *adapter, const char *state, size_t len,
                     struct cluster_nodes *out)
{
    for (size_t i = 0; adapter->node_states && adapter->node_states[i]; i++) {
        const char *item = adapter->node_states[i];
        if (strncmp(item, state, len) != 0 || item[len] != '=')
            continue;
        if (strcmp(item + len + 1, "drain") == 0)
            return &out->drain;
        if (strcmp(item + len + 1, "down") == 0)
            return &out->down;
    }
    return &out->up;
}

bool executor_read_nodes(const struct executor_adapter *adapter, const char *text, size_t len,
                         struct cluster_nodes *out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_+";
    bool found = false;
    *out = (struct cluster_nodes){0};
    for (const char *line = text, *stop = text + len; line < stop;) {
        const char *end = memchr(line, '\n', (size_t)(stop - line));
        const char *bar = memchr(line, '|', (size_t)((end ? end : stop) - line));
        char *rest = NULL;
        const long count = bar ? strtol(bar + 1, &rest, 10) : 0;
        if (count > 0 && count <= NODES_MAX && (*rest == '\n' || *rest == '\0')) {
            int *sum = nodes_in(adapter, line, strspn(line, letters), out);
            *sum = *sum + (int)count < NODES_MAX ? *sum + (int)count : NODES_MAX;
            found = true;
        }
        line = end ? end + 1 : stop;
    }
    return found;
}

bool executor_read_job(const char *text, size_t len, char out[JOB_TEXT_MAX])
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    size_t from = len;
    while (from > 0 && text[from - 1] != '\n' && text[from - 1] != '/')
        from--;
    const char *end = memchr(text + from, ';', len - from);
    const size_t size = end ? (size_t)(end - text) - from : len - from;
    if (size == 0 || size >= JOB_TEXT_MAX || text[from] == '-')
        return false;
    memcpy(out, text + from, size);
    out[size] = '\0';
    return strspn(out, letters) == size;
}

bool executor_read_user(const char *text, size_t len, char out[JOB_TEXT_MAX])
{
    /* Also names of domains: "CORP\\ann", "ann@corp". */
    static const char signs[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-@$\\+";
    enum { USER_MAX = JOB_TEXT_MAX - sizeof("uid ") };
    char name[USER_MAX + 1];
    if (len > 0 && text[len - 1] == '\n')
        len--;
    if (len == 0 || len > USER_MAX || memchr(text, '\0', len))
        return false;
    memcpy(name, text, len);
    name[len] = '\0';
    if (strspn(name, signs) != len || name[0] == '-')
        return false;
    const bool is_number = strspn(name, "0123456789") == len;
    (void)snprintf(out, JOB_TEXT_MAX, "%s%s", is_number ? "uid " : "", name);
    return true;
}

static bool has_part(char *const *parts, const char *message)
{
    for (size_t i = 0; parts && parts[i]; i++) {
        if (strstr(message, parts[i]))
            return true;
    }
    return false;
}

bool executor_refuses(const struct executor_adapter *adapter, const char *message)
{
    if (strstr(message, "Temporary failure")) /* in name resolution */
        return false;
    if (has_part(adapter->refused, message))
        return true;
    return adapter->down && !has_part(adapter->down, message);
}

/* Command lines. */

/* Returns the value of a resource as text, or NULL if it is not asked for. */
static char *resource_value(const struct executor_resources *resources,
                            enum executor_resource resource)
{
    const int numbers[] = {[RESOURCE_CPUS] = resources->cpus,
                           [RESOURCE_MEMORY_MB] = resources->memory_mb,
                           [RESOURCE_TIME_S] = resources->time_s,
                           [RESOURCE_GPUS] = resources->gpus};
    struct str text = {0};
    if (resource == RESOURCE_FEATURES)
        return resources->features ? xstrdup(resources->features) : NULL;
    if (numbers[resource] == 0)
        return NULL;
    str_addf(&text, "%d", numbers[resource]);
    return text.data;
}

/* Appends the value as in a JSON string, without its quotes. */
static void add_escaped(const char *value, struct str *out)
{
    struct str quoted = {0};
    str_add_json(&quoted, value, strlen(value));
    str_add_n(out, quoted.data + 1, quoted.len - 2);
    str_done(&quoted);
}

/* Appends the words that ask for the resources; for JSON with `in_json`. */
static void add_resources(const struct executor_adapter *adapter,
                          const struct executor_resources *resources, bool in_json,
                          struct arg_list *words)
{
    for (int i = 0; resources && i < RESOURCE_COUNT; i++) {
        char *value = resource_value(resources, (enum executor_resource)i);
        struct str escaped = {0};
        if (value && in_json)
            add_escaped(value, &escaped);
        const struct text_filling filling = {"{value}", escaped.data ? escaped.data : value};
        if (value)
            arg_list_fill(words, adapter->resources[i], &filling, 1);
        str_done(&escaped);
        free(value);
    }
}

enum { FILLINGS = 9 }; /* {resources} of a script is the last */

static void list_fillings(const struct plan_executor *executor, const struct executor_words *words,
                          struct text_filling out[FILLINGS])
{
    const struct text_filling all[FILLINGS] = {
        {"{run}", words->run},        {"{name}", words->name},        {"{job}", words->job},
        {"{hold}", words->hold},      {"{command}", words->command},  {"{host}", words->host},
        {"{image}", executor->image}, {"{shared}", executor->shared}, {"{resources}", NULL},
    };
    memcpy(out, all, sizeof(all));
}

char **executor_argv(const struct plan_executor *executor, char *const *list,
                     const struct executor_words *words)
{
    struct text_filling fillings[FILLINGS];
    struct arg_list argv = {0};
    list_fillings(executor, words, fillings);
    for (; list && *list; list++) {
        char *const one[] = {*list, NULL};
        if (strcmp(*list, "{args}") == 0)
            arg_list_add_all(&argv, executor->args);
        else if (strcmp(*list, "{resources}") == 0)
            add_resources(&executor->adapter, words->resources, false, &argv);
        else
            arg_list_fill(&argv, one, fillings, FILLINGS);
    }
    return argv.items;
}

void executor_script(const struct plan_executor *executor, const struct executor_words *words,
                     struct str *out)
{
    const struct executor_adapter *adapter = &executor->adapter;
    struct text_filling fillings[FILLINGS];
    struct str escaped[FILLINGS] = {0};
    list_fillings(executor, words, fillings);
    for (int i = 0; adapter->script_is_json && i < FILLINGS; i++) {
        if (!fillings[i].value)
            continue;
        add_escaped(fillings[i].value, &escaped[i]);
        fillings[i].value = str_text(&escaped[i]);
    }
    struct arg_list resources = {0};
    struct str joined = {0};
    add_resources(adapter, words->resources, adapter->script_is_json, &resources);
    for (size_t i = 0; i < resources.count; i++)
        str_addf(&joined, "%s%s", i > 0 ? "," : "", resources.items[i]);
    arg_list_done(&resources);
    fillings[FILLINGS - 1].value = str_text(&joined);
    if (adapter->script)
        text_fill(adapter->script, fillings, FILLINGS, out);
    str_done(&joined);
    for (int i = 0; i < FILLINGS; i++)
        str_done(&escaped[i]);
}

enum executor_resource executor_lacks(const struct executor_adapter *adapter,
                                      const struct executor_resources *resources)
{
    int i = 0;
    for (; i < RESOURCE_COUNT; i++) {
        char *value = resource_value(resources, (enum executor_resource)i);
        const bool lacks = value && !adapter->resources[i];
        free(value);
        if (lacks)
            break;
    }
    return (enum executor_resource)i;
}
