#include "hook_words.h"

#include <string.h>

#include "agent_stream.h"
#include "agent_what.h"
#include "str.h"
#include "text.h"

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

bool hook_words_add(struct call_log *log, const struct redactor *redactor,
                    const struct hook_input *input, const char *notice, const struct moment *at,
                    struct err *err)
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
