/* view_log.c - the keys of the log; where they lead is settled in view_log_settle.c. */
#include "view.h"

#include <string.h>

#include "log_pager.h"
#include "view_move.h"

void view_log_init(struct view_log *log)
{
    *log = (struct view_log){.hit = -1};
}

void view_log_open(struct view *view, const struct view_facts *facts)
{
    if (view->chosen < 0) {
        view_say(view, &facts->clock, "no task is chosen");
        return;
    }
    if (view_screen(view) != SCREEN_LOG)
        view_log_restart(&view->log);
    trail_go(&view->trail, SCREEN_LOG);
}

void view_log_restart(struct view_log *log)
{
    const struct view_log was = *log;
    view_log_init(log);
    log->unwrapped = was.unwrapped;
    log->only = was.only;
    log->raw = was.raw;
    log->room = was.room;
}

/* Going up ends following, at once and for good. */
static bool scroll(struct view_log *log, enum act act)
{
    const int by = view_move_lines(act, log->room.rows);
    log->stays = log->stays || by < 0;
    log->scroll += log->stays ? by : 0;
    return by != 0;
}

static void follow(struct view *view, const struct view_facts *facts, enum act act)
{
    view->log.stays = false;
    view->log.is_to_start = false;
    view->log.scroll = 0;
    if (act == UI_FOLLOW)
        view_say(view, &facts->clock, "the end of the log is followed");
}

static void go_to_start(struct view_log *log)
{
    log->stays = true;
    log->is_to_start = true;
    log->scroll = 0;
}

static void go_sideways(struct view *view, enum act act)
{
    struct view_log *log = &view->log;
    const int by = log->room.columns / 2 > 0 ? log->room.columns / 2 : 1;
    log->column += act == UI_RIGHT ? by : -by;
    if (log->column < 0)
        log->column = 0;
}

static void wrap(struct view *view, const struct view_facts *facts)
{
    struct view_log *log = &view->log;
    log->unwrapped = !log->unwrapped;
    log->column = 0;
    log->row = 0;
    view_tell(view, &facts->clock, "%s",
              log->unwrapped ? "long lines are cut off: {left} {right} go sideways"
                             : "long lines are wrapped");
}

/* Searches again after the text has changed. */
static void take_search(struct view *view)
{
    struct view_log *log = &view->log;
    log->hit = -1;
    log->top = log->was_top;
    log->row = 0;
    log->stays = log->did_stay;
    log->want = view->search.len > 0 ? VIEW_LOG_MATCH : VIEW_LOG_NOTHING;
    log->step = log->stays ? 1 : -1;
    log->from = log->stays ? (int64_t)log->top - 1 : INT64_MAX;
    log->either_way = true;
    if (view->search.len == 0 && !view->search.open)
        log->only = false;
}

static void open_search(struct view *view, bool asks_only)
{
    struct view_log *log = &view->log;
    log->was_top = log->top;
    log->was_hit = log->hit;
    log->did_stay = log->stays;
    log->asks_only = asks_only;
    log->was_only = log->only;
    log->only = log->only || asks_only;
    log->was_search = view->search;
    line_edit_clear(&view->search);
    line_edit_open(&view->search);
    take_search(view);
}

/* Enter without a text shows all lines again or, if they are shown, the matches of the last search.
 */
static void end_only(struct view *view, const struct view_facts *facts,
                     enum line_edit_result result)
{
    struct view_log *log = &view->log;
    const bool is_of_before = result == LINE_EDIT_KEPT && view->search.len == 0 && !log->was_only;
    if (is_of_before)
        view->search = log->was_search;
    log->asks_only = false;
    log->only = view->search.len > 0;
    take_search(view);
    if (is_of_before) { /* it was found already */
        log->hit = log->was_hit;
        log->want = VIEW_LOG_NOTHING;
    }
    struct str text = {0};
    if (log->only)
        str_addf(&text, "only lines with \"%s\"", view->search.text);
    else
        str_add(&text, "all lines are shown");
    if (log->only)
        keymap_say(view->keys, ": {match-only} Enter shows all", &text);
    view_say(view, &facts->clock, "%s", str_text(&text));
    str_done(&text);
}

void view_log_search_key(struct view *view, const struct view_facts *facts, uint32_t key)
{
    const enum line_edit_result result = line_edit_key(&view->search, key);
    if (view->log.asks_only && result != LINE_EDIT_OPEN)
        end_only(view, facts, result);
    else
        take_search(view);
}

/* Where an act of finding begins, and what it looks for. */
struct quest {
    enum view_log_want want;
    int step;
    int64_t from;
};

/* From what was found last if it is in sight, else from the top of the screen; of errors the bytes
 * that the rule went by come first. VIEW_LOG_NOTHING: the act finds nothing by itself. */
