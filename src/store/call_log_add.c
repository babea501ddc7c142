/* call_log_add.c - what is added to an agent's session: calls, messages, prompts, words, usage. */
#include <assert.h>
#include <string.h>

#include "agent_what.h"
#include "call_logging.h"
#include "json.h"
#include "text.h"
#include "xalloc.h"

enum { TOOL_BYTES_MAX = 64 };
#define CALL_MS_MAX (INT64_C(366) * 24 * 60 * 60 * 1000) /* a year: longer is not believed */

static void read_output(struct entropy_memory *memory, const struct call_made *call)
{
    const size_t len =
        call->output_len < CALL_LOG_OUTPUT_MAX ? call->output_len : CALL_LOG_OUTPUT_MAX;
    entropy_memory_text(memory, call->output, call->output ? len : 0);
}

/* The first line that says something, without secrets, fit for a terminal. */
static void add_line(const struct call_log *log, const char *text, size_t max, struct str *out)
{
    struct str cut = {0};
    struct str clean = {0};
    const size_t len = strlen(text) < (size_t)TEXT_LINE_MAX ? strlen(text) : (size_t)TEXT_LINE_MAX;
    redact_text(log->session.redactor, text, text_cut(text, strlen(text), len), &cut, NULL);
    text_clean(&clean, str_text(&cut), cut.len);
    const char *line = str_text(&clean);
    line += strspn(line, " \n");
    const size_t line_len = strcspn(line, "\n");
    str_add_n(out, line, text_cut(line, line_len, max));
    str_done(&cut);
    str_done(&clean);
}

static void add_what(const struct call_log *log, const struct json *args, struct str *out)
{
    struct str what = {0};
    agent_call_what(args, &what);
    add_line(log, str_text(&what), CALL_LOG_WHAT_MAX, out);
    str_done(&what);
}

static void append_call(struct call_log *log, const struct event *event, const char *tool,
                        const char *what, const struct entropy_fact *fact)
{
    struct str text = {0};
    struct str name = {0};
    add_line(log, tool, TOOL_BYTES_MAX, &name);
    str_add_char(&text, '{');
    str_json_text(&text, "tool", str_text(&name));
    str_json_text(&text, "what", what);
    if (fact) {
        str_json_key(&text, "loop");
        entropy_fact_to_json(fact, &text);
    }
    str_add_char(&text, '}');
    assert(text.len <= EVENT_TEXT_MAX);
    call_logging_append(log, *event, str_text(&text));
    log->kept.turn_failed = event->c != 0 && strcmp(tool, "message") == 0;
    str_done(&text);
    str_done(&name);
}

void call_logging_used(struct call_log *log, const struct moment *at)
{
    const struct call_kept *kept = &log->kept;
    const struct event event = {.kind = EVENT_AGENT_USED,
                                .at = *at,
                                .a = kept->used.turns,
                                .b = kept->used.calls,
                                .c = kept->used.cost_micro,
                                .d = kept->used.tokens,
                                .e = kept->used.own_retries};
    call_logging_append(log, event, NULL);
    log->has_used = false;
}

static void append_suspicion(struct call_log *log, const struct moment *at)
{
    const struct entropy_sample *sample = entropy_memory_last(log->kept.memory);
    struct event event = {.kind = EVENT_LOOP_SUSPECTED, .at = *at, .e = EVENT_LOOP_OF_CALLS};
    struct str text = {0};
    circles_suspicion(&log->kept.circles, sample ? sample->masks : 0, str_text(&log->nudge), &event,
                      &text);
    if (text.len <= EVENT_TEXT_MAX)
        call_logging_append(log, event, str_text(&text));
    str_done(&text);
}

/* A call, its arguments as one line, or a message. */
struct judged {
    const char *what;
    bool is_call;
    struct moment at;
};

