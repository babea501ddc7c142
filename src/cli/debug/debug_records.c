/* debug_records.c - devs replay: the records of a run as lines, or its replay on a terminal. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "continue_run.h"
#include "debug_mode.h"
#include "fail.h"
#include "follower.h"
#include "parse.h"
#include "replay_at.h"
#include "session.h"
#include "stream.h"
#include "target.h"

/* The filter built from the options. */

enum { SECOND_MS = 1000 };

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
    return err_hint(err, "use error, info or debug");
}

typedef bool add_name_fn(struct record_filter *filter, const char *name, struct err *err);

/* Adds each name of the comma-separated lists. */
static bool add_names(const struct option_words *lists, add_name_fn *add,
                      struct record_filter *filter, struct err *err)
{
    enum { NAME_MAX_BYTES = 128 };
    for (size_t i = 0; lists->words[i]; i++) {
        const char *list = lists->words[i];
        for (bool is_last = false; !is_last;) {
            char name[NAME_MAX_BYTES + 1];
            const size_t len = strcspn(list, ",");
            if (len > NAME_MAX_BYTES)
                return err_set(err, ERR_INVALID, "'%.*s...' is too long", NAME_MAX_BYTES, list);
            memcpy(name, list, len);
            name[len] = '\0';
            if (!add(filter, name, err))
                return false;
            is_last = list[len] == '\0';
            list += len + 1;
        }
    }
    return true;
}

ATTR_MUST_USE static bool record_words_filter(const struct record_words *words,
                                              struct record_filter *out, struct err *err)
{
    struct err why = {0};
    *out = (struct record_filter){0};
    if (!parse_level(words->level, &out->level, err) ||
        !add_names(&words->tasks, record_filter_add_task, out, err) ||
        !add_names(&words->kinds, record_filter_add_kind, out, err))
        return false;
    return !words->grep || record_filter_set_search(out, words->grep, &why) ||
           err_set(err, why.code, "--grep: %s", why.message);
}

/* The run whose moments are resolved. */
struct bounded_run {
    const struct place *place;
    struct log_run_info run; /* owned */
};

/* Finds a time, a record by its number, or a moment of the run: "#211", "T-104 try 2", "start",
 * "end". */
static bool find_bound(const struct bounded_run *bounded, const char *words, int64_t within_ms,
                       struct record_bound *out, struct err *err)
{
    const struct clock_span span = {.from_ms = bounded->run.started_at_ms,
                                    .until_ms = bounded->run.last_at_ms};
    struct follower *follower = NULL;
    struct replay_at at;
    int64_t at_ms = 0;
    if (!words)
        return true;
    if (clock_find(words, &span, &at_ms, NULL)) {
        out->at_ms = at_ms + within_ms;
        return true;
    }
    if (words[0] == '#')
        return parse_i64(words + 1, 1, INT64_MAX, &out->seq, NULL) ||
               err_set(err, ERR_INVALID, "invalid record number '%s'", words);
    bool ok = follower_open(&follower, bounded->place, bounded->run.number, err) &&
              replay_at_find(follower, words, &at, err);
    follower_close(follower);
    if (ok)
        out->seq = at.seq > 0 ? at.seq : 1;
    return ok;
}

ATTR_MUST_USE static bool record_words_bounds(const struct record_words *words,
                                              const struct place *place, int64_t run,
                                              struct record_filter *filter, struct err *err)
{
    struct log_reader *reader = NULL;
    struct bounded_run bounded = {.place = place};
    if (!words->since && !words->until)
        return true;
    bool ok = log_reader_open(&reader, place, err) &&
              log_reader_run(reader, run, &bounded.run, err) &&
              find_bound(&bounded, words->since, 0, &filter->since, err) &&
              find_bound(&bounded, words->until, SECOND_MS - 1, &filter->until, err);
    log_run_info_done(&bounded.run);
    log_reader_close(reader);
    return ok;
}

