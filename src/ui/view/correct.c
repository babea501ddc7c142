/* correct.c - the prompt that corrects a class: its list, the fields of a rule, and its keys.
 *
 * The rule is checked once per frame rather than for each key, because checking compiles all rules.
 * If the class of the attempt changes in the meantime, the prompt says so and ignores keys for a
 * moment. */
#include "correct.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "classify.h"
#include "outcome.h"
#include "prompt.h"
#include "term.h"
#include "text.h"
#include "view_internal.h"

/* The action that the caller must carry out after a key. */
enum correct_todo {
    CORRECT_NOTHING, /* only draw a frame */
    CORRECT_PICK,    /* set the class to `label`; the prompt is closed */
    CORRECT_TRY,     /* try the rule, see correct_rule_json() */
    CORRECT_STOP,    /* stop the trial */
    CORRECT_SAVE,    /* save the rule; the prompt stays open until correct_saved() */
};

enum { NAMES_TRIED_MAX = 100 };

static const char name_bytes[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
/* Characters with a special meaning in a pattern, outside brackets. */
static const char pattern_signs[] = "\\^$.[|()?*+{";

static void set_field(struct correct *correct, enum correct_field field, const char *text)
{
    struct line_edit *edit = &correct->fields[field];
    edit->len = text_cut(text, strlen(text), sizeof(edit->text) - 1);
    memcpy(edit->text, text, edit->len);
    edit->text[edit->len] = '\0';
    edit->open = true;
}

/* Fills in the deciding line as a pattern: special characters are escaped, and a long line is cut
 * at a character boundary. Stops at a line feed, because a pattern with a line feed would match
 * nothing. */
static void fill_pattern(struct correct *correct)
{
    const char *line = correct->line;
    size_t len = strcspn(line, "\r\n");
    char pattern[LINE_EDIT_MAX];
    size_t used = 0;
    for (size_t at = 0; at < len;) {
        uint32_t rune = 0;
        size_t bytes = (size_t)text_rune(line + at, len - at, &rune);
        bool quoted = strchr(pattern_signs, line[at]) != NULL;
        if (used + bytes + quoted >= sizeof(pattern))
            break;
        if (quoted)
            pattern[used++] = '\\';
        memcpy(pattern + used, line + at, bytes);
        used += bytes;
        at += bytes;
    }
    pattern[used] = '\0';
    set_field(correct, CORRECT_PATTERN, pattern);
}

void correct_rule_begin(struct correct *correct, const struct verdict_label *label)
{
    char word[VERDICT_WORD_MAX];
    char name[VERDICT_RULE_MAX];
    (void)correct_word(label, word);
    correct->field = CORRECT_PATTERN;
    (void)snprintf(name, sizeof(name), "my-%s", word); /* try "my-network", "my-network-2", ... */
    for (int i = 2; i < NAMES_TRIED_MAX && rule_list_has(correct->rules, name); i++)
        (void)snprintf(name, sizeof(name), "my-%s-%d", word, i);
    set_field(correct, CORRECT_ID, name);
    set_field(correct, CORRECT_CLASS, word);
    fill_pattern(correct);
    correct->unchecked = true;
}

void correct_rule_json(const struct correct *correct, struct str *out)
{
    struct verdict_label label;
    if (!verdict_label_parse(correct->fields[CORRECT_CLASS].text, &label))
        label = (struct verdict_label){.class = VERDICT_PERSISTENT}; /* the rule is invalid */
    str_add_char(out, '{');
    str_json_text(out, "name", correct->fields[CORRECT_ID].text);
    str_json_text(out, "verdict", verdict_class_name(label.class));
    if (label.class == VERDICT_TRANSIENT)
        str_json_text(out, "type", transient_type_name(label.type));
    else if (label.reason != REASON_NONE)
        str_json_text(out, "reason", reason_name(label.reason));
    str_json_text(out, "pattern", correct->fields[CORRECT_PATTERN].text);
    str_add_char(out, '}');
}

/* Returns a problem that would make the rule useless although the classifier accepts it, or
 * NULL. */
static const char *plain_problem(const struct correct *correct)
{
    struct verdict_label label = {.class = VERDICT_SUCCESS};
    const struct line_edit *id = &correct->fields[CORRECT_ID];
    if (id->len == 0)
        return "id: missing";
    if (strspn(id->text, name_bytes) != id->len)
        return "id: letters, digits, dots, - and _ only";
    if (id->len >= VERDICT_RULE_MAX)
        return "id: too long";
    if (!verdict_label_parse(correct->fields[CORRECT_CLASS].text, &label))
        return "class: use a name from the list, such as network, test-fail or persistent";
    if (label.class == VERDICT_SUCCESS)
        return "class: a rule needs a failure class";
    if (strspn(correct->fields[CORRECT_PATTERN].text, " ") == correct->fields[CORRECT_PATTERN].len)
        return "pattern: empty, would match everything";
    return NULL;
}

/* Checks the rule and sets `problem`, unless nothing has changed since the last check. Compiles all
 * rules, so call it once per frame rather than for each key. */
static void correct_rule_check(struct correct *correct)
{
    struct err err = {0};
    if (!correct->unchecked)
        return;
    correct->unchecked = false;
    const char *problem = plain_problem(correct);
    if (!problem) {
        struct classifier *classifier = NULL;
        struct str rule = {0};
        struct str list = {0};
        correct_rule_json(correct, &rule);
        if (!rule_list_add(correct->rules, str_text(&rule), &list, &err) ||
            !classifier_open(&classifier, str_text(&list), &err)) {
            /* Shorten "rule 1 'my-network': pattern, byte 2: ..." by the part that the screen
             * already shows. */
            const char *message = err.message;
            const char *end = strncmp(message, "rule ", 5) == 0 ? strstr(message, "': ") : NULL;
            problem = end ? end + 3 : message;
        }
        classifier_close(classifier);
        str_done(&rule);
        str_done(&list);
    }
    (void)snprintf(correct->problem, sizeof(correct->problem), "%s", problem ? problem : "");
}

enum { PAGE = 8, FAR = CORRECT_CLASSES_MAX };

const char *correct_word(const struct verdict_label *label, char out[VERDICT_WORD_MAX])
{
    const struct outcome outcome = {.kind = OUTCOME_EXIT, .code = 1};
    struct verdict verdict = verdict_new();
    if (label->class != VERDICT_TRANSIENT)
        text_copy(out, VERDICT_WORD_MAX, verdict_label_word(label));
    else {
        verdict_set_transient(&verdict, label->type, "", "");
        (void)verdict_word(&verdict, &outcome, out);
    }
    return out;
}

int correct_found(const struct correct *correct, struct verdict_label out[CORRECT_CLASSES_MAX])
{
    struct verdict_label all[CORRECT_CLASSES_MAX];
    const char *filter = correct->filter.text;
    int total = 0;
    int count = 0;
    /* All classes: transient types, then persistent (without a reason first), then success. */
    for (int type = TRANSIENT_NONE + 1; type < TRANSIENT_TYPE_COUNT; type++)
        all[total++] =
            (struct verdict_label){.class = VERDICT_TRANSIENT, .type = (enum transient_type)type};
    for (int reason = REASON_NONE; reason < REASON_COUNT; reason++)
        all[total++] =
            (struct verdict_label){.class = VERDICT_PERSISTENT, .reason = (enum reason)reason};
    all[total++] = (struct verdict_label){.class = VERDICT_SUCCESS};
    assert(total <= CORRECT_CLASSES_MAX);
    for (int i = 0; i < total; i++) {
        char word[VERDICT_WORD_MAX];
        const char *const names[] = {correct_word(&all[i], word), verdict_class_name(all[i].class),
                                     verdict_label_word(&all[i])};
        bool found = *filter == '\0';
        for (size_t k = 0; k < ARRAY_LEN(names) && !found; k++)
            found = words_find(names[k], strlen(names[k]), filter) != NULL;
        if (found)
            out[count++] = all[i];
    }
    return count;
}

/* Selects a class; the first one if the filter hides it. */
static void choose_label(struct correct *correct, const struct verdict_label *label)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    int count = correct_found(correct, found);
    correct->chosen = 0;
    for (int i = 0; i < count; i++) {
        if (verdict_label_equals(&found[i], label))
            correct->chosen = i;
    }
}

