/* retry_help.c - whether retrying helps, counted from past attempts. */
#include "retry_help.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "attr.h"

/* Returns the entry of a class, adding it if it is new; NULL if there is no space for another
 * class. */
static struct retry_class *find_class(struct retry_help *help, const struct failure_class *class)
{
    int i = 0;
    while (i < help->class_count && !failure_class_equals(&help->classes[i].class, class))
        i++;
    if (i == RETRY_CLASSES_MAX)
        return NULL;
    if (i == help->class_count)
        help->classes[help->class_count++] = (struct retry_class){.class = *class};
    return &help->classes[i];
}

static void count_case(struct retry_count *to, bool passed)
{
    to->cases++;
    to->passed += passed;
}

/* Counts the attempt that followed a failed one. */
static void add_case(const struct retry_step *step, const struct retry_attempt *next, bool passed)
{
    struct retry_class *class = find_class(step->help, &step->last.class);
    if (!class)
        return;
    if (step->last.ends_round) {
        count_case(&class->new_round, passed);
        return;
    }
    int try = next->number - step->before;
    if (try < 2)
        try = 2; /* not covered: attempt numbers of a damaged log that decrease */
    if (try > RETRY_TRIES_MAX)
        try = RETRY_TRIES_MAX;
    count_case(&class->cells[try][step->same ? RETRY_SAME_FAULT : RETRY_NEW_FAULT]
                            [next->hinted ? RETRY_HINTED : RETRY_PLAIN],
               passed);
    class->waited_ms += fold_length_ms(next->waited_ms);
    class->ran_ms += fold_length_ms(next->ran_ms);
    if (!passed)
        class->in_vain_ms += fold_length_ms(next->waited_ms) + fold_length_ms(next->ran_ms);
}

void retry_step_add(struct retry_step *step, const struct retry_attempt *attempt)
{
    if (outcome_is_broken_off(attempt->outcome))
        return;
    if (attempt->outcome == OUTCOME_CANCELLED) {
        step->failed = false;
        return;
    }
    const bool passed = attempt->class.label.class == VERDICT_SUCCESS;
    step->help->attempts++;
    if (!step->failed || step->last.ends_round)
        step->before = attempt->number - 1;
    if (step->failed)
        add_case(step, attempt, passed);
    if (!passed) {
        struct retry_class *class = find_class(step->help, &attempt->class);
        step->help->failed++;
        if (class)
            class->failed++;
        else
            step->help->untold++;
    }
    step->same = step->failed && !step->last.ends_round && !passed &&
                 digest_is_same(step->last.fingerprint, attempt->fingerprint);
    step->failed = !passed;
    step->last = *attempt;
}

static bool is_of(enum retry_of of, int fault, int hint)
{
    switch (of) {
    case RETRY_OF_ALL:
        return true;
    case RETRY_OF_NEW_FAULT:
        return fault == RETRY_NEW_FAULT;
    case RETRY_OF_SAME_FAULT:
        return fault == RETRY_SAME_FAULT;
    case RETRY_OF_PLAIN:
        return hint == RETRY_PLAIN;
    case RETRY_OF_HINTED:
        return hint == RETRY_HINTED;
    }
    return false; /* not covered: -Wswitch keeps the list complete */
}

struct retry_count retry_class_count(const struct retry_class *class, enum retry_of of, int from,
                                     int to)
{
    struct retry_count sum = {0};
    const int last = to > 0 && to < RETRY_TRIES_MAX ? to : RETRY_TRIES_MAX;
    for (int try = from > 0 ? from : 1; try <= last; try++) {
        for (int fault = 0; fault < RETRY_FAULT_COUNT; fault++) {
            for (int hint = 0; hint < RETRY_HINT_COUNT; hint++) {
                if (!is_of(of, fault, hint))
                    continue;
                sum.cases += class->cells[try][fault][hint].cases;
                sum.passed += class->cells[try][fault][hint].passed;
            }
        }
    }
    return sum;
}

