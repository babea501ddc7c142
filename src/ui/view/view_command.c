/*
 * view_command.c - commands typed after `:`, in a table; their completion and history.
 */
#include "view_command.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "parse.h"
#include "shown.h"
#include "term.h"
#include "text.h"
#include "theme.h"
#include "ui_settings.h"
#include "utf8.h"
#include "view.h"
#include "view_internal.h"

typedef struct view_todo command_fn(struct view *view, const struct view_facts *facts,
                                    const char *argument);

static const struct view_todo draw = {.kind = VIEW_DRAW};

static struct view_todo run_filter(struct view *view, const struct view_facts *facts,
                                   const char *argument)
{
    if (view_screen(view) != SCREEN_TIMELINE)
        trail_go(&view->trail, SCREEN_TASKS);
    view_filter_set(view, facts, argument);
    return draw;
}

/* Goes to a task by its id, or to a time, as `b` does. */
static struct view_todo run_goto(struct view *view, const struct view_facts *facts,
                                 const char *argument)
{
    const struct plan *plan = facts->state->plan;
    int task = 0;
    while (task < plan->task_count && strcmp(plan->tasks[task].id, argument) != 0)
        task++;
    if (task < plan->task_count) {
        view->chosen = task;
        view->on_fold = false;
        view_arrange(view, facts);
        return draw;
    }
    line_edit_set(&view->go_to, argument);
    return (struct view_todo){.kind = VIEW_GO_TO};
}

static struct view_todo run_open_run(struct view *view, const struct view_facts *facts,
                                     const char *argument)
{
    int64_t run = 0;
    if (!parse_i64(argument + (*argument == '#'), 1, INT64_MAX, &run, NULL)) {
        view_tell(view, &facts->clock,
                  "open run needs a number, such as open run 41: {runs} lists them");
        return draw;
    }
    return (struct view_todo){.kind = VIEW_OPEN_RUN, .run = run};
}

static struct view_todo run_order(struct view *view, const struct view_facts *facts,
                                  const char *argument)
{
    enum order_by by = ORDER_ADDED;
    if (view_order_named(argument, &by))
        view_order_take(view, facts, by);
    else
        view_say(view, &facts->clock,
                 "order is one of: as added, state, next, try, name, class, longest");
    return draw;
}

/* Asks about all tasks that allow the act. In the past and in a replay, shows why that is not
 * possible, because the acts change the run. */
static struct view_todo ask_about_all(struct view *view, const struct view_facts *facts,
                                      enum act act, enum prompt_kind kind)
{
    const struct key_place place = view_place(view, facts);
    const struct keymap *keys = keymap_builtin();
    for (size_t i = 0; i < keys->count; i++) {
        if (keys->rows[i].act != act || (keys->rows[i].modes & (1u << place.mode)) != 0)
            continue;
        view_tell(view, &facts->clock, "%s", keymap_refusal(&keys->rows[i], place));
        return draw;
    }
    return view_ask_about_all(view, facts, kind);
}

/* Returns the action for the app, with the command's argument. */
static struct view_todo todo_for_app(struct view *view, enum view_todo_kind kind,
                                     const char *argument)
{
    (void)snprintf(view->command.argument, sizeof(view->command.argument), "%s", argument);
    return (struct view_todo){.kind = kind};
}

static struct view_todo run_theme(struct view *view, const struct view_facts *facts,
                                  const char *argument)
{
    (void)facts;
    return todo_for_app(view, VIEW_THEME, argument);
}

static struct view_todo run_set(struct view *view, const struct view_facts *facts,
                                const char *argument)
{
    static const char name[] = "notify=";
    if (strncmp(argument, name, sizeof(name) - 1) == 0)
        return todo_for_app(view, VIEW_NOTIFY, argument + sizeof(name) - 1);
    view_say(view, &facts->clock, "set supports only notify, such as set notify=needs-you,ended");
    return draw;
}

/* Handles :plain: leaves the screen, and devs prints later events of the run that it was opened on
 * as lines. If that is not possible, shows why. */
