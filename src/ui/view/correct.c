#include "correct.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "outcome.h"
#include "prompt.h"
#include "term.h"
#include "text.h"
#include "words.h"

enum { PAGE = 8, FAR = CORRECT_CLASSES_MAX };

static void copy_text(char *out, size_t size, const char *text)
{
    size_t len = text_cut(text, strlen(text), size - 1);
    memcpy(out, text, len);
    out[len] = '\0';
}

const char *correct_word(const struct verdict_label *label, char out[VERDICT_WORD_MAX])
{
    const struct outcome outcome = {.kind = OUTCOME_EXIT, .code = 1};
    struct verdict verdict = verdict_new();
    if (label->class != VERDICT_TRANSIENT)
        copy_text(out, VERDICT_WORD_MAX, verdict_label_word(label));
    else {
        verdict_set_transient(&verdict, label->type, "", "");
        (void)verdict_word(&verdict, &outcome, out);
    }
    return out;
}

/* The list of all: transient types, then persistent, with no reason first, then success. */
static int list_all(struct verdict_label out[CORRECT_CLASSES_MAX])
{
    int count = 0;
    for (int type = TRANSIENT_NONE + 1; type < TRANSIENT_TYPE_COUNT; type++)
        out[count++] =
            (struct verdict_label){.class = VERDICT_TRANSIENT, .type = (enum transient_type)type};
    for (int reason = REASON_NONE; reason < REASON_COUNT; reason++)
        out[count++] =
            (struct verdict_label){.class = VERDICT_PERSISTENT, .reason = (enum reason)reason};
    out[count++] = (struct verdict_label){.class = VERDICT_SUCCESS};
    assert(count <= CORRECT_CLASSES_MAX);
    return count;
}

static bool has(const char *text, const char *part)
{
    return words_find(text, strlen(text), part) != NULL;
}

static bool is_let_through(const struct verdict_label *label, const char *filter)
{
    char word[VERDICT_WORD_MAX];
    return *filter == '\0' || has(correct_word(label, word), filter) ||
           has(verdict_class_name(label->class), filter) || has(verdict_label_word(label), filter);
}

int correct_found(const struct correct *correct, struct verdict_label out[CORRECT_CLASSES_MAX])
{
    struct verdict_label all[CORRECT_CLASSES_MAX];
    int total = list_all(all);
    int count = 0;
    for (int i = 0; i < total; i++) {
        if (is_let_through(&all[i], correct->filter.text))
            out[count++] = all[i];
    }
    return count;
}

/* Choose a class; the first where the filter hides it. */
static void choose(struct correct *correct, const struct verdict_label *label)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    int count = correct_found(correct, found);
    correct->chosen = 0;
    for (int i = 0; i < count; i++) {
        if (verdict_label_equals(&found[i], label))
            correct->chosen = i;
    }
}

static void move(struct correct *correct, int by)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    int count = correct_found(correct, found);
    int to = correct->chosen + by;
    if (to >= count)
        to = count - 1;
    correct->chosen = to < 0 ? 0 : to;
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
    copy_text(correct->name, sizeof(correct->name), target->name);
    copy_text(correct->now, sizeof(correct->now), target->now);
    copy_text(correct->line, sizeof(correct->line), target->line);
    choose(correct, &correct->label);
}

static void close_prompt(struct correct *correct)
{
    correct->stage = CORRECT_CLOSED;
}

bool correct_update(struct correct *correct, const struct correct_target *target, int64_t now_ms)
{
    if (correct->stage == CORRECT_CLOSED || verdict_label_equals(&correct->label, &target->label))
        return false;
    correct->label = target->label;
    correct->opened_ms = now_ms;
    copy_text(correct->now, sizeof(correct->now), target->now);
    copy_text(correct->note, sizeof(correct->note), "its class has changed: look again");
    return true;
}

bool correct_wants_text(const struct correct *correct)
{
    return (correct->stage == CORRECT_PICKING && correct->filter.open) ||
           correct->stage == CORRECT_WRITING;
}

static enum correct_todo pick(struct correct *correct, struct verdict_label *label_out)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    int count = correct_found(correct, found);
    char word[VERDICT_WORD_MAX];
    if (count == 0)
        return CORRECT_NOTHING;
    const struct verdict_label *label = &found[correct->chosen];
    if (verdict_label_equals(label, &correct->label)) {
        (void)snprintf(correct->note, sizeof(correct->note), "it is %s already",
                       correct_word(label, word));
        return CORRECT_NOTHING;
    }
    *label_out = *label;
    close_prompt(correct);
    return CORRECT_PICK;
}

