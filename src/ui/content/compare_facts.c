/* compare_facts.c - what is told of each of two attempts, beside what it wrote. */
#include <string.h>

#include "ascii.h"
#include "attempt_events.h"
#include "clock.h"
#include "compare_parts.h"
#include "failure_class.h"
#include "json.h"
#include "phase.h"
#include "protocol.h"
#include "shown.h"
#include "text.h"
#include "xalloc.h"

/* Of one side, while its facts are told. */
struct telling {
    const struct run_state *state;
    const struct attempt_state *attempt;
    const struct event_page *events; /* of the attempt, those that the state has */
    struct compare_side *side;
};

static void tell_end(const struct telling *telling)
{
    const struct attempt_state *attempt = telling->attempt;
    struct str *facts = telling->side->facts;
    const struct failure_class class = failure_class_of(attempt);
    if (attempt->ended.at_ms == 0) {
        str_add(&facts[COMPARE_ENDED], "not yet");
        return;
    }
    outcome_words(&attempt->outcome, &facts[COMPARE_ENDED]);
    telling->side->passed = class.label.class == VERDICT_SUCCESS;
    if (telling->side->passed)
        str_add(&facts[COMPARE_CLASS], shown_word(SHOWN_PASSED));
    else
        failure_class_word(&class, &facts[COMPARE_CLASS]);
    failure_class_original(attempt, &facts[COMPARE_CLASS]);
    if (attempt->correction)
        str_addf(&facts[COMPARE_CLASS], " (corrected by %s)", attempt->correction->by);
    shown_ran(&attempt->outcome, &facts[COMPARE_RAN]);
    str_add(&facts[COMPARE_USED], "cpu ");
    shown_duration(attempt->outcome.cpu_ms, &facts[COMPARE_USED]);
    if (attempt->outcome.rss_kib_max > 0) {
        str_add(&facts[COMPARE_USED], ", memory ");
        shown_size_kib(attempt->outcome.rss_kib_max, &facts[COMPARE_USED]);
    }
}

static void tell_verdict(const struct telling *telling)
{
    const struct event *judged = attempt_events_last(telling->events, EVENT_ATTEMPT_JUDGED);
    struct json *text = attempt_events_parse(judged ? judged->text : NULL);
    struct verdict verdict = verdict_new();
    if (judged && !telling->side->passed) {
        verdict_from_json(text, &verdict);
        shown_evidence(&verdict, &telling->side->facts[COMPARE_WHY]);
    }
    json_free(text);
}

static void tell_decision(const struct telling *telling)
{
    const struct event *wait = attempt_events_last(telling->events, EVENT_WAIT_STARTED);
    const struct event *end = attempt_events_last(telling->events, EVENT_STEP_ENDED);
    const struct event *round = attempt_events_last(telling->events, EVENT_ROUND_STARTED);
    struct str *out = &telling->side->facts[COMPARE_THEN];
    const bool is_kind = end && end->a >= DECISION_SUCCEEDED && end->a < DECISION_KIND_COUNT;
    if (round)
        str_addf(out, "round %lld of its agent", (long long)round->a);
    else if (is_kind && end->a != DECISION_SUCCEEDED)
        str_add(out, decision_word((enum decision_kind)end->a));
    else if (wait) {
        str_add(out, "tries again after ");
        shown_seconds(wait->a, out);
    }
}

static void tell_times(const struct telling *telling)
{
    const struct attempt_state *attempt = telling->attempt;
    struct str *facts = telling->side->facts;
    char at[CLOCK_TEXT_MAX];
    str_add(&facts[COMPARE_STARTED], clock_date(attempt->started.at_ms, at));
    if (attempt->waited_ms > 0)
        shown_duration(attempt->waited_ms, &facts[COMPARE_WAITED]);
    str_add(&facts[COMPARE_BY], attempt->by_hand ? "by hand" : "auto");
    if (attempt->hint && attempt->hint->text[0] != '\0')
        str_addf(&facts[COMPARE_BY], ", told: \"%s\"", attempt->hint->text);
}

static void tell_result(const struct telling *telling)
{
    enum { BRIEF_DIGITS = 8 };
    const struct attempt_state *attempt = telling->attempt;
    struct str *facts = telling->side->facts;
    char hex[DIGEST_HEX_MAX];
    telling->side->fingerprint = attempt->fingerprint;
    if (digest_is_known(attempt->fingerprint)) {
        digest_to_hex(attempt->fingerprint, hex);
        str_add_n(&facts[COMPARE_RESULT], hex, BRIEF_DIGITS);
    }
    if (attempt->partial)
        str_add(&facts[COMPARE_RESULT], ", not of all it wrote");
    shown_new(attempt->new_permille, &facts[COMPARE_NEW]);
    const struct event *used = attempt_events_last(telling->events, EVENT_AGENT_USED);
    if (used) {
        const struct agent_used sum = agent_used_of_event(used);
        shown_used(&sum, &facts[COMPARE_AGENT]);
    }
}

