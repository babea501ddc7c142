#include "view_command.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "near_word.h"
#include "parse.h"
#include "shown.h"
#include "term.h"
#include "theme.h"
#include "utf8.h"
#include "view.h"
#include "view_internal.h"

typedef struct view_todo command_fn(struct view *view, const struct view_facts *facts,
                                    const char *argument);

static const struct view_todo draw = {.kind = VIEW_DRAW};

static struct view_todo filter(struct view *view, const struct view_facts *facts,
                               const char *argument)
{
    if (view_screen(view) != SCREEN_TIMELINE)
        trail_go(&view->trail, SCREEN_TASKS);
    view_filter_set(view, facts, argument);
    return draw;
}

static int find_task(const struct run_state *state, const char *id)
{
    for (int i = 0; i < state->plan->task_count; i++) {
        if (strcmp(state->plan->tasks[i].id, id) == 0)
            return i;
    }
    return -1;
}

/* Goes to a task by its id, or to a time, as `b` does. */
static struct view_todo go_to(struct view *view, const struct view_facts *facts,
                              const char *argument)
{
    const int task = find_task(facts->state, argument);
    if (task >= 0) {
        view->chosen = task;
        view->on_fold = false;
        view_arrange(view, facts);
        return draw;
    }
    line_edit_set(&view->go_to, argument);
    return (struct view_todo){.kind = VIEW_GO_TO};
}

static struct view_todo open_run(struct view *view, const struct view_facts *facts,
                                 const char *argument)
{
    int64_t run = 0;
    if (!parse_i64(argument + (*argument == '#'), 1, INT64_MAX, &run, NULL)) {
        view_tell(view, &facts->clock,
                  "open run wants a number, as in open run 41: {runs} lists them");
        return draw;
    }
    return (struct view_todo){.kind = VIEW_OPEN_RUN, .run = run};
}