static struct view_todo run_plain(struct view *view, const struct view_facts *facts,
                                  const char *argument)
{
    const long long run = (long long)facts->run;
    (void)argument;
    if (facts->mode == VIEW_PAST)
        view_tell(view, &facts->clock, "plain works only in the present: {end} goes back to it");
    else if (facts->own_run != 0)
        view_tell(view, &facts->clock,
                  "plain works only for run #%lld: {runs} or {quit} goes back to it",
                  (long long)facts->own_run);
    else if (facts->mode == VIEW_REPLAY)
        view_say(view, &facts->clock, "this is a replay: devs replay %lld --plain prints it", run);
    else if (facts->mode != VIEW_LIVE)
        view_say(view, &facts->clock, "the run is not live: devs replay %lld --plain prints it",
                 run);
    else
        return (struct view_todo){.kind = VIEW_PLAIN};
    return draw;
}

/* A command runs an act, asks about an act on all tasks, or calls a function of its own. */
static const struct command {
    struct command_row row;
    enum act act;
    enum prompt_kind asks; /* the question about all tasks; PROMPT_NONE: not about all tasks */
    command_fn *run;       /* NULL: uses `act` */
    bool may_be_bare;      /* the argument is optional */
} commands[] = {
    {{"filter", "WORDS", "only matching tasks"}, UI_NONE, PROMPT_NONE, run_filter, true},
    {{"goto", "TIME|TASK", "14:00, -5m, T-104"}, UI_NONE, PROMPT_NONE, run_goto, false},
    {{"open run", "N", "another run"}, UI_NONE, PROMPT_NONE, run_open_run, false},
    {{"hold all", "", "asks first"}, UI_HOLD, PROMPT_HOLD_MANY, NULL, true},
    {{"release all", "", "asks first"}, UI_HOLD, PROMPT_RELEASE_MANY, NULL, true},
    {{"cancel all", "", "asks first"}, UI_CANCEL, PROMPT_CANCEL_MANY, NULL, true},
    {{"order", "HOW", "order of the tasks"}, UI_NONE, PROMPT_NONE, run_order, false},
    {{"theme", "NAME", "set the colors"}, UI_NONE, PROMPT_NONE, run_theme, false},
    {{"set", "notify=WHAT", "bell events"}, UI_NONE, PROMPT_NONE, run_set, false},
    {{"plain", "", "lines, no screen"}, UI_NONE, PROMPT_NONE, run_plain, true},
    {{"tasks", "", "view 1"}, UI_TASKS, PROMPT_NONE, NULL, true},
    {{"detail", "", "view 2"}, UI_DETAIL, PROMPT_NONE, NULL, true},
    {{"log", "", "view 3"}, UI_LOG, PROMPT_NONE, NULL, true},
    {{"forensics", "", "view 4"}, UI_FORENSICS, PROMPT_NONE, NULL, true},
    {{"timeline", "", "view 5"}, UI_TIMELINE, PROMPT_NONE, NULL, true},
    {{"runs", "", "view 6"}, UI_RUNS, PROMPT_NONE, NULL, true},
    {{"hosts", "", "view 8"}, UI_HOSTS, PROMPT_NONE, NULL, true},
    {{"keys", "", "the keys"}, UI_HELP, PROMPT_NONE, NULL, true},
    {{"help", "", "the keys"}, UI_HELP, PROMPT_NONE, NULL, true},
    {{"q", "", "back, or quit"}, UI_QUIT, PROMPT_NONE, NULL, true},
};
static_assert(ARRAY_LEN(commands) <= VIEW_COMMANDS_MAX, "the help has room for every command");

const struct command_row *view_command_at(size_t index)
{
    return index < ARRAY_LEN(commands) ? &commands[index].row : NULL;
}

/* Returns the command that a line begins with, or NULL. *argument is set to the rest of the line
 * after the name and blanks. */
static const struct command *find_command(const char *line, const char **argument)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        const size_t len = strlen(commands[i].row.name);
        if (strncmp(line, commands[i].row.name, len) == 0 && strchr(" ", line[len])) {
            *argument = line + len + strspn(line + len, " ");
            return &commands[i];
        }
    }
    return NULL;
}

const struct command_row *view_command_in(const char *line)
{
    const char *argument = "";
    const struct command *command = find_command(line, &argument);
    return command ? &command->row : NULL;
}