static enum correct_todo write_rule(struct correct *correct)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    int count = correct_found(correct, found);
    if (count == 0)
        return CORRECT_NOTHING;
    if (found[correct->chosen].class == VERDICT_SUCCESS) {
        copy_text(correct->note, sizeof(correct->note),
                  "a rule says why something failed: choose another class");
        return CORRECT_NOTHING;
    }
    correct_rule_begin(correct, &found[correct->chosen]);
    correct->stage = CORRECT_WRITING;
    return CORRECT_NOTHING;
}

/* Keys that move in the list, whether the filter is being typed or not. */
static bool move_by_key(struct correct *correct, uint32_t key)
{
    static const struct {
        uint32_t key;
        int by;
    } moves[] = {
        {TERM_KEY_DOWN, 1},        {TERM_KEY_UP, -1},     {TERM_KEY_PAGE_DOWN, PAGE},
        {TERM_KEY_PAGE_UP, -PAGE}, {TERM_KEY_HOME, -FAR}, {TERM_KEY_END, FAR},
    };
    for (size_t i = 0; i < ARRAY_LEN(moves); i++) {
        if (moves[i].key == key) {
            move(correct, moves[i].by);
            return true;
        }
    }
    return false;
}

/* Keys that are no text: no class has these characters, and every letter begins the filter. */
static bool is_command_key(struct correct *correct, uint32_t key)
{
    if (key == '+')
        (void)write_rule(correct);
    else if (key == '/' && !correct->filter.open)
        line_edit_open(&correct->filter);
    else
        return false;
    return true;
}

static void type_filter(struct correct *correct, uint32_t key)
{
    size_t before = correct->filter.len;
    (void)line_edit_key(&correct->filter, key);
    bool changed = correct->filter.len != before;
    if (changed)
        choose(correct, &correct->label);
    correct->filter.open = correct->filter.len > 0;
}

/* Without the filter; what it found stays chosen. */
static void show_all(struct correct *correct)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    bool any = correct_found(correct, found) > 0;
    struct verdict_label label = any ? found[correct->chosen] : correct->label;
    line_edit_clear(&correct->filter);
    correct->filter.open = false;
    choose(correct, &label);
}

static enum correct_todo key_picking(struct correct *correct, uint32_t key,
                                     struct verdict_label *label_out)
{
    if (key == TERM_KEY_ENTER)
        return pick(correct, label_out);
    if (key == TERM_KEY_ESC && correct->filter.open) {
        show_all(correct);
    } else if (key == TERM_KEY_ESC) {
        close_prompt(correct);
    } else if (!move_by_key(correct, key) && !is_command_key(correct, key)) {
        type_filter(correct, key);
    }
    return CORRECT_NOTHING;
}

static void go_to_field(struct correct *correct, int by)
{
    int count = CORRECT_FIELD_COUNT;
    correct->field = (enum correct_field)(((int)correct->field + by + count) % count);
}

static enum correct_todo key_writing(struct correct *correct, uint32_t key)
{
    switch (key) {
    case TERM_KEY_ESC:
        correct->stage = CORRECT_PICKING;
        return CORRECT_NOTHING;
    case TERM_KEY_TAB:
    case TERM_KEY_DOWN:
        go_to_field(correct, 1);
        return CORRECT_NOTHING;
    case TERM_KEY_BACK_TAB:
    case TERM_KEY_UP:
        go_to_field(correct, -1);
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

static enum correct_todo key_tried(struct correct *correct, uint32_t key)
{
    if (key == TERM_KEY_ESC)
        correct->stage = CORRECT_WRITING;
    return key == 's' && !correct->failed ? CORRECT_SAVE : CORRECT_NOTHING;
}

enum correct_todo correct_key(struct correct *correct, uint32_t key, int64_t now_ms,
                              struct verdict_label *label_out)
{
    bool deaf = now_ms - correct->opened_ms < PROMPT_DEAF_MS;
    if (deaf)
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
        copy_text(correct->note, sizeof(correct->note), "the trial was stopped");
        return CORRECT_STOP;
    case CORRECT_TRIED:
        return key_tried(correct, key);
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
    correct->opened_ms = now_ms; /* what was typed ahead does not save it */
    correct->failed = news->failed;
    copy_text(correct->words, sizeof(correct->words), news->words);
}

void correct_saved(struct correct *correct, const char *problem)
{
    if (!problem)
        close_prompt(correct);
    else
        copy_text(correct->note, sizeof(correct->note), problem);
}
