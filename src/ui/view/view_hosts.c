/* view_hosts.c - the Hosts screen: the selected machine, and its keys. */
#include "rows.h"
#include "view.h"
#include "view_internal.h"

int view_hosts_chosen(const struct view_hosts *view, const struct hosts *hosts)
{
    for (int i = 0; view->is_chosen && i < hosts->count; i++) {
        if (hosts->order[i] == view->chosen)
            return i;
    }
    return 0;
}

void view_hosts_fit(struct view_hosts *view, const struct hosts *hosts, int page)
{
    const int chosen = view_hosts_chosen(view, hosts);
    view->page = page > 0 ? page : 1;
    if (view->top > chosen)
        view->top = chosen;
    if (view->top < chosen - view->page + 1)
        view->top = chosen - view->page + 1;
    if (view->top > hosts->count - view->page)
        view->top = hosts->count > view->page ? hosts->count - view->page : 0;
}

void view_hosts_choose(struct view *view, const struct view_facts *facts, int row)
{
    struct hosts hosts;
    hosts_read(&hosts, facts->state);
    const int last = hosts.count - 1;
    view->hosts.is_chosen = true;
    view->hosts.chosen = hosts.order[row < 0 ? 0 : row > last ? last : row];
    hosts_done(&hosts);
}

int view_hosts_now(const struct view *view, const struct view_facts *facts)
{
    struct hosts hosts;
    hosts_read(&hosts, facts->state);
    const int number = hosts.order[view_hosts_chosen(&view->hosts, &hosts)];
    hosts_done(&hosts);
    return number;
}

const char *view_hosts_refusal(const struct view_facts *facts, enum act act)
{
    switch (act) {
    case UI_FILTER:
    case UI_NEXT:
    case UI_PREV:
        return "this list has no filter: {open} shows the tasks of a machine";
    case UI_OPEN: /* also without a selected task */
        return facts->state->plan->task_count == 0 ? "no task" : NULL;
    default: /* other acts always have an effect */
        return NULL;
    }
}

bool view_hosts_act(struct view *view, const struct view_facts *facts, enum act act,
                    struct view_todo *out)
{
    *out = (struct view_todo){.kind = VIEW_DRAW};
    if (act == UI_OPEN) { /* the tasks that run there, or have run there last */
        const int number = view_hosts_now(view, facts);
        struct str filter = {0};
        str_addf(&filter, "where=%s",
                 number == HOST_HERE ? "local" : run_state_host_place(facts->state, number).host);
        view_filter_set(view, facts, str_text(&filter));
        str_done(&filter);
        trail_go(&view->trail, SCREEN_TASKS);
        return true;
    }
    const int by = view_move_lines(act, view->hosts.page);
    if (by == 0)
        return false;
    struct hosts hosts;
    hosts_read(&hosts, facts->state);
    const int row = view_hosts_chosen(&view->hosts, &hosts);
    hosts_done(&hosts);
    view_hosts_choose(view, facts, row + by);
    return true;
}
