/* completion_ask.c - the words that a shell offers on Tab: tasks, runs, policies. */
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapter.h"
#include "ascii.h"
#include "completion.h"
#include "config.h"
#include "continue_run.h"
#include "event.h"
#include "event_text.h"
#include "hook.h"
#include "json.h"
#include "log_reader.h"
#include "outcome.h"
#include "plan.h"
#include "settings.h"
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

/* Returns whether the word is an option such as "--jobs" or "-j" whose value is the next word. */
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

static void add_word(struct str *out, const char *word)
{
    str_addf(out, "%s%s", out->len > 0 ? " " : "", word);
}

enum known_list {
    KNOWN_THEME,
    KNOWN_PHASE,
    KNOWN_SANDBOX,
    KNOWN_WORKSPACE,
    KNOWN_KIND,
    KNOWN_LEVEL,
    KNOWN_CLASS,
    KNOWN_HOOK_AGENT,
    KNOWN_HOOK_ACT,
    KNOWN_VIEW,
    KNOWN_FORMAT,
    KNOWN_SCHEMA,
    KNOWN_SHELL,
    KNOWN_COMMAND,
    KNOWN_COUNT
};

static const struct {
    const char *name;
    const char *words; /* NULL: use completion_list() */
} known_lists[] = {
    [KNOWN_THEME] = {"theme", NULL},
    [KNOWN_PHASE] = {"phase", NULL},
    [KNOWN_SANDBOX] = {"sandbox", NULL},
    [KNOWN_WORKSPACE] = {"workspace", NULL},
    [KNOWN_KIND] = {"kind", NULL},
    [KNOWN_LEVEL] = {"level", NULL},
    [KNOWN_CLASS] = {"class", NULL},
    [KNOWN_HOOK_AGENT] = {"hook_agent", NULL},
    [KNOWN_HOOK_ACT] = {"hook_act", "install uninstall status"},
    [KNOWN_VIEW] = {"view", "tasks detail log forensics timeline runs hosts"},
    [KNOWN_FORMAT] = {"format", "jsonl perfetto bundle asciicast svg"},
    [KNOWN_SCHEMA] = {"schema", "plan config"},
    [KNOWN_SHELL] = {"shell", "bash zsh fish"},
    [KNOWN_COMMAND] = {"command", NULL},
};
static_assert(ARRAY_LEN(known_lists) == KNOWN_COUNT, "every list has its name");

const char *completion_list_at(size_t index)
{
    return index < ARRAY_LEN(known_lists) ? known_lists[index].name : NULL;
}

bool completion_list(const char *name, struct str *out)
{
    struct str words = {0}, labels = {0};
    const char *word;
    int list = 0;
    while (list < KNOWN_COUNT && strcmp(known_lists[list].name, name) != 0)
        list++;
    switch ((enum known_list)list) {
    case KNOWN_THEME:
        for (size_t i = 0; (word = theme_name_at(i)); i++)
            add_word(&words, word);
        break;
    case KNOWN_PHASE:
        for (int i = 0; i < PHASE_COUNT; i++)
            add_word(&words, phase_name((enum phase)i));
        break;
    case KNOWN_SANDBOX:
        /* "container" stands for whichever of the two is installed: plans use it, people do not
         * type it. */
        for (int i = 0; i < SANDBOX_KIND_COUNT; i++) {
            if (i != SANDBOX_CONTAINER)
                add_word(&words, sandbox_kind_name((enum sandbox_kind)i));
        }
        break;
    case KNOWN_WORKSPACE:
        for (int i = 0; i < WORKSPACE_KIND_COUNT; i++)
            add_word(&words, workspace_kind_name((enum workspace_kind)i));
        break;
    case KNOWN_KIND:
        for (int i = EVENT_NONE + 1; i < EVENT_KIND_COUNT; i++)
            add_word(&words, event_kind_name((enum event_kind)i));
        break;
    case KNOWN_LEVEL:
        for (int i = EVENT_LEVEL_ERROR; i <= EVENT_LEVEL_DEBUG; i++)
            add_word(&words, event_level_name((enum event_level)i));
        break;
    case KNOWN_CLASS:
        verdict_label_words(&labels);
        for (const char *c = str_text(&labels); *c; c++) {
            if (*c != ',')
                str_add_char(&words, *c);
        }
        break;
    case KNOWN_HOOK_AGENT:
        for (size_t i = 0; hook_agent_at(i); i++)
            add_word(&words, hook_agent_at(i)->name);
        break;
    case KNOWN_COMMAND:
        add_word(&words, "all");
        for (size_t i = 0; command_at(i); i++)
            add_word(&words, command_at(i)->name);
        break;
    case KNOWN_HOOK_ACT:
    case KNOWN_VIEW:
    case KNOWN_FORMAT:
    case KNOWN_SCHEMA:
    case KNOWN_SHELL:
        str_add(&words, known_lists[list].words);
        break;
    case KNOWN_COUNT:
        return false;
    }
    str_add(out, str_text(&words));
    str_done(&labels);
    str_done(&words);
    return true;
}

void completion_add_kind(const struct completion_form forms[COMPLETION_SOURCE_COUNT],
                         struct completion_kind kind, struct str *out)
{
    const struct completion_form *form = &forms[kind.source];
    str_add(out, form->before);
    if (kind.source == COMPLETION_FIXED) {
        struct str words = {0};
        (void)completion_list(kind.list, &words); /* cannot fail: the kind names an existing list */
        for (const char *c = str_text(&words); *c; c++) {
            if (*c == ' ' && form->between)
                str_add(out, form->between);
            else
                str_add_char(out, *c);
        }
        str_done(&words);
    } else if (kind.source == COMPLETION_ASK) {
        str_add(out, kind.list);
    }
    str_add(out, form->behind);
}

