/* frame_footer.c - the row of keys below the tasks: those that do something now. */
#include <stddef.h>

#include "frame_parts.h"
#include "view_acts.h"

enum {
    NARROW_COLUMNS = 60,
    WIDE_COLUMNS = 120,
    KEYS_MAX = 9,
    KEYS_MAX_WIDE = 14,
    KEYS_KEPT = 2, /* the last ones, quit and help, fit before all others */
};

bool frame_key_works(const struct frame_input *input, enum act act)
{
    struct str why = {0};
    const bool refused = view_refusal(input->view, input->facts, act, &why);
    str_done(&why);
    return !refused;
}

/* Keys that go both ways share a word. */
static void name_times(const struct frame_input *input, const char *briefs[UI_ACT_COUNT])
{
    if (input->view->trail.depth > 0)
        briefs[UI_QUIT] = "back";
    briefs[UI_TRY_START] = "";
    briefs[UI_TRY_NEXT] = "try";
    briefs[UI_ERROR_NEXT] = "";
    briefs[UI_ERROR_BACK] = "failure";
    briefs[UI_SLOWER] = "";
    briefs[UI_FASTER] = "speed";
    if (input->replay) {
        briefs[UI_EVENT_BACK] = "";
        briefs[UI_EVENT_FORWARD] = "event";
    }
    if (input->facts->mode == VIEW_PAST) {
        briefs[UI_END] = "live";
        briefs[UI_QUIT] = "back";
    }
    if (input->facts->mode == VIEW_REPLAY)
        briefs[UI_QUIT] = "leave";
    if (input->replay && input->replay->playing)
        briefs[UI_PLAY] = "pause";
}

void frame_name_acts(const struct frame_input *input, const char *briefs[UI_ACT_COUNT])
{
    const int chosen = input->view->chosen;
    if (chosen < 0)
        return;
    const struct task_state *task = &input->facts->state->tasks[chosen];
    if (task->held)
        briefs[UI_HOLD] = "let go";
    if (task->status == TASK_STUCK)
        briefs[UI_RETRY] = "go on";
}

/* What the keys do to a fold or to what is held, where that is something else. */
static void name_acts(const struct frame_input *input, const char *briefs[UI_ACT_COUNT])
{
    const struct view_fold *fold = view_chosen_fold(input->view);
    name_times(input, briefs);
    if (view_is_zoomed(input->view))
        briefs[UI_ZOOM] = "all panes";
    if (!fold) {
        frame_name_acts(input, briefs);
        return;
    }
    bool all_held = fold->held == fold->fault.count;
    briefs[UI_OPEN] = view_is_unfolded(input->view, fold) ? "fold" : "unfold";
    briefs[UI_RETRY] = "send one";
    briefs[UI_CANCEL] = "cancel all";
    briefs[UI_HOLD] = all_held ? "let all go" : "hold all";
}

/* Which keys are named, quit and help whatever else there is no room for. */
struct choice {
    const enum act *acts;
    size_t count, most;
};

static struct choice choose(const struct canvas *canvas, const struct frame_input *input)
{
    static const enum act live[] = {
        UI_OPEN,           UI_RETRY,    UI_RETRY_WITH, UI_CANCEL, UI_FILTER,
        UI_ONLY_NEEDS_YOU, UI_TIMELINE, UI_HOLD,       UI_QUIT,   UI_HELP};
    static const enum act wide[] = {UI_OPEN,      UI_RETRY,    UI_RETRY_WITH, UI_CANCEL,
                                    UI_HOLD,      UI_MARK,     UI_FILTER,     UI_ONLY_NEEDS_YOU,
                                    UI_FORENSICS, UI_TIMELINE, UI_EVENT_BACK, UI_PANE_NEXT,
                                    UI_QUIT,      UI_HELP};
    static const enum act narrow[] = {UI_OPEN, UI_RETRY, UI_CANCEL, UI_QUIT, UI_HELP};
    static const enum act past[] = {UI_PLAY,     UI_EVENT_BACK, UI_EVENT_FORWARD, UI_TRY_START,
                                    UI_TRY_NEXT, UI_ERROR_NEXT, UI_ERROR_BACK,    UI_SLOWER,
                                    UI_FASTER,   UI_END,        UI_QUIT,          UI_HELP};
    static const enum act zoomed[] = {UI_ZOOM,   UI_OPEN, UI_RETRY, UI_CANCEL,
                                      UI_FILTER, UI_QUIT, UI_HELP};
    static const enum act past_zoomed[] = {
        UI_ZOOM,     UI_PLAY,       UI_EVENT_BACK, UI_EVENT_FORWARD, UI_TRY_START,
        UI_TRY_NEXT, UI_ERROR_NEXT, UI_ERROR_BACK, UI_QUIT,          UI_HELP};
    if (input->replay && view_is_zoomed(input->view))
        return (struct choice){past_zoomed, ARRAY_LEN(past_zoomed), KEYS_MAX_WIDE};
    if (input->replay)
        return (struct choice){past, ARRAY_LEN(past), KEYS_MAX_WIDE};
    if (canvas->columns < NARROW_COLUMNS)
        return (struct choice){narrow, ARRAY_LEN(narrow), KEYS_MAX};
    if (view_is_zoomed(input->view))
        return (struct choice){zoomed, ARRAY_LEN(zoomed), KEYS_MAX};
    if (canvas->columns >= WIDE_COLUMNS)
        return (struct choice){wide, ARRAY_LEN(wide), KEYS_MAX_WIDE};
    return (struct choice){live, ARRAY_LEN(live), KEYS_MAX};
}

void frame_footer(struct canvas *canvas, int row, const struct frame_input *input)
{
    const struct frame_layout layout = frame_layout(canvas->rows, canvas->columns, input);
    if (layout.edges.message < 0 && input->view->message[0] != '\0') {
        frame_message(canvas, row, input);
        return;
    }
    const struct choice choice = choose(canvas, input);
    enum act acts[KEYS_MAX_WIDE];
    const char *briefs[UI_ACT_COUNT] = {NULL};
    name_acts(input, briefs);
    if (canvas->columns < WIDE_COLUMNS)
        briefs[UI_TIMELINE] = "time";
    struct footer footer = {.keys = input->view->keys,
                            .acts = acts,
                            .briefs = briefs,
                            .kept = KEYS_KEPT,
                            .place = view_place(input->view, input->facts)};
    const size_t first_kept = choice.count - KEYS_KEPT;
    for (size_t i = 0; i < first_kept && footer.count + KEYS_KEPT < choice.most; i++) {
        if (frame_key_works(input, choice.acts[i]))
            acts[footer.count++] = choice.acts[i];
    }
    for (size_t i = first_kept; i < choice.count; i++)
        acts[footer.count++] = choice.acts[i];
    keymap_footer(canvas, row, &footer);
}
