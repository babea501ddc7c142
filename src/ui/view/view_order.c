/* view_order.c - sorting and filtering of the list. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "shown.h"
#include "term.h"
#include "view.h"
#include "view_internal.h"
#include "xalloc.h"

static const int64_t last = INT64_MAX;

static const char *const names[] = {
    [ORDER_ADDED] = "as added",  [ORDER_STATE] = "state", [ORDER_NEXT] = "next",
    [ORDER_TRY] = "try",         [ORDER_NAME] = "name",   [ORDER_CLASS] = "class",
    [ORDER_LONGEST] = "longest",
};
static_assert(ARRAY_LEN(names) == ORDER_COUNT, "every order has a name");

const char *view_order_name(enum order_by by)
{
    assert(by < ORDER_COUNT);
    return names[by];
}

bool view_order_named(const char *name, enum order_by *out)
{
    for (enum order_by by = 0; by < ORDER_COUNT; by++) {
        /* accept "added" for the first order, whose name has two words */
        if (strcmp(names[by], name) == 0 || (by == ORDER_ADDED && strcmp(name, "added") == 0)) {
            *out = by;
            return true;
        }
    }
    return false;
}

const char *view_order_words(const struct view *view)
{
    static const char *const words[ORDER_COUNT][2] = {
        [ORDER_ADDED] = {"as added, needs-you first", "as added, reversed"},
        [ORDER_STATE] = {"state", "state, reversed"},
        [ORDER_NEXT] = {"next first", "next last"},
        [ORDER_TRY] = {"most tries first", "fewest tries first"},
        [ORDER_NAME] = {"name", "name, reversed"},
        [ORDER_CLASS] = {"class", "class, reversed"},
        [ORDER_LONGEST] = {"longest in its state first", "latest first"},
    };
    return words[view->sorted.by][view->sorted.is_turned];
}

/* The sort key of a task: first the number, then the text, then the position in the plan. */
struct sort_key {
    int64_t number;
    struct str text; /* owned */
    int task;
};

/* Returns the rank of a state: tasks that need the user come first, then failures, then active
 * tasks, then successes. */
static int64_t rank_of(enum shown shown)
{
    static const int ranks[] = {
        [SHOWN_NEEDS_YOU] = 0, [SHOWN_STUCK] = 1,   [SHOWN_GAVE_UP] = 2, [SHOWN_LOST] = 3,
        [SHOWN_BLOCKED] = 4,   [SHOWN_BACKOFF] = 5, [SHOWN_QUIET] = 6,   [SHOWN_RUNNING] = 7,
        [SHOWN_STOPPING] = 8,  [SHOWN_HELD] = 9,    [SHOWN_QUEUED] = 10, [SHOWN_CANCELLED] = 11,
        [SHOWN_PASSED] = 12,
    };
    static_assert(ARRAY_LEN(ranks) == SHOWN_COUNT, "every state has its place");
    return ranks[shown];
}

static void make_key(const struct view *view, const struct view_facts *facts, int task,
                     struct sort_key *out)
{
    const struct run_state *state = facts->state;
    const struct task_state *it = &state->tasks[task];
    const enum shown shown = shown_task(state, task, facts->orphaned);
    const struct attempt_state *latest;
    *out = (struct sort_key){.task = task};
    switch (view->sorted.by) {
    case ORDER_ADDED:
        out->number = shown != SHOWN_NEEDS_YOU;
        /* When nothing is running any more, failures come before everything else. */
        if (view_is_over(facts))
            out->number =
                rank_of(shown) <= rank_of(SHOWN_LOST) ? rank_of(shown) : rank_of(SHOWN_LOST) + 1;
        break;
    case ORDER_STATE:
        out->number = rank_of(shown);
        break;
    case ORDER_NEXT:
        out->number = it->status == TASK_BACKOFF ? run_state_step(state, task)->due.mono_ms : last;
        break;
    case ORDER_TRY:
        latest = step_state_attempt(run_state_step(state, task));
        out->number = latest ? -(int64_t)latest->number : 0;
        break;
    case ORDER_NAME:
        str_add(&out->text, state->plan->tasks[task].id);
        break;
    case ORDER_CLASS:
        shown_class(state, task, &out->text);
        out->number = out->text.len == 0;
        break;
    case ORDER_LONGEST:
        out->number = task_status_is_final(it->status) ? last : it->since.mono_ms;
        break;
    case ORDER_COUNT:
        break;
    }
}

