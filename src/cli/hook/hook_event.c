/* hook_event.c - the agents that have hooks: their events, the input of the hooks, and the answers.
 *
 * Agents use different names and formats for the same things; tables list them. The result of a
 * tool is read from the members that are known to contain it. */
#include "hook.h"

#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "json.h"

/* The agents. */

/* Event names, settings files and units according to the CLIs' own documentation (claude 2.1, codex
 * 0.169, gemini 0.61, qwen 0.24). The timeout is much longer than our hook needs. */
static const struct hook_agent agents[] = {
    {.name = "claude",
     .project_file = ".claude/settings.local.json",
     .shared_file = ".claude/settings.json",
     .user_file = ".claude/settings.json",
     .home_env = "CLAUDE_CONFIG_DIR",
     .home_file = "settings.json",
     .project_env = "CLAUDE_PROJECT_DIR",
     .timeout = 10,
     .ends_in_call = true,
     .events = {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse",
                "PostToolUseFailure", "Stop", "StopFailure", "SessionEnd"}},
    {.name = "codex",
     .project_file = ".codex/hooks.json",
     .user_file = ".codex/hooks.json",
     .home_env = "CODEX_HOME",
     .home_file = "hooks.json",
     .timeout = 10,
     .events = {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"}},
    {.name = "gemini",
     .project_file = ".gemini/settings.json",
     .user_file = ".gemini/settings.json",
     .project_env = "GEMINI_PROJECT_DIR",
     .timeout = 10000,
     .ends_in_call = true,
     .hides_result = true,
     .events = {"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent",
                "SessionEnd"}},
    {.name = "qwen",
     .project_file = ".qwen/settings.json",
     .user_file = ".qwen/settings.json",
     .project_env = "QWEN_PROJECT_DIR",
     .timeout = 10000,
     .ends_in_call = true,
     .events = {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse",
                "PostToolUseFailure", "Stop", "StopFailure", "SessionEnd"}},
};
enum { AGENTS = ARRAY_LEN(agents) };

static const struct {
    const char *event;
    enum hook_kind kind;
} kinds[] = {
    {"SessionStart", HOOK_SESSION_STARTS},
    {"UserPromptSubmit", HOOK_PROMPT},
    {"BeforeAgent", HOOK_PROMPT},
    {"PreToolUse", HOOK_CALL_BEGINS},
    {"BeforeTool", HOOK_CALL_BEGINS},
    {"PostToolUse", HOOK_CALL_ENDED},
    {"AfterTool", HOOK_CALL_ENDED},
    {"PostToolUseFailure", HOOK_CALL_FAILED},
    {"Stop", HOOK_TURN_ENDED},
    {"AfterAgent", HOOK_TURN_ENDED},
    {"StopFailure", HOOK_TURN_FAILED},
    {"SessionEnd", HOOK_SESSION_ENDS},
};

const struct hook_agent *hook_agent_at(size_t index)
{
    return index < AGENTS ? &agents[index] : NULL;
}

const struct hook_agent *hook_agent_named(const char *name)
{
    for (size_t i = 0; i < AGENTS; i++) {
        if (strcmp(agents[i].name, name) == 0)
            return &agents[i];
    }
    return NULL;
}

const char *hook_agent_names(void)
{
    return "claude, codex, gemini, qwen";
}

enum hook_kind hook_kind_of(const char *event)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strcmp(kinds[i].event, event) == 0)
            return kinds[i].kind;
    }
    return HOOK_OTHER;
}

/* What an agent sends to a hook. */

enum { PARTS_MAX = 1000 /* limit for the parts of one result */ };

/* Members that contain the result of a tool, in the order in which they are read. */
static const char *const members[] = {"stdout",    "stderr", "output", "llmContent",
                                      "content",   "text",   "result", "file",
                                      "filenames", "error",  "message"};

static void add_part(struct str *out, const char *bytes, size_t len)
{
    if (len == 0)
        return;
    if (out->len > 0 && out->data[out->len - 1] != '\n')
        str_add_char(out, '\n');
    str_add_n(out, bytes, len);
}

/* Finds the exit code in text: some tools have a line "Exit Code: 2" or "Process exited with
 * code 2". */
static void find_code(const char *text, int *exit_out)
{
    static const char *const words[] = {"Exit Code: ", "Exit code: ", "Process exited with code ",
                                        "Command exited with code "};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        const char *at = strstr(text, words[i]);
        while (at && at > text && at[-1] != '\n') /* must be at the start of a line */
            at = strstr(at + 1, words[i]);
        const char *number = at ? at + strlen(words[i]) : "";
        if (ascii_is_digit(*number)) {
            const long code = strtol(number, NULL, 10);
            *exit_out = code < 256 ? (int)code : 1;
            return;
        }
    }
}

