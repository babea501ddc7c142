/* view_keys.c - what each key means to a view: who takes it, and which act it is; the rest of
 * view.h is in view.c. */
#include <assert.h>

#include "stroke.h"
#include "view_acts.h"
#include "view_correct.h"
#include "view_leave.h"
#include "view_terminal.h"

static const struct view_todo draw = {.kind = VIEW_DRAW};

static struct view_todo time_key(const struct stroke *stroke, uint32_t key)
{
    struct view *view = stroke->view;
    if (line_edit_key(&view->go_to, key) == LINE_EDIT_KEPT && view->go_to.len > 0)
        return (struct view_todo){.kind = VIEW_GO_TO};
    return draw;
}

bool view_update_prompt(struct view *view, const struct view_facts *facts)
{
    view_leave_update(view, facts);
    if (view->correct.stage != CORRECT_CLOSED)
        return view_correct_update(view, facts);
    return view_question_update(view, facts);
}

static bool is_typed(const struct view *view)
{
    return view->command.line.open || view->filter.open || view->search.open || view->go_to.open ||
           view->bookmark.open || view->report.file.open || view->runs.filter.open;
}

bool view_wants_text(const struct view *view)
{
    return is_typed(view) || view->help.open || prompt_wants_text(&view->prompt) ||
           correct_wants_text(&view->correct);
}

bool view_is_covered(const struct view *view)
{
    return view->help.open || view->prompt.kind != PROMPT_NONE || view_wants_text(view) ||
           view->correct.stage != CORRECT_CLOSED || view->sorted.is_open || view->frozen ||
           view->report.kind != REPORT_NONE;
}

/* A range that is being marked reaches to what is chosen then. */
static struct view_todo do_and_stretch(const struct stroke *stroke)
{
    const struct view_todo todo = stroke_do(stroke);
    view_marks_stretch(stroke->view);
    return todo;
}

static struct view_todo refuse(const struct stroke *stroke, const struct key_binding *binding,
                               struct key_place place)
{
    if (binding->act == UI_CORRECT && place.mode == KEYMAP_REPLAY)
        view_correct_refuse(stroke->view, stroke->facts);
    else if (binding->act != UI_COMPARE || !view_runs_say_compare(stroke->view, stroke->facts))
        view_tell(stroke->view, &stroke->facts->clock, "%s", keymap_refusal(binding, place));
    return draw;
}

static struct view_todo bound_key(struct stroke *stroke, uint32_t key)
{
    const struct key_place place = view_place(stroke->view, stroke->facts);
    const struct key_binding *binding = keymap_find(stroke->view->keys, place, key);
    assert(binding);
    if (!keymap_works(binding, place))
        return refuse(stroke, binding, place);
    stroke->act = binding->act;
    return do_and_stretch(stroke);
}

struct view_todo view_do(struct view *view, const struct view_facts *facts, enum act act)
{
    const struct stroke stroke = {.view = view, .facts = facts, .act = act};
    const struct key_place place = view_place(view, facts);
    const struct key_binding *elsewhere = NULL;
    const struct keymap *keys = keymap_builtin();
    for (size_t i = 0; i < keys->count; i++) {
        const struct key_binding *row = &keys->rows[i];
        if (row->act == act && keymap_works(row, place))
            return do_and_stretch(&stroke);
        elsewhere = row->act == act ? row : elsewhere;
    }
    return elsewhere ? refuse(&stroke, elsewhere, place) : draw;
}

/* Redrawing and stopping work whatever is open, and change nothing. */
static bool is_for_the_terminal(const struct key_binding *binding)
{
    return binding && binding->key < ' ' &&
           (binding->act == UI_REDRAW || binding->act == UI_SUSPEND);
}

static void say_unbound(struct view *view, const struct view_facts *facts, char key)
{
    struct str text = {0};
    str_addf(&text, "%c means nothing here: ", key);
    keymap_say(view->keys, "{help} lists the keys", &text);
    view_say(view, &facts->clock, "%s", str_text(&text));
    str_done(&text);
}

static struct view_todo take_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    struct stroke stroke = {.view = view, .facts = facts};
    const struct key_place place = view_place(view, facts);
    if (is_for_the_terminal(keymap_find(view->keys, place, key)))
        return bound_key(&stroke, key);
    view->still_until = facts->clock.mono_ms + VIEW_STILL_MS;
    view->is_scrolled = false;
    if (view->frozen) {
        const struct key_binding *binding = keymap_find(view->keys, place, key);
        return view_frozen_act(view, facts, binding ? binding->act : UI_NONE);
    }
    bool takes_all = view->help.open || view->prompt.kind != PROMPT_NONE || is_typed(view) ||
                     view->correct.stage != CORRECT_CLOSED || view->sorted.is_open;
    bool is_unbound = !takes_all && !keymap_find(view->keys, place, key);
    if (is_unbound) {
        if (key > ' ' && key <= '~' && view->message[0] == '\0') /* an answer stays */
            say_unbound(view, facts, (char)key);
        return draw;
    }
    view->message[0] = '\0';
    if (view->help.open) {
        stroke.act = help_key(&view->help, key);
        return stroke.act == UI_COMMAND ? view_command_begin(view, facts, view->help.command)
                                        : view_do(view, facts, stroke.act);
    }
    if (view->prompt.kind != PROMPT_NONE)
        return view_question_key(view, key, facts);
    if (view->correct.stage != CORRECT_CLOSED)
        return view_correct_key(view, key, facts);
    if (view->sorted.is_open) {
        view_order_key(view, key, facts);
        return draw;
    }
    if (view->command.line.open)
        return view_command_key(view, key, facts);
    if (view->filter.open)
        return view_filter_key(view, key, facts);
    if (view->search.open)
        return stroke_search_key(&stroke, key);
    if (view->go_to.open)
        return time_key(&stroke, key);
    if (view->bookmark.open)
        return view_bookmark_key(view, key);
    if (view->report.file.open)
        return view_report_type(view, key);
    if (view->report.kind != REPORT_NONE) {
        const struct key_binding *binding = keymap_find(view->keys, place, key);
        return view_report_key(view, key, binding ? binding->act : UI_NONE);
    }
    if (view->runs.filter.open) {
        view_runs_type(view, key);
        return draw;
    }
    return bound_key(&stroke, key);
}

struct view_todo view_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    view->used_at_ms = facts->clock.mono_ms;
    const struct view_todo todo = take_key(view, key, facts);
    view_undo_note_act(view, facts, &todo);
    return todo;
}
