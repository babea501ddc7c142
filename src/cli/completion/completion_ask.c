/* completion_ask.c - answers what a shell asks while somebody types: tasks, runs, policies. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapter.h"
#include "ascii.h"
#include "completion.h"
#include "config.h"
#include "event.h"
#include "event_text.h"
#include "hook.h"
#include "json.h"
#include "log_reader.h"
#include "outcome.h"
#include "plan.h"
#include "settings.h"
#include "take_up.h"
#include "target.h"
#include "text.h"
#include "text_file.h"
#include "theme.h"
#include "verdict.h"
#include "workspace_spec.h"
#include "xalloc.h"

static void find_command(const char *name, struct completion_command *out)
{
    struct completion_command command;
    for (size_t i = 0; completion_command_at(i, &command); i++) {
        if (strcmp(command.name, name) == 0)
            *out = command;
    }
}

/* Whether the word is an option such as "--jobs" or "-j" whose value is the next word. */
static bool takes_next(const struct command_listing *options, const char *word)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct option_spec *spec = &options->specs[i];
        const bool is_letter = word[1] == spec->letter && spec->letter != '\0' && word[2] == '\0';
        if (spec->metavar && (is_letter || strcmp(word + 1 + (word[1] == '-'), spec->name) == 0))
            return true;
    }
    return false;
}

const char *completion_plan_named(char *const *words, size_t count)
{
    struct completion_command command = {.name = NULL};
    bool is_value = false;
    bool has_command = false;
    find_command("", &command);
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i];
        if (is_value) {
            is_value = strcmp(word, "=") == 0;
        } else if (word[0] == '-') {
            is_value = takes_next(&command.options, word);
        } else if (word[0] != '\0' && has_command) {
            return word;
        } else if (word[0] != '\0') {
            has_command = true;
            find_command(word, &command);
        }
    }
    return COMPLETION_PLAN_DEFAULT;
}

/* Calls `show` for each task; `ctx` is passed on. */
static void completion_plan_tasks(const char *path, completion_task_fn *show, void *ctx)
{
    struct str text = {0};
    struct json *plan = NULL;
    if (read_text_file(path, PLAN_BYTES_MAX, &text, NULL) &&
        json_parse_data(str_text(&text), text.len, &plan, NULL, NULL)) {
        const struct json *tasks = json_get(plan, "tasks");
        for (size_t i = 0; i < json_count(tasks); i++) {
            const char *id = json_text(json_get(json_at(tasks, i), "id"), "");
            if (*id != '\0')
                show(ctx, id, json_text(json_get(json_at(tasks, i), "title"), id));
        }
    }
    json_free(plan);
    str_done(&text);
}

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

/* "container" stands for whichever of the two is installed: plans use it, people do not type it. */
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
    void (*add)(struct str *out); /* NULL: use `words` */
    const char *words;
} known_lists[] = {
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
    return index < ARRAY_LEN(known_lists) ? known_lists[index].name : NULL;
}

bool completion_list(const char *name, struct str *out)
{
    struct str words = {0};
    size_t i = 0;
    while (i < ARRAY_LEN(known_lists) && strcmp(known_lists[i].name, name) != 0)
        i++;
    if (i == ARRAY_LEN(known_lists))
        return false;
    if (known_lists[i].add)
        known_lists[i].add(&words);
    else
        str_add(&words, known_lists[i].words);
    str_add(out, str_text(&words));
    str_done(&words);
    return true;
}

