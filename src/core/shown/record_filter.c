#include "record_filter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "near_word.h"
#include "rule_pattern.h"
#include "xalloc.h"

struct record_search {
    struct rule_pattern *pattern; /* owned */
    struct rule_matcher *matcher; /* owned */
};

static void search_free(struct record_search *search)
{
    if (!search)
        return;
    rule_pattern_close(search->pattern);
    rule_matcher_free(search->matcher);
    free(search);
}

void record_filter_done(struct record_filter *filter)
{
    if (!filter)
        return;
    search_free(filter->search);
    *filter = (struct record_filter){0};
}

bool record_filter_add_task(struct record_filter *filter, const char *id, struct err *err)
{
    const size_t len = strlen(id);
    if (len == 0 || len > PLAN_ID_MAX)
        return err_set(err, ERR_INVALID, "'%s' is not a task", id);
    if (filter->task_count == RECORD_TASKS_MAX)
        return err_set(err, ERR_INVALID, "more than %d tasks", RECORD_TASKS_MAX);
    memcpy(filter->tasks[filter->task_count++], id, len + 1);
    return true;
}

bool record_filter_add_kind(struct record_filter *filter, const char *name, struct err *err)
{
    static_assert(EVENT_KIND_COUNT <= 64, "a bit for each kind");
    struct near_word near = near_word_new(name);
    for (int i = EVENT_NONE + 1; i < EVENT_KIND_COUNT; i++) {
        const char *known = event_kind_name((enum event_kind)i);
        if (strcmp(known, name) == 0) {
            filter->kinds |= UINT64_C(1) << i;
            return true;
        }
        near_word_offer(&near, known);
    }
    (void)err_set(err, ERR_INVALID, "unknown kind '%s'", name);
    return near.nearest
               ? err_hint(err, "did you mean %s?", near.nearest)
               : err_hint(err, "docs/run-log.md has them all: wait_started, step_ended...");
}

bool record_filter_set_search(struct record_filter *filter, const char *pattern, struct err *err)
{
    struct rule_pattern *compiled = NULL;
    if (!rule_pattern_open(&compiled, pattern, err))
        return false;
    search_free(filter->search);
    filter->search = xcalloc(1, sizeof(*filter->search));
    filter->search->pattern = compiled;
    filter->search->matcher = rule_matcher_new();
    return true;
}

static bool has_task(const struct record_filter *filter, const struct run_state *state,
                     const struct event *event)
{
    if (event->task < 0)
        return false;
    const char *id = state->plan->tasks[event->task].id;
    for (int i = 0; i < filter->task_count; i++) {
        if (strcmp(filter->tasks[i], id) == 0)
            return true;
    }
    return false;
}

static bool has_kind(const struct record_filter *filter, const struct event *event)
{
    return event_kind_is_known((int64_t)event->kind) &&
           (filter->kinds & UINT64_C(1) << event->kind) != 0;
}

static bool is_within(const struct record_filter *filter, const struct event *event)
{
    const struct record_bound *since = &filter->since;
    const struct record_bound *until = &filter->until;
    return event->seq >= since->seq && event->at.at_ms >= since->at_ms &&
           (until->seq == 0 || event->seq <= until->seq) &&
           (until->at_ms == 0 || event->at.at_ms <= until->at_ms);
}

bool record_filter_wants(const struct record_filter *filter, const struct run_state *state,
                         const struct event *event)
{
    return event_level(event) <= filter->level && is_within(filter, event) &&
           (filter->kinds == 0 || has_kind(filter, event)) &&
           (filter->task_count == 0 || has_task(filter, state, event));
}

bool record_filter_finds(const struct record_filter *filter, const char *words, size_t len)
{
    const struct rule_subject subject = {.bytes = words, .len = len, .begins = true, .ends = true};
    return !filter->search || rule_pattern_match(filter->search->pattern, filter->search->matcher,
                                                 &subject, NULL) == RULE_MATCH_YES;
}
