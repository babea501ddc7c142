/* retry_words.c - what the log says of trying again, in words. */
#include "retry_help.h"

#include "attr.h"

void retry_percent(double share, struct str *out)
{
    const int permille = (int)(share * 1000.0 + 0.5);
    const int percent = (permille + 5) / 10;
    if ((percent == 0 || percent == 100) && permille != percent * 10)
        str_addf(out, "%d.%d %%", permille / 10, permille % 10); /* not by %f: a locale's point */
    else
        str_addf(out, "%d %%", percent);
}

static void add_share(struct retry_count count, struct str *out)
{
    retry_percent(retry_share_of(count).share, out);
    str_addf(out, " (%lld of %lld)", (long long)count.passed, (long long)count.cases);
}

void retry_count_words(struct retry_count count, struct str *out)
{
    if (count.cases >= RETRY_CASES_MIN)
        add_share(count, out);
    else
        str_addf(out, "too few to say (%lld of %lld)", (long long)count.passed,
                 (long long)count.cases);
}

void retry_count_json(struct retry_count count, struct str *out)
{
    str_json_i64(out, "again", count.cases);
    str_json_i64(out, "passed", count.passed);
    str_json_bool(out, "enough", count.cases >= RETRY_CASES_MIN);
    if (count.cases < RETRY_CASES_MIN)
        return;
    const struct retry_share share = retry_share_of(count);
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"share", share.share}, {"low", share.low}, {"high", share.high}};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        str_json_key(out, numbers[i].key);
        str_add_number(out, numbers[i].value);
    }
}

/* "by try: 2 31 %, 3 12 %, 4 0 %": those of which there are enough, unless there is but one, or not
 * one passed at any. */
static void add_tries(const struct retry_class *class, struct str *out)
{
    struct str words = {0};
    int told = 0;
    for (int try = 2; try <= RETRY_TRIES_MAX; try++) {
        const struct retry_count one = retry_class_count(class, RETRY_OF_ALL, try, try);
        if (one.cases < RETRY_CASES_MIN)
            continue;
        str_addf(&words, "%s%d%s ", told > 0 ? ", " : "by try: ", try,
                 try == RETRY_TRIES_MAX ? " and later" : "");
        retry_percent(retry_share_of(one).share, &words);
        told++;
    }
    if (told > 1 && retry_class_count(class, RETRY_OF_ALL, 0, 0).passed > 0)
        str_addf(out, "%s\n", words.data);
    str_done(&words);
}

static void add_tail(const struct retry_class *class, struct str *out)
{
    struct retry_tail tail;
    if (!retry_class_tail(class, &tail))
        return;
    if (tail.from == tail.to)
        str_addf(out, "try %d", tail.from);
    else
        str_addf(out, "tries %d to %d", tail.from, tail.to);
    str_addf(out, " passed 0 of %lld\n", (long long)tail.count.cases);
}

static void add_faults(const struct retry_class *class, struct str *out)
{
    const struct retry_count same = retry_class_count(class, RETRY_OF_SAME_FAULT, 0, 0);
    if (same.cases < RETRY_CASES_MIN)
        return;
    str_add(out, "after the same fault twice: ");
    add_share(same, out);
    str_add(out, ", else ");
    retry_count_words(retry_class_count(class, RETRY_OF_NEW_FAULT, 0, 0), out);
    str_add_char(out, '\n');
}

static void add_hints(const struct retry_class *class, struct str *out)
{
    const struct retry_count hinted = retry_class_count(class, RETRY_OF_HINTED, 0, 0);
    if (hinted.cases < RETRY_CASES_MIN)
        return;
    str_add(out, "with a hint: ");
    add_share(hinted, out);
    str_add(out, ", without: ");
    retry_count_words(retry_class_count(class, RETRY_OF_PLAIN, 0, 0), out);
    str_add_char(out, '\n');
}

static void add_rounds(const struct retry_class *class, struct str *out)
{
    if (class->new_round.cases < RETRY_CASES_MIN)
        return;
    str_add(out, "in a new round of its agent: ");
    add_share(class->new_round, out);
    str_add_char(out, '\n');
}

void retry_class_words(const struct retry_class *class, struct str *out)
{
    add_tries(class, out);
    add_tail(class, out);
    add_faults(class, out);
    add_hints(class, out);
    add_rounds(class, out);
}

void retry_odds_words(const struct retry_odds *odds, struct str *out)
{
    retry_percent(retry_share_of(odds->count).share, out);
    str_addf(out, " that try %d passes (%lld of %lld like it: ", odds->like.number,
             (long long)odds->count.passed, (long long)odds->count.cases);
    failure_class_word(&odds->like.class, out);
    if (odds->by_fault && odds->like.same)
        str_add(out, ", the same fault twice");
    if (odds->by_try)
        str_addf(out, ", try %d", odds->like.try);
    str_add_char(out, ')');
}
