/* cmd_hook.c - devs hook: records what an agent's own hooks report, and installs such hooks. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "agent_stream.h"
#include "call_log.h"
#include "clock.h"
#include "command.h"
#include "config.h"
#include "err.h"
#include "fail.h"
#include "hook.h"
#include "moment.h"
#include "place.h"
#include "redact.h"
#include "secrets.h"
#include "str.h"
#include "text.h"
#include "text_file.h"

/* Recording an event. */

enum { HOOK_WAIT_MS_MAX = 3000 /* maximum wait for other writers of the log */ };

enum { HOOK_WORDS_MAX = 4 * 1024 /* bytes kept of a message or a prompt */ };

static void add_call(const struct hook_input *input, struct str *out)
{
    struct str what = {0};
    agent_call_what(input->args, &what);
    const struct agent_item call = {
        .kind = AGENT_ITEM_CALL, .tool = input->tool, .what = str_text(&what)};
    const struct agent_item result = {
        .kind = AGENT_ITEM_RESULT, .text = "", .exit = input->exit, .failed = input->exit != 0};
    agent_item_words(&call, out);
    agent_item_words(&result, out);
    str_done(&what);
}

static void add_text(enum agent_item_kind kind, const char *text, struct str *out)
{
    struct str cut = {0};
    str_add_n(&cut, text, text_cut(text, strlen(text), HOOK_WORDS_MAX));
    const struct agent_item item = {.kind = kind, .text = str_text(&cut), .failed = true};
    agent_item_words(&item, out);
    str_done(&cut);
}

/* The log that an event is added to. */
struct recording {
    struct call_log *log;
    const struct redactor *redactor;
    struct moment now;
};

/* Adds the event to the log as readable text: a call as one line with its error, but without its
 * result; the first HOOK_WORDS_MAX bytes of a message or a prompt. `notice` is the message to the
 * agent; NULL or "" = none. The redactor removes secrets. */
static bool record_words(const struct recording *to, const struct hook_input *input,
                         const char *notice, struct err *err)
{
    struct str words = {0}, lines = {0}, cut = {0};
    switch (input->kind) {
    case HOOK_CALL_BEGINS: /* only shown if the call is rejected */
    case HOOK_CALL_ENDED:
    case HOOK_CALL_FAILED:
        add_call(input, &words);
        break;
    case HOOK_PROMPT: /* each line is marked as the user's */
        add_text(AGENT_ITEM_TEXT, input->text, &lines);
        for (const char *at = str_text(&lines); *at != '\0';) {
            const size_t len = strcspn(at, "\n");
            str_addf(&words, "[you] %.*s\n", (int)len, at);
            at += len + (at[len] == '\n');
        }
        break;
    case HOOK_TURN_ENDED:
        add_text(AGENT_ITEM_TEXT, input->text, &words);
        break;
    case HOOK_TURN_FAILED:
        add_text(AGENT_ITEM_NOTICE, input->text, &words);
        break;
    case HOOK_SESSION_STARTS:
    case HOOK_SESSION_ENDS:
    case HOOK_OTHER:
        break;
    }
    if (notice && *notice)
        add_text(AGENT_ITEM_NOTICE, notice, &words);
    redact_text(to->redactor, str_text(&words), words.len, &cut, NULL);
    const bool ok = call_log_add_words(to->log, str_text(&cut), cut.len, &to->now, err);
    str_done(&words);
    str_done(&lines);
    str_done(&cut);
    return ok;
}

static bool record_call(const struct recording *to, const struct hook_input *input,
                        struct str *answer, struct err *err)
{
    struct call_verdict verdict;
    const struct call_made call = {.tool = input->tool,
                                   .args = input->args,
                                   .output = str_text(&input->output),
                                   .output_len = input->output.len,
                                   .exit = input->exit,
                                   .uncertain = input->interrupted,
                                   .ms = input->ms,
                                   .at = to->now};
    if (!call_log_add(to->log, &call, &verdict, err))
        return false;
    if (verdict.stop_asked)
        hook_answer_stop("a person has stopped this session in devs", answer);
    else if (verdict.news)
        hook_answer_say(input, verdict.level == ENTROPY_STUCK, verdict.nudge, answer);
    return record_words(to, input, verdict.news ? verdict.nudge : NULL, err);
}

static bool turn_away(const struct recording *to, const struct hook_input *input,
                      struct str *answer, struct err *err)
{
    struct call_refusal refusal = {0};
    struct str why = {0};
    const struct call_made call = {.tool = input->tool, .args = input->args, .at = to->now};
    bool ok = call_log_turn_away(to->log, &call, &refusal, &why, err);
    const bool ends = refusal.by_person || refusal.times >= HOOK_TURNED_AWAY_MAX;
    if (ok && refusal.times > 0) {
        hook_answer_deny(input, ends, str_text(&why), answer);
        ok = record_words(to, input, str_text(&why), err);
    }
    str_done(&why);
    return ok;
}

