#include <langinfo.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "command.h"
#include "exit_code.h"
#include "fail.h"
#include "follower.h"
#include "shown.h"
#include "target.h"
#include "text.h"

/* A run as it is asked about. */
struct asking {
    struct follower *follower;
    bool orphaned;
    bool ascii;
    struct moment now; /* of the run's end, or the last event, once nothing counts any more */
};

static bool locale_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void add_padded(struct str *out, const char *text, int columns)
{
    str_add(out, text);
    for (int i = text_width(text, strlen(text)); i < columns; i++)
        str_add_char(out, ' ');
}

static int widest_id(const struct plan *plan)
{
    enum { ID_COLUMNS_MIN = 6, ID_COLUMNS_MAX = 24 };
    int widest = ID_COLUMNS_MIN;
    for (int i = 0; i < plan->task_count; i++) {
        int width = (int)strlen(plan->tasks[i].id);
        if (width > widest)
            widest = width;
    }
    return widest < ID_COLUMNS_MAX ? widest : ID_COLUMNS_MAX;
}

/* The columns of the screen, as a line. */
static void print_task(const struct asking *asking, int task, int id_columns)
{
    const struct run_state *state = follower_state(asking->follower);
    enum shown shown = shown_task(state, task, asking->orphaned);
    struct str line = {0}, part = {0};
    str_addf(&line, "%s %-9s ", shown_sign(shown, asking->ascii), shown_word(shown));
    add_padded(&line, state->plan->tasks[task].id, id_columns + 1);
    shown_strip(state, task, asking->ascii, &part);
    add_padded(&line, str_text(&part), 9);
    str_addf(&line, "%2d/%-2d ", (int)run_state_step(state, task)->attempt_count,
             run_state_tries(state, task));
    str_clear(&part);
    const struct shown_time time = {.now = asking->now, .clock = clock_short, .hms = clock_hms};
    shown_next(state, task, asking->orphaned, &time, &part);
    add_padded(&line, str_text(&part), 13);
    str_clear(&part);
    shown_class(state, task, &part);
    add_padded(&line, str_text(&part), 12);
    str_clear(&part);
    shown_why(state, task, &part);
    str_addf(&line, " %s\n", str_text(&part));
    say(str_text(&line));
    str_done(&line);
    str_done(&part);
}

static const char *run_word(const struct asking *asking)
{
    if (follower_state(asking->follower)->ended)
        return "ended";
    return asking->orphaned ? "interrupted" : "live";
}

static void print_text(const struct asking *asking)
{
    const struct run_state *state = follower_state(asking->follower);
    const struct log_run_info *run = follower_run(asking->follower);
    char started[CLOCK_TEXT_MAX];
    struct str head = {0};
    str_addf(&head, "run #%lld %s  %s  started %s\n", (long long)run->number, run->name,
             run_word(asking), clock_date(run->started_at_ms, started));
    say(str_text(&head));
    str_done(&head);
    int id_columns = widest_id(state->plan);
    for (int i = 0; i < state->plan->task_count; i++)
        print_task(asking, i, id_columns);
}

static void print_json(const struct asking *asking)
{
    const struct run_state *state = follower_state(asking->follower);
    const struct log_run_info *run = follower_run(asking->follower);
    struct str out = {0};
    str_add_char(&out, '{');
    str_json_i64(&out, "v", 1);
    str_json_i64(&out, "run", run->number);
    str_json_text(&out, "uid", run->uid);
    str_json_text(&out, "name", run->name);
    str_json_text(&out, "state", run_word(asking));
    str_json_i64(&out, "started_at_ms", run->started_at_ms);
    if (state->ended) {
        str_json_i64(&out, "ended_at_ms", state->ended_at.at_ms);
        str_json_i64(&out, "exit_code", state->exit_code);
    }
    str_json_i64(&out, "attempts", state->attempts);
    str_json_i64(&out, "waited_ms", state->waited_ms);
    str_json_key(&out, "tasks");
    str_add_char(&out, '[');
    for (int i = 0; i < state->plan->task_count; i++) {
        const struct task_state *task = &state->tasks[i];
        const struct step_state *step = run_state_step(state, i);
        int number = run_state_step_number(state, i);
        struct str part = {0};
        str_add(&out, i > 0 ? ",{" : "{");
        str_json_text(&out, "task", state->plan->tasks[i].id);
        str_json_text(&out, "title", state->plan->tasks[i].title);
        str_json_text(&out, "state", shown_word(shown_task(state, i, asking->orphaned)));
        str_json_i64(&out, "step", number + 1);
        str_json_text(&out, "phase", phase_name(state->plan->tasks[i].steps[number].phase));
        str_json_i64(&out, "attempt", (int64_t)step->attempt_count);
        str_json_i64(&out, "attempts_max", run_state_tries(state, i));
        str_json_i64(&out, "entropy", task->entropy);
        if (step->status == STEP_WAITING)
            str_json_i64(&out, "due_at_ms", step->due.at_ms);
        shown_class(state, i, &part);
        str_json_text(&out, "class", str_text(&part));
        str_clear(&part);
        shown_why(state, i, &part);
        str_json_text(&out, "why", str_text(&part));
        str_done(&part);
        str_add_char(&out, '}');
    }
    str_add(&out, "]}\n");
    (void)fputs(out.data, stdout);
    str_done(&out);
}

/* For a status bar: counts by sign, one line. */
static void print_line(const struct asking *asking)
{
    const struct run_state *state = follower_state(asking->follower);
    int counts[SHOWN_COUNT] = {0};
    for (int i = 0; i < state->plan->task_count; i++)
        counts[shown_task(state, i, asking->orphaned)]++;
    say(state->plan->name);
    for (int i = 0; i < SHOWN_COUNT; i++) {
        if (counts[i] > 0)
            (void)printf(" %s%d", shown_sign((enum shown)i, asking->ascii), counts[i]);
    }
    (void)putchar('\n');
}

static bool ask(const struct place *place, int64_t run, struct asking *asking, struct err *err)
{
    if (!follower_open(&asking->follower, place, run, err) ||
        !follower_read(asking->follower, 0, NULL, NULL, NULL, err))
        return false;
    const struct run_state *state = follower_state(asking->follower);
    asking->orphaned = follower_is_orphaned(asking->follower);
    asking->now = state->ended                            ? state->ended_at
                  : shown_counts(state, asking->orphaned) ? clock_now()
                                                          : state->last;
    return true;
}

int cmd_status(struct globals *globals, int argc, char **argv)
{
    bool json = false, one_line = false;
    const struct option_spec specs[] = {
        {"json", 0, NULL, "one JSON object", &json, NULL},
        {"line", 0, NULL, "counts in one line, for a status bar", &one_line, NULL},
    };
    struct command_line line = {
        .name = "status", .specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct place place;
    struct target target = {0};
    struct asking asking = {.ascii = globals->ascii || !locale_is_utf8()};
    bool ok = (line.operands == 0 || target_parse(argv[0], &target, &err)) &&
              place_find(globals->db, false, &place, &err) &&
              ask(&place, target.run, &asking, &err);
    if (!ok)
        code = fail(&err);
    else if (json)
        print_json(&asking);
    else if (one_line)
        print_line(&asking);
    else
        print_text(&asking);
    follower_close(asking.follower);
    return code;
}