/* Runs a line as if it had been typed. */
static struct view_todo run_line(struct view *view, const struct view_facts *facts,
                                 const char *line)
{
    const char *argument = "";
    line += strspn(line, " :");
    const struct command *command = find_command(line, &argument);
    if (*line == '\0')
        return draw;
    if (!command) {
        struct near_word near = near_word_new(line);
        struct str all = {0};
        keymap_say(view->keys, "{command} and Tab list them", &all);
        for (size_t i = 0; i < ARRAY_LEN(commands); i++)
            near_word_offer(&near, commands[i].row.name);
        if (near.nearest)
            view_say(view, &facts->clock, "no command '%s': did you mean '%s'?", line,
                     near.nearest);
        else
            view_say(view, &facts->clock, "no command '%s': %s", line, str_text(&all));
        str_done(&all);
        return draw;
    }
    if (!command->may_be_bare && *argument == '\0') {
        view_say(view, &facts->clock, "%s needs %s", command->row.name, command->row.argument);
        return draw;
    }
    if (command->run)
        return command->run(view, facts, argument);
    if (command->asks != PROMPT_NONE)
        return ask_about_all(view, facts, command->act, command->asks);
    return view_do(view, facts, command->act);
}

void view_command_open(struct view *view)
{
    struct view_command *command = &view->command;
    line_edit_clear(&command->line);
    line_edit_open(&command->line);
    command->past_at = command->past_count;
}

struct view_todo view_command_begin(struct view *view, const struct view_facts *facts,
                                    const char *name)
{
    const char *argument = "";
    const struct command *command = name ? find_command(name, &argument) : NULL;
    if (command && command->row.argument[0] == '\0')
        return run_line(view, facts, name);
    view_command_open(view);
    if (command) {
        line_edit_set(&view->command.line, name);
        (void)line_edit_key(&view->command.line, ' ');
    }
    return draw;
}

/* Adds the line to the history, unless it repeats the last one. A full history drops its oldest
 * line. */
static void remember_line(struct view_command *command)
{
    const char *line = command->line.text;
    const int count = command->past_count;
    if (*line == '\0' || (count > 0 && strcmp(command->past[count - 1], line) == 0))
        return;
    if (count == COMMANDS_PAST_MAX)
        memmove(command->past[0], command->past[1],
                sizeof(command->past) - sizeof(command->past[0]));
    else
        command->past_count++;
    (void)snprintf(command->past[command->past_count - 1], LINE_EDIT_MAX, "%s", line);
}

struct view_todo view_command_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    struct view_command *command = &view->command;
    const bool is_empty = command->line.len == 0;
    if (key == TERM_KEY_TAB) {
        /* Complete to the common prefix of all candidates, or fully if there is only one. */
        struct completions found;
        view_complete(view, facts, &found);
        if (found.count > 0 && found.alike > command->line.len) {
            found.lines[0][found.alike] = '\0';
            line_edit_set(&command->line, found.lines[0]);
        }
    } else if (key == TERM_KEY_UP || key == TERM_KEY_DOWN) {
        const int at = command->past_at + (key == TERM_KEY_UP ? -1 : 1);
        if (at < 0 || at > command->past_count)
            return draw;
        command->past_at = at;
        line_edit_set(&command->line, at < command->past_count ? command->past[at] : "");
    } else if (key == TERM_KEY_BACKSPACE && is_empty) {
        (void)line_edit_key(&command->line, TERM_KEY_ESC);
    } else if (line_edit_key(&command->line, key) == LINE_EDIT_KEPT) {
        char line[LINE_EDIT_MAX];
        remember_line(command);
        (void)snprintf(line, sizeof(line), "%s", command->line.text);
        return run_line(view, facts, line);
    }
    return draw;
}

/* The line up to the word being completed, and the typed part of that word. */
struct offering {
    const char *line;
    const char *word;
    struct completions *out;
};

/* Adds a candidate unless it is already in the list. */
static void offer_candidate(struct offering *to, const char *candidate, const char *behind)
{
    struct completions *out = to->out;
    char line[LINE_EDIT_MAX];
    if (*candidate == '\0' || strncmp(candidate, to->word, strlen(to->word)) != 0)
        return;
    const int len = snprintf(line, sizeof(line), "%.*s%s%s", (int)(to->word - to->line), to->line,
                             candidate, behind);
    if (len >= LINE_EDIT_MAX)
        return;
    for (int i = 0; i < out->count; i++) {
        if (strcmp(out->lines[i], line) == 0)
            return;
    }
    size_t alike = 0; /* bytes of the common prefix, in whole characters */
    while (out->lines[0][alike] && out->lines[0][alike] == line[alike])
        alike++;
    while (alike > 0 && utf8_is_inner(out->lines[0][alike]))
        alike--;
    if (out->count == 0)
        out->alike = (size_t)len;
    else if (alike < out->alike)
        out->alike = alike;
    if (out->count < COMPLETIONS_MAX)
        (void)snprintf(out->lines[out->count++], LINE_EDIT_MAX, "%s", line);
}