/* What the rungs make of the fact, and what of it is written down. */
static void judge(struct call_log *log, const struct entropy_fact *fact, const struct judged *step,
                  struct call_verdict *out)
{
    struct call_kept *kept = &log->kept;
    const struct entropy_sample *sample = entropy_memory_last(kept->memory);
    call_kept_judge(kept, fact, step->is_call, &step->at);
    const struct entropy_verdict *verdict = &kept->circles.verdict;
    str_clear(&log->why);
    str_clear(&log->nudge);
    if (verdict->level != ENTROPY_OK) {
        entropy_why(verdict, &log->why);
        entropy_nudge(verdict, step->what, sample ? sample->masks : 0, &log->nudge);
    }
    if (verdict->news)
        append_suspicion(log, &step->at);
    if (out)
        *out = (struct call_verdict){.level = verdict->level,
                                     .news = verdict->news,
                                     .stop_asked = kept->stop_asked,
                                     .why = str_text(&log->why),
                                     .nudge = str_text(&log->nudge)};
}

bool call_log_add(struct call_log *log, const struct call_made *call, struct call_verdict *out,
                  struct err *err)
{
    struct str what = {0};
    struct entropy_fact fact = {0};
    if (out)
        *out = (struct call_verdict){.why = "", .nudge = "", .stop_asked = log->kept.stop_asked};
    if (!call_logging_room(log, &call->at, err))
        return false;
    struct call_kept *kept = &log->kept;
    const struct event event = {.kind = EVENT_AGENT_CALL,
                                .at = call->at,
                                .a = ++kept->number,
                                .b = call->ms > 0 && call->ms <= CALL_MS_MAX ? call->ms : 0,
                                .c = call->exit};
    kept->used.calls++;
    log->has_used = true;
    add_what(log, call->args, &what);
    if (!call->uncertain) {
        const struct entropy_end end = {.failed = call->exit != 0};
        entropy_memory_begin_call(kept->memory, call->tool, call->args);
        read_output(kept->memory, call);
        entropy_memory_end(kept->memory, &end, &fact);
    }
    append_call(log, &event, call->tool, str_text(&what), call->uncertain ? NULL : &fact);
    const struct judged step = {.what = str_text(&what), .is_call = true, .at = call->at};
    if (!call->uncertain)
        judge(log, &fact, &step, out);
    str_done(&what);
    return true;
}

bool call_log_add_message(struct call_log *log, const char *text, const struct moment *at,
                          struct call_verdict *out, struct err *err)
{
    struct str what = {0};
    struct entropy_fact fact;
    const struct entropy_end end = {0};
    if (out)
        *out = (struct call_verdict){.why = "", .nudge = "", .stop_asked = log->kept.stop_asked};
    if (!call_logging_room(log, at, err))
        return false;
    const struct event event = {.kind = EVENT_AGENT_CALL, .at = *at, .a = ++log->kept.number};
    add_line(log, text, CALL_LOG_WHAT_MAX, &what);
    entropy_memory_begin_message(log->kept.memory, text, strlen(text));
    entropy_memory_end(log->kept.memory, &end, &fact);
    append_call(log, &event, "message", str_text(&what), &fact);
    const struct judged step = {.what = str_text(&what), .at = *at};
    judge(log, &fact, &step, out);
    str_done(&what);
    return true;
}

bool call_log_add_prompt(struct call_log *log, const char *text, const struct moment *at,
                         struct err *err)
{
    struct str what = {0};
    if (!call_logging_room(log, at, err))
        return false;
    struct call_kept *kept = &log->kept;
    const struct event event = {.kind = EVENT_AGENT_CALL, .at = *at, .a = ++kept->number};
    add_line(log, text, CALL_LOG_WHAT_MAX, &what);
    append_call(log, &event, "user", str_text(&what), NULL);
    call_kept_forget(kept);
    str_done(&what);
    return true;
}

bool call_log_add_note(struct call_log *log, const char *text, const struct moment *at,
                       struct err *err)
{
    struct str what = {0};
    if (!call_logging_room(log, at, err))
        return false;
    const struct event event = {
        .kind = EVENT_AGENT_CALL, .at = *at, .a = ++log->kept.number, .c = 1};
    add_line(log, text, CALL_LOG_WHAT_MAX, &what);
    append_call(log, &event, "message", str_text(&what), NULL);
    str_done(&what);
    return true;
}

