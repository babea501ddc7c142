#include "frame_mode.h"

#include <assert.h>

#include "shown.h"

enum {
    READ_ONLY_COLUMNS = 60, /* narrower: the mode is one word */
    LIVE_COLUMNS = 70,      /* narrower: how the run goes on is left out */
};

static const char *const words[] = {
    [VIEW_LIVE] = "LIVE",     [VIEW_ENDED] = "ENDED", [VIEW_INTERRUPTED] = "INTERRUPTED",
    [VIEW_REPLAY] = "REPLAY", [VIEW_PAST] = "PAST",
};
static_assert(ARRAY_LEN(words) == VIEW_PAST + 1, "every mode has a word");

bool frame_mode_is_bar(const struct view_facts *facts)
{
    return facts->mode == VIEW_REPLAY || facts->mode == VIEW_PAST;
}

enum style frame_mode_style(const struct view_facts *facts)
{
    return frame_mode_is_bar(facts) ? STYLE_REPLAY : STYLE_HEAD;
}

/* What of the run as it goes on might want a person to come back. */
static void add_live_counts(const struct view_facts *facts, bool ascii, struct str *out)
{
    static const enum shown told[] = {SHOWN_NEEDS_YOU, SHOWN_BACKOFF, SHOWN_QUIET, SHOWN_RUNNING,
                                      SHOWN_STOPPING};
    int of[SHOWN_COUNT] = {0};
    const char *between = ": ";
    for (int i = 0; i < facts->live->plan->task_count; i++)
        of[shown_task(facts->live, i, facts->live_mode == VIEW_INTERRUPTED)]++;
    for (size_t i = 0; i < ARRAY_LEN(told); i++) {
        if (of[told[i]] == 0)
            continue;
        str_addf(out, "%s%s%d", between, shown_sign(told[i], ascii), of[told[i]]);
        between = " ";
    }
}

/* How long ago that was: before now, or before the end of a run that is over. */
static void add_ago(const struct view_facts *facts, struct str *out)
{
    const bool goes_on = facts->live_mode == VIEW_LIVE;
    const struct moment *end = goes_on ? &facts->clock : &facts->live->heard;
    str_add(out, " -");
    shown_duration(end->mono_ms - facts->now.mono_ms, out);
}

static void add_present(const struct view_facts *facts, bool ascii, struct str *out)
{
    if (facts->live_mode != VIEW_LIVE) {
        str_addf(out, "  (%s)",
                 facts->live_mode == VIEW_ENDED ? "the run has ended" : "the run is interrupted");
        return;
    }
    str_add(out, "  (live goes on");
    add_live_counts(facts, ascii, out);
    str_add(out, ")");
}

void frame_add_mode(const struct frame_input *input, const struct canvas *canvas, struct str *out)
{
    const struct view_facts *facts = input->facts;
    str_add(out, words[facts->mode]);
    if (facts->mode == VIEW_REPLAY && canvas->columns >= READ_ONLY_COLUMNS)
        str_add(out, " (read only)");
    if (facts->mode != VIEW_PAST)
        return;
    add_ago(facts, out);
    if (canvas->columns >= LIVE_COLUMNS)
        add_present(facts, canvas->ascii, out);
}

const char *frame_present_word(const struct view_facts *facts)
{
    return facts->live_mode == VIEW_LIVE ? "live" : "end";
}

void frame_add_way_back(const struct frame_input *input, struct str *out)
{
    const struct key_place place = view_place(input->view, input->facts);
    const struct key_binding *key = keymap_of(input->view->keys, UI_END, place);
    char name[KEY_NAME_MAX];
    if (input->facts->mode == VIEW_PAST && key)
        str_addf(out, "   %s = %s", keymap_key_name(key->key, false, name),
                 frame_present_word(input->facts));
}