/* Limits for reading while the user waits for Tab. */
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

/* Returns whether the word can be offered. Shells insert a word unquoted, so names from plans,
 * settings and logs must match the pattern of ids, [A-Za-z0-9][A-Za-z0-9._-]*; a slash separates
 * run and task. */
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

/* Offers a word with its description. Each offer is one line, so line feeds in the description
 * become blanks. */
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

/* Returns the title, or "" if it only repeats the id. */
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

/* Offers the tasks of the run that the prefix names before the slash. */
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

/* Offers the tasks of the plan's file. The plan may be invalid: unreadable parts are skipped. */
static void offer_tasks_of_file(const char *path, struct offers *offers)
{
    struct str text = {0};
    struct json *plan = NULL;
    if (read_text_file(path, PLAN_BYTES_MAX, &text, NULL) &&
        json_parse_data(str_text(&text), text.len, &plan, NULL, NULL)) {
        const struct json *tasks = json_get(plan, "tasks");
        for (size_t i = 0; i < json_count(tasks); i++) {
            const char *id = json_text(json_get(json_at(tasks, i), "id"), "");
            const char *title = json_text(json_get(json_at(tasks, i), "title"), id);
            if (*id != '\0')
                offer_word(offers, id, title_beside(id, title));
        }
    }
    json_free(plan);
    str_done(&text);
}

/* The lists that are read from the log, from the settings, or from a file named on the line. */
enum word_list {
    WORDS_RUN,
    WORDS_UNFINISHED,
    WORDS_TASK,
    WORDS_TARGET,
    WORDS_RUN_TASK,
    WORDS_POLICY,
    WORDS_AGENT,
    WORDS_PLAN_TASK,
    WORDS_COUNT
};

enum word_source { WORDS_OF_LOG, WORDS_OF_SETTINGS, WORDS_OF_LINE };

static const struct {
    const char *name;
    enum word_source source;
} word_lists[] = {
    [WORDS_RUN] = {"run", WORDS_OF_LOG},
    [WORDS_UNFINISHED] = {"unfinished", WORDS_OF_LOG},
    [WORDS_TASK] = {"task", WORDS_OF_LOG},
    [WORDS_TARGET] = {"target", WORDS_OF_LOG},
    [WORDS_RUN_TASK] = {"run_task", WORDS_OF_LOG},
    [WORDS_POLICY] = {"policy", WORDS_OF_SETTINGS},
    [WORDS_AGENT] = {"agent", WORDS_OF_SETTINGS},
    [WORDS_PLAN_TASK] = {"plan_task", WORDS_OF_LINE},
};
static_assert(ARRAY_LEN(word_lists) == WORDS_COUNT, "every list has its name");

/* Offers the words of a list from its source: `reader` or `settings`. */
static void offer_list(enum word_list list, struct log_reader *reader,
                       const struct settings *settings, struct offers *offers)
{
    const struct completion_question *question = offers->question;
    const bool names_run = strchr(question->prefix, '/') != NULL;
    const struct adapter *adapter;
    const struct policy *policy;
    switch (list) {
    case WORDS_RUN:
        offer_runs(reader, is_any, "", offers);
        break;
    case WORDS_UNFINISHED:
        offer_word(offers, "last", "the newest unfinished run");
        offer_runs(reader, continue_run_is_unfinished, "", offers);
        break;
    case WORDS_TASK:
        offer_tasks(reader, 0, "", offers);
        break;
    case WORDS_TARGET:
        if (names_run) {
            offer_tasks_of_run(reader, offers);
        } else {
            offer_runs(reader, is_any, "", offers);
            offer_tasks(reader, 0, "", offers);
        }
        break;
    case WORDS_RUN_TASK:
        if (names_run) {
            offer_tasks_of_run(reader, offers);
        } else {
            offer_tasks(reader, 0, "", offers);
            offer_runs(reader, is_any, "/", offers);
        }
        break;
    case WORDS_POLICY:
        for (int i = 0; i < settings->policy_count; i++)
            offer_word(offers, settings->policies[i].name, "from devs.config.json");
        for (size_t i = 0; (policy = policy_builtin(i)); i++) {
            if (settings_policy(settings, policy->name) == policy)
                offer_word(offers, policy->name, "built in");
        }
        break;
    case WORDS_AGENT:
        for (size_t i = 0; (adapter = adapters_at(settings->agents, i)); i++)
            offer_word(offers, adapter_name(adapter), adapter_program(adapter));
        break;
    case WORDS_PLAN_TASK:
        offer_tasks_of_file(completion_plan_named(question->words, question->word_count), offers);
        break;
    case WORDS_COUNT:
        break;
    }
}

bool completion_ask(const struct completion_question *question, struct str *out)
{
    struct offers offers = {.question = question, .out = out};
    struct place place;
    struct log_reader *reader = NULL;
    struct settings settings = {0};
    char dir[PATH_MAX];
    bool is_there = true;
    int list = 0;
    while (list < WORDS_COUNT && strcmp(word_lists[list].name, question->list) != 0)
        list++;
    if (list == WORDS_COUNT)
        return false;
    if (word_lists[list].source == WORDS_OF_LOG)
        is_there = place_find(question->globals->db, false, &place, NULL) &&
                   log_reader_open(&reader, &place, NULL);
    else if (word_lists[list].source == WORDS_OF_SETTINGS)
        is_there = getcwd(dir, sizeof(dir)) && config_read_quietly(dir, &settings);
    if (is_there)
        offer_list((enum word_list)list, reader, &settings, &offers);
    settings_done(&settings);
    log_reader_close(reader);
    return true;
}