static void read_code(const struct json *object, int *exit_out)
{
    static const char *const names[] = {"exit_code", "exitCode", "code"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const int64_t code = json_i64(json_get(object, names[i]), 0);
        if (code != 0)
            *exit_out = code > 0 && code < 256 ? (int)code : 1;
    }
    const bool says_so = json_bool(json_get(object, "isError"), false) ||
                         json_bool(json_get(object, "is_error"), false);
    if (says_so && *exit_out == 0)
        *exit_out = 1;
}

static void read_text_part(const struct json *value, struct str *out, int *exit_out)
{
    size_t len = 0;
    const char *text = json_bytes(value, &len);
    struct json *inner = NULL;
    const bool is_object = len > 1 && text[0] == '{' &&
                           json_parse_data(text, len, &inner, NULL, NULL) &&
                           json_get(inner, "output");
    if (is_object) { /* the text is an object that contains the result */
        read_code(json_get(inner, "metadata"), exit_out);
        text = json_bytes(json_get(inner, "output"), &len);
    }
    add_part(out, text ? text : "", len);
    if (*exit_out == 0)
        find_code(str_text(out), exit_out);
    json_free(inner);
}

/* Reads a part of a list: text, or an object that contains text. */
static void read_element(const struct json *value, struct str *out)
{
    size_t len = 0;
    const struct json *text =
        json_kind(value) == JSON_KIND_OBJECT ? json_get(value, "text") : value;
    const char *bytes = json_bytes(text, &len);
    struct str whole = {0};
    if (!bytes)
        json_write(&whole, value);
    add_part(out, bytes ? bytes : str_text(&whole), bytes ? len : whole.len);
    str_done(&whole);
}

static void read_list(const struct json *list, struct str *out)
{
    const size_t count = json_count(list) < PARTS_MAX ? json_count(list) : PARTS_MAX;
    for (size_t i = 0; i < count; i++)
        read_element(json_at(list, i), out);
}

/* Reads one of the members above. */
static void read_member(const struct json *value, struct str *out, int *exit_out)
{
    if (json_kind(value) == JSON_KIND_STRING)
        read_text_part(value, out, exit_out);
    else if (json_kind(value) == JSON_KIND_ARRAY)
        read_list(value, out);
    else if (json_kind(value) == JSON_KIND_OBJECT)
        read_element(json_get(value, "content") ? json_get(value, "content") : value, out);
}

/* Reads a result without these members: everything except the duration. */
static void read_rest(const struct json *object, struct str *out)
{
    const char *key = NULL;
    const struct json *value = NULL;
    void *iter = NULL;
    struct str line = {0};
    while (json_next(object, &iter, &key, &value)) {
        const size_t len = strlen(key);
        if (strstr(key, "uration") || (len > 2 && strcmp(key + len - 2, "Ms") == 0))
            continue; /* a duration */
        str_clear(&line);
        str_addf(&line, "%s: ", key);
        json_write(&line, value);
        add_part(out, str_text(&line), line.len);
    }
    str_done(&line);
}

/* Reads the result of a tool as text, whatever its form. *exit_out is its exit code if it has
 * one, and 1 if it reports failure. */
static void hook_output_read(const struct json *response, struct str *out, int *exit_out)
{
    if (json_kind(response) == JSON_KIND_STRING) {
        read_text_part(response, out, exit_out);
        return;
    }
    if (json_kind(response) == JSON_KIND_ARRAY) {
        read_list(response, out);
        return;
    }
    bool has_one = false;
    read_code(response, exit_out);
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        const struct json *value = json_get(response, members[i]);
        has_one = has_one || value;
        read_member(value, out, exit_out);
    }
    const enum json_kind error = json_kind(json_get(response, "error"));
    const bool failed = error == JSON_KIND_STRING || error == JSON_KIND_OBJECT;
    if (failed && *exit_out == 0)
        *exit_out = 1;
    if (!has_one)
        read_rest(response, out);
}

