#include "import_run.h"

#include <stdlib.h>
#include <string.h>

#include "agent_stream.h"
#include "call_log.h"
#include "redact.h"
#include "str.h"
#include "xalloc.h"

struct import_run {
    const struct import_setting *setting;
    const struct transcript *transcript;
    struct call_log *log; /* owned; NULL until something has happened */
    struct moment first;  /* of all that happened */
    struct moment at;     /* of the present item; never before that of the one before */
    char *session;        /* owned; its id in the log */
    struct str words;     /* owned; of the present item */
    int64_t words_kept;
    bool is_stuck;
    struct import_result result;
    struct err err; /* what went wrong first */
};

void import_run_open(struct import_run **out, const struct import_setting *setting)
{
    *out = xcalloc(1, sizeof(**out));
    (*out)->setting = setting;
}

void import_run_close(struct import_run *run)
{
    if (!run)
        return;
    call_log_close(run->log);
    free(run->session);
    str_done(&run->words);
    free(run);
}

void import_run_of(struct import_run *run, const struct transcript *transcript)
{
    run->transcript = transcript;
}

bool import_run_is_over(const struct import_run *run)
{
    return run->err.code != ERR_NONE || run->result.was_there;
}

/* Times of a transcript may go back, as where a sub-agent's lines come later; those of a log do
 * not. */
static void set_time(struct import_run *run, int64_t at_ms)
{
    enum { FIRST_MONO_MS = 1 };
    const int64_t ms = at_ms > 0 ? at_ms : run->setting->made_ms;
    if (run->first.at_ms == 0)
        run->first = run->at = (struct moment){.at_ms = ms, .mono_ms = FIRST_MONO_MS};
    if (at_ms <= run->at.at_ms)
        return; /* nothing of it has a time, or it goes on at that of what was before */
    run->at.at_ms = at_ms;
    run->at.mono_ms = FIRST_MONO_MS + at_ms - run->first.at_ms;
}

/* The first thing that happened: is the session there, or does a run begin? */
static bool begin(struct import_run *run)
{
    const struct import_setting *setting = run->setting;
    const char *id = transcript_session(run->transcript);
    const char *dir = transcript_folder(run->transcript);
    const char *agent = transcript_agent(run->transcript);
    run->session = xstrndup(id ? id : setting->name, CALL_LOG_SESSION_MAX);
    if (!setting->again && call_log_find(setting->place, agent, run->session, &run->result.run)) {
        run->result.was_there = true;
        return false;
    }
    const struct call_session session = {.agent = agent,
                                         .id = run->session,
                                         .dir = dir ? dir : setting->dir,
                                         .settings = setting->settings,
                                         .redactor = setting->redactor,
                                         .wait_ms = IMPORT_WAIT_MS,
                                         .anew = true};
    return call_log_open(&run->log, setting->place, &session, &run->first, &run->err);
}

/* Once stuck it is so until something else is done. */
static void take_verdict(struct import_run *run, const struct call_verdict *verdict)
{
    if (verdict->news && verdict->level == ENTROPY_SUSPECT)
        run->result.suspected++;
    if (verdict->level == ENTROPY_STUCK && !run->is_stuck)
        run->result.stuck++;
    run->is_stuck = verdict->level == ENTROPY_STUCK;
}

static bool add_words(struct import_run *run)
{
    struct str cut = {0};
    redact_text(run->setting->redactor, str_text(&run->words), run->words.len, &cut, NULL);
    str_done(&run->words);
    run->words = cut;
    const size_t len = run->words.len;
    if (run->words_kept + (int64_t)len > IMPORT_WORDS_MAX) {
        run->result.words_lost += (int64_t)len;
        return true;
    }
    run->words_kept += (int64_t)len;
    return len == 0 || call_log_add_words(run->log, run->words.data, len, &run->at, &run->err);
}

/* A call that has ended. One of a sub-agent is no step of what the agent itself does: it is shown,
 * and leaves no fact. */
static bool add_result(struct import_run *run, const struct transcript_item *it)
{
    const struct agent_item *item = &it->item;
    struct call_verdict verdict = {0};
    if (!item->tool)
        return true; /* the result of a call that is not in the file */
    const struct call_made call = {.tool = item->tool,
                                   .args = item->args,
                                   .output = item->text,
                                   .output_len = item->text ? strlen(item->text) : 0,
                                   .exit = item->exit > 0 ? item->exit : item->failed,
                                   .uncertain = it->is_side,
                                   .ms = it->took_ms,
                                   .at = run->at};
    if (!call_log_add(run->log, &call, &verdict, &run->err))
        return false;
    take_verdict(run, &verdict);
    return true;
}