/* Compares in natural order: T-9 comes before T-10. */
static int compare_names(const char *a, const char *b)
{
    while (*a && *b) {
        if (ascii_is_digit(*a) && ascii_is_digit(*b)) {
            a += strspn(a, "0");
            b += strspn(b, "0");
            const size_t a_len = strspn(a, "0123456789");
            const size_t b_len = strspn(b, "0123456789");
            if (a_len != b_len)
                return a_len < b_len ? -1 : 1;
            const int order = strncmp(a, b, a_len);
            if (order != 0)
                return order;
            a += a_len;
            b += b_len;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (*a != '\0') - (*b != '\0');
}

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left;
    const struct sort_key *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    const int order = compare_names(str_text(&a->text), str_text(&b->text));
    return order != 0 ? order : a->task - b->task;
}

void view_order_sort(const struct view *view, const struct view_facts *facts, int *out)
{
    const int count = view->order_count;
    struct sort_key *keys = xcalloc((size_t)count + 1, sizeof(*keys));
    for (int i = 0; i < count; i++)
        make_key(view, facts, i, &keys[i]);
    qsort(keys, (size_t)count, sizeof(*keys), compare_keys);
    for (int i = 0; i < count; i++) {
        out[view->sorted.is_turned ? count - 1 - i : i] = keys[i].task;
        str_done(&keys[i].text);
    }
    free(keys);
}

/* Sorts the rows at once, because the user requested the order. */
static void sort_rows_now(struct view *view, const struct view_facts *facts)
{
    view->still_until = facts->clock.mono_ms;
    view_arrange(view, facts);
    view_say(view, &facts->clock, "order: %s", view_order_words(view));
}

void view_order_take(struct view *view, const struct view_facts *facts, enum order_by by)
{
    view->sorted = (struct view_order){.by = by, .at = by};
    sort_rows_now(view, facts);
}

void view_order_turn(struct view *view, const struct view_facts *facts)
{
    view->sorted.is_turned = !view->sorted.is_turned;
    sort_rows_now(view, facts);
}

void view_order_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    struct view_order *order = &view->sorted;
    if (key >= '1' && key < '1' + ORDER_COUNT) {
        view_order_take(view, facts, (enum order_by)(key - '1'));
        return;
    }
    switch (key) {
    case TERM_KEY_ENTER:
        view_order_take(view, facts, order->at);
        break;
    case TERM_KEY_ESC:
    case 'q':
        order->is_open = false;
        break;
    case 'j':
    case 'l':
    case 's':
    case TERM_KEY_DOWN:
    case TERM_KEY_RIGHT:
    case TERM_KEY_TAB:
        order->at = (order->at + 1) % ORDER_COUNT;
        break;
    case 'k':
    case 'h':
    case TERM_KEY_UP:
    case TERM_KEY_LEFT:
    case TERM_KEY_BACK_TAB:
        order->at = (order->at + ORDER_COUNT - 1) % ORDER_COUNT;
        break;
    default:
        break;
    }
}

static_assert((int)LINE_EDIT_MAX <= (int)TASK_FILTER_TEXT_MAX, "what is typed is read to its end");

static struct task_filter_facts facts_of(const struct view_facts *facts)
{
    return (struct task_filter_facts){
        .state = facts->state, .orphaned = facts->orphaned, .now = facts->now};
}

