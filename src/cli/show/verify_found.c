#include "verify_found.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "json.h"
#include "json_line.h"
#include "run_state_copy.h"
#include "shown.h"
#include "xalloc.h"

static void set_place(struct verify_place *place, const struct plan *plan,
                      const struct event *event)
{
    *place = (struct verify_place){.at_ms = event->at.at_ms,
                                   .seq = event->seq,
                                   .step = event->step,
                                   .attempt = event->attempt};
    if (event->task >= 0 && event->task < plan->task_count) /* the log may be damaged there */
        (void)snprintf(place->task, sizeof(place->task), "%s", plan->tasks[event->task].id);
}

/* In words where the event can be folded in; its kind says the rest. */
static void add_words(const struct run_state *before, const struct event *event, struct str *out)
{
    struct run_state state;
    if (!event)
        return;
    if (!run_state_can_copy(before)) {
        str_add(out, event_kind_name(event->kind));
        return;
    }
    run_state_copy(&state, before);
    if (run_state_apply(&state, event, NULL))
        event_words_alone(&state, event, out);
    if (out->len == 0)
        str_add(out, event_kind_name(event->kind));
    run_state_done(&state);
}

static void add_event(const struct event *event, struct str *out)
{
    if (!event)
        return;
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"task", event->task},
        {"step", event->step},
        {"round", event->round},
        {"grant", event->grant},
        {"attempt", event->attempt},
        {"a", event->a},
        {"b", event->b},
        {"c", event->c},
        {"d", event->d},
        {"e", event->e},
    };
    str_add_char(out, '{');
    str_json_text(out, "kind", event_kind_name(event->kind));
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        str_json_i64(out, numbers[i].key, numbers[i].value);
    const size_t before = out->len;
    str_json_key(out, "text");
    if (!event->text || !json_line_add(event->text, strlen(event->text), out))
        str_cut(out, before); /* what is no JSON may stand where nothing can be folded in */
    str_add_char(out, '}');
}

static struct json *read_text(const struct event *event)
{
    struct json *text = NULL;
    const bool ok =
        event && event->text && json_parse(event->text, strlen(event->text), &text, NULL, NULL);
    return ok ? text : NULL;
}

/* A member that was recorded with one value and is made with another. */
static void add_change(const char *key, const struct json *was, const struct json *is,
                       struct str *out)
{
    enum { VALUE_MAX = 60 };
    char *before = was ? json_brief(was, VALUE_MAX) : NULL;
    char *now = is ? json_brief(is, VALUE_MAX) : NULL;
    const bool same = before && now && strcmp(before, now) == 0;
    if (!same)
        str_addf(out, "%s%s %s, now %s", out->len > 0 ? "; " : "", key, before ? before : "none",
                 now ? now : "none");
    free(before);
    free(now);
}

/* Of two decisions of one kind, what they went by. */
static void add_changes(const struct redecide_difference *difference, struct str *out)
{
    const bool is_one_kind = difference->recorded && difference->made &&
                             difference->recorded->kind == difference->made->kind;
    struct json *was = is_one_kind ? read_text(difference->recorded) : NULL;
    struct json *is = is_one_kind ? read_text(difference->made) : NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    void *iter = NULL;
    while (json_next(was, &iter, &key, &value))
        add_change(key, value, json_get(is, key), out);
    iter = NULL;
    while (json_next(is, &iter, &key, &value)) {
        if (!json_get(was, key))
            add_change(key, NULL, value, out);
    }
    json_free(was);
    json_free(is);
}

void verify_found_decision(void *ctx, const struct redecide_difference *difference)
{
    struct verify_found *found = ctx;
    const struct event *about = difference->recorded ? difference->recorded
                                : difference->made   ? difference->made
                                                     : difference->cause;
    if (found->decision_count == REDECIDE_DIFFERENCES_MAX)
        return;
    struct verify_decision *decision = &found->decisions[found->decision_count++];
    *decision = (struct verify_decision){0};
    set_place(&decision->place, difference->state->plan, about);
    str_addf(&decision->cause, "#%lld ", (long long)difference->cause->seq);
    str_add(&decision->cause, difference->input == INPUT_TIME
                                  ? "the time"
                                  : event_kind_name(difference->cause->kind));
    add_words(difference->state, difference->recorded, &decision->recorded);
    add_words(difference->state, difference->made, &decision->made);
    add_changes(difference, &decision->changes);
    add_event(difference->recorded, &decision->recorded_json);
    add_event(difference->made, &decision->made_json);
}

static void add_verdict(const struct verdict *verdict, const struct outcome *outcome,
                        struct str *out)
{
    char word[VERDICT_WORD_MAX];
    (void)verdict_word(verdict, outcome, word);
    str_add(out, word[0] != '\0' ? word : verdict_class_name(verdict->class));
    if (verdict->rule[0] != '\0')
        str_addf(out, " (rule %s)", verdict->rule);
    if (verdict->ask)
        str_add(out, ", asks you");
    if (verdict->no_retry)
        str_add(out, ", no retry");
    if (verdict->retry_after_ms >= 0) {
        str_add(out, ", retry after ");
        shown_seconds(verdict->retry_after_ms, out);
    }
}

void verify_found_verdict(void *ctx, const struct verify_verdict *verdict)
{
    struct verify_found *found = ctx;
    if (found->opinion_count == VERIFY_VERDICTS_MAX)
        return;
    found->opinions = xgrow(found->opinions, &found->opinion_cap, found->opinion_count + 1,
                            sizeof(*found->opinions));
    struct verify_opinion *opinion = &found->opinions[found->opinion_count++];
    *opinion = (struct verify_opinion){.rules = verdict->rules};
    set_place(&opinion->place, verdict->plan, verdict->event);
    add_verdict(verdict->was, verdict->outcome, &opinion->was);
    add_verdict(verdict->is, verdict->outcome, &opinion->is);
}

void verify_found_done(struct verify_found *found)
{
    for (int i = 0; i < found->decision_count; i++) {
        str_done(&found->decisions[i].cause);
        str_done(&found->decisions[i].recorded);
        str_done(&found->decisions[i].made);
        str_done(&found->decisions[i].changes);
        str_done(&found->decisions[i].recorded_json);
        str_done(&found->decisions[i].made_json);
    }
    for (size_t i = 0; i < found->opinion_count; i++) {
        str_done(&found->opinions[i].was);
        str_done(&found->opinions[i].is);
    }
    free(found->opinions);
    *found = (struct verify_found){0};
}

bool verify_found_differs(const struct verify_found *found)
{
    const int64_t *different = found->sum.verdicts.different;
    return found->sum.decisions.different > 0 || different[VERIFY_RECORDED] > 0 ||
           found->sum.verdicts.other_prints > 0 ||
           (found->asks_rules && different[VERIFY_PRESENT] > 0);
}