static bool add_speech(const struct recording *to, const struct hook_input *input, struct err *err)
{
    bool ok = true;
    if (input->kind == HOOK_PROMPT)
        ok = call_log_add_prompt(to->log, input->text, &to->now, err);
    else if (input->kind == HOOK_TURN_FAILED)
        ok = call_log_add_note(to->log, input->text, &to->now, err);
    else if (*input->text != '\0')
        ok = call_log_add_message(to->log, input->text, &to->now, NULL, err);
    return ok && record_words(to, input, NULL, err);
}

/* Returns the exit code of a session that ends. Gemini 0.61 sends no event when its own loop guard
 * ends a turn. */
static int end_code(const struct recording *to, const struct hook_input *input)
{
    if (call_log_turn_failed(to->log))
        return 1;
    if (call_log_is_stuck(to->log))
        return CALL_LOG_END_STUCK;
    return strcmp(input->agent->name, "gemini") == 0 ? CALL_LOG_END_UNTOLD : 0;
}

static bool add_event(const struct recording *to, const struct hook_input *input,
                      struct str *answer, struct err *err)
{
    switch (input->kind) {
    case HOOK_CALL_BEGINS:
        return turn_away(to, input, answer, err);
    case HOOK_CALL_ENDED:
    case HOOK_CALL_FAILED:
        return record_call(to, input, answer, err);
    case HOOK_TURN_FAILED:
        /* when the loop guard of qwen 0.24 ends the turn (and, without a terminal, the process), no
         * other event follows */
        return add_speech(to, input, err) &&
               (strcmp(input->text, "loop_detected") != 0 ||
                call_log_end(to->log, CALL_LOG_END_STUCK, &to->now, err));
    case HOOK_PROMPT:
    case HOOK_TURN_ENDED:
        return add_speech(to, input, err);
    case HOOK_SESSION_ENDS:
        return call_log_end(to->log, end_code(to, input), &to->now, err);
    case HOOK_SESSION_STARTS:
    case HOOK_OTHER:
        break;
    }
    return true;
}

/* Returns whether the event can be ignored: a call that cannot be rejected, the end of a session
 * without a run, or an event that is not recorded. */
static bool is_for_nothing(const struct place *place, const struct hook_input *input)
{
    int64_t run = 0;
    const char *agent = input->agent->name;
    if (input->kind == HOOK_CALL_BEGINS)
        return !call_log_may_turn_away(place, agent, input->session);
    if (input->kind == HOOK_SESSION_ENDS)
        return !call_log_find(place, agent, input->session, &run);
    return input->kind == HOOK_OTHER;
}

ATTR_MUST_USE static bool hook_record(const struct place *place, const struct hook_input *input,
                                      struct str *answer, struct err *err)
{
    char dir[PATH_MAX];
    sigset_t alarm;
    struct call_log *log = NULL;
    struct settings settings = {0};
    struct redactor *redactor = NULL;
    const struct moment now = clock_now();
    if (is_for_nothing(place, input))
        return true;
    /* Reads the thresholds and the secrets. If the settings are invalid, `devs run` reports it,
     * and a hook uses the defaults. Rules are not checked, because that would take longer than
     * everything else. */
    if (!getcwd(dir, sizeof(dir)) || !config_read_quietly(dir, &settings))
        settings = (struct settings){0};
    bool ok = secrets_redactor(&redactor, NULL, &settings.secrets, err);
    const struct call_session session = {.agent = input->agent->name,
                                         .id = input->session,
                                         .dir = getcwd(dir, sizeof(dir)) ? dir : "/",
                                         .settings = &settings,
                                         .redactor = redactor,
                                         .wait_ms = HOOK_WAIT_MS_MAX};
    ok = ok && call_log_open(&log, place, &session, &now, err);
    const struct recording to = {.log = log, .redactor = redactor, .now = now};
    /* From here on the time is limited by HOOK_WAIT_MS_MAX and the disk. An alarm during or after
     * the commit would report that nothing was recorded, which might not be true. */
    (void)sigemptyset(&alarm);
    (void)sigaddset(&alarm, SIGALRM);
    (void)sigprocmask(SIG_BLOCK, &alarm, NULL);
    ok = ok && add_event(&to, input, answer, err) && call_log_commit(log, err);
    call_log_close(log);
    redactor_close(redactor);
    settings_done(&settings);
    return ok;
}

/* The command. */

