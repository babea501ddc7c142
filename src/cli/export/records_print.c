#include "records_print.h"

#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "fail.h"
#include "log_word.h"
#include "outlet.h"
#include "run_choice.h"
#include "session.h"
#include "stream.h"
#include "watch_run.h"

/* Lines from the log, not a screen. */
static bool wants_lines(const struct debug_words *words)
{
    const struct record_words *record = &words->record;
    const bool is_place = words->frame.at || words->frame.view; /* then the task is one, too */
    return words->plain || words->json || words->follow || (record->tasks.words[0] && !is_place) ||
           record->kinds.words[0] || record->level || record->since || record->until ||
           record->grep || !session_has_screen();
}

/* The screen, opened where the words say. */
static int watch(const struct debug_call *call, const struct place *place,
                 const struct target *target, bool is_list)
{
    const struct debug_words *words = call->words;
    const char *task = target->task[0] != '\0' ? target->task : words->record.tasks.words[0];
    const struct watch_words watched = {
        .run = target->run, .at = words->frame.at, .view = words->frame.view, .task = task};
    return watch_run(call->globals, place, &watched, is_list ? APP_RUNS : APP_REPLAY);
}

/* Of several runs not every one need have the tasks that are named. */
static bool print_run(const struct debug_call *call, const struct place *place,
                      const struct target *target, bool is_only, struct err *err)
{
    const struct debug_words *words = call->words;
    struct record_filter filter = {0};
    const struct stream stream = {
        .place = place,
        .run = target->run,
        .form = words->json ? STREAM_JSON : STREAM_PLAIN,
        .filter = &filter,
        .follow = words->follow,
        .names_run = !is_only,
        .details = words->record.level && strcmp(words->record.level, "debug") == 0,
        .done_fd = -1,
        .signal_fd = -1,
    };
    bool ok = record_words_filter(&words->record, &filter, err) &&
              (target->task[0] == '\0' || record_filter_add_task(&filter, target->task, err)) &&
              (!is_only || record_words_check_tasks(&filter, place, target->run, err)) &&
              record_words_bounds(&words->record, place, target->run, &filter, err) &&
              stream_print(&stream, err);
    record_filter_done(&filter);
    return ok;
}

static int by_number(const void *a, const void *b)
{
    const int64_t *const left = a;
    const int64_t *const right = b;
    return (*left > *right) - (*left < *right);
}

/* The oldest first, as if they were one recording. */
static bool print_runs(const struct debug_call *call, const struct place *place,
                       const struct run_choice *choice, struct err *err)
{
    if (choice->count > 1)
        qsort(choice->runs, choice->count, sizeof(*choice->runs), by_number);
    if (choice->count > 1 && call->words->follow)
        return err_set(err, ERR_INVALID, "--follow is about one run");
    bool ok = true;
    for (size_t i = 0; ok && i < choice->count && !outlet_is_deserted(); i++) {
        const struct target target = {.run = choice->runs[i]};
        ok = print_run(call, place, &target, choice->count == 1, err);
    }
    return ok;
}

static int print_chosen(const struct debug_call *call)
{
    struct err err = {0};
    struct log_reader *reader = NULL;
    struct run_choice choice;
    bool ok = run_choice_find(call->globals, call->operands, call->operand_count, &reader, &choice,
                              &err) &&
              print_runs(call, log_reader_place(reader), &choice, &err);
    run_choice_done(&choice);
    log_reader_close(reader);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

/* "all", "38-41", or several words: more than log_word_find() knows. */
static bool names_runs(const struct debug_call *call)
{
    if (call->operand_count != 1)
        return call->operand_count > 1;
    const char *word = call->operands[0];
    return strcmp(word, "all") == 0 ||
           (strchr(word, '-') && word[strspn(word, "#0123456789-")] == '\0');
}

int records_run(const struct debug_call *call)
{
    struct err err = {0};
    struct place place;
    struct target target;
    const bool lines = wants_lines(call->words);
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    if (lines && (call->words->frame.at || call->words->frame.view))
        return fail_usage("devs debug --logs [RUN] --since TIME --until TIME",
                          "debug --logs: --at and --view are about the screen, not about records");
    if (lines && names_runs(call))
        return print_chosen(call);
    const bool is_place = call->words->frame.at || call->words->frame.view;
    const bool is_all = call->operand_count == 1 && strcmp(word, "all") == 0;
    const bool is_list = is_all || (!word && !is_place);
    if (!is_list && names_runs(call))
        return fail_usage("devs debug --logs RUN... --plain|--json",
                          "debug --logs: the screen plays one run, not several");
    if (!log_word_find(call->globals, is_list ? NULL : word, &place, &target, &err))
        return fail(&err);
    if (!lines)
        return watch(call, &place, &target, is_list);
    return print_run(call, &place, &target, true, &err) ? EXIT_ALL_PASSED : fail(&err);
}
