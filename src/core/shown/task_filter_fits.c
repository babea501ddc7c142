/* task_filter_fits.c - which tasks fit a filter, and what was meant where none does. */
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "near_word.h"
#include "phase.h"
#include "shown.h"
#include "task_filter.h"
#include "words.h"

/* Is the text as the pattern says, in which `*` stands for anything? The last star that was met
 * takes one more character whenever what follows it does not fit. */
static bool fits_stars(const char *text, const char *pattern)
{
    const char *star = NULL;
    const char *taken = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            taken = text;
        } else if (words_small(*pattern) == words_small(*text)) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++taken;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

static bool has(const char *text, const char *value)
{
    if (strchr(value, '*'))
        return fits_stars(text, value);
    return words_find(text, strlen(text), value) != NULL;
}

static bool class_has(const struct run_state *state, int task, const char *value)
{
    struct str class = {0};
    shown_class(state, task, &class);
    const bool found = has(str_text(&class), value);
    str_done(&class);
    return found;
}

/* "loop" finds tasks that loop and tasks that may; "cycle" or "same" match the label in the list.
 */
static bool circles_have(const struct run_state *state, int task, const char *value)
{
    struct shown_circle circle;
    struct str brief = {0};
    if (!shown_circles_of(state, task, &circle))
        return false;
    shown_circles_brief(&circle.verdict, &brief);
    const bool found = has("loop", value) || has(str_text(&brief), value);
    str_done(&brief);
    return found;
}

static const char *state_of(const struct task_filter_facts *facts, int task)
{
    return shown_word(shown_task(facts->state, task, facts->orphaned));
}

static const char *phase_of(const struct run_state *state, int task)
{
    const int step = run_state_step_number(state, task);
    return phase_name(state->plan->tasks[task].steps[step].phase);
}

/* "failed", "failure" and "error", from four letters on: words for all states of a failure. */
static bool means_failed(const struct run_state *state, int task, const char *value)
{
    static const char *const words[] = {"failed", "failures", "errors"};
    enum { LETTERS_MIN = 4 };
    if (strlen(value) < LETTERS_MIN || !task_status_is_failed(state->tasks[task].status))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (words_begin(words[i], value))
            return true;
    }
    return false;
}

static bool state_has(const struct task_filter_facts *facts, int task, const char *value)
{
    return has(state_of(facts, task), value) || means_failed(facts->state, task, value);
}

static bool any_has(const struct task_filter_facts *facts, int task, const char *value)
{
    const struct plan_task *plan = &facts->state->plan->tasks[task];
    return has(plan->id, value) || has(plan->title, value) || state_has(facts, task, value) ||
           class_has(facts->state, task, value) || circles_have(facts->state, task, value);
}

/* The latest attempt of the current step that came to an end of its own. */
static const struct attempt_state *last_ended(const struct run_state *state, int task)
{
    const struct step_state *step = run_state_step(state, task);
    for (size_t i = step->attempt_count; i > 0; i--) {
        if (step->attempts[i - 1].ended.mono_ms != 0)
            return &step->attempts[i - 1];
    }
    return NULL;
}

static int64_t waited_ms(const struct task_filter_facts *facts, int task)
{
    const struct task_state *of = &facts->state->tasks[task];
    const struct step_state *step = run_state_step(facts->state, task);
    int64_t now_ms = 0;
    if (of->status == TASK_BACKOFF)
        now_ms = facts->now.mono_ms - step->wait_from.mono_ms;
    return of->waited_ms + (now_ms > 0 ? now_ms : 0);
}

/* False where it is not known. */
static bool number_of(const struct task_filter_facts *facts, int task, enum task_filter_field field,
                      int64_t *out)
{
    const struct attempt_state *latest = step_state_attempt(run_state_step(facts->state, task));
    const struct attempt_state *ended = last_ended(facts->state, task);
    switch (field) {
    case FILTER_TRY:
        *out = latest ? latest->number : 0;
        return true;
    case FILTER_WAITED:
        *out = waited_ms(facts, task);
        return true;
    case FILTER_EXIT:
        *out = ended ? ended->outcome.code : 0;
        return ended && ended->outcome.kind == OUTCOME_EXIT;
    case FILTER_NEW:
        *out = ended ? ended->new_permille : -1;
        return *out >= 0;
    default:
        return false;
    }
}

