/* fold_attempt.c - folds the life of an attempt. */
#include "fold.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent_stream.h"
#include "attr.h"
#include "json_scan.h"
#include "str.h"
#include "xalloc.h"

static_assert((int)AGENT_RETRIES_MAX <= (int)FOLD_COUNT_MAX,
              "own retries are counted without overflow");

/* What a start changes at its gate, whose line it has left: it is the probe, or the next
 * one waits its turn. */
static void pass_gate(const struct fold *fold, int number)
{
    struct gate_state *gate = run_state_gate(fold->state, number);
    if (!gate)
        return;
    if (gate->status == GATE_CLOSED) {
        gate->status = GATE_PROBING;
        gate->probe = number;
    } else if (gate->status == GATE_SPREADING) {
        gate->due.at_ms = fold->event->at.at_ms + gate->spacing_ms;
        gate->due.mono_ms = fold->event->at.mono_ms + gate->spacing_ms;
    }
}

/* Most steps are tried once, and of some runs there are very many. */
static void make_room(struct step_state *step)
{
    if (step->attempt_count < step->attempt_cap)
        return;
    const uint32_t cap = step->attempt_cap > 0 ? 2 * step->attempt_cap : 1;
    struct attempt_state *attempts = xcalloc(cap, sizeof(*attempts));
    if (step->attempt_count > 0)
        memcpy(attempts, step->attempts, step->attempt_count * sizeof(*attempts));
    free(step->attempts);
    step->attempts = attempts;
    step->attempt_cap = cap;
}

void fold_attempt_started(const struct fold *fold)
{
    struct run_state *state = fold->state;
    struct step_state *step = fold->step;
    const struct event *event = fold->event;
    int number = fold_task_number(fold);
    const struct gate_state *gate = run_state_gate(state, number);
    const bool is_gated = gate && gate->status != GATE_OPEN;

    fold_not_ready(fold, number);
    pass_gate(fold, number);
    if (step->grant == 0)
        fold_open_grant(step, 1,
                        plan_step_attempts(&state->plan->tasks[number].steps[event->step]));
    if (step->first_start.at_ms == 0)
        step->first_start = event->at;
    if (fold->task->first_start.at_ms == 0)
        fold->task->first_start = event->at;

    make_room(step);
    step->attempts[step->attempt_count] = (struct attempt_state){
        .number = event->attempt,
        .grant = step->grant,
        .round = run_state_round(state, number),
        .started = event->at,
        .waited_ms = step->wait_from.at_ms != 0 ? event->at.mono_ms - step->wait_from.mono_ms : 0,
        .queued_ms = event->at.mono_ms - fold->task->since.mono_ms,
        .gated = is_gated,
        .by_hand = step->by_hand,
        .new_permille = -1,
        .call = {.hi = (uint64_t)event->a, .lo = (uint64_t)event->b},
    };
    step->attempt_count++;
    step->by_hand = false;
    fold_hint_taken(fold);
    step->wait_from = (struct moment){0};
    step->status = STEP_RUNNING;
    step->judged = false;
    step->silent_failure = false;
    step->quiet = false;
    state->attempts++;
    state->running++;
    fold_set_status(fold, fold->task, TASK_RUNNING);
    fold_wall_begin(fold);
    fold_agent_started(fold);
}

/* It is heard again, or over. */
static void end_quiet(const struct fold *fold)
{
    const struct moment *now = &fold->event->at;
    const int64_t mono_ms = fold->step->heard_mono_ms;
    const struct moment heard = {.at_ms = now->at_ms - (now->mono_ms - mono_ms),
                                 .mono_ms = mono_ms};
    if (fold->step->quiet)
        fold_pause(fold, PAUSE_QUIET, &heard);
    fold->step->quiet = false;
}

void fold_attempt_running(const struct fold *fold)
{
    const int64_t pid = fold->event->a;
    step_state_latest(fold->step)->pid = pid > 0 && pid <= INT32_MAX ? (int32_t)pid : 0;
    fold_agent_runs(fold);
}

/* One that is missing or damaged counts as not taken. */
static struct digest parse_fingerprint(const char *hex)
{
    struct digest digest;
    return digest_from_hex(hex, &digest) ? digest : (struct digest){0};
}