static bool add_text(struct import_run *run, const struct transcript_item *it)
{
    struct call_verdict verdict = {0};
    if (it->is_prompt) {
        run->result.prompts++;
        run->is_stuck = false;
        return call_log_add_prompt(run->log, it->item.text, &run->at, &run->err);
    }
    run->result.messages++;
    if (it->is_side)
        return true;
    if (!call_log_add_message(run->log, it->item.text, &run->at, &verdict, &run->err))
        return false;
    if (verdict.level != ENTROPY_OK) /* words alone are no way out of a circle of calls */
        take_verdict(run, &verdict);
    return true;
}

static bool add_event(struct import_run *run, const struct transcript_item *it)
{
    switch (it->item.kind) {
    case AGENT_ITEM_TEXT:
        return add_text(run, it);
    case AGENT_ITEM_RESULT:
        return add_result(run, it);
    case AGENT_ITEM_NOTICE:
    case AGENT_ITEM_END:
        return !it->item.failed || !it->item.text ||
               call_log_add_note(run->log, it->item.text, &run->at, &run->err);
    case AGENT_ITEM_USED:
        return call_log_add_used(run->log, it->item.used, &run->at, &run->err);
    case AGENT_ITEM_SESSION:
    case AGENT_ITEM_CALL:
    case AGENT_ITEM_RETRY:
    case AGENT_ITEM_OTHER:
    case AGENT_ITEM_REFUSED:
    case AGENT_ITEM_KIND_COUNT:
        break;
    }
    return true;
}

/* Whose words they are stands before them, unless they are the agent's own. */
static void make_words(struct import_run *run, const struct transcript_item *it)
{
    struct str lines = {0};
    const char *mark = it->is_prompt ? "[you] " : it->is_side ? "[sub] " : "";
    agent_item_words(&it->item, &lines);
    str_clear(&run->words);
    const char *at = str_text(&lines);
    while (*at != '\0') {
        const size_t len = strcspn(at, "\n") + 1;
        str_add(&run->words, mark);
        str_add_n(&run->words, at, at[len - 1] == '\n' ? len : len - 1);
        at += at[len - 1] == '\n' ? len : len - 1;
    }
    str_done(&lines);
}

void import_run_item(void *ctx, const struct transcript_item *item)
{
    struct import_run *run = ctx;
    if (import_run_is_over(run))
        return;
    set_time(run, item->at_ms);
    if (item->item.kind == AGENT_ITEM_SESSION && !run->log)
        return; /* begins with what happens in it */
    if (item->item.kind == AGENT_ITEM_OTHER && !run->log)
        return; /* words before it, or instead of it */
    if (!run->log && !begin(run))
        return;
    make_words(run, item);
    if (add_words(run))
        (void)add_event(run, item); /* told by run->err */
}

static bool end(struct import_run *run)
{
    const enum agent_end how = transcript_state(run->transcript);
    if (how == AGENT_END_CUT &&
        !call_log_add_note(run->log, "the transcript breaks off here", &run->at, &run->err))
        return false;
    const bool is_well = how == AGENT_END_DONE || how == AGENT_END_UNKNOWN;
    return call_log_add_used(run->log, transcript_used(run->transcript), &run->at, &run->err) &&
           call_log_end(run->log, is_well ? 0 : 1, &run->at, &run->err);
}

bool import_run_end(struct import_run *run, struct import_result *out, struct err *err)
{
    const bool has_begun = run->log || run->result.was_there;
    const bool is_output = transcript_form(run->transcript) == TRANSCRIPT_STREAM &&
                           transcript_session(run->transcript) != NULL;
    if (run->err.code == ERR_NONE && !has_begun && !is_output)
        (void)err_set(&run->err, ERR_INVALID, "nothing happens in it");
    if (run->err.code == ERR_NONE && !has_begun) {
        set_time(run, 0);
        (void)begin(run); /* told by run->err and run->result */
    }
    if (run->err.code == ERR_NONE && run->log && end(run))
        run->result.run = call_log_run(run->log);
    *out = run->result;
    return run->err.code == ERR_NONE || err_set(err, run->err.code, "%s", run->err.message);
}