static bool compare(int64_t value, enum task_filter_compare how, int64_t with)
{
    switch (how) {
    case FILTER_UNEQUAL:
        return value != with;
    case FILTER_MORE:
        return value > with;
    case FILTER_LESS:
        return value < with;
    case FILTER_AT_LEAST:
        return value >= with;
    case FILTER_AT_MOST:
        return value <= with;
    case FILTER_EQUAL:
        break;
    }
    return value == with;
}

static bool text_fits(const struct task_filter_word *word, const struct task_filter_facts *facts,
                      int task)
{
    const struct plan_task *plan = &facts->state->plan->tasks[task];
    switch (word->field) {
    case FILTER_ID:
        return has(plan->id, word->value);
    case FILTER_TITLE:
        return has(plan->title, word->value);
    case FILTER_STATE:
        return state_has(facts, task, word->value);
    case FILTER_CLASS:
        return class_has(facts->state, task, word->value);
    case FILTER_PHASE:
        return words_begin(phase_of(facts->state, task), word->value);
    default:
        return any_has(facts, task, word->value);
    }
}

static bool fits(const struct task_filter_word *word, const struct task_filter_facts *facts,
                 int task)
{
    int64_t number = 0;
    if (word->is_open)
        return true;
    if (word->is_wrong)
        return any_has(facts, task, word->value) != word->is_not;
    const bool is_turned = (word->compare == FILTER_UNEQUAL) != word->is_not;
    if (word->field < FILTER_TRY)
        return text_fits(word, facts, task) != is_turned;
    return number_of(facts, task, word->field, &number) &&
           compare(number, word->compare, word->number) != word->is_not;
}

bool task_filter_fits(const struct task_filter *filter, const struct task_filter_facts *facts,
                      int task)
{
    for (int i = 0; i < filter->count; i++) {
        if (!fits(&filter->words[i], facts, task))
            return false;
    }
    return true;
}

static int count_fits(const struct task_filter_word *word, const struct task_filter_facts *facts)
{
    int count = 0;
    for (int i = 0; i < facts->state->plan->task_count; i++)
        count += fits(word, facts, i);
    return count;
}

/* The best so far, and where it comes from. */
struct search {
    struct near_word near;
    const char *kind;
    struct task_filter_near *out;
};

static void offer(struct search *search, const char *kind, const char *word)
{
    const int distance = search->near.distance;
    near_word_offer(&search->near, word);
    if (search->near.distance == distance)
        return;
    search->out->kind = kind;
    (void)snprintf(search->out->value, sizeof(search->out->value), "%s", word);
    search->near.nearest = search->out->value; /* the word offered need not last */
}

static void offer_classes(struct search *search, const struct run_state *state)
{
    for (int i = 0; i < state->plan->task_count; i++) {
        struct str class = {0};
        shown_class(state, i, &class);
        offer(search, "class", str_text(&class));
        str_done(&class);
    }
}

static void offer_all(struct search *search, const struct task_filter_facts *facts,
                      const struct task_filter_word *word)
{
    const bool is_any = word->field == FILTER_ANY;
    for (enum shown shown = 0; (is_any || word->field == FILTER_STATE) && shown < SHOWN_COUNT;
         shown++)
        offer(search, "state", shown_word(shown));
    if (is_any || word->field == FILTER_CLASS)
        offer_classes(search, facts->state);
    for (enum phase phase = 0; word->field == FILTER_PHASE && phase < PHASE_COUNT; phase++)
        offer(search, "phase", phase_name(phase));
}

/* What stands behind the sign where the word was wrong as a whole. */
static const char *wanted_of(const struct task_filter_word *word)
{
    const char *sign = word->is_wrong ? strpbrk(word->value, "=<>") : NULL;
    return sign ? sign + strspn(sign, "=<>") : word->value;
}

void task_filter_nearest(const struct task_filter *filter, const struct task_filter_facts *facts,
                         struct task_filter_near *out)
{
    *out = (struct task_filter_near){.kind = NULL};
    for (int i = 0; i < filter->count && !out->kind; i++) {
        const struct task_filter_word *word = &filter->words[i];
        if (word->is_not || word->compare == FILTER_UNEQUAL || count_fits(word, facts) > 0)
            continue;
        struct search search = {.near = near_word_new(wanted_of(word)), .out = out};
        offer_all(&search, facts, word);
        out->from = word->from;
        out->len = word->len;
    }
    if (!out->kind)
        return;
    struct str text = {0};
    struct task_filter best;
    str_addf(&text, "%s=\"%s\"", out->kind, out->value);
    task_filter_read(str_text(&text), &best);
    out->count = count_fits(&best.words[0], facts);
    str_done(&text);
}
