#include "records_print.h"

#include <string.h>

#include "exit_code.h"
#include "fail.h"
#include "log_word.h"
#include "session.h"
#include "stream.h"
#include "watch_run.h"

static bool parse_level(const char *word, enum event_level *out, struct err *err)
{
    *out = EVENT_LEVEL_DEBUG;
    if (!word)
        return true;
    for (int i = EVENT_LEVEL_ERROR; i <= EVENT_LEVEL_DEBUG; i++) {
        if (strcmp(word, event_level_name((enum event_level)i)) == 0) {
            *out = (enum event_level)i;
            return true;
        }
    }
    (void)err_set(err, ERR_INVALID, "unknown level '%s'", word);
    return err_hint(err, "error, info or debug");
}

int records_run(const struct debug_call *call)
{
    const struct debug_words *words = call->words;
    struct err err = {0};
    struct place place;
    struct target target;
    struct stream stream = {.place = &place,
                            .form = words->json ? STREAM_JSON : STREAM_PLAIN,
                            .task = words->task,
                            .follow = words->follow,
                            .details = words->level && strcmp(words->level, "debug") == 0,
                            .done_fd = -1,
                            .signal_fd = -1};
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    if (!parse_level(words->level, &stream.level, &err) ||
        !log_word_find(call->globals, word, &place, &target, &err))
        return fail(&err);
    bool lines = words->plain || words->json || words->follow || !session_has_screen();
    if (!lines)
        return watch_run(call->globals, &place, target.run, word ? APP_REPLAY : APP_RUNS);
    stream.run = target.run;
    if (target.task[0] != '\0')
        stream.task = target.task;
    return stream_print(&stream, &err) ? EXIT_ALL_PASSED : fail(&err);
}
