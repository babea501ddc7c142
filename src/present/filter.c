/* filter.c - selects the tasks and records that the user wants to see.
 *
 * A filter of tasks is read first, then matched; if a word matches no task, the nearest state,
 * phase or class is suggested. A filter of records follows. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "filter.h"
#include "outcome.h"
#include "rule_pattern.h"
#include "shown.h"
#include "text.h"
#include "xalloc.h"

enum { PERMILLE = 1000, MS = 1000, DIGITS_MAX = 9 };

static const char *const field_names[] = {
    [FILTER_ANY] = "",        [FILTER_ID] = "id",         [FILTER_TITLE] = "title",
    [FILTER_STATE] = "state", [FILTER_CLASS] = "class",   [FILTER_WHERE] = "where",
    [FILTER_PHASE] = "phase", [FILTER_TRY] = "try",       [FILTER_EXIT] = "exit",
    [FILTER_NEW] = "new",     [FILTER_WAITED] = "waited",
};
static_assert(ARRAY_LEN(field_names) == FILTER_FIELD_COUNT, "every field has a name");

const char *task_filter_field_name(enum task_filter_field field)
{
    assert(field < FILTER_FIELD_COUNT);
    return field_names[field];
}

/* Reads digits. Fails if there are none or too many. */
static bool read_digits(const char **at, int64_t *out)
{
    int count = 0;
    *out = 0;
    for (; ascii_is_digit(**at); (*at)++, count++) {
        if (count == DIGITS_MAX)
            return false;
        *out = *out * 10 + (**at - '0');
    }
    return count > 0;
}

/* Reads ".04", "0.1" or "1" as thousandths, ignoring further digits. */
static bool read_share(const char *text, int64_t *out)
{
    int64_t whole = 0;
    int64_t part = 0;
    const bool has_whole = read_digits(&text, &whole);
    const bool has_point = *text == '.';
    if (!has_whole && !has_point)
        return false;
    text += has_point;
    int64_t unit = PERMILLE / 10;
    for (; has_point && ascii_is_digit(*text); text++, unit /= 10)
        part += unit * (*text - '0');
    *out = whole * PERMILLE + part;
    return *text == '\0';
}