void correct_open(struct correct *correct, const struct correct_target *target, const char *rules,
                  int64_t now_ms)
{
    *correct = (struct correct){.stage = CORRECT_PICKING,
                                .opened_ms = now_ms,
                                .task = target->task,
                                .step = target->step,
                                .attempt = target->attempt,
                                .label = target->label,
                                .rules = rules};
    text_copy(correct->name, sizeof(correct->name), target->name);
    text_copy(correct->now, sizeof(correct->now), target->now);
    text_copy(correct->line, sizeof(correct->line), target->line);
    choose_label(correct, &correct->label);
}

bool correct_wants_text(const struct correct *correct)
{
    return (correct->stage == CORRECT_PICKING && correct->filter.open) ||
           correct->stage == CORRECT_WRITING;
}

/* Handles keys that move in the list, with or without a filter being typed. */
static bool move_by_key(struct correct *correct, uint32_t key)
{
    static const struct {
        uint32_t key;
        int by;
    } moves[] = {
        {TERM_KEY_DOWN, 1},        {TERM_KEY_UP, -1},     {TERM_KEY_PAGE_DOWN, PAGE},
        {TERM_KEY_PAGE_UP, -PAGE}, {TERM_KEY_HOME, -FAR}, {TERM_KEY_END, FAR},
    };
    struct verdict_label found[CORRECT_CLASSES_MAX];
    for (size_t i = 0; i < ARRAY_LEN(moves); i++) {
        if (moves[i].key != key)
            continue;
        int count = correct_found(correct, found);
        int to = correct->chosen + moves[i].by;
        if (to >= count)
            to = count - 1;
        correct->chosen = to < 0 ? 0 : to;
        return true;
    }
    return false;
}

