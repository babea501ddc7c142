/* notifier.c - runs the user's command for notices, on its own thread.
 *
 * If too many notices are waiting, each new one replaces the last one, so that the end of the run
 * is never dropped. A failure is reported if its message differs from that of the previous command.
 * If no thread can be created, notifier_close() sends what is waiting. */
#include "loop.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "quiet_thread.h"
#include "text.h"
#include "tool_run.h"
#include "ui_settings.h"
#include "xalloc.h"

enum { OUTPUT_MAX = 4096 };

/* Notices that are sent together. */
struct batch {
    struct notice items[NOTIFIER_WAITING_MAX];
    size_t count, total;
};

struct notifier {
    struct notifier_call call;
    pthread_t thread;
    bool has_thread; /* engine's thread only */

    pthread_mutex_t lock; /* guards `waiting`, `due_ms` and `closing` */
    pthread_cond_t news;
    struct batch waiting;
    int64_t due_ms; /* monotonic time at which `waiting` is sent */
    bool closing;

    /* For the notifier's thread only; for the engine's thread after joining it. */
    struct err failure; /* the error of the last command; no error if it succeeded */
    bool is_unreported;
};

static void batch_done(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        notice_done(&batch->items[i]);
    batch->count = 0;
}

char **loop_environment(char *const *before, const struct loop_variable *variables, size_t count,
                        struct str *texts)
{
    size_t *starts = xcalloc(count, sizeof(*starts));
    for (size_t i = 0; i < count; i++) {
        starts[i] = texts->len;
        str_addf(texts, "%s=%s", variables[i].name, variables[i].value);
        str_add_char(texts, '\0');
    }
    const size_t had = text_list_count(before);
    char **environment = xcalloc(had + count + 1, sizeof(*environment));
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        environment[at++] = texts->data + starts[i];
    for (size_t i = 0; i < had; i++) {
        bool is_ours = false;
        for (size_t k = 0; k < count; k++) {
            const size_t len = strlen(variables[k].name);
            is_ours = is_ours ||
                      (strncmp(before[i], variables[k].name, len) == 0 && before[i][len] == '=');
        }
        if (!is_ours)
            environment[at++] = before[i];
    }
    free(starts);
    return environment;
}

/* Returns the environment of the command. Stores the strings of our variables in *texts. */
static char **make_environment(const struct notifier *notifier, const struct notice_list *list,
                               const char *message, struct str *texts)
{
    const struct notice *chief = notice_chief(list);
    char run[32];
    char total[32];
    (void)snprintf(run, sizeof(run), "%lld", (long long)list->run);
    (void)snprintf(total, sizeof(total), "%zu", list->total);
    const struct loop_variable variables[] = {
        {"DEVS_RUN", run},
        {"DEVS_NAME", list->name},
        {"DEVS_DIR", list->dir},
        {"DEVS_TASK", chief->task ? chief->task : ""},
        {"DEVS_EVENT", ui_notify_name(chief->event)},
        {"DEVS_REASON", chief->reason},
        {"DEVS_LINE", chief->line},
        {"DEVS_COMMAND", chief->command},
        {"DEVS_MESSAGE", message},
        {"DEVS_COUNT", total},
    };
    return loop_environment(notifier->call.environment, variables, ARRAY_LEN(variables), texts);
}

static bool run_command(const struct notifier *notifier, const struct notice_list *list,
                        struct err *err)
{
    struct str message = {0};
    struct str json = {0};
    struct str texts = {0};
    struct tool_result result = {0};
    notice_message(list, &message);
    notice_json(list, &json);
    str_add_char(&json, '\n');

    char *const *command = notifier->call.command;
    const size_t count = text_list_count(command);
    char **argv = xcalloc(count + 2, sizeof(*argv)); /* the message is the last argument */
    for (size_t i = 0; i < count; i++)
        argv[i] = command[i];
    argv[count] = message.data;
    char **environment = make_environment(notifier, list, str_text(&message), &texts);
    const struct tool_call call = {.argv = argv,
                                   .environment = environment,
                                   .cwd = "/",
                                   .input = str_text(&json),
                                   .input_len = json.len,
                                   .timeout_ms = NOTIFIER_TIMEOUT_MS,
                                   .out_max = OUTPUT_MAX,
                                   .err_max = OUTPUT_MAX,
                                   .own_session = true};
    bool ok = tool_run(&call, &result, NULL, err);
    result.out_cut = false; /* the command's output is not used, so it may be truncated */
    ok = ok && tool_succeeded(&result, argv[0], err);
    tool_result_done(&result);
    free(environment);
    free(argv);
    str_done(&texts);
    str_done(&json);
    str_done(&message);
    return ok;
}