bool call_log_turn_failed(const struct call_log *log)
{
    return log->kept.turn_failed;
}

bool call_log_is_stuck(const struct call_log *log)
{
    return log->kept.turned_away > 0 || entropy_state_is_stuck(&log->kept.circles.state);
}

bool call_log_add_used(struct call_log *log, const struct agent_used *used, const struct moment *at,
                       struct err *err)
{
    if (!call_logging_room(log, at, err))
        return false;
    struct agent_used *kept = &log->kept.used;
    kept->turns = agent_used_sum(0, used->turns);
    kept->cost_micro = agent_used_sum(0, used->cost_micro);
    kept->tokens = agent_used_sum(0, used->tokens);
    kept->own_retries = agent_used_sum(0, used->own_retries);
    log->has_used = true;
    return true;
}

/* What comes within a second is one piece: a replay shows words when they were said. */
static void mark_words(struct call_log *log, int64_t at_ms)
{
    enum { PIECE_MS = 1000 };
    struct call_words *last = log->piece_count > 0 ? &log->pieces[log->piece_count - 1] : NULL;
    if (last && at_ms - last->at_ms < PIECE_MS) {
        last->end = log->words.len;
        return;
    }
    log->pieces = xgrow(log->pieces, &log->piece_cap, log->piece_count + 1, sizeof(*log->pieces));
    log->pieces[log->piece_count++] = (struct call_words){.end = log->words.len, .at_ms = at_ms};
}

bool call_log_add_words(struct call_log *log, const char *bytes, size_t len,
                        const struct moment *at, struct err *err)
{
    const bool is_full = log->words.len > 0 && log->words.len + len > CALL_LOG_WORDS_MAX;
    if (is_full && !call_log_commit(log, err))
        return false;
    if (len == 0)
        return true;
    str_add_n(&log->words, bytes, len);
    mark_words(log, at->at_ms);
    log->spoken = *at;
    return true;
}

/* The digest of a call, as its fact will have it. */
static struct digest digest_of(const struct call_log *log, const char *tool,
                               const struct json *args)
{
    struct entropy_memory *memory = NULL;
    struct entropy_fact fact;
    const struct entropy_end end = {0};
    entropy_memory_open(&memory, &log->kept.limits);
    entropy_memory_begin_call(memory, tool, args);
    entropy_memory_end(memory, &end, &fact);
    entropy_memory_close(memory);
    return fact.call;
}

static bool goes_round_in(const struct call_log *log, const char *tool, const struct json *args)
{
    const struct call_kept *kept = &log->kept;
    return entropy_state_is_stuck(&kept->circles.state) &&
           entropy_state_has_call(&kept->circles.state, digest_of(log, tool, args),
                                  kept->stuck_first);
}

static const char by_person[] =
    "a person has stopped this session in devs: end your turn and say where you are";
static const char in_circles[] =
    "this call is one of those that go round in circles, it was not made: do something else, or "
    "end your turn and say what is in the way";

bool call_log_turn_away(struct call_log *log, const struct call_made *call,
                        struct call_refusal *out, struct str *why, struct err *err)
{
    struct call_kept *kept = &log->kept;
    struct str what = {0};
    *out = (struct call_refusal){.by_person = kept->stop_asked};
    if (!kept->stop_asked && !goes_round_in(log, call->tool, call->args))
        return true;
    if (!call_logging_room(log, &call->at, err))
        return false;
    if (kept->turned_away < INT32_MAX)
        kept->turned_away++;
    out->times = kept->turned_away;
    str_add(why, kept->stop_asked ? by_person : in_circles);
    str_add(&what, CALL_TURNED_AWAY);
    add_what(log, call->args, &what);
    const struct event event = {
        .kind = EVENT_AGENT_CALL, .at = call->at, .a = ++kept->number, .c = 1};
    append_call(log, &event, call->tool, str_text(&what), NULL);
    str_done(&what);
    return true;
}
