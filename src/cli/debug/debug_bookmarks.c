/* debug_bookmarks.c - devs debug --mark, --marks and --unmark: bookmarks of runs. */
#include <stdio.h>
#include <stdlib.h>

#include "bookmark.h"
#include "clock.h"
#include "debug_mode.h"
#include "fail.h"
#include "parse.h"
#include "redact.h"
#include "replay_at.h"
#include "secrets.h"
#include "session.h"
#include "target.h"
#include "xalloc.h"

enum { LISTED_MAX = 10000 }; /* listed at most, over all runs */

static void print_bookmark(const struct bookmark *bookmark, bool json)
{
    struct str out = {0};
    if (json) {
        str_add_char(&out, '{');
        str_json_i64(&out, "v", 1);
        str_json_i64(&out, "bookmark", bookmark->id);
        str_json_i64(&out, "run", bookmark->run);
        str_json_i64(&out, "seq", bookmark->seq);
        str_json_i64(&out, "at_ms", bookmark->at_ms);
        str_json_text(&out, "name", bookmark->name);
        str_json_text(&out, "by", bookmark->by);
        str_json_i64(&out, "made_at_ms", bookmark->made_at_ms);
        str_add(&out, "}\n");
        say_json(str_text(&out));
    } else {
        char at[CLOCK_TEXT_MAX];
        str_addf(&out, "%4lld  #%-5lld %s  event %-7lld %-16s %s\n", (long long)bookmark->id,
                 (long long)bookmark->run, clock_date(bookmark->at_ms, at),
                 (long long)bookmark->seq, bookmark->by, bookmark->name);
        say(str_text(&out));
    }
    str_done(&out);
}

int debug_mark(const struct debug_call *call)
{
    struct err err = {0};
    struct place place;
    struct target target;
    struct follower *follower = NULL;
    struct replay_at moment = {0};
    char by[SESSION_BY_MAX];
    const struct debug_words *words = call->words;
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    const bool ok = log_word_find(call->globals, word, &place, &target, &err) &&
                    target_follow(&target, &place, &follower, &err) &&
                    replay_at_find(follower, words->frame.at, &moment, &err);
    follower_close(follower);
    if (!ok)
        return fail(&err);
    struct bookmark bookmark = {.run = target.run,
                                .seq = moment.seq,
                                .at_ms = moment.at_ms,
                                .made_at_ms = clock_now().at_ms};
    (void)snprintf(bookmark.by, sizeof(bookmark.by), "%s", session_by(by));
    if (words->name) { /* typed, or pasted from a copied line */
        struct redactor *redactor = NULL;
        if (secrets_here(&redactor) != EXIT_ALL_PASSED)
            return EXIT_USAGE;
        char *cut = redact_string(redactor, words->name, NULL);
        (void)snprintf(bookmark.name, sizeof(bookmark.name), "%s", cut);
        free(cut);
        redactor_close(redactor);
    }
    if (!bookmark_add(&place, &bookmark, &err))
        return fail(&err);
    print_bookmark(&bookmark, words->json);
    return EXIT_ALL_PASSED;
}

int debug_marks(const struct debug_call *call)
{
    struct err err = {0};
    struct place place;
    struct target target;
    size_t count = 0;
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    if (!log_word_find(call->globals, word, &place, &target, &err))
        return fail(&err);
    struct bookmark *all = xcalloc(LISTED_MAX, sizeof(*all));
    struct log_reader *reader = NULL;
    struct log_run_info info = {0};
    bool ok = log_reader_open(&reader, &place, &err) &&
              (target.run == 0 || log_reader_run(reader, target.run, &info, &err)) &&
              bookmark_list(reader, target.run, all, LISTED_MAX, &count, &err);
    log_run_info_done(&info);
    log_reader_close(reader);
    for (size_t i = 0; ok && i < count; i++)
        print_bookmark(&all[i], call->words->json);
    free(all);
    if (ok && count == 0 && !call->words->json)
        (void)puts("no bookmarks; devs debug --mark RUN --at TIME creates one");
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

int debug_unmark(const struct debug_call *call)
{
    struct err err = {0};
    struct place place;
    struct target target;
    int64_t id = 0;
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    if (!parse_i64(call->words->unmark, 1, INT64_MAX, &id, &err)) {
        (void)err_hint(&err, "devs debug --marks lists the bookmarks with their numbers");
        return fail(&err);
    }
    if (!log_word_find(call->globals, word, &place, &target, &err) ||
        !bookmark_remove(&place, id, &err))
        return fail(&err);
    return EXIT_ALL_PASSED;
}
