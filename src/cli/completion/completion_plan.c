#include "completion_plan.h"

#include <string.h>

#include "completion.h"
#include "json.h"
#include "plan.h"
#include "read_text.h"

static void find_command(const char *name, struct completion_command *out)
{
    struct completion_command command;
    for (size_t i = 0; completion_command_at(i, &command); i++) {
        if (strcmp(command.name, name) == 0)
            *out = command;
    }
}

/* "--jobs" or "-j", whose value is the next word. */
static bool takes_next(const struct command_listing *options, const char *word)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct option_spec *spec = &options->specs[i];
        const bool is_letter = word[1] == spec->letter && spec->letter != '\0' && word[2] == '\0';
        if (spec->metavar && (is_letter || strcmp(word + 1 + (word[1] == '-'), spec->name) == 0))
            return true;
    }
    return false;
}

const char *completion_plan_named(char *const *words, size_t count)
{
    struct completion_command command = {.name = NULL};
    bool is_value = false;
    bool has_command = false;
    find_command("", &command);
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i];
        if (is_value) {
            is_value = strcmp(word, "=") == 0;
        } else if (word[0] == '-') {
            is_value = takes_next(&command.options, word);
        } else if (word[0] != '\0' && has_command) {
            return word;
        } else if (word[0] != '\0') {
            has_command = true;
            find_command(word, &command);
        }
    }
    return COMPLETION_PLAN_DEFAULT;
}

void completion_plan_tasks(const char *path, completion_task_fn *show, void *ctx)
{
    struct str text = {0};
    struct json *plan = NULL;
    if (read_text_file(path, PLAN_BYTES_MAX, &text, NULL) &&
        json_parse_data(str_text(&text), text.len, &plan, NULL, NULL)) {
        const struct json *tasks = json_get(plan, "tasks");
        for (size_t i = 0; i < json_count(tasks); i++) {
            const char *id = json_text(json_get(json_at(tasks, i), "id"), "");
            if (*id != '\0')
                show(ctx, id, json_text(json_get(json_at(tasks, i), "title"), id));
        }
    }
    json_free(plan);
    str_done(&text);
}
