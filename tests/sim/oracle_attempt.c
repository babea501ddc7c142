#include "oracle.h"

#include <stddef.h>

#include "agents.h"

/* Returns true if this is the attempt at which loop detection stops. */
static bool stops_here(const struct trail *trail, int attempt, int step)
{
    if (trail->saying.level != ENTROPY_STUCK)
        return false;
    const struct trail_step *last = &trail->steps[trail->said_at - 1];
    return last->attempt == attempt && last->step == step;
}

static struct facts gather(const struct oracle *oracle, int task, const struct outcome *outcome,
                           const struct opinion *opinion)
{
    const struct model *model = &oracle->model;
    const struct model_step *step = model_peek(model, task);
    const struct plot_step *plot = model_plot_step(model, task);
    const struct model_task *of = &model->tasks[task];
    struct facts facts = {
        .policy = &model->plot->policies[plot->policy],
        .phase = plot->phase,
        .outcome = outcome->kind,
        .opinion = *opinion,
        .stopping = of->cancelling,
        .scale = of->has_trail ? of->trail.scale : 1,
        .circling = of->has_trail && stops_here(&of->trail, step->attempt_count, of->step),
        .repeatable = plot->idempotent || plot->agent ||
                      model->plot->tasks[task].workspace != WORKSPACE_INPLACE,
        .stop = agents_stop(oracle, task, outcome),
        .round = agents_round(model, task),
        .used = step->used,
        .allowed = step->allowed,
        .free_hints = step->free_hints,
        .same = step->same,
        .interrupted = step->interrupted,
        .first_start_mono_ms = step->first_start.mono_ms,
        .held_ms = step->held_ms + model_held_ms(model, task, &oracle->input->now),
        .now = oracle->input->now,
        .run_seed = model->plot->run_seed,
        .task = task,
        .step = model_step_number(model, task),
        .attempt = step->attempt_count,
    };
    if (outcome->kind == OUTCOME_NOT_STARTED) {
        facts.of_start = true;
        facts.policy = &model->plot->policies[model->plot->infrastructure];
        facts.used = step->start_failures;
        facts.allowed = facts.policy->attempts;
    }
    return facts;
}

static struct formula formula_of(const struct facts *facts, const struct ruling *ruling)
{
    return (struct formula){
        .policy = facts->policy,
        .n = ruling->n,
        .factor = ruling->factor,
        .hint_ms = ruling->hint_ms,
        .hinted = facts->opinion.hint_ms >= 0,
        .used = facts->used > 0 ? facts->used : 1,
        .allowed = facts->allowed,
        .same = facts->same,
        .free_hints = facts->free_hints,
        .interrupted = facts->interrupted,
        .since_start_ms = facts->now.mono_ms - facts->first_start_mono_ms,
        .held_ms = facts->held_ms,
        .scale = facts->scale,
    };
}

static void wait(struct oracle *oracle, int task, const struct ruling *ruling,
                 const struct formula *formula)
{
    struct foretold waits = oracle_event(oracle, EVENT_WAIT_STARTED, task);
    waits.event.wait.delay.delay_ms = ruling->delay_ms;
    waits.event.wait.delay.exact_ms = ruling->exact_ms;
    waits.event.wait.delay.retry_number = ruling->n;
    waits.event.wait.delay.factor = ruling->factor;
    waits.event.wait.delay.hint_ms = ruling->hint_ms;
    waits.event.wait.due.at_ms = oracle->input->now.at_ms + ruling->delay_ms;
    waits.event.wait.due.mono_ms = oracle->input->now.mono_ms + ruling->delay_ms;
    waits.event.wait.is_free = ruling->free;
    waits.formula = *formula;
    oracle_emit(oracle, &waits);
    oracle_count(oracle, ruling->row);
    if (oracle->tally)
        oracle->tally->jitters[formula->policy->jitter]++;
}

