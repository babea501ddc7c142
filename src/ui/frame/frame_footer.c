/* frame_footer.c - the row of keys: those that do something now, and which there are below the
 * tasks. */
#include <string.h>

#include "frame_mode.h"
#include "frame_page.h"
#include "frame_parts.h"
#include "view_acts.h"

enum {
    NARROW_COLUMNS = 60,
    WIDE_COLUMNS = 120,
    KEYS_MAX = 9,
    KEYS_MAX_WIDE = 14,
    KEYS_KEPT = 2, /* the last ones, quit and help, fit before all others */
};

static bool works(const struct frame_input *input, enum act act)
{
    struct str why = {0};
    const bool refused = view_refusal(input->view, input->facts, act, &why);
    str_done(&why);
    return !refused;
}

void frame_keys_draw(struct canvas *canvas, int row, const struct frame_input *input,
                     const struct frame_keys *keys)
{
    enum act acts[UI_ACT_COUNT];
    const char *briefs[UI_ACT_COUNT];
    struct footer footer = {.keys = input->view->keys,
                            .acts = acts,
                            .briefs = briefs,
                            .kept = keys->kept,
                            .place = view_place(input->view, input->facts)};
    const size_t kept = keys->kept > 0 ? keys->kept : 1;
    const size_t most = keys->most > 0 ? keys->most : keys->count;
    memcpy(briefs, keys->briefs, sizeof(briefs));
    for (size_t i = 0; i < keys->count; i++) {
        const enum act act = keys->acts[i];
        const bool is_kept = i + kept >= keys->count;
        const char *brief = briefs[act];
        if (!works(input, act) || (!is_kept && footer.count + kept >= most))
            continue;
        /* Alone, it has the word of both. */
        if (brief && *brief == '\0' && i + 1 < keys->count && !works(input, keys->acts[i + 1]))
            briefs[act] = briefs[keys->acts[i + 1]];
        acts[footer.count++] = act;
    }
    keymap_footer(canvas, row, &footer);
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
    if (input->facts->replay) {
        briefs[UI_EVENT_BACK] = "";
        briefs[UI_EVENT_FORWARD] = "event";
    }
    if (input->facts->mode == VIEW_PAST) {
        briefs[UI_END] = frame_present_word(input->facts);
        briefs[UI_QUIT] = "back";
    }
    if (input->facts->mode == VIEW_REPLAY)
        briefs[UI_QUIT] = "leave";
    if (input->facts->replay && input->facts->replay->playing)
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
    if (input->facts->replay && view_is_zoomed(input->view))
        return (struct choice){past_zoomed, ARRAY_LEN(past_zoomed), KEYS_MAX_WIDE};
    if (input->facts->replay)
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
    const char *briefs[UI_ACT_COUNT] = {NULL};
    name_acts(input, briefs);
    if (canvas->columns < WIDE_COLUMNS)
        briefs[UI_TIMELINE] = "time";
    const struct frame_keys keys = {.acts = choice.acts,
                                    .count = choice.count,
                                    .briefs = briefs,
                                    .kept = KEYS_KEPT,
                                    .most = choice.most};
    frame_keys_draw(canvas, row, input, &keys);
}
