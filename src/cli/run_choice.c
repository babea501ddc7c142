#include "run_choice.h"

#include <stdlib.h>
#include <string.h>

#include "log_word.h"
#include "parse.h"
#include "xalloc.h"

void run_choice_done(struct run_choice *choice)
{
    free(choice->runs);
    *choice = (struct run_choice){0};
}

static bool add(struct run_choice *choice, int64_t run, struct err *err)
{
    for (size_t i = 0; i < choice->count; i++) {
        if (choice->runs[i] == run)
            return true;
    }
    if (choice->count == RUN_CHOICE_MAX)
        return err_set(err, ERR_LIMIT, "more than %d runs at a time", RUN_CHOICE_MAX);
    choice->runs = xgrow(choice->runs, &choice->cap, choice->count + 1, sizeof(*choice->runs));
    choice->runs[choice->count++] = run;
    return true;
}

static bool add_one(struct log_reader *reader, int64_t run, struct run_choice *out, struct err *err)
{
    struct log_run_info info;
    if (!log_reader_run(reader, run, &info, err))
        return false;
    const int64_t number = info.number;
    log_run_info_done(&info);
    return add(out, number, err);
}

/* All from `first` to `last`, the newest first. */
static bool add_between(struct log_reader *reader, int64_t first, int64_t last,
                        struct run_choice *out, struct err *err)
{
    enum { RUNS_AT_ONCE = 16 };
    struct log_run_info runs[RUNS_AT_ONCE];
    int64_t before = last < INT64_MAX ? last + 1 : 0;
    size_t count = 0;
    bool ok = true;
    do {
        ok = log_reader_runs(reader, before, runs, RUNS_AT_ONCE, &count, err);
        for (size_t i = 0; ok && i < count; i++) {
            before = runs[i].number;
            ok = before < first || add(out, before, err);
        }
        for (size_t i = 0; i < count; i++)
            log_run_info_done(&runs[i]);
    } while (ok && count == RUNS_AT_ONCE && before > first);
    return ok;
}

/* "38-41": false where it is no such word. */
static bool parse_range(const char *word, int64_t *first, int64_t *last)
{
    enum { DIGITS_MAX = 20 };
    const char *dash = strchr(word, '-');
    char digits[DIGITS_MAX + 1];
    const size_t len = dash ? (size_t)(dash - word) : 0;
    if (len == 0 || len > DIGITS_MAX)
        return false;
    memcpy(digits, word, len);
    digits[len] = '\0';
    const char *from = digits[0] == '#' ? digits + 1 : digits;
    const char *to = dash[1] == '#' ? dash + 2 : dash + 1;
    return parse_i64(from, 1, INT64_MAX, first, NULL) &&
           parse_i64(to, *first, INT64_MAX, last, NULL);
}

static bool add_word(struct log_reader *reader, const char *word, struct run_choice *out,
                     struct err *err)
{
    static const char hint[] = "a number from devs runs, 38-41, last or all";
    int64_t run = 0;
    int64_t first = 0;
    int64_t last = 0;
    if (strcmp(word, "all") == 0)
        return add_between(reader, 1, INT64_MAX, out, err);
    if (parse_range(word, &first, &last))
        return add_between(reader, first, last, out, err);
    return target_parse_run(word, hint, &run, err) && add_one(reader, run, out, err);
}

bool run_choice_add(struct log_reader *reader, char *const *words, int count,
                    struct run_choice *out, struct err *err)
{
    for (int i = 0; i < count; i++) {
        if (!add_word(reader, words[i], out, err))
            return false;
    }
    return true;
}

bool run_choice_find(const struct globals *globals, char *const *words, int count,
                     struct log_reader **reader, struct run_choice *out, struct err *err)
{
    struct place place;
    struct target target;
    *reader = NULL;
    *out = (struct run_choice){0};
    const bool is_all = count > 0 && strcmp(words[0], "all") == 0;
    const char *log = count > 0 && !is_all ? words[0] : NULL;
    if (!log_word_find(globals, log, &place, &target, err) || !log_reader_open(reader, &place, err))
        return false;
    const bool is_file =
        log && target.run == 0 && target.task[0] == '\0' && strcmp(log, "last") != 0;
    const int first = is_file ? 1 : 0;
    if (count <= first)
        return add_one(*reader, 0, out, err);
    return run_choice_add(*reader, words + first, count - first, out, err);
}