static enum correct_todo key_picking(struct correct *correct, uint32_t key,
                                     struct verdict_label *label_out)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    const bool any = correct_found(correct, found) > 0;
    const struct verdict_label *label = any ? &found[correct->chosen] : &correct->label;
    char word[VERDICT_WORD_MAX];
    if (key == TERM_KEY_ENTER) {
        if (!any)
            return CORRECT_NOTHING;
        if (!verdict_label_equals(label, &correct->label)) {
            *label_out = *label;
            correct->stage = CORRECT_CLOSED;
            return CORRECT_PICK;
        }
        (void)snprintf(correct->note, sizeof(correct->note), "it is already %s",
                       correct_word(label, word));
    } else if (key == TERM_KEY_ESC && correct->filter.open) {
        line_edit_clear(&correct->filter);
        correct->filter.open = false;
        choose_label(correct, label); /* keeps the selection */
    } else if (key == TERM_KEY_ESC) {
        correct->stage = CORRECT_CLOSED;
    } else if (key == '+') { /* no class name has + or /, and any letter starts the filter */
        if (any && label->class == VERDICT_SUCCESS) {
            text_copy(correct->note, sizeof(correct->note),
                      "a rule needs a failure class: choose a different one");
        } else if (any) {
            correct_rule_begin(correct, label);
            correct->stage = CORRECT_WRITING;
        }
    } else if (key == '/' && !correct->filter.open) {
        line_edit_open(&correct->filter);
    } else if (!move_by_key(correct, key)) {
        size_t before = correct->filter.len;
        (void)line_edit_key(&correct->filter, key);
        if (correct->filter.len != before)
            choose_label(correct, &correct->label);
        correct->filter.open = correct->filter.len > 0;
    }
    return CORRECT_NOTHING;
}

static enum correct_todo key_writing(struct correct *correct, uint32_t key)
{
    switch (key) {
    case TERM_KEY_ESC:
        correct->stage = CORRECT_PICKING;
        return CORRECT_NOTHING;
    case TERM_KEY_TAB:
    case TERM_KEY_DOWN:
        correct->field = (correct->field + 1) % CORRECT_FIELD_COUNT;
        return CORRECT_NOTHING;
    case TERM_KEY_BACK_TAB:
    case TERM_KEY_UP:
        correct->field = (correct->field + CORRECT_FIELD_COUNT - 1) % CORRECT_FIELD_COUNT;
        return CORRECT_NOTHING;
    case TERM_KEY_ENTER:
        correct_rule_check(correct);
        if (correct->problem[0] != '\0')
            return CORRECT_NOTHING;
        correct->stage = CORRECT_TRYING;
        correct->done = 0;
        correct->total = 0;
        return CORRECT_TRY;
    default:
        (void)line_edit_key(&correct->fields[correct->field], key);
        correct->unchecked = true;
        return CORRECT_NOTHING;
    }
}

/* Handles a key. If the result is CORRECT_PICK, sets *label_out to the class. */
static enum correct_todo correct_key(struct correct *correct, uint32_t key, int64_t now_ms,
                                     struct verdict_label *label_out)
{
    if (now_ms - correct->opened_ms < PROMPT_DEAF_MS)
        return CORRECT_NOTHING;
    correct->note[0] = '\0';
    switch (correct->stage) {
    case CORRECT_CLOSED:
        break;
    case CORRECT_PICKING:
        return key_picking(correct, key, label_out);
    case CORRECT_WRITING:
        return key_writing(correct, key);
    case CORRECT_TRYING:
        if (key != TERM_KEY_ESC)
            break;
        correct->stage = CORRECT_WRITING;
        text_copy(correct->note, sizeof(correct->note), "the trial was stopped");
        return CORRECT_STOP;
    case CORRECT_TRIED:
        if (key == TERM_KEY_ESC)
            correct->stage = CORRECT_WRITING;
        return key == 's' && !correct->failed ? CORRECT_SAVE : CORRECT_NOTHING;
    }
    return CORRECT_NOTHING;
}

