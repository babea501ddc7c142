/* frame_message.c - the message line: the answer to a key, else what wants a person's eye. */
#include "clock.h"
#include "frame_parts.h"

enum {
    HINT_COLUMNS = 50, /* narrower: no word of the key that leads there */
    ANSWER_MS = 3000,  /* so long the answer to a key stands, whatever happens */
};

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
    str_add(out, ". q leaves, 5 shows where the time went");
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

/* The task that the notice is about, if it still stands so; else -1. */
static int task_of_notice(const struct run_state *state)
{
    for (int i = 0; i < state->plan->task_count; i++) {
        const struct task_state *task = &state->tasks[i];
        const bool is_told = task->status == TASK_NEEDS_YOU || task->status == TASK_GAVE_UP ||
                             task->status == TASK_STUCK;
        if (is_told && task->since.at_ms == state->notice_at_ms)
            return i;
    }
    return -1;
}

/* "T-105 gave up: 6 of 6 tries used (timeout)". */
static void add_stop(const struct run_state *state, int task, struct str *out)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    const enum task_status status = state->tasks[task].status;
    struct str why = {0}, class = {0};
    if (status == TASK_NEEDS_YOU)
        shown_cause(state, task, &why);
    else
        shown_end(&plan->steps[run_state_step_number(state, task)], run_state_step(state, task),
                  &why);
    if (status == TASK_GAVE_UP)
        shown_class(state, task, &class);
    str_addf(out, "%s %s", plan->id,
             status == TASK_NEEDS_YOU ? "needs you"
             : status == TASK_STUCK   ? "is stuck"
                                      : "gave up");
    str_addf(out, "%s%s", why.len > 0 ? ": " : "", str_text(&why));
    if (class.len > 0)
        str_addf(out, " (%s)", class.data);
    str_done(&why);
    str_done(&class);
}

/* Returns the task that it tells of, -1 for none. */
static int add_notice(const struct frame_input *input, struct str *out)
{
    const struct run_state *state = input->facts->state;
    const int task = task_of_notice(state);
    char hms[CLOCK_TEXT_MAX];
    if (state->notice[0] == '\0') {
        if (input->is_session)
            str_addf(out, "a session that an agent's hooks tell of, last heard at %s",
                     clock_hms(state->last.at_ms, hms));
        return -1;
    }
    str_addf(out, "%s ", clock_hms(state->notice_at_ms, hms));
    if (task >= 0)
        add_stop(state, task, out);
    else
        str_add(out, state->notice);
    return task;
}

/* What the message line says; empty if nothing wants a person's eye. Returns the task that news are
 * of, -1 for none. */
static int add_message(const struct frame_input *input, struct str *out)
{
    const struct view_facts *facts = input->facts;
    const struct run_state *state = facts->state;
    bool is_answered = input->view->message[0] != '\0';
    bool has_news = facts->mode == VIEW_LIVE && state->notice[0] != '\0' &&
                    state->notice_at_ms > input->view->message_at_ms &&
                    facts->clock.at_ms - input->view->message_at_ms >= ANSWER_MS;
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
        return add_notice(input, out);
    return -1;
}

/* Does a task need a person that is not the chosen one? */
static bool leads_elsewhere(const struct frame_input *input, int task)
{
    return input->facts->mode == VIEW_LIVE && task >= 0 && task != input->view->chosen &&
           input->facts->state->tasks[task].status == TASK_NEEDS_YOU;
}

void frame_message(struct canvas *canvas, int row, const struct frame_input *input)
{
    static const char hint[] = "a = go there";
    struct spot spot = {row, 1, canvas->columns - 1};
    struct str text = {0};
    const int task = add_message(input, &text);
    if (leads_elsewhere(input, task) && spot.width >= HINT_COLUMNS) {
        const int at =
            frame_put_right(canvas, (struct spot){row, 1, spot.width - 1}, STYLE_KEY, hint);
        spot.width = at - spot.column - 2;
    }
    (void)frame_put(canvas, spot, STYLE_PLAIN, str_text(&text));
    str_done(&text);
}
