#include "hook_answer.h"

#include <string.h>

static void add_stop(const char *why, struct str *out)
{
    str_json_bool(out, "continue", false);
    str_json_text(out, "stopReason", why);
}

static bool is_geminis(const struct hook_input *input)
{
    return strcmp(input->agent->name, "gemini") == 0;
}

void hook_answer_deny(const struct hook_input *input, bool ends, const char *why, struct str *out)
{
    str_add_char(out, '{');
    if (ends && input->agent->ends_in_call)
        add_stop(why, out);
    if (is_geminis(input)) {
        str_json_text(out, "decision", "deny");
        str_json_text(out, "reason", why);
    } else {
        str_json_key(out, "hookSpecificOutput");
        str_add_char(out, '{');
        str_json_text(out, "hookEventName", input->event);
        str_json_text(out, "permissionDecision", "deny");
        str_json_text(out, "permissionDecisionReason", why);
        str_add_char(out, '}');
    }
    str_add(out, "}\n");
}

/* A result that is blocked takes the words in its place: not where the agent would lose it, and
 * what has failed cannot be blocked. */
void hook_answer_say(const struct hook_input *input, bool stuck, const char *words, struct str *out)
{
    struct str stop = {0};
    if (stuck)
        str_addf(&stop, "Stop. %s Made again, this call is denied.", words);
    words = stuck ? str_text(&stop) : words;
    str_add_char(out, '{');
    if (stuck && input->kind == HOOK_CALL_ENDED && !input->agent->hides_result) {
        str_json_text(out, "decision", "block");
        str_json_text(out, "reason", words);
    } else {
        str_json_key(out, "hookSpecificOutput");
        str_add_char(out, '{');
        str_json_text(out, "hookEventName", input->event);
        str_json_text(out, "additionalContext", words);
        str_add_char(out, '}');
    }
    str_add(out, "}\n");
    str_done(&stop);
}

void hook_answer_stop(const char *why, struct str *out)
{
    str_add_char(out, '{');
    add_stop(why, out);
    str_add(out, "}\n");
}