void correct_news(struct correct *correct, const struct correct_trial_news *news, int64_t now_ms)
{
    if (correct->stage != CORRECT_TRYING)
        return;
    correct->done = news->done;
    correct->total = news->total;
    if (!news->over)
        return;
    correct->stage = CORRECT_TRIED;
    correct->opened_ms = now_ms; /* so that typeahead does not save the rule */
    correct->failed = news->failed;
    text_copy(correct->words, sizeof(correct->words), news->words);
}

void correct_saved(struct correct *correct, const char *problem)
{
    if (!problem)
        correct->stage = CORRECT_CLOSED;
    else
        text_copy(correct->note, sizeof(correct->note), problem);
}

enum { STREAM_ERR = 2 };

/* An attempt and its position. */
struct tried {
    int task;
    int step;
    const struct attempt_state *attempt; /* NULL: no attempt is over */
};

static const struct attempt_state *last_over(const struct step_state *step)
{
    for (size_t i = step->attempt_count; i > 0; i--) {
        if (step->attempts[i - 1].ended.at_ms != 0)
            return &step->attempts[i - 1];
    }
    return NULL;
}

static struct tried latest_over(const struct run_state *state, int task)
{
    struct tried tried = {.task = task, .step = run_state_step_number(state, task)};
    tried.attempt = last_over(&state->tasks[task].steps[tried.step]);
    while (!tried.attempt && tried.step > 0)
        tried.attempt = last_over(&state->tasks[task].steps[--tried.step]);
    return tried;
}

/* Reads the evidence of the latest ended attempt into *room and returns it. Returns NULL if the
 * attempt passed or has no evidence. */
static const struct verdict *evidence_of(const struct run_state *state, const struct tried *tried,
                                         struct verdict *room)
{
    const struct step_state *step = &state->tasks[tried->task].steps[tried->step];
    const struct verdict *verdict = step_state_verdict(step, room);
    bool is_its_own = verdict && last_over(step) == tried->attempt &&
                      tried->attempt->class != VERDICT_SUCCESS &&
                      verdict->class == tried->attempt->class;
    return is_its_own ? verdict : NULL;
}

/* Appends "T-104 try 3"; with several steps "T-104 GREEN try 3", or "T-104 step 2 try 3" if several
 * steps have that phase. */
static void add_name(const struct run_state *state, const struct tried *tried, struct str *out)
{
    const struct plan_task *plan = &state->plan->tasks[tried->task];
    enum phase phase = plan->steps[tried->step].phase;
    int same = 0;
    for (int i = 0; i < plan->step_count; i++)
        same += plan->steps[i].phase == phase;
    str_addf(out, "%s ", plan->id);
    if (same > 1)
        str_addf(out, "step %d ", tried->step + 1);
    else if (plan->step_count > 1)
        str_addf(out, "%s ", phase_name(phase));
    str_addf(out, "try %d", tried->attempt->number);
}

static struct verdict_label present_label(const struct attempt_state *attempt)
{
    if (attempt->correction)
        return attempt->correction->label;
    return (struct verdict_label){
        .class = attempt->class, .type = attempt->type, .reason = attempt->reason};
}

/* Appends the present class and its origin. */
static void add_now(const struct run_state *state, const struct tried *tried, struct str *out)
{
    const struct attempt_state *attempt = tried->attempt;
    struct verdict room;
    const struct verdict *evidence = evidence_of(state, tried, &room);
    struct verdict verdict = verdict_new(); /* the engine's own result: "exit 1", "test-fail" */
    char word[VERDICT_WORD_MAX];
    shown_correction(attempt, out);
    verdict.class = attempt->class;
    verdict.type = attempt->type;
    verdict.reason = attempt->reason;
    (void)verdict_word(&verdict, &attempt->outcome, word);
    str_add(out, word[0] != '\0' ? word : verdict_class_name(attempt->class));
    if (evidence && evidence->rule[0] != '\0')
        str_addf(out, ", rule %s", evidence->rule);
}