/* The agent waits for its hook: after this time nothing is recorded, and the agent continues. */
enum { HOOK_TIME_MS_MAX = 5000, MS_PER_S = 1000 };

static void give_up(int number)
{
    static const char words[] = "devs: hook: timed out, nothing was recorded\n";
    (void)number;
    const ssize_t written = write(STDERR_FILENO, words, sizeof(words) - 1);
    (void)written;          /* an error here cannot be reported */
    _exit(EXIT_ALL_PASSED); /* the kernel releases locks, and an unfinished write is rolled back */
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

/* Switches to the folder of the project's log, because the agent may change its folder while it
 * works. */
static void go_there(const struct hook_input *input)
{
    const char *env = input->agent->project_env ? getenv(input->agent->project_env) : NULL;
    const bool gone = env && *env == '/' && chdir(env) == 0;
    if (!gone && input->dir && *input->dir == '/' && chdir(input->dir) != 0)
        errno = 0; /* use the folder in which the hook was started */
}

/* Records the event. Without a log nothing is recorded; a hook never creates one. */
static bool record_event(const struct globals *globals, const struct hook_input *input,
                         struct str *answer, struct err *err)
{
    struct place place;
    struct err why = {0};
    if (!globals->db)
        go_there(input);
    if (!place_find(globals->db, false, &place, &why))
        return why.code == ERR_NOT_FOUND || err_set(err, why.code, "%s", why.message);
    if (globals->db)
        go_there(input); /* after resolving --db in the old folder */
    return hook_record(&place, input, answer, err);
}

/* Records the event from stdin and prints the answer. Errors must not block the agent: each is
 * reported as one line with exit code 0. Reads the input to its end, so that the agent can write
 * all of it. */
static int take_event(const struct globals *globals, const struct hook_agent *agent)
{
    struct str text = {0};
    struct str answer = {0};
    struct hook_input input = {0};
    struct err err = {0};
    set_alarm();
    /* devs records its own attempts without a hook */
    const bool is_ours = getenv("DEVS_RUN") != NULL;
    const bool ok = read_text(stdin, HOOK_INPUT_MAX, &text, &err) &&
                    (is_ours || (hook_input_read(&text, agent, &input, &err) &&
                                 record_event(globals, &input, &answer, &err)));
    if (!ok)
        warn("hook: %s", err.message);
    else if (answer.len > 0)
        (void)fwrite(answer.data, 1, answer.len, stdout);
    hook_input_done(&input);
    str_done(&answer);
    str_done(&text);
    return EXIT_ALL_PASSED;
}

/* The subcommands for people; agents never use them. */
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

/* Ignores the event, but reads all input from the agent. */
static int pass_by(void)
{
    struct str text = {0};
    set_alarm();
    if (!isatty(STDIN_FILENO) && !read_text(stdin, HOOK_INPUT_MAX, &text, NULL))
        errno = 0; /* there is no more input */
    str_done(&text);
    return EXIT_ALL_PASSED;
}

int cmd_hook(struct globals *globals, int argc, char **argv)
{
    const char *name = NULL;
    bool project = false;
    struct hook_install install = {0};
    const struct option_spec specs[] = {
        {"agent", 0, "NAME", "the agent that calls the hook: claude, codex, gemini or qwen", NULL,
         &name},
        {"project", 0, NULL, "change the settings of this project (default)", &project, NULL},
        {"user", 0, NULL, "change your own settings, for all projects that have a log",
         &install.of_user, NULL},
    };
    /* Exit code 2 of a hook blocks the agent's call. Unknown options, written into the settings by
     * another version of devs, must not cause that. */
    bool of_agent = argc == 0 || argv[0][0] == '-';
    for (int i = 0; of_agent && i < argc; i++)
        of_agent = !find_act(argv[i]);
    struct command_line line = {.specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .max_operands = of_agent ? 0 : 1,
                                .is_of_hook = of_agent};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return of_agent && !globals->listing ? pass_by() : code;
    install.agent = name ? hook_agent_named(name) : NULL;
    if (of_agent && (!name || install.agent))
        return take_event(globals, install.agent);
    if (of_agent) {
        warn("hook: agent '%s' is not supported, nothing was recorded", name);
        return pass_by();
    }
    if (project && install.of_user)
        return fail_usage("see devs hook --help",
                          "hook: --project and --user are mutually exclusive");
    if (name && !install.agent)
        return fail_usage(NULL, "hook: agent '%s' is not supported, expected one of %s", name,
                          hook_agent_names());
    act_fn *act = find_act(argv[0]);
    if (!act)
        return fail_usage("see devs hook --help",
                          "hook: '%s' is not one of install, uninstall, status", argv[0]);
    install.db = globals->db;
    return act(&install);
}