/* Predicts the report that it may be looping, if that is new and the task continues. */
static void suspect(struct oracle *oracle, int task, const struct ruling *ruling, bool new_round)
{
    const struct model *model = &oracle->model;
    const struct model_task *of = &model->tasks[task];
    const struct trail *trail = &of->trail;
    bool goes_on =
        new_round || ruling->kind == DECISION_WAIT ||
        (ruling->kind == DECISION_SUCCEEDED && of->step < model->plot->tasks[task].step_count - 1);
    if (!of->has_trail || !trail->news || trail->told || !goes_on)
        return;
    struct foretold suspected = oracle_event(oracle, EVENT_LOOP_SUSPECTED, task);
    suspected.event.loop.facts.rung = trail->saying.rung;
    suspected.event.loop.facts.first = trail->steps[trail->saying.first].attempt;
    suspected.event.loop.facts.last = trail->steps[trail->said_at - 1].attempt;
    suspected.event.loop.facts.count = trail->saying.count;
    oracle_emit(oracle, &suspected);
}

/* Returns true if the agent that has to fix the failure would need a budget that is spent. */
static bool is_unpaid(const struct oracle *oracle, int task)
{
    const struct model *model = &oracle->model;
    return agents_spent(
        model, task, agents_first_step(&model->plot->tasks[task], model_step_number(model, task)));
}

static void decide(struct oracle *oracle, int task, const struct outcome *outcome,
                   const struct opinion *opinion)
{
    int source = model_source(&oracle->model, task);
    struct facts facts = gather(oracle, task, outcome, opinion);
    struct ruling ruling = rules_decide(&facts);
    bool new_round = agents_round_follows(oracle, task, &facts, outcome, &ruling);
    if (new_round && is_unpaid(oracle, task)) {
        facts.stop = STOP_BUDGET;
        ruling = rules_decide(&facts);
        new_round = false;
    }
    struct formula formula = formula_of(&facts, &ruling);
    if (ruling.kind == DECISION_ENTROPY && facts.stop == STOP_LOOP)
        formula.circling = &oracle->model.tasks[task].agent.calls.saying;
    else if (ruling.kind == DECISION_ENTROPY && facts.circling && ruling.row != ROW_OWN_LOOP)
        formula.circling = &oracle->model.tasks[task].trail.saying;
    suspect(oracle, task, &ruling, new_round);
    if (new_round)
        agents_start_round(oracle, task);
    else if (ruling.kind == DECISION_WAIT)
        wait(oracle, task, &ruling, &formula);
    else
        oracle_end_step(oracle, task, &ruling, &formula);
    if (source >= 0)
        oracle_gate_judge(oracle, task, source, &facts, &ruling);
    oracle_cancel_rest(oracle, task);
}

static void count_expectation(struct oracle *oracle, int task, const struct opinion *opinion)
{
    if (!model_plot_step(&oracle->model, task)->expects_failure)
        return;
    if (opinion->class == VERDICT_SUCCESS)
        oracle_count(oracle, ROW_RED_MET);
    else if (opinion->expectation == VERDICT_UNEXPECTED_PASS)
        oracle_count(oracle, ROW_RED_PASSED);
    else if (opinion->expectation == VERDICT_WRONG_REASON)
        oracle_count(oracle, ROW_RED_WRONG);
}

/* A plain success has no verdict of its own in the log. */
static void conclude(struct oracle *oracle, int task, const struct outcome *outcome,
                     const struct opinion *opinion)
{
    if (opinion->class != VERDICT_SUCCESS || outcome->code != 0) {
        struct foretold judged = oracle_event(oracle, EVENT_ATTEMPT_JUDGED, task);
        judged.event.judged.label.class = opinion->class;
        judged.event.judged.label.type = opinion->type;
        judged.event.judged.label.reason = opinion->reason;
        judged.opinion = *opinion;
        oracle_emit(oracle, &judged);
    }
    count_expectation(oracle, task, opinion);
    decide(oracle, task, outcome, opinion);
}