/* Appends the last nonblank line of stderr or, if stderr has none, of all output. */
static void add_last_line(const struct log_tail *log, struct str *out)
{
    size_t found = log->count;
    for (size_t i = log->count; i > 0; i--) {
        const struct log_line *line = &log->lines[i - 1];
        const char *text = log_tail_line(log, i - 1);
        size_t blanks = 0;
        while (blanks < line->len && text[blanks] == ' ')
            blanks++;
        if (blanks == line->len)
            continue;
        if (found == log->count || line->stream == STREAM_ERR)
            found = i - 1;
        if (line->stream == STREAM_ERR)
            break;
    }
    if (found < log->count)
        str_add_n(out, log_tail_line(log, found), log->lines[found].len);
}

bool view_correct_is_possible(const struct run_state *state, int task)
{
    return latest_over(state, task).attempt != NULL;
}

struct view_todo view_correct_open(struct view *view, const struct view_facts *facts)
{
    struct str name = {0};
    struct str now = {0};
    struct str line = {0};
    const struct log_output_key *key = &facts->log->key;
    struct tried tried = latest_over(facts->state, view->chosen);
    assert(tried.attempt);
    struct verdict room;
    const struct verdict *verdict = evidence_of(facts->state, &tried, &room);
    add_name(facts->state, &tried, &name);
    add_now(facts->state, &tried, &now);
    if (verdict && verdict->match[0] != '\0')
        str_add(&line, verdict->match);
    else if (key->task == tried.task && key->step == tried.step &&
             key->attempt == tried.attempt->number)
        add_last_line(facts->log, &line);
    const struct correct_target target = {
        .task = tried.task,
        .step = tried.step,
        .attempt = tried.attempt->number,
        .name = str_text(&name),
        .label = present_label(tried.attempt),
        .now = str_text(&now),
        .line = str_text(&line),
    };
    correct_open(&view->correct, &target, facts->rules, facts->clock.mono_ms);
    str_done(&name);
    str_done(&now);
    str_done(&line);
    return (struct view_todo){.kind = VIEW_ASKED};
}

void view_correct_refuse(struct view *view, const struct view_facts *facts)
{
    struct tried tried = {.attempt = NULL};
    if (view->chosen >= 0)
        tried = latest_over(facts->state, view->chosen);
    if (!tried.attempt) {
        view_say(view, &facts->clock, "a replay is read only");
        return;
    }
    view_say(view, &facts->clock,
             "a replay is read only: devs correct --step %d --try %d %lld/%s CLASS", tried.step + 1,
             tried.attempt->number, (long long)facts->run,
             facts->state->plan->tasks[view->chosen].id);
}

/* Updates the class of the attempt. Returns true if it has changed: the prompt then says so and
 * ignores keys for a moment. Call before correct_key(). */
static bool update_label(struct correct *correct, const struct view_facts *facts)
{
    const struct step_state *step = &facts->state->tasks[correct->task].steps[correct->step];
    const struct tried tried = {correct->task, correct->step,
                                step_state_find_attempt(step, correct->attempt)};
    struct str now = {0};
    assert(tried.attempt);
    const struct verdict_label label = present_label(tried.attempt);
    if (correct->stage == CORRECT_CLOSED || verdict_label_equals(&correct->label, &label))
        return false;
    correct->label = label;
    correct->opened_ms = facts->clock.mono_ms;
    add_now(facts->state, &tried, &now);
    text_copy(correct->now, sizeof(correct->now), str_text(&now));
    text_copy(correct->note, sizeof(correct->note), "its class has changed: check again");
    str_done(&now);
    return true;
}

bool view_correct_update(struct view *view, const struct view_facts *facts)
{
    struct correct *correct = &view->correct;
    if (correct->stage == CORRECT_CLOSED)
        return false;
    if (correct->stage == CORRECT_WRITING)
        correct_rule_check(correct);
    return update_label(correct, facts);
}

struct view_todo view_correct_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    struct verdict_label label = {.class = VERDICT_PERSISTENT};
    (void)update_label(&view->correct, facts);
    switch (correct_key(&view->correct, key, facts->clock.mono_ms, &label)) {
    case CORRECT_NOTHING:
        break;
    case CORRECT_PICK:
        return (struct view_todo){
            .kind = VIEW_ASK,
            .control = {.verb = CONTROL_CORRECT,
                        .task = view->correct.task,
                        .step = view->correct.step,
                        .attempt = view->correct.attempt,
                        .label = label,
                        .key_at_ms = facts->clock.at_ms},
        };
    case CORRECT_TRY:
        return (struct view_todo){.kind = VIEW_TRY_RULE};
    case CORRECT_STOP:
        return (struct view_todo){.kind = VIEW_STOP_TRIAL};
    case CORRECT_SAVE:
        return (struct view_todo){.kind = VIEW_SAVE_RULE};
    }
    return (struct view_todo){.kind = VIEW_DRAW};
}