static struct quest quest_of(const struct view *view, const struct log_pager *pager, enum act act)
{
    const struct view_log *log = &view->log;
    struct quest out = {.want = VIEW_LOG_NOTHING};
    if (act == UI_NEXT || act == UI_PREV)
        out.want = VIEW_LOG_MATCH;
    else if (act == UI_ERROR_NEXT || act == UI_ERROR_BACK)
        out.want = VIEW_LOG_ERROR;
    if (out.want == VIEW_LOG_NOTHING || !pager)
        return (struct quest){.want = VIEW_LOG_NOTHING};
    if (out.want == VIEW_LOG_ERROR && log->hit < 0 && pager->rule_line != SIZE_MAX) {
        out.step = 1;
        out.from = (int64_t)pager->rule_line - 1;
        return out;
    }
    const int64_t top = (int64_t)log_pager_number(pager, log->top);
    const size_t end = log->top + (size_t)(log->room.rows > 0 ? log->room.rows : 1);
    const int64_t bottom = (int64_t)log_pager_number(pager, end);
    const bool in_sight = log->hit >= top && log->hit < bottom;
    out.step = act == UI_NEXT || act == UI_ERROR_NEXT ? 1 : -1;
    out.from = in_sight ? log->hit : out.step > 0 ? top - 1 : log->stays ? top : bottom;
    return out;
}

static void want(struct view *view, const struct view_facts *facts, enum act act)
{
    const struct quest quest = quest_of(view, facts->pager, act);
    if (quest.want == VIEW_LOG_NOTHING)
        return;
    view->log.want = quest.want;
    view->log.step = quest.step;
    view->log.from = quest.from;
    view->log.either_way = false;
}

void view_log_add_none(const struct view *view, const struct log_pager *pager,
                       enum view_log_want want, int step, struct str *out)
{
    const bool of_errors = want == VIEW_LOG_ERROR;
    const struct pager_set *set = of_errors ? &pager->errors : &pager->found;
    const char *way = step > 0 ? "down" : "up";
    if (of_errors && set->count == 0)
        str_add(out, "no line looks like an error");
    else if (of_errors)
        str_addf(out, "no error further %s", way);
    else if (set->count == 0)
        str_addf(out, "\"%s\" not found in this log", view->search.text);
    else
        str_addf(out, "\"%s\" not found further %s", view->search.text, way);
}

/* Is this the output that is looked at, searched for what is typed? Keys may be ahead of it. */
static bool is_up_to_date(const struct view *view, const struct view_facts *facts)
{
    const struct view_try now = view_try_now(view, facts->state);
    const struct log_pager *pager = facts->pager;
    return pager && pager->key.task == now.task && pager->key.step == now.step &&
           pager->key.attempt == now.attempt && strcmp(pager->needle, view->search.text) == 0;
}

/* Nothing is that way, and that is known by now. */
static void add_nothing_there(const struct view *view, const struct view_facts *facts, enum act act,
                              struct str *why)
{
    const struct log_pager *pager = facts->pager;
    const struct quest quest = quest_of(view, pager, act);
    size_t line = 0;
    if (quest.want == VIEW_LOG_NOTHING || !is_up_to_date(view, facts))
        return;
    const struct pager_set *set = quest.want == VIEW_LOG_ERROR ? &pager->errors : &pager->found;
    if (log_pager_next(pager, set, quest.from, quest.step, &line) == PAGER_NEXT_NONE)
        view_log_add_none(view, pager, quest.want, quest.step, why);
}

void view_log_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                      struct str *why)
{
    switch (act) {
    case UI_FOLLOW:
        if (!view->log.stays)
            str_add(why, "the end of the log is followed already");
        break;
    case UI_LEFT:
    case UI_RIGHT:
        if (!view->log.unwrapped)
            keymap_say(view->keys, "long lines are wrapped: {wrap} cuts them off", why);
        break;
    case UI_NEXT:
    case UI_PREV:
        if (view->search.len == 0)
            keymap_say(view->keys, "nothing to search for: {filter} takes it", why);
        else
            add_nothing_there(view, facts, act, why);
        break;
    case UI_ERROR_NEXT:
    case UI_ERROR_BACK:
        add_nothing_there(view, facts, act, why);
        break;
    case UI_OPEN:
        keymap_say(view->keys, "this is the whole output: {forensics} shows why it ended", why);
        break;
    default: /* the others can be done at any time */
        break;
    }
}

static bool clear_search(struct view *view)
{
    if (view->search.len == 0 && !view->log.only)
        return false;
    line_edit_clear(&view->search);
    view->log.only = false;
    view->log.want = VIEW_LOG_NOTHING;
    view->log.hit = -1;
    return true;
}

bool view_log_act(struct view *view, const struct view_facts *facts, enum act act,
                  struct view_todo *out)
{
    (void)out; /* nothing but a new frame */
    switch (act) {
    case UI_FIRST:
        go_to_start(&view->log);
        return true;
    case UI_LAST:
    case UI_FOLLOW:
        follow(view, facts, act);
        return true;
    case UI_LEFT:
    case UI_RIGHT:
        go_sideways(view, act);
        return true;
    case UI_WRAP:
        wrap(view, facts);
        return true;
    case UI_FILTER:
        open_search(view, false);
        return true;
    case UI_ONLY_MATCHES:
        open_search(view, true);
        return true;
    case UI_NEXT:
    case UI_PREV:
    case UI_ERROR_NEXT:
    case UI_ERROR_BACK:
        want(view, facts, act);
        return true;
    case UI_RAW:
        view->log.raw = !view->log.raw;
        view_tell(view, &facts->clock,
                  view->log.raw ? "the output as it came: {raw} makes it readable"
                                : "an agent's output made readable");
        return true;
    case UI_BACK:
        return clear_search(view);
    default: /* scrolling; the rest means what it means elsewhere */
        return scroll(&view->log, act);
    }
}
