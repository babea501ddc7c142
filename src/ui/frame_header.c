/* frame_header.c - the lines about the run as a whole: head, message, footer. */
#include <assert.h>
#include <string.h>

#include "clock.h"
#include "frame_mode.h"
#include "frame_parts.h"
#include "text.h"

enum {
    NAME_COLUMNS = 60,     /* narrower: the run's name is left out */
    NAME_GAP_COLUMNS = 80, /* narrower: less air before the clock */
    WIDE_COLUMNS = 120,
    CLOCK_COLUMNS = 20, /* narrower: counts only */
    FOOTER_KEYS_MAX = 7,
    NAME_WIDTH_MAX = 40,
};

/* What is counted, what needs a person first. */
static const enum shown counted[] = {
    SHOWN_NEEDS_YOU, SHOWN_BACKOFF, SHOWN_QUIET, SHOWN_RUNNING, SHOWN_HELD,
    SHOWN_STUCK,     SHOWN_GAVE_UP, SHOWN_LOST,  SHOWN_PASSED,
};

struct counts {
    int of[SHOWN_COUNT];
    bool ascii;
    int gap; /* blanks between two */
};

static struct counts count_tasks(const struct canvas *canvas, const struct view_facts *facts)
{
    struct counts counts = {
        .ascii = canvas->ascii,
        .gap = canvas->columns >= NAME_GAP_COLUMNS ? 2 : 1,
    };
    for (int i = 0; i < facts->state->plan->task_count; i++)
        counts.of[shown_task(facts->state, i, facts->orphaned)]++;
    return counts;
}

/* As many counts as fit. Returns the columns used; with a NULL canvas nothing is
 * drawn. */
static int put_counts(struct canvas *canvas, struct spot spot, const struct counts *counts)
{
    int at = 0;
    for (size_t i = 0; i < ARRAY_LEN(counted); i++) {
        enum shown shown = counted[i];
        if (counts->of[shown] == 0)
            continue;
        struct str text = {0};
        str_addf(&text, "%s%d", shown_sign(shown, counts->ascii), counts->of[shown]);
        int width = text_width(text.data, text.len);
        int from = at > 0 ? at + counts->gap : 0;
        if (from + width <= spot.width) {
            if (canvas)
                (void)canvas_text(canvas, (struct spot){spot.row, spot.column + from, width},
                                  frame_style(shown), text.data);
            at = from + width;
        }
        str_done(&text);
    }
    return at;
}

/* The time at the right end: of the end where nothing goes on. */
static void add_clock(const struct frame_input *input, bool with_word, struct str *out)
{
    const struct view_facts *facts = input->facts;
    char hms[CLOCK_TEXT_MAX];
    if (with_word && facts->mode == VIEW_ENDED)
        str_add(out, "ended ");
    if (with_word && facts->mode == VIEW_INTERRUPTED)
        str_add(out, "last heard ");
    if (frame_now(input).at_ms > 0)
        str_add(out, clock_hms(frame_now(input).at_ms, hms));
    if (with_word)
        frame_add_way_back(input, out);
}

static void add_run(const struct frame_input *input, const struct canvas *canvas, struct str *out)
{
    const struct view_facts *facts = input->facts;
    const int columns = canvas->columns;
    str_add(out, columns >= NAME_COLUMNS ? "   " : " ");
    frame_add_mode(input, canvas, out);
    if (facts->mode == VIEW_PAST)
        return;
    bool is_past = facts->mode != VIEW_LIVE;
    if (columns >= WIDE_COLUMNS || (is_past && columns >= NAME_GAP_COLUMNS))
        str_addf(out, "   run #%lld", (long long)input->number);
    if (columns >= WIDE_COLUMNS && facts->mode == VIEW_LIVE)
        str_addf(out, "   %d of %d slots", facts->state->running, facts->state->jobs);
}

void frame_paint_row(struct canvas *canvas, int row, enum style style)
{
    for (int i = 0; i < canvas->columns; i++)
        canvas_cell(canvas, row, i)->style = (uint8_t)style;
}

void frame_header(struct canvas *canvas, const struct frame_input *input)
{
    int columns = canvas->columns;
    const bool is_bar = frame_mode_is_bar(input->facts);
    const enum style style = frame_mode_style(input->facts);
    struct str clock = {0};
    add_clock(input, columns >= NAME_COLUMNS, &clock);
    int right = frame_put_right(canvas, (struct spot){0, 0, columns}, style, str_text(&clock));

    int at = frame_put(canvas, (struct spot){0, 1, columns - 1}, style, "devs");
    if (columns >= NAME_COLUMNS) {
        at = frame_put(
            canvas,
            (struct spot){0, at + 2, NAME_WIDTH_MAX < columns / 3 ? NAME_WIDTH_MAX : columns / 3},
            style, input->name);
    }
    struct str run = {0};
    add_run(input, canvas, &run);
    at = frame_put(canvas, (struct spot){0, at, right - at - 1}, style, str_text(&run));

    struct counts counts = count_tasks(canvas, input->facts);
    int gap = columns >= NAME_GAP_COLUMNS ? 5 : 3;
    struct spot room = {0, at + 2, right - gap - at - 2};
    if (room.width > 0 && !input->facts->live) {
        int used = put_counts(NULL, room, &counts);
        room.column += room.width - used;
        (void)put_counts(canvas, room, &counts);
    }
    if (is_bar)
        frame_paint_row(canvas, 0, style);
    str_done(&clock);
    str_done(&run);
}

