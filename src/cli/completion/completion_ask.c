/* completion_ask.c - what a shell asks while one types: tasks, runs, policies. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapter.h"
#include "ascii.h"
#include "completion.h"
#include "completion_plan.h"
#include "config.h"
#include "log_reader.h"
#include "settings.h"
#include "take_up.h"
#include "target.h"
#include "text.h"
#include "xalloc.h"

/* What is asked while somebody holds Tab: no more than can be looked at. */
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

/* Shells insert a word unquoted, so names from plans, settings and logs must match the pattern of
 * ids, [A-Za-z0-9][A-Za-z0-9._-]*; a slash separates run and task. */
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

/* Each offer is one line, so line feeds of a description become blanks. */
static void offer(struct offers *offers, const char *word, const char *words)
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

/* Newest first. `end` stands behind each number: "/" where a task must follow. */
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
            offer(offers, str_text(&word), runs[i].name);
        str_done(&word);
        log_run_info_done(&runs[i]);
    }
    free(runs);
}

/* A task without a title is called like its id: that is not said twice. */
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
        offer(tasks->offers, str_text(&word), title_beside(task->id, task->title));
        str_done(&word);
    }
}

/* Of the newest run if `run` is 0. `before` stands before each id. */
static void offer_tasks(struct log_reader *reader, int64_t run, const char *before,
                        struct offers *offers)
{
    struct offered_tasks tasks = {.before = before, .offers = offers};
    target_show_plan(reader, run, offer_plan, &tasks);
}

/* Behind a slash stand the tasks of that run. */
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
    offer(offers, "last", "the newest that is not finished");
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
        offer(offers, settings->policies[i].name, "of devs.config.json");
    const struct policy *policy;
    for (size_t i = 0; (policy = policy_builtin(i)); i++) {
        if (settings_policy(settings, policy->name) == policy)
            offer(offers, policy->name, "built in");
    }
}

static void ask_agent(const struct settings *settings, struct offers *offers)
{
    const struct adapter *adapter;
    for (size_t i = 0; (adapter = adapters_at(settings->agents, i)); i++)
        offer(offers, adapter_name(adapter), adapter_program(adapter));
}

static void offer_task(void *ctx, const char *id, const char *title)
{
    offer(ctx, id, title_beside(id, title));
}

static void ask_plan_task(struct offers *offers)
{
    const struct completion_question *question = offers->question;
    completion_plan_tasks(completion_plan_named(question->words, question->word_count), offer_task,
                          offers);
}

/* Each is read from the log, from the settings, or from what the line names. */
static const struct {
    const char *name;
    void (*of_log)(struct log_reader *reader, struct offers *offers);
    void (*of_settings)(const struct settings *settings, struct offers *offers);
    void (*of_line)(struct offers *offers);
} lists[] = {
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
        lists[list].of_log(reader, offers);
    log_reader_close(reader);
}

static void look_in_settings(size_t list, struct offers *offers)
{
    char dir[PATH_MAX];
    struct settings settings = {0};
    if (getcwd(dir, sizeof(dir)) && config_read_quietly(dir, &settings))
        lists[list].of_settings(&settings, offers);
    settings_done(&settings);
}

bool completion_ask(const struct completion_question *question, struct str *out)
{
    struct offers offers = {.question = question, .out = out};
    size_t index = 0;
    while (index < ARRAY_LEN(lists) && strcmp(lists[index].name, question->list) != 0)
        index++;
    if (index == ARRAY_LEN(lists))
        return false;
    if (lists[index].of_log)
        look_in_log(question->globals->db, index, &offers);
    else if (lists[index].of_settings)
        look_in_settings(index, &offers);
    else
        lists[index].of_line(&offers);
    return true;
}
