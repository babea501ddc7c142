#include "scene.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "xalloc.h"

enum { WORDS_MAX = 20 };

/* An input line in words. */
struct line {
    char *text;       /* owned */
    const char *rest; /* after the first word */
    char *words[WORDS_MAX];
    int count;
};

struct scene {
    struct play play;
    bool open;
    struct str before; /* the state's lines after the last input */
};

static int64_t number(const char *text)
{
    int64_t value = 0;
    struct err err = {0};
    ck_assert_msg(parse_i64(text, INT64_MIN, INT64_MAX, &value, &err), "%s", err.message);
    return value;
}

static void split(struct line *line, const char *text)
{
    const char *blank = strchr(text, ' ');
    *line = (struct line){.text = xstrdup(text), .rest = blank ? blank + 1 : ""};
    line->words[0] = line->text;
    char *rest = NULL;
    for (char *word = strtok_r(line->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        ck_assert_msg(line->count < WORDS_MAX, "too many words: %s", text);
        line->words[line->count++] = word;
    }
}

static const char *word(const struct line *line, int at)
{
    ck_assert_msg(at < line->count, "too few words after %s", line->words[0]);
    return line->words[at];
}

static bool has(const struct line *line, const char *flag)
{
    for (int i = 1; i < line->count; i++) {
        if (strcmp(line->words[i], flag) == 0)
            return true;
    }
    return false;
}

static int64_t option(const struct line *line, const char *key, int64_t otherwise)
{
    size_t len = strlen(key);
    for (int i = 1; i < line->count; i++) {
        if (strncmp(line->words[i], key, len) == 0 && line->words[i][len] == '=')
            return number(line->words[i] + len + 1);
    }
    return otherwise;
}

/* `-` is the run, a number is a task that the plan does not have. */
static int task_number(const struct scene *scene, const char *name)
{
    if (strcmp(name, "-") == 0)
        return -1;
    int task = plan_find(scene->play.plan, name);
    return task >= 0 ? task : (int)number(name);
}

static struct input about_attempt(const struct scene *scene, const struct line *line,
                                  enum input_kind kind)
{
    int task = task_number(scene, word(line, 1));
    struct input input = {.kind = kind, .task = task};
    const struct run_state *state = &scene->play.state;
    if (task >= 0 && task < state->plan->task_count) {
        const struct attempt_state *attempt = step_state_attempt(run_state_step(state, task));
        input.step = run_state_step_number(state, task);
        input.attempt = attempt ? attempt->number : 0;
    }
    input.step = (int)option(line, "step", input.step);
    input.attempt = (int)option(line, "try", input.attempt);
    return input;
}

static struct verdict read_verdict(const struct line *line, const char *name)
{
    struct verdict_label label;
    struct verdict verdict = verdict_new();
    ck_assert_msg(verdict_label_parse(name, &label), "no verdict: %s", name);
    verdict.class = label.class;
    verdict.type = label.type;
    verdict.reason = label.reason;
    verdict.retry_after_ms = option(line, "hint", -1);
    verdict.ask = has(line, "ask");
    return verdict;
}

static enum outcome_kind outcome_kind(const char *name)
{
    for (enum outcome_kind kind = 0; kind < OUTCOME_KIND_COUNT; kind++) {
        if (strcmp(outcome_kind_name(kind), name) == 0)
            return kind;
    }
    ck_assert_msg(strcmp(name, "not-started") == 0, "no outcome: %s", name);
    return OUTCOME_NOT_STARTED;
}

/* The attempt as a step of its task's trajectory, where the line has one. */
static void read_fact(const struct line *line, struct input *input)
{
    int64_t permille = option(line, "new", -1);
    if (permille < 0)
        return;
    input->has_fact = true;
    input->fact = (struct entropy_fact){
        .gain = has(line, "news") ? ENTROPY_GAIN_LINE : ENTROPY_GAIN_NONE,
        .bits = has(line, "masked") ? ENTROPY_MASKED : 0,
        .raw = (uint64_t)option(line, "raw", 0),
        .new_permille = (int)permille,
        .lines = 4,
    };
}

static struct input ended(const struct scene *scene, const struct line *line)
{
    bool plain = strcmp(line->words[0], "exit") == 0;
    int at = plain ? 2 : 3;
    struct input input = about_attempt(scene, line, INPUT_ENDED);
    input.outcome = (struct outcome){
        .kind = plain ? OUTCOME_EXIT : outcome_kind(word(line, 2)),
        .code = (int)number(word(line, at)),
        .ran_ms = option(line, "ran", 0),
        .bytes = {option(line, "out", 0), option(line, "err", 0)},
        .lines = {option(line, "out_lines", 0), option(line, "err_lines", 0)},
        .rss_kib_max = option(line, "rss", 0),
        .cpu_ms = option(line, "cpu", 0),
        .processes_left = (int)option(line, "left", 0),
    };
    input.verdict = read_verdict(line, word(line, at + 1));
    input.fingerprint.hi = (uint64_t)option(line, "fp", 0);
    input.fingerprint.lo = (uint64_t)option(line, "fp_low", 0);
    input.expectation_met = has(line, "met");
    read_fact(line, &input);
    return input;
}

static struct input control(const struct scene *scene, const struct line *line,
                            enum control_verb verb)
{
    struct input input = {.kind = INPUT_CONTROL};
    input.control = (struct control){
        .id = has(line, "own") ? 0 : 5,
        .verb = verb,
        .task = task_number(scene, word(line, 1)),
        .step = (int)option(line, "step", -1),
        .attempt = (int)option(line, "try", 0),
        .by = "ann",
    };
    if (verb == CONTROL_CORRECT)
        ck_assert(verdict_label_parse(word(line, 2), &input.control.label));
    for (enum cancel_mode mode = 0; mode < CANCEL_MODE_COUNT; mode++) {
        if (has(line, cancel_mode_name(mode)))
            input.control.mode = mode;
    }
    return input;
}

/* True if the line is about the engine or the clock, and no input follows from it. */
static bool turn_knob(struct scene *scene, const struct line *line)
{
    struct play *play = &scene->play;
    const char *what = line->words[0];
    if (strcmp(what, "leave") == 0)
        play->scheduler.starts_nothing = true;
    else if (strcmp(what, "orphan") == 0)
        play->scheduler.orphaned = true;
    else if (strcmp(what, "clock") == 0)
        play->now.at_ms += number(word(line, 1));
    else
        return false;
    return true;
}

static enum control_verb verb_of(const char *word)
{
    int verb = CONTROL_CANCEL;
    while (verb < CONTROL_VERB_COUNT &&
           strcmp(control_verb_name((enum control_verb)verb), word) != 0)
        verb++;
    ck_assert_msg(verb < CONTROL_VERB_COUNT, "no input: %s", word);
    return (enum control_verb)verb;
}

static void take_input(struct scene *scene, const struct line *line)
{
    struct play *play = &scene->play;
    const char *what = line->words[0];
    if (turn_knob(scene, line)) {
        turn_clear(&play->turn);
    } else if (strcmp(what, "start") == 0) {
        play_start(play, (int)number(word(line, 1)));
    } else if (strcmp(what, "wait") == 0) {
        play_wait(play, number(word(line, 1)));
    } else if (strcmp(what, "lose") == 0) {
        play_crash(play, play->events.count - (size_t)number(word(line, 1)), has(line, "reboot"));
    } else if (strcmp(what, "note") == 0) {
        play_input(play, (struct input){.kind = INPUT_NOTE, .task = -1, .note = line->rest});
    } else if (strcmp(what, "running") == 0) {
        struct input input = about_attempt(scene, line, INPUT_RUNNING);
        input.pid = number(word(line, 2));
        input.pid_start = input.pid + 1;
        play_input(play, input);
    } else if (strcmp(what, "quiet") == 0) {
        struct input input = about_attempt(scene, line, INPUT_QUIET);
        input.quiet_ms = number(word(line, 2));
        play_input(play, input);
    } else if (strcmp(what, "heard") == 0) {
        play_input(play, about_attempt(scene, line, INPUT_HEARD));
    } else if (strcmp(what, "exit") == 0 || strcmp(what, "end") == 0) {
        play_input(play, ended(scene, line));
    } else {
        play_input(play, control(scene, line, verb_of(what)));
    }
}

/* The state's lines that were not there before. */
static void show_changes(struct scene *scene, struct str *out)
{
    struct str now = {0};
    scene_show_state(&scene->play, &now);
    const char *at = str_text(&now);
    while (*at) {
        size_t len = strcspn(at, "\n") + 1;
        struct str line = {0};
        str_add_char(&line, '\n');
        str_add_n(&line, at, len);
        if (!strstr(str_text(&scene->before), str_text(&line)))
            str_add_n(out, at, len);
        str_done(&line);
        at += len;
    }
    str_clear(&scene->before);
    str_add_char(&scene->before, '\n');
    str_add(&scene->before, str_text(&now));
    str_done(&now);
}

static void play_line(struct scene *scene, const char *text, struct str *out)
{
    struct line line;
    split(&line, text);
    take_input(scene, &line);
    const struct turn *turn = &scene->play.turn;
    for (size_t i = 0; i < turn->events.count; i++)
        scene_show_event(&scene->play, &turn->events.items[i], out);
    for (size_t i = 0; i < turn->action_count; i++)
        scene_show_action(&scene->play, &turn->actions[i], out);
    show_changes(scene, out);
    free(line.text);
}

static void begin(struct scene *scene, const char *plan)
{
    struct str nothing = {0};
    play_open(&scene->play, plan);
    scene->open = true;
    show_changes(scene, &nothing);
    str_done(&nothing);
}

void scene_play(const char *text, struct str *out)
{
    struct scene scene = {0};
    while (*text) {
        size_t len = strcspn(text, "\n");
        char *line = xstrndup(text, len);
        bool kept = line[0] == '#' || line[0] == '>' || strncmp(line, "plan ", 5) == 0 || !*line;
        if (kept)
            str_addf(out, "%s\n", line);
        if (strncmp(line, "plan ", 5) == 0)
            begin(&scene, line + 5);
        else if (line[0] == '>' && scene.open)
            play_line(&scene, line + 2, out);
        free(line);
        text += len + (text[len] == '\n');
    }
    ck_assert_msg(scene.open, "a scene without a plan");
    play_close(&scene.play);
    str_done(&scene.before);
}
