/* cmd_exec.c - devs exec: runs one command as a run. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "fail.h"
#include "plan.h"
#include "session.h"
#include "stdin_feed.h"

enum { EXEC_TIMEOUT_S_MAX = PLAN_TIMEOUT_S_MAX };

/* The options, before they are checked. */
struct exec_words {
    const char *phase, *policy, *timeout;
    struct sandbox_options sandbox;
    bool once, json;
    struct policy chosen;        /* for --once: a copy of the policy with a single attempt */
    struct sandbox_spec kept_in; /* owned; the sandbox, for --sandbox and its options */
};

/* Parses "90" or "0.5" into milliseconds. */
static bool parse_seconds(const char *text, int64_t *out_ms, struct err *err)
{
    char *end = NULL;
    double seconds = strtod(text, &end);
    bool fits = end != text && *end == '\0' && seconds >= 0.001 && seconds <= EXEC_TIMEOUT_S_MAX;
    if (!fits) {
        (void)err_set(err, ERR_INVALID, "invalid --timeout '%s'", text);
        return err_hint(err, "expected seconds from 0.001 to %d", EXEC_TIMEOUT_S_MAX);
    }
    *out_ms = (int64_t)(seconds * 1000);
    return true;
}

static bool choose_policy(struct exec_words *words, const struct settings *settings,
                          const struct policy **out, struct err *err)
{
    const char *name = words->policy ? words->policy : POLICY_DEFAULT;
    const struct policy *policy = config_policy(settings, name, err);
    if (!policy)
        return false;
    words->chosen = *policy;
    if (words->once) {
        (void)snprintf(words->chosen.name, sizeof(words->chosen.name), "once");
        words->chosen.max_attempts = 1;
    }
    *out = words->once ? &words->chosen : policy;
    return true;
}

static bool check_words(struct exec_words *words, const struct settings *settings,
                        struct plan_exec *out, struct err *err)
{
    bool is_given = false;
    out->phase = PHASE_VERIFY;
    if (words->phase && !phase_parse(words->phase, &out->phase)) {
        (void)err_set(err, ERR_INVALID, "unknown phase '%s'", words->phase);
        return err_hint(err, "RED, GREEN, VERIFY or REFACTOR");
    }
    if (!choose_policy(words, settings, &out->policy, err) ||
        !sandbox_options_choose(&words->sandbox, settings, &is_given, &words->kept_in, err))
        return false;
    if (is_given)
        out->sandbox = &words->kept_in;
    out->timeout_ms = 0;
    if (words->timeout && !parse_seconds(words->timeout, &out->timeout_ms, err))
        return false;
    out->idempotent = !words->once;
    out->settings = settings;
    return true;
}

static int run_command(struct globals *globals, const struct plan_exec *exec, const char *dir,
                       bool json)
{
    struct err err = {0};
    struct plan *plan = NULL;
    if (!plan_for_command(exec, &plan, &err))
        return fail(&err);
    struct str text = {0};
    plan_write(plan, &text);
    struct stdin_feed *feed =
        exec->reads_stdin ? stdin_feed_new(STDIN_FILENO, !exec->idempotent) : NULL;
    struct session session = {.globals = globals,
                              .plan = plan,
                              .feed = feed,
                              .plan_text = str_text(&text),
                              .kind = "exec",
                              .rules = exec->settings->rules,
                              .ui = &exec->settings->ui,
                              .secrets = &exec->settings->secrets,
                              .retention = &exec->settings->retention,
                              .run_dir = dir,
                              .jobs = 1,
                              .watch = json ? SESSION_JSON : SESSION_OUTPUT};
    int code = session_run(&session);
    stdin_feed_free(feed);
    str_done(&text);
    plan_free(plan);
    return code;
}

/* Checks the options against the settings of this folder, which may define policies, and runs the
 * command. */
static int run_words(struct globals *globals, struct exec_words *words, char *const *command)
{
    char dir[PATH_MAX];
    struct config config;
    struct err err = {0};
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "this folder no longer exists");
    int code = config_read(dir, CONFIG_ACTS, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    struct plan_exec exec = {.argv = command, .reads_stdin = stdin_feed_is_input(STDIN_FILENO)};
    code = check_words(words, &config.settings, &exec, &err)
               ? run_command(globals, &exec, dir, words->json)
               : fail(&err);
    sandbox_spec_done(&words->kept_in);
    config_done(&config);
    return code;
}

int cmd_exec(struct globals *globals, int argc, char **argv)
{
    struct exec_words words = {0};
    const struct option_spec specs[] = {
        {"phase", 0, "PHASE", "RED, GREEN, VERIFY (default) or REFACTOR", NULL, &words.phase},
        {"policy", 0, "NAME",
         "retry policy: default, another built-in policy, or one from devs.config.json", NULL,
         &words.policy},
        {"timeout", 0, "S", "stop an attempt after this many seconds", NULL, &words.timeout},
        SANDBOX_OPTIONS(words.sandbox),
        {"once", 0, NULL, "run the command at most once: no second attempt", &words.once, NULL},
        {"json", 0, NULL, "print a JSON object for each event instead of the output", &words.json,
         NULL},
    };
    struct command_line line = {.specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .rest_after_first = true,
                                .min_operands = 1,
                                .max_operands = -1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;

    char **command = calloc((size_t)line.operands + 1, sizeof(*command));
    if (!command)
        abort();
    memcpy(command, argv, (size_t)line.operands * sizeof(*command));
    code = run_words(globals, &words, command);
    free(command);
    return code;
}