static bool fits_filter(const struct view *view, const struct view_facts *facts, int task)
{
    const struct task_filter_facts of = facts_of(facts);
    if (view->only_needs_you && shown_task(facts->state, task, facts->orphaned) != SHOWN_NEEDS_YOU)
        return false;
    return task_filter_fits(&view->wanted, &of, task);
}

bool view_matches(const struct view *view, const struct view_facts *facts, int task)
{
    const bool is_hidden = view->hides_passed && facts->state->tasks[task].status == TASK_PASSED;
    return !is_hidden && fits_filter(view, facts, task);
}

int view_hidden(const struct view *view, const struct view_facts *facts)
{
    int count = 0;
    for (int i = 0; view->hides_passed && i < facts->state->plan->task_count; i++)
        count += facts->state->tasks[i].status == TASK_PASSED && fits_filter(view, facts, i);
    return count;
}

static bool find_nearest(const struct view *view, const struct view_facts *facts,
                         struct task_filter_near *out)
{
    const struct task_filter_facts of = facts_of(facts);
    struct task_filter filter;
    task_filter_read(view->filter.text, &filter);
    task_filter_nearest(&filter, &of, out);
    return out->kind != NULL;
}

bool view_nearest(const struct view *view, const struct view_facts *facts, struct str *out)
{
    struct task_filter_near near;
    if (find_nearest(view, facts, &near)) {
        str_addf(out, "nearest %s: %s (%d)", near.kind, near.value, near.count);
        return view->filter.open;
    }
    struct task_filter filter;
    task_filter_read(view->filter.text, &filter);
    (void)task_filter_wrong(&filter, out);
    return false;
}

/* Replaces the word that matches nothing with the suggestion; returns false if there is none. */
static bool use_nearest(struct view *view, const struct view_facts *facts)
{
    struct task_filter_near near;
    char text[LINE_EDIT_MAX];
    if (!find_nearest(view, facts, &near))
        return false;
    const char *quote = strchr(near.value, ' ') ? "\"" : "";
    const char *rest = view->filter.text + near.from + near.len;
    int len = snprintf(text, sizeof(text), "%.*s%s=%s%s%s%s", near.from, view->filter.text,
                       near.kind, quote, near.value, quote, rest);
    if (len >= LINE_EDIT_MAX)
        return false;
    view_filter_set(view, facts, text);
    return true;
}

static void say_what_is_wrong(struct view *view, const struct view_facts *facts)
{
    struct str why = {0};
    if (task_filter_wrong(&view->wanted, &why))
        view_say(view, &facts->clock, "%s", str_text(&why));
    str_done(&why);
}

struct view_todo view_filter_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    const bool takes_nearest = key == TERM_KEY_ENTER && view->row_count == 0;
    if (takes_nearest && use_nearest(view, facts))
        return (struct view_todo){.kind = VIEW_DRAW};
    enum line_edit_result result = line_edit_key(&view->filter, key);
    if (view->chosen_then >= 0) /* the task stays selected while it matches */
        view->chosen = view->chosen_then;
    view_narrow(view, facts);
    if (result == LINE_EDIT_KEPT)
        say_what_is_wrong(view, facts);
    return (struct view_todo){.kind = VIEW_DRAW};
}

void view_filter_set(struct view *view, const struct view_facts *facts, const char *text)
{
    line_edit_set(&view->filter, text);
    view_narrow(view, facts);
    say_what_is_wrong(view, facts);
}

void view_filter_passed(struct view *view, const struct view_facts *facts)
{
    view->hides_passed = !view->hides_passed;
    view_narrow(view, facts);
    if (!view->hides_passed) {
        view_say(view, &facts->clock, "passed tasks are shown");
        return;
    }
    struct str text = {0};
    shown_count(view_hidden(view, facts),
                "passed task is hidden: ", "passed tasks are hidden: ", &text);
    keymap_say(view->keys, "{finished} shows them", &text);
    view_say(view, &facts->clock, "%s", str_text(&text));
    str_done(&text);
}