/* Keeps a fact unless the task has ended; always keeps the share of new lines. */
static void foretell_fact(const struct oracle *oracle, int task, bool passed,
                          struct foretold *ended)
{
    const struct input *input = oracle->input;
    const enum outcome_kind kind = input->outcome.kind;
    ended->fingerprint = input->fingerprint;
    if (!input->has_fact || kind == OUTCOME_CANCELLED || kind == OUTCOME_NOT_STARTED ||
        kind == OUTCOME_INTERRUPTED)
        return;
    ended->new_permille = input->fact.new_permille;
    const struct plot_task *plot = &oracle->model.plot->tasks[task];
    ended->has_fact = !passed || oracle->model.tasks[task].step < plot->step_count - 1;
    ended->fact = (struct trail_step){
        .step = oracle->model.tasks[task].step,
        .attempt = input->attempt,
        .result = input->fingerprint,
        .failed = !passed,
        .poll = (input->fact.bits & ENTROPY_POLL) != 0,
        .news = input->fact.gain != ENTROPY_GAIN_NONE,
        .raw = (int)input->fact.raw,
    };
}

void oracle_judge(struct oracle *oracle, int task, const struct outcome *outcome,
                  struct opinion opinion)
{
    const struct input *input = oracle->input;
    bool passed = opinion.class == VERDICT_SUCCESS;
    bool quits_well = outcome->kind == OUTCOME_EXIT && outcome->code == 0;
    struct foretold ended = oracle_event(oracle, EVENT_ATTEMPT_ENDED, task);
    ended.event.ended.outcome = *outcome;
    ended.outcome = *outcome;
    ended.new_permille = -1;
    if (input->kind == INPUT_ENDED)
        foretell_fact(oracle, task, passed, &ended);
    ended.silent = quits_well && !passed;
    ended.event.ended.fingerprint = ended.fingerprint;
    ended.event.ended.new_permille = ended.new_permille;
    ended.event.ended.has_loop = ended.has_fact;
    ended.event.ended.fails = ended.silent;
    oracle_emit(oracle, &ended);
    agents_look(oracle, task, false);
    conclude(oracle, task, outcome, &opinion);
}

static struct opinion persistent(enum reason reason)
{
    return (struct opinion){.class = VERDICT_PERSISTENT, .reason = reason, .hint_ms = -1};
}

static struct opinion busy(void)
{
    return (struct opinion){
        .class = VERDICT_TRANSIENT, .type = TRANSIENT_RESOURCE_BUSY, .hint_ms = -1};
}

static struct opinion asking(enum reason reason)
{
    struct opinion opinion = persistent(reason);
    opinion.ask = true;
    return opinion;
}

struct opinion oracle_stopped(enum outcome_stop stop)
{
    if (stop == STOP_LOOP)
        return persistent(REASON_LOOP);
    return stop == STOP_BUDGET ? asking(REASON_BUDGET) : persistent(REASON_CANCELLED);
}

/* Judges our own codes for a failed start. */
static struct opinion judge_start_code(enum start_code code)
{
    struct opinion opinion = busy();
    switch (code) {
    case START_SANDBOX_FAILED:
    case START_WORKSPACE_FAILED:
        return persistent(REASON_SETUP);
    case START_TOO_LARGE:
        return persistent(REASON_TOO_LARGE);
    case START_CONFLICT:
        return asking(REASON_CONFLICT);
    case START_IMAGE_MISSING:
    case START_LEFT_ALIVE:
    case START_SECRET_MISSING:
    case START_STDIN_GONE:
        return asking(REASON_SETUP);
    case START_TIMED_OUT:
        opinion.type = TRANSIENT_SANDBOX_START_TIMEOUT;
        break;
    case START_DAEMON_DOWN:
        opinion.type = TRANSIENT_DOCKER_SOCKET_UNAVAILABLE;
        break;
    case START_NO_SPACE:
    case START_CODE_END:
        break;
    }
    return opinion;
}

/* Judges Linux error numbers of a failed start. */
static struct opinion judge_start(int number)
{
    if (start_code_is_known(number))
        return judge_start_code((enum start_code)number);
    static const int missing[] = {2, 20};   /* ENOENT ENOTDIR */
    static const int forbidden[] = {1, 13}; /* EPERM EACCES */
    /* EAGAIN ENOMEM ENFILE EMFILE ETXTBSY ENOSPC EDQUOT */
    static const int full[] = {11, 12, 23, 24, 26, 28, 122};
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
        if (missing[i] == number)
            return persistent(REASON_NOT_FOUND);
    }
    for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
        if (forbidden[i] == number)
            return persistent(REASON_PERMISSION);
    }
    for (size_t i = 0; i < sizeof(full) / sizeof(full[0]); i++) {
        if (full[i] == number)
            return busy();
    }
    return persistent(number == 7 ? REASON_TOO_LARGE : REASON_NONE);
}