static void offer_tasks(struct offering *to, const struct run_state *state)
{
    for (int i = 0; i < state->plan->task_count; i++)
        offer_candidate(to, state->plan->tasks[i].id, "");
}

static void offer_values(struct offering *to, const struct run_state *state,
                         enum task_filter_field field)
{
    for (enum shown shown = 0; field == FILTER_STATE && shown < SHOWN_COUNT; shown++)
        offer_candidate(to, shown_word(shown), "");
    for (enum phase phase = 0; field == FILTER_PHASE && phase < PHASE_COUNT; phase++)
        offer_candidate(to, phase_name(phase), "");
    for (int i = 0; field == FILTER_CLASS && i < state->plan->task_count; i++) {
        struct str class = {0};
        shown_class(state, i, &class);
        offer_candidate(to, str_text(&class), "");
        str_done(&class);
    }
    const struct plan *plan = state->plan;
    if (field == FILTER_WHERE)
        offer_candidate(to, "local", "");
    for (int i = 0; field == FILTER_WHERE && i < plan->executor_count; i++) {
        offer_candidate(to, plan->executors[i].name, "");
        for (int k = 0; k < plan->executors[i].host_count; k++)
            offer_candidate(to, plan->executors[i].hosts[k].host, "");
    }
    if (field == FILTER_ID)
        offer_tasks(to, state);
}

/* Offers field names, or after an operator, the field's values. */
static void offer_filter(struct offering *to, const struct run_state *state)
{
    for (enum task_filter_field field = FILTER_ANY + 1; field < FILTER_FIELD_COUNT; field++) {
        const char *name = task_filter_field_name(field);
        const size_t len = strlen(name);
        if (strncmp(to->word, name, len) == 0 && to->word[len] == '=') {
            to->word += len + 1;
            to->out->from += (int)len + 1;
            offer_values(to, state, field);
            return;
        }
        offer_candidate(to, name, field < FILTER_TRY ? "=" : "");
    }
}

static bool begins_with(const char *line, const char *command)
{
    return strncmp(line, command, strlen(command)) == 0;
}

void view_complete(const struct view *view, const struct view_facts *facts, struct completions *out)
{
    const char *line = view->command.line.text;
    const char *name;
    struct offering to = {.line = line, .word = line, .out = out};
    *out = (struct completions){.count = 0};
    if (begins_with(line, "filter ")) {
        const char *blank = strrchr(line, ' ');
        to.word = blank + 1;
    } else if (begins_with(line, "order ")) {
        to.word = line + strlen("order ");
    } else if (begins_with(line, "theme ")) {
        to.word = line + strlen("theme ");
    } else if (begins_with(line, "set notify=")) {
        const char *list = line + strlen("set notify=");
        const char *comma = strrchr(list, ',');
        to.word = comma ? comma + 1 : list;
    } else if (begins_with(line, "goto ")) {
        to.word = line + strlen("goto ");
    }
    out->from = (int)(to.word - line);
    if (to.word == line) {
        const struct command_row *row;
        for (size_t i = 0; (row = view_command_at(i)); i++)
            offer_candidate(&to, row->name, row->argument[0] != '\0' ? " " : "");
    } else if (line[0] == 'f') {
        offer_filter(&to, facts->state);
    } else if (line[0] == 'o') {
        for (enum order_by by = 0; by < ORDER_COUNT; by++)
            offer_candidate(&to, view_order_name(by), "");
    } else if (line[0] == 't') {
        for (size_t i = 0; (name = theme_name_at(i)); i++)
            offer_candidate(&to, name, "");
    } else if (line[0] == 's') {
        for (unsigned flag = 1; flag < 1U << NOTIFY_COUNT; flag <<= 1)
            offer_candidate(&to, ui_notify_name(flag), "");
        offer_candidate(&to, "off", "");
    } else {
        offer_tasks(&to, facts->state);
    }
}
