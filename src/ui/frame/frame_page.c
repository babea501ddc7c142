/* frame_page.c - the rows around the body of every screen: path, banner, playback controls,
 * scrubber, keys. */
#include <string.h>

#include "clock.h"
#include "frame_internal.h"
#include "text.h"

enum {
    NARROW_COLUMNS = 60,
    WIDE_COLUMNS = 120,
    KEYS_MAX = 9,
    KEYS_MAX_WIDE = 14,
    KEYS_KEPT = 2, /* the last keys, quit and help, take precedence over all others */
};

static bool act_works(const struct frame_input *input, enum act act)
{
    struct str why = {0};
    const bool refused = view_refusal(input->view, input->facts, act, &why);
    str_done(&why);
    return !refused;
}

/* Draws the keys into this row. */
static void frame_keys_draw(struct canvas *canvas, int row, const struct frame_input *input,
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
        if (!act_works(input, act) || (!is_kept && footer.count + kept >= most))
            continue;
        /* If only this key of the pair works, it gets the text of both. */
        if (brief && *brief == '\0' && i + 1 < keys->count && !act_works(input, keys->acts[i + 1]))
            briefs[act] = briefs[keys->acts[i + 1]];
        acts[footer.count++] = act;
    }
    keymap_footer(canvas, row, &footer);
}

void frame_name_acts(const struct frame_input *input, const char *briefs[UI_ACT_COUNT])
{
    const int chosen = input->view->chosen;
    if (chosen < 0)
        return;
    const struct task_state *task = &input->facts->state->tasks[chosen];
    if (task->held)
        briefs[UI_HOLD] = "release";
    if (task->status == TASK_STUCK)
        briefs[UI_RETRY] = "continue";
}

/* Sets the footer texts of acts that share a text with the act for the opposite direction, and of
 * acts that do something different here. */
static void name_acts(const struct frame_input *input, const char *briefs[UI_ACT_COUNT])
{
    const struct view *view = input->view;
    const struct view_facts *facts = input->facts;
    const struct view_fold *fold = view_chosen_fold(view);
    if (view->trail.depth > 0)
        briefs[UI_QUIT] = "back";
    briefs[UI_TRY_START] = "";
    briefs[UI_TRY_NEXT] = "try";
    briefs[UI_ERROR_NEXT] = "";
    briefs[UI_ERROR_BACK] = "failure";
    briefs[UI_SLOWER] = "";
    briefs[UI_FASTER] = "speed";
    if (facts->replay) {
        briefs[UI_EVENT_BACK] = "";
        briefs[UI_EVENT_FORWARD] = "event";
    }
    if (facts->mode == VIEW_PAST) {
        briefs[UI_END] = frame_present_word(facts);
        briefs[UI_QUIT] = "back";
    }
    if (facts->mode == VIEW_REPLAY)
        briefs[UI_QUIT] = "quit";
    if (facts->replay && facts->replay->playing)
        briefs[UI_PLAY] = "pause";
    if (view_is_zoomed(view))
        briefs[UI_ZOOM] = "all panes";
    if (!fold) {
        frame_name_acts(input, briefs);
        return;
    }
    const bool all_held = fold->held == fold->fault.count;
    briefs[UI_OPEN] = view_is_unfolded(view, fold) ? "fold" : "unfold";
    briefs[UI_RETRY] = "send one";
    briefs[UI_CANCEL] = "cancel all";
    briefs[UI_HOLD] = all_held ? "release all" : "hold all";
}