ATTR_MUST_USE static bool record_words_check_tasks(const struct record_filter *filter,
                                                   const struct place *place, int64_t run,
                                                   struct err *err)
{
    struct follower *follower = NULL;
    struct target target = {.run = run};
    int number = 0;
    if (filter->task_count == 0)
        return true;
    /* Tasks added to a growing run are only in its events. */
    bool ok = follower_open(&follower, place, run, err) &&
              (!follower_state(follower)->plan->grows ||
               follower_read(follower, 0, NULL, NULL, NULL, err));
    for (int i = 0; ok && i < filter->task_count; i++) {
        target.run = follower_run(follower)->number;
        memcpy(target.task, filter->tasks[i], sizeof(target.task));
        ok = target_task(&target, follower_state(follower)->plan, &number, err);
    }
    follower_close(follower);
    return ok;
}

/* The mode. */

/* Prints the records of one run. With several runs, not every run needs to have the given tasks. */
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

/* Prints several runs, the oldest first, as if all were one recording. */
static int print_chosen(const struct debug_call *call)
{
    struct err err = {0};
    struct log_reader *reader = NULL;
    struct run_choice choice;
    bool ok =
        run_choice_find(call->globals, call->operands, call->operand_count, &reader, &choice, &err);
    if (ok && choice.count > 1)
        qsort(choice.runs, choice.count, sizeof(*choice.runs), by_number);
    if (ok && choice.count > 1 && call->words->follow)
        ok = err_set(&err, ERR_INVALID, "--follow needs a single run");
    for (size_t i = 0; ok && i < choice.count && !outlet_is_deserted(); i++) {
        const struct target target = {.run = choice.runs[i]};
        ok = print_run(call, log_reader_place(reader), &target, choice.count == 1, &err);
    }
    run_choice_done(&choice);
    log_reader_close(reader);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

/* Returns whether the operands name several runs ("all", "38-41", or more than one word), which
 * log_word_find() does not accept. */
static bool names_runs(const struct debug_call *call)
{
    if (call->operand_count != 1)
        return call->operand_count > 1;
    const char *word = call->operands[0];
    return strcmp(word, "all") == 0 ||
           (strchr(word, '-') && word[strspn(word, "#0123456789-")] == '\0');
}

int debug_records(const struct debug_call *call)
{
    struct err err = {0};
    struct place place;
    struct target target;
    const struct debug_words *words = call->words;
    const struct record_words *record = &words->record;
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    /* with these options, --task selects the task on the screen instead of records */
    const bool is_place = words->frame.at || words->frame.view;
    /* Whether lines are printed instead of showing a screen. */
    const bool lines = words->plain || words->json || words->follow ||
                       (record->tasks.words[0] && !is_place) || record->kinds.words[0] ||
                       record->level || record->since || record->until || record->grep ||
                       !session_has_screen();
    if (lines && is_place)
        return fail_usage("use devs replay [RUN] --since TIME --until TIME",
                          "%s: --at and --view apply to the screen, not to records", call->name);
    if (lines && names_runs(call))
        return print_chosen(call);
    const bool is_all = call->operand_count == 1 && strcmp(word, "all") == 0;
    const bool is_list = is_all || (!word && !is_place);
    if (!is_list && names_runs(call))
        return fail_usage("use devs replay RUN... --plain|--json",
                          "%s: the screen replays one run, not several", call->name);
    if (!log_word_find(call->globals, is_list ? NULL : word, &place, &target, &err))
        return fail(&err);
    if (lines)
        return print_run(call, &place, &target, true, &err) ? EXIT_ALL_PASSED : fail(&err);
    const struct watch_words watched = {
        .run = target.run,
        .at = words->frame.at,
        .view = words->frame.view,
        .task = target.task[0] != '\0' ? target.task : record->tasks.words[0],
    };
    return watch_run(call->globals, &place, &watched, is_list ? APP_RUNS : APP_REPLAY);
}
