/* cmd_hook.c - devs hook: called by an agent's own hooks, and installed there. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "command.h"
#include "exit_code.h"
#include "fail.h"
#include "hook_install.h"
#include "hook_record.h"
#include "place.h"
#include "text_file.h"

/* The agent waits for its hook: past this nothing is recorded, and it goes on. */
enum { HOOK_TIME_MS_MAX = 5000, MS_PER_S = 1000 };

static void give_up(int number)
{
    static const char words[] = "devs: hook: it took too long, nothing was recorded\n";
    (void)number;
    const ssize_t written = write(STDERR_FILENO, words, sizeof(words) - 1);
    (void)written;          /* there is nobody else to tell */
    _exit(EXIT_ALL_PASSED); /* locks are freed by the kernel, what was half written is undone */
}

static void set_alarm(void)
{
    struct sigaction action = {.sa_handler = give_up};
    const struct itimerval when = {.it_value = {.tv_sec = HOOK_TIME_MS_MAX / MS_PER_S}};
    sigset_t ours;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGALRM, &action, NULL);
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGALRM);
    (void)sigprocmask(SIG_UNBLOCK, &ours, NULL);
    (void)setitimer(ITIMER_REAL, &when, NULL); /* the time is in range */
}

/* An agent may go elsewhere while it works: its project's log is meant. */
static void go_there(const struct hook_input *input)
{
    const char *env = input->agent->project_env ? getenv(input->agent->project_env) : NULL;
    const bool gone = env && *env == '/' && chdir(env) == 0;
    if (!gone && input->dir && *input->dir == '/' && chdir(input->dir) != 0)
        errno = 0; /* then it is where the hook was started */
}

/* Without a log there is nothing to record into, and one is not made by chance. */
static bool record(const struct globals *globals, const struct hook_input *input,
                   struct str *answer, struct err *err)
{
    struct place place;
    struct err why = {0};
    if (!globals->db)
        go_there(input);
    if (!place_find(globals->db, false, &place, &why))
        return why.code == ERR_NOT_FOUND || err_set(err, why.code, "%s", why.message);
    if (globals->db)
        go_there(input); /* its name was one of where we were */
    return hook_record(&place, input, answer, err);
}

/* Whatever goes wrong is no reason to hold up the agent: one line, and exit 0. It is read to its
 * end, so that the agent can write all of it. */
static int hook(const struct globals *globals, const struct hook_agent *agent)
{
    struct str text = {0};
    struct str answer = {0};
    struct hook_input input = {0};
    struct err err = {0};
    set_alarm();
    const bool is_ours = getenv("DEVS_RUN") != NULL; /* what devs started it sees without a hook */
    const bool ok = read_text(stdin, HOOK_INPUT_MAX, &text, &err) &&
                    (is_ours || (hook_input_read(&text, agent, &input, &err) &&
                                 record(globals, &input, &answer, &err)));
    if (!ok)
        warn("hook: %s", err.message);
    else if (answer.len > 0)
        (void)fwrite(answer.data, 1, answer.len, stdout);
    hook_input_done(&input);
    str_done(&answer);
    str_done(&text);
    return EXIT_ALL_PASSED;
}

/* What a person asks for; an agent's line names none of them. */
typedef int act_fn(const struct hook_install *install);

static act_fn *find_act(const char *word)
{
    static const struct {
        const char *word;
        act_fn *act;
    } acts[] = {{"install", hook_install}, {"uninstall", hook_uninstall}, {"status", hook_status}};
    for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
        if (strcmp(acts[i].word, word) == 0)
            return acts[i].act;
    }
    return NULL;
}

/* Exit code 2 of a hook blocks the call of its agent: a line that another devs wrote into the
 * settings, with names that this one does not know, must not come to that. */
static bool is_of_agent(int argc, char **argv)
{
    bool found = argc == 0 || argv[0][0] == '-';
    for (int i = 0; found && i < argc; i++)
        found = !find_act(argv[i]);
    return found;
}

/* Nothing is recorded, but the agent can write all it has to say. */
static int pass_by(void)
{
    struct str text = {0};
    set_alarm();
    if (!isatty(STDIN_FILENO) && !read_text(stdin, HOOK_INPUT_MAX, &text, NULL))
        errno = 0; /* then there is no more of it */
    str_done(&text);
    return EXIT_ALL_PASSED;
}

static int record_for(const struct globals *globals, const char *name)
{
    const struct hook_agent *agent = name ? hook_agent_named(name) : NULL;
    if (!name || agent)
        return hook(globals, agent);
    warn("hook: no agent '%s' is known that has hooks, nothing was recorded", name);
    return pass_by();
}

static int dispatch(struct hook_install *install, const struct globals *globals, const char *name,
                    const char *word)
{
    act_fn *act = find_act(word);
    install->db = globals->db;
    install->agent = name ? hook_agent_named(name) : NULL;
    if (name && !install->agent)
        return fail_usage(hook_agent_names(), "hook: no agent '%s' is known that has hooks", name);
    return act ? act(install)
               : fail_usage("devs hook --help",
                            "hook: '%s' is not one of install, uninstall, status", word);
}

int cmd_hook(struct globals *globals, int argc, char **argv)
{
    const char *name = NULL;
    bool project = false;
    struct hook_install install = {0};
    const struct option_spec specs[] = {
        {"agent", 0, "NAME", "whose hook: claude, codex, gemini or qwen", NULL, &name},
        {"project", 0, NULL, "settings of this project (the default)", &project, NULL},
        {"user", 0, NULL, "your settings, for all projects that have a log", &install.of_user,
         NULL},
    };
    const bool of_agent = is_of_agent(argc, argv);
    struct command_line line = {.name = "hook",
                                .specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .max_operands = of_agent ? 0 : 1,
                                .is_of_hook = of_agent};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return of_agent && !globals->listing ? pass_by() : code;
    if (of_agent)
        return record_for(globals, name);
    if (project && install.of_user)
        return fail_usage("devs hook --help", "hook: --project or --user, not both");
    return dispatch(&install, globals, name, argv[0]);
}