/* Returns the keys to show, still without texts; quit and help are always among them. */
static struct frame_keys choose_keys(const struct canvas *canvas, const struct frame_input *input)
{
    static const enum act live[] = {UI_OPEN,   UI_RETRY,          UI_RETRY_WITH, UI_CANCEL,
                                    UI_FILTER, UI_ONLY_NEEDS_YOU, UI_TIMELINE,   UI_HOSTS,
                                    UI_HOLD,   UI_QUIT,           UI_HELP};
    static const enum act wide[] = {UI_OPEN,      UI_RETRY,    UI_RETRY_WITH, UI_CANCEL,
                                    UI_HOLD,      UI_MARK,     UI_FILTER,     UI_ONLY_NEEDS_YOU,
                                    UI_FORENSICS, UI_TIMELINE, UI_HOSTS,      UI_EVENT_BACK,
                                    UI_PANE_NEXT, UI_QUIT,     UI_HELP};
    static const enum act narrow[] = {UI_OPEN, UI_RETRY, UI_CANCEL, UI_QUIT, UI_HELP};
    static const enum act past[] = {UI_PLAY,     UI_EVENT_BACK, UI_EVENT_FORWARD, UI_TRY_START,
                                    UI_TRY_NEXT, UI_ERROR_NEXT, UI_ERROR_BACK,    UI_SLOWER,
                                    UI_FASTER,   UI_HOSTS,      UI_END,           UI_QUIT,
                                    UI_HELP};
    static const enum act zoomed[] = {UI_ZOOM,   UI_OPEN, UI_RETRY, UI_CANCEL,
                                      UI_FILTER, UI_QUIT, UI_HELP};
    static const enum act past_zoomed[] = {
        UI_ZOOM,     UI_PLAY,       UI_EVENT_BACK, UI_EVENT_FORWARD, UI_TRY_START,
        UI_TRY_NEXT, UI_ERROR_NEXT, UI_ERROR_BACK, UI_QUIT,          UI_HELP};
    const bool is_zoomed = view_is_zoomed(input->view);
    if (input->facts->replay && is_zoomed)
        return (struct frame_keys){past_zoomed, ARRAY_LEN(past_zoomed), .most = KEYS_MAX_WIDE};
    if (input->facts->replay)
        return (struct frame_keys){past, ARRAY_LEN(past), .most = KEYS_MAX_WIDE};
    if (canvas->columns < NARROW_COLUMNS)
        return (struct frame_keys){narrow, ARRAY_LEN(narrow), .most = KEYS_MAX};
    if (is_zoomed)
        return (struct frame_keys){zoomed, ARRAY_LEN(zoomed), .most = KEYS_MAX};
    if (canvas->columns >= WIDE_COLUMNS)
        return (struct frame_keys){wide, ARRAY_LEN(wide), .most = KEYS_MAX_WIDE};
    return (struct frame_keys){live, ARRAY_LEN(live), .most = KEYS_MAX};
}

void frame_footer(struct canvas *canvas, int row, const struct frame_input *input)
{
    const struct frame_layout layout = frame_layout(canvas->rows, canvas->columns, input);
    if (layout.edges.message < 0 && input->view->message[0] != '\0') {
        frame_message(canvas, row, input);
        return;
    }
    const char *briefs[UI_ACT_COUNT] = {NULL};
    name_acts(input, briefs);
    if (canvas->columns < WIDE_COLUMNS)
        briefs[UI_TIMELINE] = "time";
    struct frame_keys keys = choose_keys(canvas, input);
    keys.briefs = briefs;
    keys.kept = KEYS_KEPT;
    frame_keys_draw(canvas, row, input, &keys);
}

enum {
    SCRUBBER_MIN = 10,
    HM_LEN = 5,
    HMS_LEN = 8,
    HMS_COLUMNS = 60,      /* narrower: no seconds in the time line */
    HMS_LASTS_MS = 600000, /* longer recordings: no seconds either */
    FULL_COLUMNS = 100,    /* narrower: signs instead of words */
};

/* Draws a key and its effect, ending at the end of the spot. Returns the rest of the spot, before
 * the key. */
static struct spot put_way(struct canvas *canvas, struct spot spot, const struct frame_input *input,
                           enum act act)
{
    const struct key_place place = view_place(input->view, input->facts);
    const struct key_binding *key = keymap_of(input->view->keys, act, place);
    char name[KEY_NAME_MAX];
    struct str text = {0};
    if (!key)
        return spot;
    str_addf(&text, "%s %s", keymap_key_name(key->key, canvas->ascii, name), key->brief);
    const int at = frame_put_right(canvas, spot, STYLE_PLAIN, str_text(&text));
    canvas_add_zone(canvas, (struct spot){spot.row, at, spot.column + spot.width - at}, key->key);
    str_done(&text);
    return (struct spot){spot.row, spot.column, at - spot.column - 2};
}

