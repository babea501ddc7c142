#include "hook_input.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

/* Milliseconds, whatever number says so; 0 = not told. */
static int64_t read_ms(const struct json *value)
{
    const double most = 1e15; /* 30,000 years */
    const double ms = json_number(value, 0);
    return ms > 0 && ms < most ? (int64_t)ms : 0;
}

/* Without --agent: what only one of them tells. */
static const struct hook_agent *guess(const struct json *json, const char *event)
{
    const bool of_gemini = strncmp(event, "Before", 6) == 0 || strncmp(event, "After", 5) == 0;
    if (of_gemini)
        return hook_agent_named("gemini");
    return hook_agent_named(json_get(json, "turn_id") ? "codex" : "claude");
}

/* qwen prompts its model with results of tools through the same event: 0.15 without words, a later
 * one says what a person typed. */
static bool is_a_persons(const struct hook_input *input)
{
    return strcmp(input->agent->name, "qwen") != 0 || json_get(input->json, "submitted_prompt") ||
           json_text(json_get(input->json, "prompt"), "")[0] != '\0';
}

static void take_failure(struct hook_input *input)
{
    static const char code_words[] = "Exit code ";
    const char *error = json_text(json_get(input->json, "error"), "");
    input->exit = 1;
    input->interrupted = json_bool(json_get(input->json, "is_interrupt"), false);
    if (strncmp(error, code_words, sizeof(code_words) - 1) == 0) {
        const long code = strtol(error + sizeof(code_words) - 1, NULL, 10);
        input->exit = code > 0 && code < 256 ? (int)code : 1;
    }
    str_add(&input->output, error);
}

static void take_call(struct hook_input *input)
{
    const struct json *response = json_get(input->json, "tool_response");
    input->tool = json_text(json_get(input->json, "tool_name"), "tool");
    input->args = json_get(input->json, "tool_input");
    if (json_kind(input->args) != JSON_KIND_OBJECT)
        input->args = NULL;
    input->ms = read_ms(json_get(input->json, "duration_ms"));
    if (input->kind == HOOK_CALL_ENDED)
        hook_output_read(response, &input->output, &input->exit);
    else if (input->kind == HOOK_CALL_FAILED)
        take_failure(input);
}

static const char *words_of(const struct hook_input *input)
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
    default: /* the others say nothing in words */
        return "";
    }
}

static bool take_all(struct hook_input *input, const struct hook_agent *agent, struct err *err)
{
    const struct json *json = input->json;
    input->event = json_text(json_get(json, "hook_event_name"), "");
    input->session = json_text(json_get(json, "session_id"), "");
    if (*input->event == '\0' || *input->session == '\0')
        return err_set(err, ERR_INVALID,
                       "a hook's JSON has a \"hook_event_name\" and a \"session_id\"");
    input->agent = agent ? agent : guess(json, input->event);
    input->kind = hook_kind_of(input->event);
    input->dir = json_text(json_get(json, "cwd"), NULL);
    if (input->kind == HOOK_PROMPT && !is_a_persons(input))
        input->kind = HOOK_OTHER;
    if (input->kind == HOOK_CALL_BEGINS || input->kind == HOOK_CALL_ENDED ||
        input->kind == HOOK_CALL_FAILED)
        take_call(input);
    input->text = words_of(input);
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
    if (!take_all(&input, agent, err)) {
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
