/* doctor_agents.c - what `devs doctor` says of agent CLIs. */
#define _GNU_SOURCE /* environ */

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "adapter.h"
#include "doctor.h"
#include "program_find.h"
#include "text.h"
#include "tool_run.h"

enum { VERSION_ASK_MS = 3000, VERSION_MAX = 24 };

/* Of "2.0.14 (Claude Code)" and of "codex-cli 0.46.0": the first word that begins with a digit. */
static void add_version(const char *said, struct str *out)
{
    for (const char *word = said; *word; word += strspn(word, " \n")) {
        const size_t len = strcspn(word, " \n");
        if (isdigit((unsigned char)word[0])) {
            str_add_char(out, ' ');
            text_clean(out, word, len < VERSION_MAX ? len : VERSION_MAX);
            return;
        }
        word += len;
    }
}

/* One that does not answer is here all the same. */
static void ask_version(const char *program, struct str *out)
{
    const char *const words[] = {program, "--version", NULL};
    struct tool_result result = {0};
    if (tool_ask(words, environ, VERSION_ASK_MS, &result, NULL))
        add_version(str_text(&result.out), out);
    tool_result_done(&result);
}

/* Does devs itself know the program by this name? */
static bool is_built_in(const struct adapter *adapter)
{
    const struct adapter *known = adapters_find(NULL, adapter_name(adapter));
    return known && strcmp(adapter_program(known), adapter_program(adapter)) == 0;
}

struct agents {
    struct str here, missing;
    const char *install; /* of the first that is missing; borrowed, "" = unknown */
};

static void look_at(const struct adapter *adapter, struct agents *agents)
{
    char path[PATH_MAX];
    const char *program = adapter_program(adapter);
    if (*program == '\0')
        return; /* "generic": others are like it */
    const bool is_here = program_find(program, path);
    struct str *list = is_here ? &agents->here : &agents->missing;
    str_addf(list, "%s%s", list->len > 0 ? ", " : "", adapter_name(adapter));
    if (is_here && is_built_in(adapter) && program_find_absolute(program, path))
        ask_version(path, list);
    if (!is_here && *agents->install == '\0')
        agents->install = adapter_install(adapter);
}

void doctor_look_at_agents(const struct adapters *adapters, doctor_line_fn *tell, void *ctx)
{
    struct doctor_line line = {.name = "agents", .state = DOCTOR_WORKS};
    struct agents agents = {.install = ""};
    const struct adapter *adapter = NULL;
    for (size_t i = 0; (adapter = adapters_at(adapters, i)); i++)
        look_at(adapter, &agents);
    if (agents.here.len > 0) {
        (void)snprintf(line.words, sizeof(line.words), "%.200s%s%.80s", agents.here.data,
                       agents.missing.len > 0 ? "; not here: " : "", str_text(&agents.missing));
    } else {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "none of %.200s is here: commands only",
                       str_text(&agents.missing));
        (void)snprintf(line.hint, sizeof(line.hint), "%.199s", agents.install);
    }
    tell(ctx, &line);
    str_done(&agents.here);
    str_done(&agents.missing);
}