static int flaky(const struct run_state *state)
{
    int count = 0;
    for (int i = 0; i < state->plan->task_count; i++) {
        if (state->tasks[i].status == TASK_PASSED && shown_failed_attempts(state, i) > 0)
            count++;
    }
    return count;
}

static void add_end(const struct frame_input *input, struct str *out)
{
    const struct run_state *state = input->facts->state;
    int tasks = state->plan->task_count;
    int passed = state->counts[TASK_PASSED];
    str_addf(out, "%d of %d passed", passed, tasks);
    int after = flaky(state);
    if (after > 0)
        str_addf(out, ", %d after failures", after);
    static const enum task_status others[] = {TASK_GAVE_UP, TASK_STUCK,     TASK_NEEDS_YOU,
                                              TASK_BLOCKED, TASK_CANCELLED, TASK_QUEUED};
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        if (state->counts[others[i]] > 0)
            str_addf(out, ", %d %s", state->counts[others[i]], task_status_name(others[i]));
    }
    str_add(out, ". q leaves");
}

static void add_interrupted(const struct frame_input *input, struct str *out)
{
    const struct run_state *state = input->facts->state;
    if (state->running > 0)
        str_addf(out, "devs died while %d %s. ", state->running,
                 state->running == 1 ? "try ran" : "tries ran");
    else
        str_add(out, "devs went away before the run had ended. ");
    str_addf(out, "Go on with it: devs run --continue %lld. q leaves", (long long)input->number);
}

static void add_notice(const struct frame_input *input, struct str *out)
{
    const struct run_state *state = input->facts->state;
    char hms[CLOCK_TEXT_MAX];
    if (state->notice[0] != '\0')
        str_addf(out, "%s %s", clock_hms(state->notice_at_ms, hms), state->notice);
    else if (input->is_session)
        str_addf(out, "a session that an agent's hooks tell of, last heard at %s",
                 clock_hms(state->last.at_ms, hms));
}

/* What the message line says; empty if nothing wants a person's eye. */
static void add_message(const struct frame_input *input, struct str *out)
{
    const struct view_facts *facts = input->facts;
    const struct run_state *state = facts->state;
    bool is_answered = input->view->message[0] != '\0';
    bool has_news = facts->mode == VIEW_LIVE && state->notice[0] != '\0' &&
                    state->notice_at_ms > input->view->message_at_ms;
    if (is_answered && !has_news)
        str_add(out, input->view->message);
    else if (input->view->leaving)
        str_addf(out, "nothing more is started; leaving when %d %s ended", state->running,
                 state->running == 1 ? "try has" : "tries have");
    else if (!state->started)
        str_add(out, "the run is starting");
    else if (state->ended)
        add_end(input, out);
    else if (facts->mode == VIEW_INTERRUPTED)
        add_interrupted(input, out);
    else
        add_notice(input, out);
}

void frame_message(struct canvas *canvas, int row, const struct frame_input *input)
{
    struct str text = {0};
    add_message(input, &text);
    (void)frame_put(canvas, (struct spot){row, 1, canvas->columns - 1}, STYLE_PLAIN,
                    str_text(&text));
    str_done(&text);
}

bool frame_has_banner(const struct frame_input *input)
{
    return input->facts->banner && input->facts->banner[0] != '\0';
}

void frame_banner(struct canvas *canvas, int row, const struct frame_input *input)
{
    enum style style = input->facts->banner_is_mild ? STYLE_BACKOFF : STYLE_BANNER;
    (void)frame_put(canvas, (struct spot){row, 1, canvas->columns - 1}, style,
                    input->facts->banner);
    frame_paint_row(canvas, row, style);
}

void frame_gate(struct canvas *canvas, int row, const struct frame_input *input)
{
    const struct shown_time time = frame_time(input);
    enum shown_room room = canvas->columns >= NAME_COLUMNS ? SHOWN_IN_FULL : SHOWN_IN_BRIEF;
    struct str text = {0};
    shown_gates(input->facts->state, &time, room, &text);
    (void)frame_put(canvas, (struct spot){row, 1, canvas->columns - 1}, STYLE_BACKOFF,
                    str_text(&text));
    str_done(&text);
}