static struct fold_end read_end(const struct fold *fold)
{
    const struct json *text = fold->text;
    struct fold_end end = {
        .outcome = outcome_of_end(fold->event, text),
        .fingerprint = parse_fingerprint(json_text(json_get(text, "fp"), "")),
        .partial = json_bool(json_get(text, "partial"), false),
        .skipped_bytes = json_i64(json_get(text, "skipped"), 0),
        .new_permille = (int)json_i64(json_get(text, "new"), -1),
        .fails = json_bool(json_get(text, "fails"), false),
    };
    end.has_fact = fold_read_fact(text, &end.fact);
    return end;
}

/* How many results in a row are equal, the newest included. */
static void count_same(struct step_state *step)
{
    const struct attempt_state *now = step_state_latest(step);
    const struct attempt_state *before =
        step->attempt_count > 1 ? &step->attempts[step->attempt_count - 2] : NULL;
    bool equal = before && before->number >= step->results_from &&
                 digest_is_same(before->fingerprint, now->fingerprint);
    step->same = equal ? step->same + 1 : 1;
}

/* What never started is counted by itself, what devs' own end interrupted too. */
static void count_attempt(struct run_state *state, struct step_state *step,
                          const struct outcome *outcome)
{
    if (outcome->kind == OUTCOME_NOT_STARTED) {
        step->start_failures++;
        state->attempts--;
        return;
    }
    step->start_failures = 0;
    if (outcome->kind == OUTCOME_INTERRUPTED) {
        step->interrupted++;
        return;
    }
    step->used++;
    const int room = FOLD_COUNT_MAX - step->own_retries;
    step->own_retries += outcome->own_retries < room ? outcome->own_retries : room;
}

void fold_attempt_ended(const struct fold *fold)
{
    struct step_state *step = fold->step;
    struct attempt_state *attempt = step_state_latest(step);
    const struct fold_end end = fold->known ? *fold->known->end : read_end(fold);

    attempt->ended = fold->event->at;
    attempt->outcome = end.outcome;
    attempt->fingerprint = end.fingerprint;
    attempt->partial = end.partial;
    attempt->skipped_bytes = end.skipped_bytes;
    attempt->new_permille = end.new_permille;
    count_same(step);
    fold_take_fact(fold, &end);

    step->silent_failure = end.fails;
    count_attempt(fold->state, step, &attempt->outcome);
    fold->task->waited_ms += attempt->outcome.own_wait_ms;
    fold->state->waited_ms += attempt->outcome.own_wait_ms;
    step->status = STEP_JUDGING;
    end_quiet(fold);
    fold->state->running--;
    fold_wall_end(fold);
    fold_agent_ended(fold);
}

/* The members that words are made of: event_text.c. */
static char *evidence_to_tell(const char *evidence)
{
    static const char *const keys[] = {"expectation", "subtype", "match"};
    struct str out = {0};
    str_add_char(&out, '{');
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const struct json_piece piece = json_scan_get(evidence, strlen(evidence), keys[i]);
        if (!piece.text)
            continue;
        str_json_key(&out, keys[i]);
        str_add_n(&out, piece.text, piece.len);
    }
    str_add_char(&out, '}');
    char *text = xstrndup(str_text(&out), out.len);
    str_done(&out);
    return text;
}

void fold_attempt_judged(const struct fold *fold)
{
    struct attempt_state *attempt = step_state_latest(fold->step);
    attempt->class = (enum verdict_class)fold->event->a;
    attempt->type = (enum transient_type)fold->event->b;
    attempt->reason = (enum reason)fold->event->c;
    fold->step->judged = true;

    const char *evidence = fold->event->text ? fold->event->text : "{}";
    fold->step->verdict = (struct verdict_label){
        .class = attempt->class, .type = attempt->type, .reason = attempt->reason};
    free(fold->step->verdict_json);
    fold->step->verdict_json =
        fold->state->use == RUN_STATE_TELLS ? evidence_to_tell(evidence) : xstrdup(evidence);
}

void fold_forget_verdict(const struct fold *fold)
{
    const struct plan_task *plan = &fold->state->plan->tasks[fold_task_number(fold)];
    if (fold->state->use == RUN_STATE_SHOWS || plan->steps[fold->event->step].agent)
        return;
    free(fold->step->verdict_json);
    fold->step->verdict_json = NULL;
}

void fold_attempt_quiet(const struct fold *fold)
{
    fold->step->quiet = true;
    fold->step->heard_mono_ms = fold->event->at.mono_ms - fold->event->a;
}

void fold_attempt_heard(const struct fold *fold)
{
    end_quiet(fold);
}