struct retry_share retry_share_of(struct retry_count count)
{
    assert(count.cases > 0 && count.passed <= count.cases);
    static const double z =
        1.959963984540054; /* 95 of 100 lie within this many standard deviations */
    const double n = (double)count.cases;
    const double p = (double)count.passed / n;
    const double scale = 1.0 + z * z / n;
    const double middle = (p + z * z / (2.0 * n)) / scale;
    const double half = z * sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n)) / scale;
    return (struct retry_share){
        .share = p, .low = fmax(middle - half, 0.0), .high = fmin(middle + half, 1.0)};
}

bool retry_class_tail(const struct retry_class *class, struct retry_tail *out)
{
    struct retry_tail tail = {0};
    for (int try = RETRY_TRIES_MAX; try >= 2; try--) {
        const struct retry_count one = retry_class_count(class, RETRY_OF_ALL, try, try);
        if (one.passed > 0)
            break;
        if (one.cases == 0)
            continue;
        tail.from = try;
        tail.to = tail.to > 0 ? tail.to : try;
        tail.count.cases += one.cases;
    }
    if (tail.count.cases < RETRY_CASES_MIN)
        return false;
    *out = tail;
    return true;
}

static bool comes_before(const struct retry_class *a, const struct retry_class *b)
{
    if (a->failed != b->failed)
        return a->failed > b->failed;
    struct str words[2] = {0};
    failure_class_word(&a->class, &words[0]);
    failure_class_word(&b->class, &words[1]);
    const bool before = strcmp(str_text(&words[0]), str_text(&words[1])) < 0;
    str_done(&words[0]);
    str_done(&words[1]);
    return before;
}

void retry_help_sort(struct retry_help *help)
{
    for (int i = 1; i < help->class_count; i++) {
        for (int at = i; at > 0 && comes_before(&help->classes[at], &help->classes[at - 1]); at--) {
            const struct retry_class later = help->classes[at];
            help->classes[at] = help->classes[at - 1];
            help->classes[at - 1] = later;
        }
    }
}

/* The chance of the next attempt of one task. */

bool retry_case_of(const struct run_state *state, int task, struct retry_case *out)
{
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *last = step_state_attempt(step);
    if (!last || last->ended.at_ms == 0 || last->outcome.kind == OUTCOME_CANCELLED ||
        outcome_is_broken_off(last->outcome.kind))
        return false;
    const struct failure_class class = failure_class_of(last);
    if (class.label.class == VERDICT_SUCCESS || last->round != run_state_round(state, task))
        return false;
    const struct attempt_state *before = step_state_find_attempt(step, last->number - 1);
    const int number = last->number + 1;
    int last_before = 0; /* number of the last attempt of earlier rounds */
    for (size_t i = 0; i < step->attempt_count && step->attempts[i].round < last->round; i++)
        last_before = step->attempts[i].number;
    *out = (struct retry_case){
        .class = class,
        .same = before && before->round == last->round &&
                digest_is_same(before->fingerprint, last->fingerprint),
        .number = number,
        .try = number - last_before,
    };
    return true;
}

bool retry_help_odds(const struct retry_help *help, const struct retry_case *like,
                     struct retry_odds *out)
{
    const enum retry_of fault = like->same ? RETRY_OF_SAME_FAULT : RETRY_OF_NEW_FAULT;
    int nth = like->try;
    if (nth > RETRY_TRIES_MAX)
        nth = RETRY_TRIES_MAX;
    int at = 0;
    while (at < help->class_count && !failure_class_equals(&help->classes[at].class, &like->class))
        at++;
    if (at == help->class_count)
        return false;
    const struct retry_class *class = &help->classes[at];
    struct retry_odds odds = {.like = *like, .by_fault = true, .by_try = true};
    odds.count = retry_class_count(class, fault, nth, nth);
    if (odds.count.cases < RETRY_CASES_MIN) {
        odds.by_try = false;
        odds.count = retry_class_count(class, fault, 0, 0);
    }
    if (odds.count.cases < RETRY_CASES_MIN) {
        odds.by_fault = false;
        odds.count = retry_class_count(class, RETRY_OF_ALL, 0, 0);
    }
    if (odds.count.cases < RETRY_CASES_MIN)
        return false;
    *out = odds;
    return true;
}