static void send_batch(struct notifier *notifier, struct batch *batch, bool closing)
{
    struct err err = {0};
    const struct notice_list list = {.items = batch->items,
                                     .count = batch->count,
                                     .total = batch->total,
                                     .run = notifier->call.run,
                                     .name = notifier->call.name,
                                     .dir = notifier->call.dir};
    const bool ok = run_command(notifier, &list, &err);
    const bool is_news = !ok && strcmp(err.message, notifier->failure.message) != 0;
    notifier->failure = err;
    if (is_news && !closing)
        notifier->call.failed(notifier->call.ctx, err.message);
    notifier->is_unreported = notifier->is_unreported || (is_news && closing);
    batch_done(batch);
}

/* Waits for a batch that is due. Returns false if none is waiting and no more will follow. Call
 * with the lock held. */
static bool await_batch(struct notifier *notifier)
{
    for (;;) {
        const int64_t now_ms = clock_now().mono_ms;
        const bool has_some = notifier->waiting.count > 0;
        if (notifier->closing || (has_some && notifier->due_ms <= now_ms))
            return has_some;
        if (!has_some) {
            (void)pthread_cond_wait(&notifier->news, &notifier->lock);
            continue;
        }
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        const int64_t ns = until.tv_nsec + (notifier->due_ms - now_ms) * 1000000;
        until.tv_sec += (time_t)(ns / 1000000000);
        until.tv_nsec = (long)(ns % 1000000000);
        (void)pthread_cond_timedwait(&notifier->news, &notifier->lock, &until);
    }
}

static void *run_notifier(void *arg)
{
    struct notifier *notifier = arg;
    (void)pthread_mutex_lock(&notifier->lock);
    while (await_batch(notifier)) {
        struct batch batch = notifier->waiting;
        const bool closing = notifier->closing;
        notifier->waiting = (struct batch){0};
        (void)pthread_mutex_unlock(&notifier->lock);
        send_batch(notifier, &batch, closing);
        (void)pthread_mutex_lock(&notifier->lock);
    }
    (void)pthread_mutex_unlock(&notifier->lock);
    return NULL;
}

struct notifier *notifier_open(const struct notifier_call *call)
{
    struct notifier *notifier = xcalloc(1, sizeof(*notifier));
    pthread_condattr_t attributes;
    notifier->call = *call;
    (void)pthread_mutex_init(&notifier->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&notifier->news, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    return notifier;
}

void notifier_add(struct notifier *notifier, struct notice *notice)
{
    (void)pthread_mutex_lock(&notifier->lock);
    struct batch *waiting = &notifier->waiting;
    if (waiting->count == 0)
        notifier->due_ms = clock_now().mono_ms + NOTIFIER_GATHER_MS;
    waiting->total++;
    /* Overwrites the last entry, so that the final notice, the end of the run, is never dropped. */
    if (waiting->count == NOTIFIER_WAITING_MAX)
        notice_done(&waiting->items[--waiting->count]);
    waiting->items[waiting->count++] = *notice;
    *notice = (struct notice){0};
    (void)pthread_cond_signal(&notifier->news);
    (void)pthread_mutex_unlock(&notifier->lock);
    if (!notifier->has_thread) /* if there is no thread, notifier_close() sends the notice */
        notifier->has_thread = quiet_thread_start(&notifier->thread, run_notifier, notifier) == 0;
}

void notifier_close(struct notifier *notifier, struct err *err)
{
    if (!notifier)
        return;
    (void)pthread_mutex_lock(&notifier->lock);
    notifier->closing = true;
    (void)pthread_cond_signal(&notifier->news);
    (void)pthread_mutex_unlock(&notifier->lock);
    if (notifier->has_thread)
        (void)pthread_join(notifier->thread, NULL);
    else
        (void)run_notifier(notifier);
    if (notifier->is_unreported && err)
        *err = notifier->failure;
    (void)pthread_cond_destroy(&notifier->news);
    (void)pthread_mutex_destroy(&notifier->lock);
    batch_done(&notifier->waiting);
    free(notifier);
}