static void add_list(const char *between, const char *name, struct str *out)
{
    struct str words = {0};
    (void)completion_list(name, &words); /* the kind names an existing list */
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

/* Limits for what is read while somebody holds Tab. */
enum {
    OFFERS_MAX = 500,
    OFFER_WORDS_MAX = 80,
    OFFER_MAX = 128, /* bytes of a word: the number of a run, a slash, an id */
};

struct offers {
    const struct completion_question *question;
    struct str *out;
    int count;
};

/* Shells insert a word unquoted, so names from plans, settings and logs must match the pattern
 * of ids, [A-Za-z0-9][A-Za-z0-9._-]*; a slash separates run and task. */
static bool is_offered(const char *word)
{
    bool begins = true;
    size_t len = 0;
    for (; word[len] != '\0'; len++) {
        const char c = word[len];
        const bool is_alnum = ascii_is_letter(c) || ascii_is_digit(c);
        const bool fits = is_alnum || (!begins && (c == '.' || c == '_' || c == '-' || c == '/'));
        if (!fits || len == OFFER_MAX)
            return false;
        begins = c == '/';
    }
    return len > 0;
}

/* Each offer is one line, so line feeds in a description become blanks. */
static void offer_word(struct offers *offers, const char *word, const char *words)
{
    struct str clean = {0};
    if (offers->count >= OFFERS_MAX || !is_offered(word) ||
        strncmp(word, offers->question->prefix, strlen(offers->question->prefix)) != 0)
        return;
    text_clean_line(&clean, words, text_cut(words, strlen(words), OFFER_WORDS_MAX));
    str_addf(offers->out, "%s\t%s\n", word, str_text(&clean));
    str_done(&clean);
    offers->count++;
}

static bool is_any(const struct log_run_info *run)
{
    (void)run;
    return true;
}

/* Offers runs, newest first. `end` follows each number: "/" if a task must follow. */
static void offer_runs(struct log_reader *reader, bool (*is_wanted)(const struct log_run_info *),
                       const char *end, struct offers *offers)
{
    struct log_run_info *runs = xcalloc(LOG_PAGE_RUNS, sizeof(*runs));
    size_t count = 0;
    if (!log_reader_runs(reader, 0, runs, LOG_PAGE_RUNS, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        struct str word = {0};
        str_addf(&word, "%" PRId64 "%s", runs[i].number, end);
        if (is_wanted(&runs[i]))
            offer_word(offers, str_text(&word), runs[i].name);
        str_done(&word);
        log_run_info_done(&runs[i]);
    }
    free(runs);
}

/* Returns NULL if the title only repeats the id. */
static const char *title_beside(const char *id, const char *title)
{
    return strcmp(id, title) == 0 ? "" : title;
}

struct offered_tasks {
    const char *before;
    struct offers *offers;
};

static void offer_plan(void *ctx, const struct plan *plan)
{
    const struct offered_tasks *tasks = ctx;
    for (int i = 0; i < plan->task_count && tasks->offers->count < OFFERS_MAX; i++) {
        const struct plan_task *task = &plan->tasks[i];
        struct str word = {0};
        str_addf(&word, "%s%s", tasks->before, task->id);
        offer_word(tasks->offers, str_text(&word), title_beside(task->id, task->title));
        str_done(&word);
    }
}

/* Offers the tasks of a run, 0 = the newest. `before` precedes each id. */
static void offer_tasks(struct log_reader *reader, int64_t run, const char *before,
                        struct offers *offers)
{
    struct offered_tasks tasks = {.before = before, .offers = offers};
    target_show_plan(reader, run, offer_plan, &tasks);
}

/* After a slash, offers the tasks of that run. */
static void offer_tasks_of_run(struct log_reader *reader, struct offers *offers)
{
    int64_t number = 0;
    struct str run = {0}, before = {0};
    str_add_n(&run, offers->question->prefix, strcspn(offers->question->prefix, "/"));
    str_addf(&before, "%s/", str_text(&run));
    if (target_parse_run(str_text(&run), "", &number, NULL))
        offer_tasks(reader, number, str_text(&before), offers);
    str_done(&before);
    str_done(&run);
}

static void ask_run(struct log_reader *reader, struct offers *offers)
{
    offer_runs(reader, is_any, "", offers);
}

static void ask_unfinished(struct log_reader *reader, struct offers *offers)
{
    offer_word(offers, "last", "the newest that is not finished");
    offer_runs(reader, take_up_is_unfinished, "", offers);
}

static void ask_task(struct log_reader *reader, struct offers *offers)
{
    offer_tasks(reader, 0, "", offers);
}

static void ask_target(struct log_reader *reader, struct offers *offers)
{
    if (strchr(offers->question->prefix, '/')) {
        offer_tasks_of_run(reader, offers);
        return;
    }
    offer_runs(reader, is_any, "", offers);
    offer_tasks(reader, 0, "", offers);
}

static void ask_run_task(struct log_reader *reader, struct offers *offers)
{
    if (strchr(offers->question->prefix, '/')) {
        offer_tasks_of_run(reader, offers);
        return;
    }
    offer_tasks(reader, 0, "", offers);
    offer_runs(reader, is_any, "/", offers);
}

static void ask_policy(const struct settings *settings, struct offers *offers)
{
    for (int i = 0; i < settings->policy_count; i++)
        offer_word(offers, settings->policies[i].name, "of devs.config.json");
    const struct policy *policy;
    for (size_t i = 0; (policy = policy_builtin(i)); i++) {
        if (settings_policy(settings, policy->name) == policy)
            offer_word(offers, policy->name, "built in");
    }
}

static void ask_agent(const struct settings *settings, struct offers *offers)
{
    const struct adapter *adapter;
    for (size_t i = 0; (adapter = adapters_at(settings->agents, i)); i++)
        offer_word(offers, adapter_name(adapter), adapter_program(adapter));
}

static void offer_task(void *ctx, const char *id, const char *title)
{
    offer_word(ctx, id, title_beside(id, title));
}

static void ask_plan_task(struct offers *offers)
{
    const struct completion_question *question = offers->question;
    completion_plan_tasks(completion_plan_named(question->words, question->word_count), offer_task,
                          offers);
}

/* The lists that are read from the log, from the settings, or from a file named on the line. */
static const struct {
    const char *name;
    void (*of_log)(struct log_reader *reader, struct offers *offers);
    void (*of_settings)(const struct settings *settings, struct offers *offers);
    void (*of_line)(struct offers *offers);
} word_lists[] = {
    {"run", ask_run, NULL, NULL},           {"unfinished", ask_unfinished, NULL, NULL},
    {"task", ask_task, NULL, NULL},         {"target", ask_target, NULL, NULL},
    {"run_task", ask_run_task, NULL, NULL}, {"policy", NULL, ask_policy, NULL},
    {"agent", NULL, ask_agent, NULL},       {"plan_task", NULL, NULL, ask_plan_task},
};

static void look_in_log(const char *db, size_t list, struct offers *offers)
{
    struct place place;
    struct log_reader *reader = NULL;
    if (place_find(db, false, &place, NULL) && log_reader_open(&reader, &place, NULL))
        word_lists[list].of_log(reader, offers);
    log_reader_close(reader);
}

static void look_in_settings(size_t list, struct offers *offers)
{
    char dir[PATH_MAX];
    struct settings settings = {0};
    if (getcwd(dir, sizeof(dir)) && config_read_quietly(dir, &settings))
        word_lists[list].of_settings(&settings, offers);
    settings_done(&settings);
}

bool completion_ask(const struct completion_question *question, struct str *out)
{
    struct offers offers = {.question = question, .out = out};
    size_t index = 0;
    while (index < ARRAY_LEN(word_lists) && strcmp(word_lists[index].name, question->list) != 0)
        index++;
    if (index == ARRAY_LEN(word_lists))
        return false;
    if (word_lists[index].of_log)
        look_in_log(question->globals->db, index, &offers);
    else if (word_lists[index].of_settings)
        look_in_settings(index, &offers);
    else
        word_lists[index].of_line(&offers);
    return true;
}
