/* view_complete.c - what a command that is typed may become. */
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "shown.h"
#include "theme.h"
#include "utf8.h"
#include "view.h"
#include "view_command.h"

/* The line up to the word that is completed, and what is typed of that. */
struct offering {
    const char *line;
    const char *word;
    struct completions *out;
};

/* How far two texts are alike, in whole characters. */
static size_t alike_bytes(const char *a, const char *b)
{
    size_t len = 0;
    while (a[len] && a[len] == b[len])
        len++;
    while (len > 0 && utf8_is_inner(a[len]))
        len--;
    return len;
}

/* Each once. */
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

/* A field, or behind its sign the values there are. */
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

/* Behind the last comma. */
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
