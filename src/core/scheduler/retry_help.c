#include "retry_help.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "fold.h"

/* NULL: there is no room for one more. */
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

static void count(struct retry_count *to, bool passed)
{
    to->cases++;
    to->passed += passed;
}

/* The attempt behind one that failed. */
static void add_case(const struct retry_step *step, const struct retry_attempt *next, bool passed)
{
    struct retry_class *class = find_class(step->help, &step->last.class);
    if (!class)
        return;
    if (step->last.ends_round) {
        count(&class->new_round, passed);
        return;
    }
    int try = next->number - step->before;
    if (try < 2)
        try = 2; /* not covered: numbers of a damaged log that go back */
    if (try > RETRY_TRIES_MAX)
        try = RETRY_TRIES_MAX;
    count(&class->cells[try][step->same ? RETRY_SAME_FAULT : RETRY_NEW_FAULT]
                       [next->hinted ? RETRY_HINTED : RETRY_PLAIN],
          passed);
    class->waited_ms += fold_length_ms(next->waited_ms);
    class->ran_ms += fold_length_ms(next->ran_ms);
    if (!passed)
        class->in_vain_ms += fold_length_ms(next->waited_ms) + fold_length_ms(next->ran_ms);
}

static void add_failure(struct retry_help *help, const struct failure_class *class)
{
    struct retry_class *of = find_class(help, class);
    help->failed++;
    if (of)
        of->failed++;
    else
        help->untold++;
}

void retry_step_add(struct retry_step *step, const struct retry_attempt *attempt)
{
    if (attempt->outcome == OUTCOME_INTERRUPTED)
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
    if (!passed)
        add_failure(step->help, &attempt->class);
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
    return false; /* not covered: -Wswitch keeps the list whole */
}

static struct retry_count count_of_try(const struct retry_class *class, enum retry_of of, int try)
{
    struct retry_count sum = {0};
    for (int fault = 0; fault < RETRY_FAULT_COUNT; fault++) {
        for (int hint = 0; hint < RETRY_HINT_COUNT; hint++) {
            if (!is_of(of, fault, hint))
                continue;
            sum.cases += class->cells[try][fault][hint].cases;
            sum.passed += class->cells[try][fault][hint].passed;
        }
    }
    return sum;
}

struct retry_count retry_class_count(const struct retry_class *class, enum retry_of of, int from,
                                     int to)
{
    struct retry_count sum = {0};
    const int last = to > 0 && to < RETRY_TRIES_MAX ? to : RETRY_TRIES_MAX;
    for (int try = from > 0 ? from : 1; try <= last; try++) {
        const struct retry_count one = count_of_try(class, of, try);
        sum.cases += one.cases;
        sum.passed += one.passed;
    }
    return sum;
}

struct retry_share retry_share_of(struct retry_count count)
{
    assert(count.cases > 0 && count.passed <= count.cases);
    static const double z = 1.959963984540054; /* 95 of 100 lie within so many deviations */
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