/* Draws the replay position as text: state, speed, time, event, and bookmark; on the right, draws
 * the keys to compare and to go to a moment. */
static void frame_transport(struct canvas *canvas, int row, const struct frame_input *input)
{
    const struct replay *replay = input->facts->replay;
    const bool in_full = canvas->columns >= FULL_COLUMNS;
    struct str text = {0};
    if (replay->playing)
        str_add(&text, canvas->ascii ? " > " : " ▸ ");
    else
        str_add(&text, canvas->ascii ? " ||" : " ❚❚");
    if (in_full)
        str_add(&text, replay->playing ? " playing " : " paused  ");
    str_add(&text, " ");
    if (replay->speed >= REPLAY_SPEED_ONE)
        str_addf(&text, "%dx", replay->speed / REPLAY_SPEED_ONE);
    else
        str_addf(&text, "0.%sx", replay->speed == 1 ? "25" : "5");
    if (replay->count > 0) {
        char hms[CLOCK_TEXT_MAX];
        const struct moment now = replay_now(replay);
        str_addf(&text, "   %s", clock_hms(now.at_ms, hms));
        if (input->facts->mode != VIEW_PAST) { /* in the past, the header shows it instead */
            str_add(&text, in_full ? "   " : "   -");
            shown_duration(replay->marks[replay->count - 1].at.mono_ms - now.mono_ms, &text);
            if (in_full)
                str_add(&text, " before the end of the log");
        }
    }
    const size_t len = text.len;
    str_addf(&text, "   event %lld of %zu", (long long)replay->at, replay->count);
    if (text_width(str_text(&text), text.len) >= canvas->columns)
        str_cut(&text, len);
    const struct bookmark *bookmark = view_bookmark_here(input->facts);
    if (bookmark)
        str_addf(&text, "   m %s", bookmark->name);
    const int end =
        frame_put(canvas, (struct spot){row, 0, canvas->columns}, STYLE_PLAIN, str_text(&text));
    const struct spot spot = {row, end + 2, canvas->columns - end - 3};
    (void)put_way(canvas, put_way(canvas, spot, input, UI_COMPARE), input, UI_GO_TO);
    str_done(&text);
}

/* The time line; each cell stands for an equal share of the time. */
struct scrubber {
    struct canvas *canvas;
    int row, column, width;
    int64_t from_ms, lasts_ms;
};

static int cell_of(const struct scrubber *scrubber, int64_t mono_ms)
{
    if (scrubber->lasts_ms <= 0)
        return scrubber->column;
    int64_t on = mono_ms - scrubber->from_ms;
    on = on < 0 ? 0 : on > scrubber->lasts_ms ? scrubber->lasts_ms : on;
    return scrubber->column + (int)(on * (scrubber->width - 1) / scrubber->lasts_ms);
}

static void draw_sign(const struct scrubber *scrubber, int64_t mono_ms, enum style style,
                      const char *sign)
{
    struct spot spot = {scrubber->row, cell_of(scrubber, mono_ms), 1};
    (void)canvas_text(scrubber->canvas, spot, style, sign);
}

static void draw_marks(const struct scrubber *scrubber, const struct replay *replay,
                       enum replay_sign sign)
{
    bool ascii = scrubber->canvas->ascii;
    bool pass = sign == REPLAY_PASS;
    const char *text = pass ? (ascii ? "+" : "✓") : (ascii ? "x" : "✗");
    int drawn = -1; /* last cell drawn; several marks may share a cell */
    const struct replay_signed *marks = &replay->signs[sign];
    for (size_t i = 0; i < marks->count; i++) {
        const int64_t mono_ms = replay->marks[marks->marks[i]].at.mono_ms;
        const int cell = cell_of(scrubber, mono_ms);
        if (cell != drawn)
            draw_sign(scrubber, mono_ms, pass ? STYLE_PASSED : STYLE_FAILED, text);
        drawn = cell;
    }
}