/* Would this key do something now? */
static bool works(enum act act, const struct frame_input *input)
{
    const struct view_facts *facts = input->facts;
    int chosen = input->view->chosen;
    if (act != UI_RETRY && act != UI_CANCEL && act != UI_HOLD && act != UI_OPEN)
        return act != UI_PANE_NEXT || (input->view->panes & ~(unsigned)VIEW_HAS_LIST) != 0;
    if (chosen < 0)
        return false;
    const struct view_fold *fold = view_chosen_fold(input->view);
    if (fold)
        return act != UI_RETRY || fold->leader < 0;
    const struct task_state *task = &facts->state->tasks[chosen];
    bool final = task_status_is_final(task->status);
    if (act == UI_OPEN)
        return view_screen(input->view) != SCREEN_DETAIL;
    struct str behind = {0};
    bool is_behind = shown_behind_gate(facts->state, chosen, &facts->now, &behind);
    str_done(&behind);
    if (act == UI_RETRY)
        return task->status == TASK_BACKOFF || task->held || is_behind ||
               (final && task->status != TASK_PASSED && !facts->state->plan->grows);
    return !final;
}

/* What the keys do to a fold or to what is held, where that is something else. */
static void name_acts(const struct frame_input *input, const char *briefs[UI_ACT_COUNT])
{
    const struct view_fold *fold = view_chosen_fold(input->view);
    int chosen = input->view->chosen;
    if (!fold && chosen >= 0 && input->facts->state->tasks[chosen].held)
        briefs[UI_HOLD] = "let go";
    if (!fold && chosen >= 0 && input->facts->state->tasks[chosen].status == TASK_STUCK)
        briefs[UI_RETRY] = "go on";
    if (!fold)
        return;
    bool all_held = fold->held == fold->fault.count;
    briefs[UI_OPEN] = view_is_unfolded(input->view, fold) ? "fold" : "unfold";
    briefs[UI_RETRY] = "send one";
    briefs[UI_CANCEL] = "cancel all";
    briefs[UI_HOLD] = all_held ? "let all go" : "hold all";
}

void frame_footer(struct canvas *canvas, int row, const struct frame_input *input)
{
    static const enum act live[] = {UI_OPEN,   UI_RETRY,     UI_CANCEL, UI_HOLD,
                                    UI_FILTER, UI_PANE_NEXT, UI_HELP,   UI_QUIT};
    static const enum act narrow[] = {UI_OPEN, UI_RETRY, UI_CANCEL, UI_HELP};
    static const enum act replay[] = {UI_PLAY,   UI_EVENT_BACK, UI_EVENT_FORWARD, UI_TRY_START,
                                      UI_FASTER, UI_HELP,       UI_QUIT};
    const struct frame_layout layout = frame_layout(canvas->rows, canvas->columns, input);
    if (layout.message < 0 && input->view->message[0] != '\0') {
        frame_message(canvas, row, input);
        return;
    }
    bool is_replay = input->replay != NULL;
    bool is_narrow = canvas->columns < NAME_COLUMNS;
    const enum act *from = is_replay ? replay : is_narrow ? narrow : live;
    size_t count = is_replay ? ARRAY_LEN(replay) : is_narrow ? ARRAY_LEN(narrow) : ARRAY_LEN(live);
    enum act acts[FOOTER_KEYS_MAX];
    const char *briefs[UI_ACT_COUNT] = {NULL};
    name_acts(input, briefs);
    struct footer footer = {.keys = input->view->keys,
                            .acts = acts,
                            .briefs = briefs,
                            .place = view_place(input->view, input->facts)};
    for (size_t i = 0; i < count && footer.count < FOOTER_KEYS_MAX; i++) {
        if (works(from[i], input))
            acts[footer.count++] = from[i];
    }
    keymap_footer(canvas, row, &footer);
}

void frame_small(struct canvas *canvas, const struct frame_input *input)
{
    int columns = canvas->columns;
    struct counts counts = count_tasks(canvas, input->facts);
    struct str clock = {0};
    int right = columns;
    bool has_clock = columns >= CLOCK_COLUMNS;
    if (has_clock) {
        add_clock(input, false, &clock);
        right = frame_put_right(canvas, (struct spot){0, 0, columns}, STYLE_HEAD, str_text(&clock));
    }
    int margin = has_clock ? 1 : 0;
    (void)put_counts(canvas, (struct spot){0, margin, right - 2 * margin}, &counts);
    bool has_banner = frame_has_banner(input) && canvas->rows >= 2;
    if (has_banner)
        frame_banner(canvas, 1, input);
    int line = has_banner ? 2 : 1;
    bool has_room = canvas->rows > line + (has_banner ? 1 : 0);
    if (columns >= CLOCK_COLUMNS && has_room && input->view->chosen >= 0)
        frame_list_line(canvas, line, input);
    if (columns >= CLOCK_COLUMNS && canvas->rows >= 3)
        frame_message(canvas, canvas->rows - 1, input);
    if (frame_mode_is_bar(input->facts))
        frame_paint_row(canvas, 0, STYLE_REPLAY);
    str_done(&clock);
}
