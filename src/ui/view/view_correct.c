#include "view_correct.h"

#include <assert.h>
#include <stddef.h>

enum { STREAM_ERR = 2 };

/* An attempt and where it stands. */
struct tried {
    int task;
    int step;
    const struct attempt_state *attempt; /* NULL: none is over */
};

static const struct attempt_state *last_over(const struct step_state *step)
{
    for (size_t i = step->attempt_count; i > 0; i--) {
        if (step->attempts[i - 1].ended.at_ms != 0)
            return &step->attempts[i - 1];
    }
    return NULL;
}

static struct tried latest_over(const struct run_state *state, int task)
{
    struct tried tried = {.task = task, .step = run_state_step_number(state, task)};
    tried.attempt = last_over(&state->tasks[task].steps[tried.step]);
    while (!tried.attempt && tried.step > 0)
        tried.attempt = last_over(&state->tasks[task].steps[--tried.step]);
    return tried;
}

/* The evidence of the latest attempt that is over, in *room, NULL if it passed or left none. */
static const struct verdict *evidence_of(const struct run_state *state, const struct tried *tried,
                                         struct verdict *room)
{
    const struct step_state *step = &state->tasks[tried->task].steps[tried->step];
    const struct verdict *verdict = step_state_verdict(step, room);
    bool is_its_own = verdict && last_over(step) == tried->attempt &&
                      tried->attempt->class != VERDICT_SUCCESS &&
                      verdict->class == tried->attempt->class;
    return is_its_own ? verdict : NULL;
}

/* "T-104 try 3"; of several steps "T-104 GREEN try 3", or "T-104 step 2 try 3" where
 * a phase has more than one. */
static void add_name(const struct run_state *state, const struct tried *tried, struct str *out)
{
    const struct plan_task *plan = &state->plan->tasks[tried->task];
    enum phase phase = plan->steps[tried->step].phase;
    int same = 0;
    for (int i = 0; i < plan->step_count; i++)
        same += plan->steps[i].phase == phase;
    str_addf(out, "%s ", plan->id);
    if (same > 1)
        str_addf(out, "step %d ", tried->step + 1);
    else if (plan->step_count > 1)
        str_addf(out, "%s ", phase_name(phase));
    str_addf(out, "try %d", tried->attempt->number);
}

static struct verdict_label first_label(const struct attempt_state *attempt)
{
    return (struct verdict_label){
        .class = attempt->class, .type = attempt->type, .reason = attempt->reason};
}

static struct verdict_label present_label(const struct attempt_state *attempt)
{
    return attempt->correction ? attempt->correction->label : first_label(attempt);
}

/* What the engine made of it: "exit 1", "test-fail". */
static void add_first_word(const struct attempt_state *attempt, struct str *out)
{
    char word[VERDICT_WORD_MAX];
    struct verdict verdict = verdict_new();
    verdict.class = attempt->class;
    verdict.type = attempt->type;
    verdict.reason = attempt->reason;
    (void)verdict_word(&verdict, &attempt->outcome, word);
    str_add(out, word[0] != '\0' ? word : verdict_class_name(attempt->class));
}

/* The present class and where it comes from. */
static void add_now(const struct run_state *state, const struct tried *tried, struct str *out)
{
    const struct correction *correction = tried->attempt->correction;
    struct verdict room;
    const struct verdict *verdict = evidence_of(state, tried, &room);
    char word[VERDICT_WORD_MAX];
    if (correction)
        str_addf(out, "%s, says %s; was ", correct_word(&correction->label, word), correction->by);
    add_first_word(tried->attempt, out);
    if (verdict && verdict->rule[0] != '\0')
        str_addf(out, ", rule %s", verdict->rule);
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] != ' ')
            return false;
    }
    return true;
}

/* The last line that says something, stderr's if it has any. */
static void add_last_line(const struct log_tail *log, struct str *out)
{
    size_t found = log->count;
    for (size_t i = log->count; i > 0; i--) {
        const struct log_line *line = &log->lines[i - 1];
        if (is_blank(log_tail_line(log, i - 1), line->len))
            continue;
        if (found == log->count || line->stream == STREAM_ERR)
            found = i - 1;
        if (line->stream == STREAM_ERR)
            break;
    }
    if (found < log->count)
        str_add_n(out, log_tail_line(log, found), log->lines[found].len);
}

