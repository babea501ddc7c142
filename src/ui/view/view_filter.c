#include "view_filter.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "shown.h"
#include "term.h"
#include "view.h"

static_assert((int)LINE_EDIT_MAX <= (int)TASK_FILTER_TEXT_MAX, "what is typed is read to its end");

static struct task_filter_facts facts_of(const struct view_facts *facts)
{
    return (struct task_filter_facts){
        .state = facts->state, .orphaned = facts->orphaned, .now = facts->now};
}

void view_filter_take(struct view *view)
{
    task_filter_read(view->filter.text, &view->wanted);
}

static bool is_passed(const struct view_facts *facts, int task)
{
    return facts->state->tasks[task].status == TASK_PASSED;
}

static bool fits(const struct view *view, const struct view_facts *facts, int task)
{
    const struct task_filter_facts of = facts_of(facts);
    if (view->only_needs_you && shown_task(facts->state, task, facts->orphaned) != SHOWN_NEEDS_YOU)
        return false;
    return task_filter_fits(&view->wanted, &of, task);
}

bool view_matches(const struct view *view, const struct view_facts *facts, int task)
{
    return !(view->hides_passed && is_passed(facts, task)) && fits(view, facts, task);
}

int view_hidden(const struct view *view, const struct view_facts *facts)
{
    int count = 0;
    for (int i = 0; view->hides_passed && i < facts->state->plan->task_count; i++)
        count += is_passed(facts, i) && fits(view, facts, i);
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

/* The word that fits nothing becomes the one that is near; false if there is none. */
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
    if (view->chosen_then >= 0) /* while it fits what is typed it stays chosen */
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

static void say_hidden(struct view *view, const struct view_facts *facts, int hidden)
{
    struct str text = {0};
    shown_count(hidden, "passed task is hidden: ", "passed tasks are hidden: ", &text);
    keymap_say(view->keys, "{finished} shows them", &text);
    view_say(view, &facts->clock, "%s", str_text(&text));
    str_done(&text);
}

void view_filter_passed(struct view *view, const struct view_facts *facts)
{
    view->hides_passed = !view->hides_passed;
    view_narrow(view, facts);
    const int hidden = view_hidden(view, facts);
    if (view->hides_passed)
        say_hidden(view, facts, hidden);
    else
        view_say(view, &facts->clock, "passed tasks are shown");
}