static void draw_time(struct canvas *canvas, struct spot spot, int64_t at_ms)
{
    char hms[CLOCK_TEXT_MAX];
    (void)canvas_text_n(canvas, spot, STYLE_PLAIN, clock_hms(at_ms, hms), (size_t)spot.width);
}

/* A bookmark is shown at its event, plus its offset. */
static void draw_bookmarks(const struct scrubber *scrubber, const struct frame_input *input)
{
    const struct replay *replay = input->facts->replay;
    for (size_t i = 0; i < input->facts->bookmark_count; i++) {
        const struct bookmark *bookmark = &input->facts->bookmarks[i];
        const bool is_here = bookmark->seq >= 1 && bookmark->seq <= (int64_t)replay->count;
        const struct moment *at = &replay->marks[is_here ? bookmark->seq - 1 : 0].at;
        int64_t after_ms = 0;
        if (is_here && bookmark->at_ms > at->at_ms) {
            /* The bookmark's time is untrusted: the log may come from someone else. */
            if (__builtin_sub_overflow(bookmark->at_ms, at->at_ms, &after_ms) ||
                after_ms > scrubber->lasts_ms)
                after_ms = scrubber->lasts_ms;
        }
        draw_sign(scrubber, at->mono_ms + after_ms, STYLE_KEY, "m");
    }
}

/* Draws the time line, with the times at its ends if there is room; nothing for an empty
 * recording. */
static void frame_scrubber(struct canvas *canvas, int row, const struct frame_input *input)
{
    const struct replay *replay = input->facts->replay;
    if (replay->count == 0)
        return;
    const struct moment *first = &replay->marks[0].at;
    const struct moment *last = &replay->marks[replay->count - 1].at;
    const int64_t lasts_ms = last->mono_ms - first->mono_ms;
    const bool has_seconds = canvas->columns >= HMS_COLUMNS && lasts_ms <= HMS_LASTS_MS;
    const int len = has_seconds ? HMS_LEN : HM_LEN;
    const struct scrubber scrubber = {
        .canvas = canvas,
        .row = row,
        .column = len + 3,
        .width = canvas->columns - 2 * (len + 3),
        .from_ms = first->mono_ms,
        .lasts_ms = lasts_ms,
    };
    if (scrubber.width < SCRUBBER_MIN)
        return;
    draw_time(canvas, (struct spot){row, 1, len}, first->at_ms);
    draw_time(canvas, (struct spot){row, canvas->columns - len - 1, len}, last->at_ms);
    canvas_rule(canvas, row, scrubber.column, scrubber.width);
    const struct canvas_zone zone = {
        .spot = {row, scrubber.column, scrubber.width}, .rows = 1, .kind = ZONE_TIME};
    canvas_add_area(canvas, &zone);
    (void)canvas_text(canvas, (struct spot){row, scrubber.column - 1, 1}, STYLE_RULE,
                      canvas->ascii ? "|" : "├");
    (void)canvas_text(canvas, (struct spot){row, scrubber.column + scrubber.width, 1}, STYLE_RULE,
                      canvas->ascii ? "|" : "┤");
    draw_marks(&scrubber, replay, REPLAY_PASS);
    draw_marks(&scrubber, replay, REPLAY_FAILURE);
    draw_bookmarks(&scrubber, input);
    draw_sign(&scrubber, replay_now(replay).mono_ms, STYLE_REPLAY, canvas->ascii ? "O" : "●");
}

struct frame_page frame_page_lay(int rows, int columns, const struct frame_input *input)
{
    struct frame_page out = {.edges = frame_edges_none()};
    const bool is_roomy = rows >= PAGE_MESSAGE_ROWS;
    int last = rows - 1;
    int top = 1;
    if (rows > 3)
        out.edges.footer = last--;
    if (input->facts->replay && is_roomy && view_screen(input->view) != SCREEN_RUNS) {
        out.edges.scrubber = last--;
        out.edges.transport = last--;
    }
    if (is_roomy) {
        out.edges.message = last--;
        out.edges.bottom_rule = last--;
    }
    if (frame_has_banner(input) && rows > 2)
        out.edges.banner = top++;
    out.body = (struct frame_box){top, 0, last - top + 1 > 0 ? last - top + 1 : 0, columns};
    return out;
}