static void add_line(const struct view_facts *facts, const struct tried *tried, struct str *out)
{
    struct verdict room;
    const struct verdict *verdict = evidence_of(facts->state, tried, &room);
    const struct log_output_key *key = &facts->log->key;
    if (verdict && verdict->match[0] != '\0')
        str_add(out, verdict->match);
    else if (key->task == tried->task && key->step == tried->step &&
             key->attempt == tried->attempt->number)
        add_last_line(facts->log, out);
}

/* The texts of a target, as long as it is in use. */
struct target_texts {
    struct str name, now, line;
};

static void texts_done(struct target_texts *texts)
{
    str_done(&texts->name);
    str_done(&texts->now);
    str_done(&texts->line);
}

static struct correct_target target_of(const struct view_facts *facts, const struct tried *tried,
                                       struct target_texts *texts)
{
    add_name(facts->state, tried, &texts->name);
    add_now(facts->state, tried, &texts->now);
    add_line(facts, tried, &texts->line);
    return (struct correct_target){
        .task = tried->task,
        .step = tried->step,
        .attempt = tried->attempt->number,
        .name = str_text(&texts->name),
        .label = present_label(tried->attempt),
        .now = str_text(&texts->now),
        .line = str_text(&texts->line),
    };
}

bool view_correct_is_possible(const struct run_state *state, int task)
{
    return latest_over(state, task).attempt != NULL;
}

struct view_todo view_correct_open(struct view *view, const struct view_facts *facts)
{
    struct target_texts texts = {0};
    struct tried tried = latest_over(facts->state, view->chosen);
    assert(tried.attempt);
    struct correct_target target = target_of(facts, &tried, &texts);
    correct_open(&view->correct, &target, facts->rules, facts->clock.mono_ms);
    texts_done(&texts);
    return (struct view_todo){.kind = VIEW_ASKED};
}

void view_correct_refuse(struct view *view, const struct view_facts *facts)
{
    struct tried tried = {.attempt = NULL};
    if (view->chosen >= 0)
        tried = latest_over(facts->state, view->chosen);
    if (!tried.attempt) {
        view_say(view, &facts->clock, "this is a replay, it is read only");
        return;
    }
    view_say(view, &facts->clock,
             "a replay is read only: devs correct --step %d --try %d %lld/%s CLASS", tried.step + 1,
             tried.attempt->number, (long long)facts->run,
             facts->state->plan->tasks[view->chosen].id);
}

/* What the attempt is now. */
static bool look_again(struct correct *correct, const struct view_facts *facts)
{
    struct target_texts texts = {0};
    const struct step_state *step = &facts->state->tasks[correct->task].steps[correct->step];
    struct tried tried = {correct->task, correct->step,
                          step_state_find_attempt(step, correct->attempt)};
    assert(tried.attempt);
    struct correct_target target = target_of(facts, &tried, &texts);
    bool changed = correct_update(correct, &target, facts->clock.mono_ms);
    texts_done(&texts);
    return changed;
}

bool view_correct_update(struct view *view, const struct view_facts *facts)
{
    struct correct *correct = &view->correct;
    if (correct->stage == CORRECT_CLOSED)
        return false;
    if (correct->stage == CORRECT_WRITING)
        correct_rule_check(correct);
    return look_again(correct, facts);
}

static struct view_todo ask(const struct correct *correct, const struct verdict_label *label,
                            const struct view_facts *facts)
{
    return (struct view_todo){
        .kind = VIEW_ASK,
        .control = {.verb = CONTROL_CORRECT,
                    .task = correct->task,
                    .step = correct->step,
                    .attempt = correct->attempt,
                    .label = *label,
                    .key_at_ms = facts->clock.at_ms},
    };
}

struct view_todo view_correct_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    struct verdict_label label = {.class = VERDICT_PERSISTENT};
    (void)look_again(&view->correct, facts);
    switch (correct_key(&view->correct, key, facts->clock.mono_ms, &label)) {
    case CORRECT_NOTHING:
        break;
    case CORRECT_PICK:
        return ask(&view->correct, &label, facts);
    case CORRECT_TRY:
        return (struct view_todo){.kind = VIEW_TRY_RULE};
    case CORRECT_STOP:
        return (struct view_todo){.kind = VIEW_STOP_TRIAL};
    case CORRECT_SAVE:
        return (struct view_todo){.kind = VIEW_SAVE_RULE};
    }
    return (struct view_todo){.kind = VIEW_DRAW};
}