static void take_paths(struct compare_side *side, const struct json *paths)
{
    for (size_t i = 0; i < json_count(paths) && i < COMPARE_PATHS_MAX; i++) {
        const struct json *item = json_at(paths, i);
        const char *letter = json_text(json_at(item, 0), "?");
        const char *path = json_text(json_at(item, 1), NULL);
        struct str clean = {0};
        if (!path)
            continue;
        text_clean(&clean, path, strlen(path));
        side->paths[side->path_count++] =
            (struct compare_path){.letter = ascii_is_upper(letter[0]) ? letter[0] : '?',
                                  .added = json_i64(json_at(item, 2), -1),
                                  .removed = json_i64(json_at(item, 3), -1),
                                  .path = xstrdup(str_text(&clean))};
        str_done(&clean);
    }
}

/* The second part of its capture has lines and a patch, the event but paths. */
static void take_changes(const struct telling *telling, const struct json *capture,
                         const struct json *event)
{
    struct compare_side *side = telling->side;
    const bool is_diff = strcmp(json_text(json_get(capture, "kind"), ""), "diff") == 0;
    take_paths(side, json_get(is_diff ? capture : event, "paths"));
    const char *patch = json_text(json_get(capture, "diff"), "");
    if (is_diff && json_i64(json_get(capture, "diff_more_bytes"), 0) == 0)
        compare_add_patch(&side->texts[COMPARE_DIFF], patch);
}

static bool tell_changes(const struct telling *telling, const struct compare_subject *subject,
                         struct err *err)
{
    const struct attempt_state *attempt = telling->attempt;
    const struct event *event = attempt_events_last(telling->events, EVENT_WORKSPACE_CHANGED);
    struct str text = {0};
    telling->side->paths_known = event != NULL;
    if (!event)
        return true;
    if (!log_reader_changes(subject->reader, &subject->key, &text, err)) {
        str_done(&text);
        return false;
    }
    struct json *capture = attempt_events_parse(text.len > 0 ? text.data : NULL);
    struct json *told = attempt_events_parse(event->text);
    struct str *fact = &telling->side->facts[COMPARE_CHANGED];
    shown_count(attempt->paths_changed, "path", "paths", fact);
    if (attempt->paths_changed > 0)
        str_addf(fact, ", +%ld -%ld", (long)attempt->lines_added, (long)attempt->lines_removed);
    take_changes(telling, capture, told);
    json_free(capture);
    json_free(told);
    str_done(&text);
    return true;
}

static void tell_name(const struct telling *telling)
{
    const struct log_output_key *key = &telling->side->key;
    const struct plan_task *plan = &telling->state->plan->tasks[key->task];
    struct str *out = &telling->side->name;
    str_addf(out, "#%lld/", (long long)key->run);
    text_clean(out, plan->id, strlen(plan->id));
    if (plan->step_count > 1)
        str_addf(out, " step %d", key->step + 1);
    str_addf(out, " try %d of %s", key->attempt, phase_name(plan->steps[key->step].phase));
}

/* What strangers wrote stands in some of them; a fact is one line. */
static void clean_facts(struct compare_side *side)
{
    for (int i = 0; i < COMPARE_FACT_COUNT; i++) {
        struct str clean = {0};
        text_clean(&clean, str_text(&side->facts[i]), side->facts[i].len);
        for (size_t at = 0; at < clean.len; at++)
            clean.data[at] = clean.data[at] == '\n' ? ' ' : clean.data[at];
        str_done(&side->facts[i]);
        side->facts[i] = clean;
    }
}

bool compare_read_facts(struct compare_side *side, const struct compare_subject *subject,
                        struct err *err)
{
    struct event_page events = {0};
    const struct step_state *step =
        &subject->state->tasks[subject->key.task].steps[subject->key.step];
    const struct telling telling = {.state = subject->state,
                                    .attempt = step_state_find_attempt(step, subject->key.attempt),
                                    .events = &events,
                                    .side = side};
    bool ok =
        attempt_events_read(subject->reader, &subject->key, subject->state->last_seq, &events, err);
    if (ok) {
        tell_name(&telling);
        tell_end(&telling);
        tell_verdict(&telling);
        tell_decision(&telling);
        tell_times(&telling);
        tell_result(&telling);
        ok = tell_changes(&telling, subject, err);
        clean_facts(side);
    }
    event_page_done(&events);
    return ok;
}