static struct view_todo order(struct view *view, const struct view_facts *facts,
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

/* For acts that change the run: returns true in the past and in a replay, and shows why. */
static bool is_refused(struct view *view, const struct view_facts *facts, enum act act)
{
    const struct key_place place = view_place(view, facts);
    const struct keymap *keys = keymap_builtin();
    for (size_t i = 0; i < keys->count; i++) {
        if (keys->rows[i].act != act || (keys->rows[i].modes & (1u << place.mode)) != 0)
            continue;
        view_tell(view, &facts->clock, "%s", keymap_refusal(&keys->rows[i], place));
        return true;
    }
    return false;
}

static struct view_todo hold_all(struct view *view, const struct view_facts *facts,
                                 const char *argument)
{
    (void)argument;
    return is_refused(view, facts, UI_HOLD) ? draw
                                            : view_ask_about_all(view, facts, PROMPT_HOLD_MANY);
}

static struct view_todo release_all(struct view *view, const struct view_facts *facts,
                                    const char *argument)
{
    (void)argument;
    return is_refused(view, facts, UI_HOLD) ? draw
                                            : view_ask_about_all(view, facts, PROMPT_RELEASE_MANY);
}

static struct view_todo cancel_all(struct view *view, const struct view_facts *facts,
                                   const char *argument)
{
    (void)argument;
    return is_refused(view, facts, UI_CANCEL) ? draw
                                              : view_ask_about_all(view, facts, PROMPT_CANCEL_MANY);
}

/* Passes the command to the app. */
static struct view_todo ask_app(struct view *view, enum view_todo_kind kind, const char *argument)
{
    (void)snprintf(view->command.argument, sizeof(view->command.argument), "%s", argument);
    return (struct view_todo){.kind = kind};
}

static struct view_todo theme(struct view *view, const struct view_facts *facts,
                              const char *argument)
{
    (void)facts;
    return ask_app(view, VIEW_THEME, argument);
}

static struct view_todo set(struct view *view, const struct view_facts *facts, const char *argument)
{
    static const char name[] = "notify=";
    if (strncmp(argument, name, sizeof(name) - 1) == 0)
        return ask_app(view, VIEW_NOTIFY, argument + sizeof(name) - 1);
    view_say(view, &facts->clock, "set knows notify alone, as in set notify=needs-you,ended");
    return draw;
}

/* Plain output prints future events of the run that devs was opened on. */
static struct view_todo plain(struct view *view, const struct view_facts *facts,
                              const char *argument)
{
    const long long run = (long long)facts->run;
    (void)argument;
    if (facts->mode == VIEW_PAST)
        view_tell(view, &facts->clock,
                  "plain is for the run as it goes on: {end} leads back to it");
    else if (facts->own_run != 0)
        view_tell(view, &facts->clock, "plain is for run #%lld: {runs} and {quit} lead back to it",
                  (long long)facts->own_run);
    else if (facts->mode == VIEW_REPLAY)
        view_say(view, &facts->clock, "this is a replay: devs debug --logs %lld --plain prints it",
                 run);
    else if (facts->mode != VIEW_LIVE)
        view_say(view, &facts->clock,
                 "nothing more comes: devs debug --logs %lld --plain prints it", run);
    else
        return (struct view_todo){.kind = VIEW_PLAIN};
    return draw;
}

/* A command either is a key's act or has a function. */
static const struct command {
    struct command_row row;
    enum act act;
    command_fn *run;  /* NULL: uses `act` */
    bool may_be_bare; /* the argument is optional */
} commands[] = {
    {{"filter", "WORDS", "only tasks that fit"}, UI_NONE, filter, true},
    {{"goto", "TIME|TASK", "14:00, -5m, T-104"}, UI_NONE, go_to, false},
    {{"open run", "N", "another run"}, UI_NONE, open_run, false},
    {{"hold all", "", "asks first"}, UI_NONE, hold_all, true},
    {{"release all", "", "asks first"}, UI_NONE, release_all, true},
    {{"cancel all", "", "asks first"}, UI_NONE, cancel_all, true},
    {{"order", "HOW", "order of the tasks"}, UI_NONE, order, false},
    {{"theme", "NAME", "other colors"}, UI_NONE, theme, false},
    {{"set", "notify=WHAT", "what rings the bell"}, UI_NONE, set, false},
    {{"plain", "", "lines, no screen"}, UI_NONE, plain, true},
    {{"tasks", "", "view 1"}, UI_TASKS, NULL, true},
    {{"detail", "", "view 2"}, UI_DETAIL, NULL, true},
    {{"log", "", "view 3"}, UI_LOG, NULL, true},
    {{"forensics", "", "view 4"}, UI_FORENSICS, NULL, true},
    {{"timeline", "", "view 5"}, UI_TIMELINE, NULL, true},
    {{"runs", "", "view 6"}, UI_RUNS, NULL, true},
    {{"keys", "", "the keys"}, UI_HELP, NULL, true},
    {{"help", "", "the keys"}, UI_HELP, NULL, true},
    {{"q", "", "back, or quit"}, UI_QUIT, NULL, true},
};
static_assert(ARRAY_LEN(commands) <= VIEW_COMMANDS_MAX, "the help has room for every command");

const struct command_row *view_command_at(size_t index)
{
    return index < ARRAY_LEN(commands) ? &commands[index].row : NULL;
}

/* Returns the command that a line begins with; *argument is the text after its name and blanks. */
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

static void say_unknown(struct view *view, const struct view_facts *facts, const char *line)
{
    struct near_word near = near_word_new(line);
    struct str all = {0};
    keymap_say(view->keys, "{command} and Tab list them", &all);
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        near_word_offer(&near, commands[i].row.name);
    if (near.nearest)
        view_say(view, &facts->clock, "no command '%s': did you mean '%s'?", line, near.nearest);
    else
        view_say(view, &facts->clock, "no command '%s': %s", line, str_text(&all));
    str_done(&all);
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
    if (!command)
        say_unknown(view, facts, line);
    else if (!command->may_be_bare && *argument == '\0')
        view_say(view, &facts->clock, "%s wants %s", command->row.name, command->row.argument);
    else if (command->run)
        return command->run(view, facts, argument);
    else
        return view_do(view, facts, command->act);
    return draw;
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

/* Adds the line to the history, unless it repeats the last one. Drops the oldest line if it is
 * full. */
static void remember(struct view_command *command)
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

static void recall(struct view_command *command, int step)
{
    const int at = command->past_at + step;
    if (at < 0 || at > command->past_count)
        return;
    command->past_at = at;
    line_edit_set(&command->line, at < command->past_count ? command->past[at] : "");
}

/* Completes to the common prefix of all candidates, or fully if there is only one. */
static void complete(struct view *view, const struct view_facts *facts)
{
    struct completions found;
    view_complete(view, facts, &found);
    if (found.count > 0 && found.alike > view->command.line.len) {
        found.lines[0][found.alike] = '\0';
        line_edit_set(&view->command.line, found.lines[0]);
    }
}

struct view_todo view_command_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    struct view_command *command = &view->command;
    const bool is_empty = command->line.len == 0;
    char line[LINE_EDIT_MAX];
    if (key == TERM_KEY_TAB) {
        complete(view, facts);
    } else if (key == TERM_KEY_UP || key == TERM_KEY_DOWN) {
        recall(command, key == TERM_KEY_UP ? -1 : 1);
    } else if (key == TERM_KEY_BACKSPACE && is_empty) {
        (void)line_edit_key(&command->line, TERM_KEY_ESC);
    } else if (line_edit_key(&command->line, key) == LINE_EDIT_KEPT) {
        remember(command);
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

/* Returns the length of the common prefix, in whole characters. */
static size_t alike_bytes(const char *a, const char *b)
{
    size_t len = 0;
    while (a[len] && a[len] == b[len])
        len++;
    while (len > 0 && utf8_is_inner(a[len]))
        len--;
    return len;
}

/* Adds a candidate unless it is already in the list. */
static void offer(struct offering *to, const char *candidate, const char *behind)
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
    const size_t alike = alike_bytes(out->lines[0], line);
    if (out->count == 0)
        out->alike = (size_t)len;
    else if (alike < out->alike)
        out->alike = alike;
    if (out->count < COMPLETIONS_MAX)
        (void)snprintf(out->lines[out->count++], LINE_EDIT_MAX, "%s", line);
}

static void offer_commands(struct offering *to)
{
    const struct command_row *row;
    for (size_t i = 0; (row = view_command_at(i)); i++)
        offer(to, row->name, row->argument[0] != '\0' ? " " : "");
}

static void offer_orders(struct offering *to)
{
    for (enum order_by by = 0; by < ORDER_COUNT; by++)
        offer(to, view_order_name(by), "");
}

static void offer_themes(struct offering *to)
{
    const char *name;
    for (size_t i = 0; (name = theme_name_at(i)); i++)
        offer(to, name, "");
}

static void offer_tasks(struct offering *to, const struct run_state *state)
{
    for (int i = 0; i < state->plan->task_count; i++)
        offer(to, state->plan->tasks[i].id, "");
}

static void offer_values(struct offering *to, const struct run_state *state,
                         enum task_filter_field field)
{
    for (enum shown shown = 0; field == FILTER_STATE && shown < SHOWN_COUNT; shown++)
        offer(to, shown_word(shown), "");
    for (enum phase phase = 0; field == FILTER_PHASE && phase < PHASE_COUNT; phase++)
        offer(to, phase_name(phase), "");
    for (int i = 0; field == FILTER_CLASS && i < state->plan->task_count; i++) {
        struct str class = {0};
        shown_class(state, i, &class);
        offer(to, str_text(&class), "");
        str_done(&class);
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
        offer(to, name, field < FILTER_TRY ? "=" : "");
    }
}

/* Returns the part after the last comma. */
static const char *notify_word(const char *list)
{
    const char *comma = strrchr(list, ',');
    return comma ? comma + 1 : list;
}

static void offer_notices(struct offering *to)
{
    static const char *const words[] = {"needs-you", "stuck", "gave-up", "budget", "ended", "off"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        offer(to, words[i], "");
}

static bool begins(const char *line, const char *command)
{
    return strncmp(line, command, strlen(command)) == 0;
}

void view_complete(const struct view *view, const struct view_facts *facts, struct completions *out)
{
    const char *line = view->command.line.text;
    struct offering to = {.line = line, .word = line, .out = out};
    *out = (struct completions){.count = 0};
    if (begins(line, "filter ")) {
        const char *blank = strrchr(line, ' ');
        to.word = blank + 1;
    } else if (begins(line, "order ")) {
        to.word = line + strlen("order ");
    } else if (begins(line, "theme ")) {
        to.word = line + strlen("theme ");
    } else if (begins(line, "set notify=")) {
        to.word = notify_word(line + strlen("set notify="));
    } else if (begins(line, "goto ")) {
        to.word = line + strlen("goto ");
    }
    out->from = (int)(to.word - line);
    if (to.word == line)
        offer_commands(&to);
    else if (line[0] == 'f')
        offer_filter(&to, facts->state);
    else if (line[0] == 'o')
        offer_orders(&to);
    else if (line[0] == 't')
        offer_themes(&to);
    else if (line[0] == 's')
        offer_notices(&to);
    else
        offer_tasks(&to, facts->state);
}