struct frame_edges frame_edges_none(void)
{
    return (struct frame_edges){-1, -1, -1, -1, -1, -1};
}

void frame_draw_edges(struct canvas *canvas, const struct frame_edges *edges,
                      const struct frame_input *input)
{
    if (edges->banner >= 0)
        frame_banner(canvas, edges->banner, input);
    if (edges->bottom_rule >= 0)
        canvas_rule(canvas, edges->bottom_rule, 0, canvas->columns);
    if (edges->message >= 0)
        frame_message(canvas, edges->message, input);
    if (edges->transport >= 0)
        frame_transport(canvas, edges->transport, input);
    if (edges->scrubber >= 0)
        frame_scrubber(canvas, edges->scrubber, input);
}

/* Draws the path, truncated on the right if it is too long, and "LIVE   14:02:37". On a narrow
 * canvas, leaves out the clock if it does not fit beside the path. */
static void draw_path(struct canvas *canvas, const struct frame_input *input, const char *path)
{
    enum { GAPS = 3 }; /* total width of the gaps around the path */
    const enum style style = frame_mode_style(input->facts);
    char hms[CLOCK_TEXT_MAX];
    struct str right = {0};
    frame_add_mode(input, canvas, &right);
    const size_t mode_len = right.len;
    str_addf(&right, "   %s%s", clock_hms(frame_now(input).at_ms, hms),
             input->view->times == SHOWN_TIMES_UTC ? "Z" : "");
    frame_add_way_back(input, &right);
    const int columns = text_width(str_text(&right), right.len) + text_width(path, strlen(path));
    if (columns + GAPS > canvas->columns && canvas->columns < PAGE_CLOCK_COLUMNS)
        str_cut(&right, mode_len);
    const int end =
        frame_put_right(canvas, (struct spot){0, 0, canvas->columns}, style, str_text(&right));
    (void)frame_put(canvas, (struct spot){0, 1, end - 2}, style, path);
    if (frame_mode_is_bar(input->facts))
        frame_paint_row(canvas, 0, style);
    str_done(&right);
}

void frame_page_draw(struct canvas *canvas, const struct frame_page *page,
                     const struct frame_input *input, const char *path,
                     const struct frame_keys *keys)
{
    const int footer = page->edges.footer;
    if (path)
        draw_path(canvas, input, path);
    frame_draw_edges(canvas, &page->edges, input);
    if (footer >= 0 && page->edges.message < 0 && input->view->message[0] != '\0')
        frame_message(canvas, footer, input);
    else if (footer >= 0)
        frame_keys_draw(canvas, footer, input, keys);
}

void frame_add_try(const struct frame_input *input, int columns, struct str *out)
{
    const struct view_try at = view_try_now(input->view, input->facts->state);
    if (at.task < 0)
        return;
    const struct plan_task *plan = &input->facts->state->plan->tasks[at.task];
    str_addf(out, "%s%s", columns >= PAGE_PATH_COLUMNS ? "Tasks > " : "", plan->id);
    if (columns >= PAGE_WIDE_COLUMNS && strcmp(plan->id, plan->title) != 0)
        str_addf(out, " %s", plan->title);
    const char *then = columns >= PAGE_PATH_COLUMNS ? " > " : " ";
    if (plan->step_count > 1 && columns >= PAGE_CLOCK_COLUMNS)
        str_addf(out, "%sstep %d", then, at.step + 1);
    if (at.attempt > 0)
        str_addf(out, "%stry %d", then, at.attempt);
}

void frame_add_task(const struct frame_input *input, int columns, struct str *out)
{
    const int task = input->view->chosen;
    if (task < 0)
        return;
    const struct plan_task *plan = &input->facts->state->plan->tasks[task];
    str_addf(out, "%s%s", columns >= PAGE_PATH_COLUMNS ? "Tasks > " : "", plan->id);
    if (strcmp(plan->id, plan->title) != 0)
        str_addf(out, " %s", plan->title);
}