/* Shares and counts as text and as JSON. */

void retry_percent(double share, struct str *out)
{
    const int permille = (int)(share * 1000.0 + 0.5);
    const int percent = (permille + 5) / 10;
    if ((percent == 0 || percent == 100) && permille != percent * 10)
        str_addf(out, "%d.%d%%", permille / 10,
                 permille % 10); /* not %f: a locale could change the point */
    else
        str_addf(out, "%d%%", percent);
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

/* Adds "try 2: 31%, try 3: 12%, try 4: 0%": the tries with enough cases, unless there is only one
 * or none ever passed. */
static void add_tries(const struct retry_class *class, struct str *out)
{
    struct str words = {0};
    int told = 0;
    for (int try = 2; try <= RETRY_TRIES_MAX; try++) {
        const struct retry_count one = retry_class_count(class, RETRY_OF_ALL, try, try);
        if (one.cases < RETRY_CASES_MIN)
            continue;
        str_addf(&words, "%stry %d%s: ", told > 0 ? ", " : "", try,
                 try == RETRY_TRIES_MAX ? " and later" : "");
        retry_percent(retry_share_of(one).share, &words);
        told++;
    }
    if (told > 1 && retry_class_count(class, RETRY_OF_ALL, 0, 0).passed > 0)
        str_addf(out, "%s\n", words.data);
    str_done(&words);
}

/* Adds the two chances as one line; nothing if there are too few cases for the first chance. */
static void add_comparison(const struct retry_class *class, enum retry_of first, const char *label,
                           enum retry_of second, const char *second_label, struct str *out)
{
    const struct retry_count count = retry_class_count(class, first, 0, 0);
    if (count.cases < RETRY_CASES_MIN)
        return;
    str_add(out, label);
    add_share(count, out);
    str_add(out, second_label);
    retry_count_words(retry_class_count(class, second, 0, 0), out);
    str_add_char(out, '\n');
}

void retry_class_words(const struct retry_class *class, struct str *out)
{
    struct retry_tail tail;
    add_tries(class, out);
    if (retry_class_tail(class, &tail)) {
        if (tail.from == tail.to)
            str_addf(out, "try %d", tail.from);
        else
            str_addf(out, "tries %d to %d", tail.from, tail.to);
        str_addf(out, " passed 0 of %lld\n", (long long)tail.count.cases);
    }
    add_comparison(class, RETRY_OF_SAME_FAULT, "after the same fault twice: ", RETRY_OF_NEW_FAULT,
                   ", otherwise ", out);
    add_comparison(class, RETRY_OF_HINTED, "with a hint: ", RETRY_OF_PLAIN, ", without: ", out);
    if (class->new_round.cases >= RETRY_CASES_MIN) {
        str_add(out, "in a new round of the agent: ");
        add_share(class->new_round, out);
        str_add_char(out, '\n');
    }
}

void retry_odds_words(const struct retry_odds *odds, struct str *out)
{
    retry_percent(retry_share_of(odds->count).share, out);
    str_addf(out, " that try %d passes (%lld of %lld similar tries: ", odds->like.number,
             (long long)odds->count.passed, (long long)odds->count.cases);
    failure_class_word(&odds->like.class, out);
    if (odds->by_fault && odds->like.same)
        str_add(out, ", the same fault twice");
    if (odds->by_try)
        str_addf(out, ", try %d", odds->like.try);
    str_add_char(out, ')');
}