static struct opinion judge_signal(int number)
{
    static const int crashes[] = {4, 5, 6, 7, 8, 9, 11, 31};
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
        if (crashes[i] == number)
            return persistent(REASON_CRASH);
    }
    return persistent(number == 24 || number == 25 ? REASON_LIMIT : REASON_NONE);
}

/* Judges an outcome whose output was lost. */
static struct opinion judge_bare(const struct outcome *outcome, bool silent)
{
    switch (outcome->kind) {
    case OUTCOME_EXIT:
        if (outcome->code == 0 && !silent)
            return (struct opinion){.class = VERDICT_SUCCESS, .hint_ms = -1};
        break;
    case OUTCOME_SIGNAL:
        return judge_signal(outcome->code);
    case OUTCOME_NOT_STARTED:
        return judge_start(outcome->code);
    case OUTCOME_TIMEOUT:
    case OUTCOME_INTERRUPTED:
        return busy();
    case OUTCOME_CANCELLED:
        return oracle_stopped(outcome->stop);
    case OUTCOME_KIND_COUNT:
        break;
    }
    return persistent(REASON_NONE);
}

/* The log has the end, but not the verdict. For exit code 0, the end says whether it was a success;
 * otherwise, the end is all there is to judge by. */
static struct opinion judge_late(const struct oracle *oracle, int task)
{
    const struct model_step *step = model_peek(&oracle->model, task);
    const struct outcome *outcome = &step->last.outcome;
    struct opinion opinion = judge_bare(outcome, step->silent);
    if (outcome->kind == OUTCOME_EXIT && outcome->code == 0)
        return opinion;
    return rules_expect(model_plot_step(&oracle->model, task), outcome, opinion, false);
}

static void settle_attempt(struct oracle *oracle, int task)
{
    const struct model_step *step = model_peek(&oracle->model, task);
    const struct outcome gone = {.kind = OUTCOME_INTERRUPTED};
    const struct outcome last = step->last.outcome;
    if (step->status == STEP_RUNNING)
        agents_look_at_calls(oracle, task, false);
    if (step->status == STEP_RUNNING || step->status == STEP_JUDGING)
        agents_look(oracle, task, false);
    if (step->status == STEP_RUNNING) {
        oracle_judge(oracle, task, &gone, busy());
    } else if (step->status == STEP_JUDGING && step->judged) {
        const struct opinion opinion = step->opinion;
        decide(oracle, task, &last, &opinion);
    } else if (step->status == STEP_JUDGING) {
        const struct opinion opinion = judge_late(oracle, task);
        conclude(oracle, task, &last, &opinion);
    }
}

void oracle_recover(struct oracle *oracle)
{
    const struct model *model = &oracle->model;
    struct foretold recovered = oracle_event(oracle, EVENT_RUN_RECOVERED, -1);
    recovered.event.recovered.rebooted = oracle->input->rebooted;
    recovered.event.by = oracle->input->control.by;
    oracle_emit(oracle, &recovered);
    for (int i = 0; i < model->plot->task_count; i++)
        settle_attempt(oracle, i);
    for (int i = 0; i < model->plan->source_count; i++) {
        if (model->gates[i].status == GATE_PROBING)
            oracle_gate_lose(oracle, i);
    }
    for (int i = 0; i < model->plot->task_count; i++) {
        oracle_cancel_rest(oracle, i);
        enum task_status status = model->tasks[i].status;
        if (!model_is_open(status) && status != TASK_PASSED)
            oracle_block(oracle, i);
        if (model->tasks[i].follows >= 0) {
            struct foretold released = oracle_event(oracle, EVENT_TASK_RELEASED, i);
            oracle_emit(oracle, &released);
        }
    }
}
