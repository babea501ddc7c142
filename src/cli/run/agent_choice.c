#include "agent_choice.h"

#include "exit_code.h"
#include "fail.h"
#include "near_word.h"
#include "program_find.h"
#include "str.h"

static bool is_here(const struct adapter *adapter)
{
    char path[PATH_MAX];
    return program_find(adapter_program(adapter), path);
}

static int fail_unknown(const struct adapters *adapters, const char *name)
{
    const struct adapter *adapter = NULL;
    struct near_word near = near_word_new(name);
    struct str names = {0};
    for (size_t i = 0; (adapter = adapters_at(adapters, i)) != NULL; i++) {
        near_word_offer(&near, adapter_name(adapter));
        str_addf(&names, "%s%s", i > 0 ? ", " : "", adapter_name(adapter));
    }
    if (near.nearest)
        (void)fail_usage(NULL, "no agent has the name '%s', did you mean '%s'?", name,
                         near.nearest);
    else
        (void)fail_usage("devs.config.json may have agents of your own",
                         "no agent has the name '%s': there are %s", name, str_text(&names));
    str_done(&names);
    return EXIT_USAGE;
}

/* None at all: one line that says what was looked for, one what to do. */
static int fail_none(const struct adapters *adapters)
{
    const struct adapter *adapter = NULL;
    struct str programs = {0}, hint = {0};
    for (size_t i = 0; (adapter = adapters_at(adapters, i)) != NULL; i++) {
        if (*adapter_program(adapter) == '\0')
            continue;
        str_addf(&programs, "%s%s", programs.len > 0 ? ", " : "", adapter_program(adapter));
        if (hint.len == 0 && *adapter_install(adapter) != '\0')
            str_addf(&hint, "%s; or name another program under \"agents\" in devs.config.json",
                     adapter_install(adapter));
    }
    (void)fail_usage(str_text(&hint), "no agent is installed: none of %s is in PATH",
                     str_text(&programs));
    str_done(&programs);
    str_done(&hint);
    return EXIT_NO_AGENT;
}

/* Is the program of this adapter here? Returns the exit code. */
static int check(const struct adapter *adapter)
{
    const char *program = adapter_program(adapter);
    const char *install = adapter_install(adapter);
    if (is_here(adapter))
        return EXIT_ALL_PASSED;
    if (*program == '\0')
        return fail_usage("give it a program under \"agents\" in devs.config.json",
                          "agent '%s' has no program of its own", adapter_name(adapter));
    (void)fail_usage(*install != '\0' ? install : NULL,
                     "agent '%s' is not installed: there is no program '%s'", adapter_name(adapter),
                     program);
    return EXIT_NO_AGENT;
}

int agent_choose(const struct adapters *adapters, const char *name, const struct adapter **out)
{
    const struct adapter *adapter = NULL;
    if (name) {
        adapter = adapters_find(adapters, name);
        int code = adapter ? check(adapter) : fail_unknown(adapters, name);
        if (code == EXIT_ALL_PASSED)
            *out = adapter;
        return code;
    }
    for (size_t i = 0; (adapter = adapters_at(adapters, i)) != NULL; i++) {
        if (is_here(adapter)) {
            *out = adapter;
            return EXIT_ALL_PASSED;
        }
    }
    return fail_none(adapters);
}