/* Reads a duration such as "90", "30s", "1m", "2h", "1:30" or "1:00:00". *out is in ms. */
static bool read_duration(const char *text, int64_t *out)
{
    static const struct {
        char letter;
        int64_t s;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    int64_t s = 0;
    if (!read_digits(&text, &s))
        return false;
    for (int i = 0; *text == ':' && i < 2; i++) {
        int64_t more = 0;
        text++;
        if (!read_digits(&text, &more))
            return false;
        s = s * 60 + more;
    }
    for (size_t i = 0; *text && i < ARRAY_LEN(units); i++) {
        if (text[0] == units[i].letter && text[1] == '\0') {
            s *= units[i].s;
            text++;
        }
    }
    *out = s * MS;
    return *text == '\0';
}

/* Copies the value without its quotes. */
static void copy_value(const char *from, const char *end, char value[TASK_FILTER_TEXT_MAX])
{
    size_t len = 0;
    for (; from < end && len + 1 < TASK_FILTER_TEXT_MAX; from++) {
        if (*from != '"')
            value[len++] = *from;
    }
    value[len] = '\0';
}

/* Checks and converts the value after the comparison. */
static void read_value(struct task_filter_word *word)
{
    const bool only_equal = word->compare == FILTER_EQUAL || word->compare == FILTER_UNEQUAL;
    const char *text = word->value;
    bool is_negative = false;
    bool ok = only_equal;
    if (text[0] == '\0')
        return;
    switch (word->field) {
    case FILTER_NEW:
        ok = read_share(text, &word->number);
        break;
    case FILTER_WAITED:
        ok = read_duration(text, &word->number);
        break;
    case FILTER_TRY:
    case FILTER_EXIT:
        is_negative = word->field == FILTER_EXIT && *text == '-';
        text += is_negative;
        ok = read_digits(&text, &word->number) && *text == '\0';
        word->number = is_negative ? -word->number : word->number;
        break;
    case FILTER_PHASE: {
        bool is_phase = false;
        for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
            is_phase = is_phase || words_begin(phase_name(phase), text);
        ok = only_equal && is_phase;
        break;
    }
    default: /* the other fields accept any text */
        break;
    }
    word->is_wrong = !ok;
}

static void read_word(const char *at, const char *end, struct task_filter_word *word)
{
    static const struct {
        const char *sign;
        enum task_filter_compare compare;
    } signs[] = {{"!=", FILTER_UNEQUAL}, {">=", FILTER_AT_LEAST}, {"<=", FILTER_AT_MOST},
                 {"=", FILTER_EQUAL},    {">", FILTER_MORE},      {"<", FILTER_LESS}};
    word->is_not = *at == '!' && at[1] != '=';
    at += word->is_not;
    const char *sign = at + strcspn(at, "=!<>\" ");
    size_t len = 0; /* length of the comparison sign; 0 = none */
    for (size_t i = 0; sign < end && len == 0 && i < ARRAY_LEN(signs); i++) {
        if (strncmp(sign, signs[i].sign, strlen(signs[i].sign)) == 0) {
            len = strlen(signs[i].sign);
            word->compare = signs[i].compare;
        }
    }
    const size_t name_len = (size_t)(sign - at);
    word->field = FILTER_ANY;
    for (enum task_filter_field field = FILTER_ANY + 1; len > 0 && field < FILTER_FIELD_COUNT;
         field++) {
        if (strlen(field_names[field]) == name_len &&
            strncmp(field_names[field], at, name_len) == 0)
            word->field = field;
    }
    if (word->field != FILTER_ANY) {
        copy_value(sign + len, end, word->value);
        read_value(word);
    }
    if (word->field == FILTER_ANY || word->is_wrong)
        copy_value(at, end, word->value);
    if (word->field == FILTER_ANY)
        word->compare = FILTER_EQUAL;
    word->is_open = word->value[0] == '\0';
    word->is_wrong = word->is_wrong || (len > 0 && word->field == FILTER_ANY && sign > at);
}

void task_filter_read(const char *text, struct task_filter *out)
{
    const char *at = text;
    *out = (struct task_filter){.count = 0};
    while (out->count < TASK_FILTER_WORDS_MAX) {
        at += strspn(at, " ");
        const char *end = at; /* blanks within quotes do not end the word */
        for (bool quoted = false; *end && (quoted || *end != ' '); end++)
            quoted = quoted != (*end == '"');
        if (end == at)
            return;
        struct task_filter_word *word = &out->words[out->count++];
        word->from = (int)(at - text);
        word->len = (int)(end - at);
        read_word(at, end, word);
        at = end;
    }
}

static void complain_of_field(const char *text, struct str *out)
{
    char name[TASK_FILTER_TEXT_MAX];
    const size_t len = strcspn(text, "=!<>");
    memcpy(name, text, len);
    name[len] = '\0';
    struct near_word near = near_word_new(name);
    for (enum task_filter_field field = FILTER_ANY + 1; field < FILTER_FIELD_COUNT; field++)
        near_word_offer(&near, field_names[field]);
    str_addf(out, "unknown field '%s'", name);
    if (near.nearest) {
        str_addf(out, ", did you mean %s?", near.nearest);
        return;
    }
    str_add(out, "; expected one of");
    for (enum task_filter_field field = FILTER_ANY + 1; field < FILTER_FIELD_COUNT; field++)
        str_addf(out, " %s", field_names[field]);
}

bool task_filter_wrong(const struct task_filter *filter, struct str *out)
{
    static const char *const values[] = {
        [FILTER_ID] = "= or != and a part of the id",
        [FILTER_TITLE] = "= or != and a part of the title",
        [FILTER_STATE] = "= or != and a state",
        [FILTER_CLASS] = "= or != and a class",
        [FILTER_PHASE] = "RED, GREEN, VERIFY or REFACTOR",
        [FILTER_TRY] = "a number, such as try>2",
        [FILTER_EXIT] = "a number, such as exit=1",
        [FILTER_NEW] = "a share, such as new<.1",
        [FILTER_WAITED] = "a time, such as waited>1m",
    };
    for (int i = 0; i < filter->count; i++) {
        const struct task_filter_word *word = &filter->words[i];
        if (!word->is_wrong)
            continue;
        if (word->field == FILTER_ANY)
            complain_of_field(word->value, out);
        else
            str_addf(out, "%s: %s takes %s", word->value, field_names[word->field],
                     values[word->field]);
        return true;
    }
    return false;
}

/* Matching. */

/* Matches a pattern with `*` wildcards. On a mismatch, the most recent star takes one more
 * character. */
static bool fits_stars(const char *text, const char *pattern)
{
    const char *star = NULL;
    const char *taken = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            taken = text;
        } else if (ascii_lower(*pattern) == ascii_lower(*text)) {
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

/* Matches the executor, and the host of the latest attempt. */
static bool where_has(const struct run_state *state, int task, const char *value)
{
    const struct plan_executor *executor =
        plan_task_executor(state->plan, &state->plan->tasks[task]);
    const struct attempt_state *attempt = step_state_attempt(run_state_step(state, task));
    if (has(executor ? executor->name : "local", value))
        return true;
    return attempt && attempt->host >= 0 &&
           has(run_state_host_place(state, attempt->host).host, value);
}

/* "loop" matches tasks that loop or may loop. Other words match the label in the list. */
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

static bool state_has(const struct task_filter_facts *facts, int task, const char *value)
{
    /* "failed", "failure" and "error", also abbreviated to four letters or more, match every failed
     * state. */
    static const char *const failed[] = {"failed", "failures", "errors"};
    enum { LETTERS_MIN = 4 };
    if (has(shown_word(shown_task(facts->state, task, facts->orphaned)), value))
        return true;
    if (strlen(value) < LETTERS_MIN || !task_status_is_failed(facts->state->tasks[task].status))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(failed); i++) {
        if (words_begin(failed[i], value))
            return true;
    }
    return false;
}

static bool any_has(const struct task_filter_facts *facts, int task, const char *value)
{
    const struct plan_task *plan = &facts->state->plan->tasks[task];
    return has(plan->id, value) || has(plan->title, value) || state_has(facts, task, value) ||
           class_has(facts->state, task, value) || circles_have(facts->state, task, value);
}

/* Reads a number of the task. Returns false if the number is not known. */
static bool number_of(const struct task_filter_facts *facts, int task, enum task_filter_field field,
                      int64_t *out)
{
    const struct task_state *of = &facts->state->tasks[task];
    const struct step_state *step = run_state_step(facts->state, task);
    const struct attempt_state *latest = step_state_attempt(step);
    const struct attempt_state *ended = NULL; /* latest ended attempt of the current step */
    for (size_t i = step->attempt_count; i > 0 && !ended; i--) {
        if (step->attempts[i - 1].ended.mono_ms != 0)
            ended = &step->attempts[i - 1];
    }
    switch (field) {
    case FILTER_TRY:
        *out = latest ? latest->number : 0;
        return true;
    case FILTER_WAITED: {
        int64_t now_ms = 0;
        if (of->status == TASK_BACKOFF)
            now_ms = facts->now.mono_ms - step->wait_from.mono_ms;
        *out = of->waited_ms + (now_ms > 0 ? now_ms : 0);
        return true;
    }
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

static bool word_fits(const struct task_filter_word *word, const struct task_filter_facts *facts,
                      int task)
{
    const struct plan_task *plan = &facts->state->plan->tasks[task];
    const bool is_turned = (word->compare == FILTER_UNEQUAL) != word->is_not;
    int64_t number = 0;
    if (word->is_open)
        return true;
    if (word->is_wrong)
        return any_has(facts, task, word->value) != word->is_not;
    if (word->field >= FILTER_TRY)
        return number_of(facts, task, word->field, &number) &&
               compare(number, word->compare, word->number) != word->is_not;
    switch (word->field) {
    case FILTER_ID:
        return has(plan->id, word->value) != is_turned;
    case FILTER_TITLE:
        return has(plan->title, word->value) != is_turned;
    case FILTER_STATE:
        return state_has(facts, task, word->value) != is_turned;
    case FILTER_CLASS:
        return class_has(facts->state, task, word->value) != is_turned;
    case FILTER_WHERE:
        return where_has(facts->state, task, word->value) != is_turned;
    case FILTER_PHASE: {
        const int step = run_state_step_number(facts->state, task);
        return words_begin(phase_name(plan->steps[step].phase), word->value) != is_turned;
    }
    default:
        return any_has(facts, task, word->value) != is_turned;
    }
}

bool task_filter_fits(const struct task_filter *filter, const struct task_filter_facts *facts,
                      int task)
{
    for (int i = 0; i < filter->count; i++) {
        if (!word_fits(&filter->words[i], facts, task))
            return false;
    }
    return true;
}

static int count_fits(const struct task_filter_word *word, const struct task_filter_facts *facts)
{
    int count = 0;
    for (int i = 0; i < facts->state->plan->task_count; i++)
        count += word_fits(word, facts, i);
    return count;
}

/* The best suggestion so far, and its origin. */
struct search {
    struct near_word near;
    const char *kind;
    struct task_filter_near *out;
};

static void offer_word(struct search *search, const char *kind, const char *word)
{
    const int distance = search->near.distance;
    near_word_offer(&search->near, word);
    if (search->near.distance == distance)
        return;
    search->out->kind = kind;
    (void)snprintf(search->out->value, sizeof(search->out->value), "%s", word);
    search->near.nearest = search->out->value; /* the offered word may be temporary */
}

static void offer_words(struct search *search, const struct task_filter_facts *facts,
                        enum task_filter_field field)
{
    if (field == FILTER_ANY || field == FILTER_STATE) {
        for (enum shown shown = 0; shown < SHOWN_COUNT; shown++)
            offer_word(search, "state", shown_word(shown));
    }
    if (field == FILTER_ANY || field == FILTER_CLASS) {
        for (int i = 0; i < facts->state->plan->task_count; i++) {
            struct str class = {0};
            shown_class(facts->state, i, &class);
            offer_word(search, "class", str_text(&class));
            str_done(&class);
        }
    }
    if (field == FILTER_PHASE) {
        for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
            offer_word(search, "phase", phase_name(phase));
    }
}

void task_filter_nearest(const struct task_filter *filter, const struct task_filter_facts *facts,
                         struct task_filter_near *out)
{
    *out = (struct task_filter_near){.kind = NULL};
    for (int i = 0; i < filter->count && !out->kind; i++) {
        const struct task_filter_word *word = &filter->words[i];
        if (word->is_not || word->compare == FILTER_UNEQUAL || count_fits(word, facts) > 0)
            continue;
        /* an invalid word is kept whole: use only the text after its sign */
        const char *sign = word->is_wrong ? strpbrk(word->value, "=<>") : NULL;
        const char *wanted = sign ? sign + strspn(sign, "=<>") : word->value;
        struct search search = {.near = near_word_new(wanted), .out = out};
        offer_words(&search, facts, word->field);
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

/* Records. */

struct record_search {
    struct rule_pattern *pattern; /* owned */
    struct rule_matcher *matcher; /* owned */
};

static void search_free(struct record_search *search)
{
    if (!search)
        return;
    rule_pattern_close(search->pattern);
    rule_matcher_free(search->matcher);
    free(search);
}

void record_filter_done(struct record_filter *filter)
{
    if (!filter)
        return;
    search_free(filter->search);
    *filter = (struct record_filter){0};
}

bool record_filter_add_task(struct record_filter *filter, const char *id, struct err *err)
{
    const size_t len = strlen(id);
    if (len == 0 || len > PLAN_ID_MAX)
        return err_set(err, ERR_INVALID, "invalid task id '%s'", id);
    if (filter->task_count == RECORD_TASKS_MAX)
        return err_set(err, ERR_INVALID, "more than %d tasks", RECORD_TASKS_MAX);
    memcpy(filter->tasks[filter->task_count++], id, len + 1);
    return true;
}

bool record_filter_add_kind(struct record_filter *filter, const char *name, struct err *err)
{
    static_assert(EVENT_KIND_COUNT <= 64, "a bit for each kind");
    struct near_word near = near_word_new(name);
    for (int i = EVENT_NONE + 1; i < EVENT_KIND_COUNT; i++) {
        const char *known = event_kind_name((enum event_kind)i);
        if (strcmp(known, name) == 0) {
            filter->kinds |= UINT64_C(1) << i;
            return true;
        }
        near_word_offer(&near, known);
    }
    (void)err_set(err, ERR_INVALID, "unknown kind '%s'", name);
    return near.nearest
               ? err_hint(err, "did you mean %s?", near.nearest)
               : err_hint(err,
                          "see docs/run-log.md for all kinds, such as wait_started or step_ended");
}

bool record_filter_set_search(struct record_filter *filter, const char *pattern, struct err *err)
{
    struct rule_pattern *compiled = NULL;
    if (!rule_pattern_open(&compiled, pattern, err))
        return false;
    search_free(filter->search);
    filter->search = xcalloc(1, sizeof(*filter->search));
    filter->search->pattern = compiled;
    filter->search->matcher = rule_matcher_new();
    return true;
}

bool record_filter_wants(const struct record_filter *filter, const struct run_state *state,
                         const struct event *event)
{
    const struct record_bound *since = &filter->since;
    const struct record_bound *until = &filter->until;
    const bool is_within = event->seq >= since->seq && event->at.at_ms >= since->at_ms &&
                           (until->seq == 0 || event->seq <= until->seq) &&
                           (until->at_ms == 0 || event->at.at_ms <= until->at_ms);
    if (event_level(event) > filter->level || !is_within)
        return false;
    if (filter->kinds != 0 &&
        (!event_kind_is_known(event->kind) || (filter->kinds & UINT64_C(1) << event->kind) == 0))
        return false;
    if (filter->task_count == 0)
        return true;
    for (int i = 0; event->task >= 0 && i < filter->task_count; i++) {
        if (strcmp(filter->tasks[i], state->plan->tasks[event->task].id) == 0)
            return true;
    }
    return false;
}

bool record_filter_finds(const struct record_filter *filter, const char *words, size_t len)
{
    const struct rule_subject subject = {.bytes = words, .len = len, .begins = true, .ends = true};
    return !filter->search || rule_pattern_match(filter->search->pattern, filter->search->matcher,
                                                 &subject, NULL) == RULE_MATCH_YES;
}