static void read_call(struct hook_input *input)
{
    static const char code_words[] = "Exit code ";
    const double most = 1e15; /* 30,000 years */
    const double ms = json_number(json_get(input->json, "duration_ms"), 0);
    const char *error = json_text(json_get(input->json, "error"), "");
    input->tool = json_text(json_get(input->json, "tool_name"), "tool");
    input->args = json_get(input->json, "tool_input");
    if (json_kind(input->args) != JSON_KIND_OBJECT)
        input->args = NULL;
    input->ms = ms > 0 && ms < most ? (int64_t)ms : 0;
    if (input->kind == HOOK_CALL_ENDED)
        hook_output_read(json_get(input->json, "tool_response"), &input->output, &input->exit);
    if (input->kind != HOOK_CALL_FAILED)
        return;
    input->exit = 1;
    input->interrupted = json_bool(json_get(input->json, "is_interrupt"), false);
    if (strncmp(error, code_words, sizeof(code_words) - 1) == 0) {
        const long code = strtol(error + sizeof(code_words) - 1, NULL, 10);
        input->exit = code > 0 && code < 256 ? (int)code : 1;
    }
    str_add(&input->output, error);
}

static const char *input_text(const struct hook_input *input)
{
    const struct json *json = input->json;
    switch (input->kind) {
    case HOOK_PROMPT:
        return json_text(json_get(json, "submitted_prompt"),
                         json_text(json_get(json, "prompt"), ""));
    case HOOK_TURN_ENDED:
        return json_text(json_get(json, "last_assistant_message"),
                         json_text(json_get(json, "prompt_response"), ""));
    case HOOK_TURN_FAILED:
        return json_text(json_get(json, "error"), "");
    default: /* the others have no text */
        return "";
    }
}

static bool read_input(struct hook_input *input, const struct hook_agent *agent, struct err *err)
{
    const struct json *json = input->json;
    input->event = json_text(json_get(json, "hook_event_name"), "");
    input->session = json_text(json_get(json, "session_id"), "");
    if (*input->event == '\0' || *input->session == '\0')
        return err_set(err, ERR_INVALID,
                       "a hook's JSON needs a \"hook_event_name\" and a \"session_id\"");
    /* without --agent, the agent is recognized by event names and members that only it uses */
    const bool is_geminis =
        strncmp(input->event, "Before", 6) == 0 || strncmp(input->event, "After", 5) == 0;
    if (agent)
        input->agent = agent;
    else if (is_geminis)
        input->agent = hook_agent_named("gemini");
    else
        input->agent = hook_agent_named(json_get(json, "turn_id") ? "codex" : "claude");
    input->kind = hook_kind_of(input->event);
    input->dir = json_text(json_get(json, "cwd"), NULL);
    /* qwen also uses this event to prompt its model with tool results: 0.15 without text; a later
     * version adds the text that the user typed. */
    if (input->kind == HOOK_PROMPT && strcmp(input->agent->name, "qwen") == 0 &&
        !json_get(json, "submitted_prompt") && json_text(json_get(json, "prompt"), "")[0] == '\0')
        input->kind = HOOK_OTHER;
    if (input->kind == HOOK_CALL_BEGINS || input->kind == HOOK_CALL_ENDED ||
        input->kind == HOOK_CALL_FAILED)
        read_call(input);
    input->text = input_text(input);
    return true;
}

bool hook_input_read(const struct str *text, const struct hook_agent *agent, struct hook_input *out,
                     struct err *err)
{
    struct hook_input input = {0};
    struct json_place place = {0};
    struct err why = {0};
    if (!json_parse_data(str_text(text), text->len, &input.json, &place, &why))
        return err_set(err, ERR_INVALID, "line %d, column %d: %s", place.line, place.column,
                       why.message);
    if (!read_input(&input, agent, err)) {
        hook_input_done(&input);
        return false;
    }
    *out = input;
    return true;
}

void hook_input_done(struct hook_input *input)
{
    json_free(input->json);
    str_done(&input->output);
    *input = (struct hook_input){0};
}

static void add_stop(const char *why, struct str *out)
{
    str_json_bool(out, "continue", false);
    str_json_text(out, "stopReason", why);
}

void hook_answer_deny(const struct hook_input *input, bool ends, const char *why, struct str *out)
{
    str_add_char(out, '{');
    if (ends && input->agent->ends_in_call)
        add_stop(why, out);
    if (strcmp(input->agent->name, "gemini") == 0) {
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

/* Blocks a result only if the agent must stop, because a blocked result is replaced by the text.
 * Agents that would lose the result, and failed calls, which cannot be blocked, get the text as
 * additional context. */
void hook_answer_say(const struct hook_input *input, bool stuck, const char *words, struct str *out)
{
    struct str stop = {0};
    if (stuck)
        str_addf(&stop, "Stop. %s If you repeat this call, it will be denied.", words);
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
