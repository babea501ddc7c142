#include "outcome.h"

#include <assert.h>
#include <string.h>

#include "attr.h"
#include "event.h"
#include "json.h"
#include "rounded.h"
#include "str.h"

static const char *const kind_names[] = {
    [OUTCOME_EXIT] = "exit",
    [OUTCOME_SIGNAL] = "signal",
    [OUTCOME_NOT_STARTED] = "not started",
    [OUTCOME_TIMEOUT] = "timeout",
    [OUTCOME_CANCELLED] = "cancelled",
    [OUTCOME_INTERRUPTED] = "interrupted",
};
static_assert(ARRAY_LEN(kind_names) == OUTCOME_KIND_COUNT, "every kind of end has a name");

static const char *const start_words[] = {
    [START_SANDBOX_FAILED - START_CODE_FIRST] = "the sandbox failed",
    [START_TIMED_OUT - START_CODE_FIRST] = "the sandbox was not ready in time",
    [START_DAEMON_DOWN - START_CODE_FIRST] = "the container daemon does not answer",
    [START_IMAGE_MISSING - START_CODE_FIRST] = "the container image is not here",
    [START_WORKSPACE_FAILED - START_CODE_FIRST] = "the workspace cannot be made ready",
    [START_CONFLICT - START_CODE_FIRST] = "the results of the needed tasks do not merge",
    [START_NO_SPACE - START_CODE_FIRST] = "no space left for the workspace",
    [START_TOO_LARGE - START_CODE_FIRST] = "the workspace is too large for a snapshot",
    [START_LEFT_ALIVE - START_CODE_FIRST] = "what an earlier attempt left is still alive",
    [START_SECRET_MISSING - START_CODE_FIRST] = "a secret of the plan is not in the environment",
    [START_STDIN_GONE - START_CODE_FIRST] = "its standard input is gone",
};
static_assert(ARRAY_LEN(start_words) == START_CODE_END - START_CODE_FIRST,
              "every code has its words");

static const char *const stop_words[] = {
    [STOP_ASKED] = "cancelled",
    [STOP_LOOP] = "ended: its calls loop",
    [STOP_BUDGET] = "ended: its budget is spent",
    [STOP_HOPELESS] = "ended: its own retries cannot succeed",
};
static_assert(ARRAY_LEN(stop_words) == STOP_COUNT, "every stop has its words");

enum { MS_PER_S = 1000 };

struct outcome outcome_of_end(const struct event *event, const struct json *text)
{
    return (struct outcome){
        .kind = (enum outcome_kind)event->a,
        .code = (int)event->b,
        .stop = (enum outcome_stop)json_i64(json_get(text, "stop"), STOP_ASKED),
        .own_retries = (int)json_i64(json_get(text, "own"), 0),
        .quiet_ms = json_i64(json_get(text, "quiet"), 0),
        .own_wait_ms = json_i64(json_get(text, "own_wait"), 0),
        .ran_ms = event->c,
        .bytes = {event->d, event->e},
        .lines = {json_i64(json_get(text, "out_lines"), 0),
                  json_i64(json_get(text, "err_lines"), 0)},
        .rss_kib_max = json_i64(json_get(text, "rss"), 0),
        .cpu_ms = json_i64(json_get(text, "cpu"), 0),
        .left = (int)json_i64(json_get(text, "left"), 0),
    };
}

bool start_code_is_known(int code)
{
    return code >= START_CODE_FIRST && code < START_CODE_END;
}

static const char *words_of_start(int code)
{
    return start_code_is_known(code) ? start_words[code - START_CODE_FIRST] : strerror(code);
}

const char *outcome_kind_name(enum outcome_kind kind)
{
    assert(kind < OUTCOME_KIND_COUNT);
    return kind_names[kind];
}

void outcome_words(const struct outcome *outcome, struct str *out)
{
    switch (outcome->kind) {
    case OUTCOME_EXIT:
        str_add(out, "exit ");
        str_add_i64(out, outcome->code);
        break;
    case OUTCOME_SIGNAL:
        str_addf(out, "signal %d", outcome->code);
        break;
    case OUTCOME_NOT_STARTED:
        str_addf(out, "not started: %s", words_of_start(outcome->code));
        break;
    case OUTCOME_TIMEOUT:
        str_add(out, outcome_kind_name(outcome->kind));
        if (outcome->quiet_ms > 0)
            str_addf(out, ": no output for %lld s",
                     (long long)rounded(outcome->quiet_ms, MS_PER_S));
        break;
    case OUTCOME_CANCELLED:
        str_add(out, stop_words[outcome->stop]);
        break;
    case OUTCOME_INTERRUPTED:
    case OUTCOME_KIND_COUNT:
        str_add(out, outcome_kind_name(outcome->kind));
        break;
    }
}

bool outcome_is_seen(const struct outcome *outcome)
{
    return outcome->kind != OUTCOME_INTERRUPTED || outcome->ran_ms > 0;
}
