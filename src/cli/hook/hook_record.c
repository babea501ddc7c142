#include "hook_record.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "agent_stream.h"
#include "agent_what.h"
#include "call_log.h"
#include "clock.h"
#include "config.h"
#include "err.h"
#include "hook_event.h"
#include "moment.h"
#include "redact.h"
#include "secrets.h"
#include "str.h"
#include "text.h"

enum { HOOK_WORDS_MAX = 4 * 1024 /* bytes of a message or a prompt that are kept */ };

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

/* Each line of a person's is marked as such. */
static void add_prompt(const char *text, struct str *out)
{
    struct str lines = {0};
    add_text(AGENT_ITEM_TEXT, text, &lines);
    for (const char *at = str_text(&lines); *at != '\0';) {
        const size_t len = strcspn(at, "\n");
        str_addf(out, "[you] %.*s\n", (int)len, at);
        at += len + (at[len] == '\n');
    }
    str_done(&lines);
}

static void add_words(const struct hook_input *input, struct str *out)
{
    switch (input->kind) {
    case HOOK_CALL_BEGINS: /* said only of one that is not made */
    case HOOK_CALL_ENDED:
    case HOOK_CALL_FAILED:
        add_call(input, out);
        break;
    case HOOK_PROMPT:
        add_prompt(input->text, out);
        break;
    case HOOK_TURN_ENDED:
        add_text(AGENT_ITEM_TEXT, input->text, out);
        break;
    case HOOK_TURN_FAILED:
        add_text(AGENT_ITEM_NOTICE, input->text, out);
        break;
    case HOOK_SESSION_STARTS:
    case HOOK_SESSION_ENDS:
    case HOOK_OTHER:
        break;
    }
}

/* Adds the readable text of the event to the log: a call in one line and how it failed, but not its
 * result; of a message or a prompt the first HOOK_WORDS_MAX bytes. `notice` is what the agent is
 * told about it; NULL or "" for nothing. The redactor removes secrets. */
static bool hook_words_add(struct call_log *log, const struct redactor *redactor,
                           const struct hook_input *input, const char *notice,
                           const struct moment *at, struct err *err)
{
    struct str words = {0};
    struct str cut = {0};
    add_words(input, &words);
    if (notice && *notice)
        add_text(AGENT_ITEM_NOTICE, notice, &words);
    redact_text(redactor, str_text(&words), words.len, &cut, NULL);
    const bool ok = call_log_add_words(log, str_text(&cut), cut.len, at, err);
    str_done(&words);
    str_done(&cut);
    return ok;
}

/* Reads the thresholds and the secrets of the settings. If they are wrong, `devs run` says so; a
 * hook uses the defaults. Rules are not checked, which would take longer than all the rest. */
static void read_settings(struct settings *out)
{
    char dir[PATH_MAX];
    if (!getcwd(dir, sizeof(dir)) || !config_read_quietly(dir, out))
        *out = (struct settings){0};
}

/* Where to an event is written. */
struct recording {
    struct call_log *log;
    const struct redactor *redactor;
    struct moment now;
};

static bool record_words_of(const struct recording *to, const struct hook_input *input,
                            const char *notice, struct err *err)
{
    return hook_words_add(to->log, to->redactor, input, notice, &to->now, err);
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
    return record_words_of(to, input, verdict.news ? verdict.nudge : NULL, err);
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
        ok = record_words_of(to, input, str_text(&why), err);
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
    return ok && record_words_of(to, input, NULL, err);
}

/* The loop guard of qwen 0.24 ends the turn, and without a terminal the process, with no other
 * event. */
static bool is_own_guard(const struct hook_input *input)
{
    return strcmp(input->text, "loop_detected") == 0;
}

/* Gemini 0.61 tells no end of a turn that its own loop guard ended. */
static int end_code(const struct recording *to, const struct hook_input *input)
{
    if (call_log_turn_failed(to->log))
        return 1;
    if (call_log_is_stuck(to->log))
        return CALL_LOG_END_STUCK;
    return strcmp(input->agent->name, "gemini") == 0 ? CALL_LOG_END_UNTOLD : 0;
}

static bool add(const struct recording *to, const struct hook_input *input, struct str *answer,
                struct err *err)
{
    switch (input->kind) {
    case HOOK_CALL_BEGINS:
        return turn_away(to, input, answer, err);
    case HOOK_CALL_ENDED:
    case HOOK_CALL_FAILED:
        return record_call(to, input, answer, err);
    case HOOK_TURN_FAILED:
        return add_speech(to, input, err) &&
               (!is_own_guard(input) || call_log_end(to->log, CALL_LOG_END_STUCK, &to->now, err));
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

/* A run is not begun for these, and most calls have nothing against them. */
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

/* From here the time is bounded by HOOK_WAIT_MS_MAX and the disk. An alarm during the commit, or
 * after it, would say that nothing was recorded, and nobody could know whether that is true. */
static void ignore_alarm(void)
{
    sigset_t alarm;
    (void)sigemptyset(&alarm);
    (void)sigaddset(&alarm, SIGALRM);
    (void)sigprocmask(SIG_BLOCK, &alarm, NULL);
}

bool hook_record(const struct place *place, const struct hook_input *input, struct str *answer,
                 struct err *err)
{
    char dir[PATH_MAX];
    struct call_log *log = NULL;
    struct settings settings = {0};
    struct redactor *redactor = NULL;
    const struct moment now = clock_now();
    if (is_for_nothing(place, input))
        return true;
    read_settings(&settings);
    bool ok = secrets_redactor(&redactor, NULL, &settings.secrets, err);
    const struct call_session session = {.agent = input->agent->name,
                                         .id = input->session,
                                         .dir = getcwd(dir, sizeof(dir)) ? dir : "/",
                                         .settings = &settings,
                                         .redactor = redactor,
                                         .wait_ms = HOOK_WAIT_MS_MAX};
    ok = ok && call_log_open(&log, place, &session, &now, err);
    const struct recording to = {.log = log, .redactor = redactor, .now = now};
    ignore_alarm();
    ok = ok && add(&to, input, answer, err) && call_log_commit(log, err);
    call_log_close(log);
    redactor_close(redactor);
    settings_done(&settings);
    return ok;
}
