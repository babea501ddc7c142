#include "records_print.h"

#include <string.h>

#include "exit_code.h"
#include "fail.h"
#include "log_word.h"
#include "session.h"
#include "stream.h"
#include "watch_run.h"

/* Lines from the log, not a screen. */
static bool wants_lines(const struct debug_words *words)
{
    const struct record_words *record = &words->record;
    return words->plain || words->json || words->follow || record->tasks.words[0] ||
           record->kinds.words[0] || record->level || record->since || record->until ||
           record->grep || !session_has_screen();
}

static bool print_run(const struct debug_call *call, const struct place *place,
                      const struct target *target, struct err *err)
{
    const struct debug_words *words = call->words;
    struct record_filter filter = {0};
    const struct stream stream = {
        .place = place,
        .run = target->run,
        .form = words->json ? STREAM_JSON : STREAM_PLAIN,
        .filter = &filter,
        .follow = words->follow,
        .details = words->record.level && strcmp(words->record.level, "debug") == 0,
        .done_fd = -1,
        .signal_fd = -1,
    };
    bool ok = record_words_filter(&words->record, &filter, err) &&
              (target->task[0] == '\0' || record_filter_add_task(&filter, target->task, err)) &&
              record_words_check_tasks(&filter, place, target->run, err) &&
              record_words_bounds(&words->record, place, target->run, &filter, err) &&
              stream_print(&stream, err);
    record_filter_done(&filter);
    return ok;
}

int records_run(const struct debug_call *call)
{
    struct err err = {0};
    struct place place;
    struct target target;
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    if (!log_word_find(call->globals, word, &place, &target, &err))
        return fail(&err);
    if (!wants_lines(call->words))
        return watch_run(call->globals, &place, target.run, word ? APP_REPLAY : APP_RUNS);
    return print_run(call, &place, &target, &err) ? EXIT_ALL_PASSED : fail(&err);
}
