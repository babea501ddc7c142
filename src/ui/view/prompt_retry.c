/* prompt_retry.c - what is typed before a retry with choices: a hint, and how many tries. */
#include <stdio.h>

#include "parse.h"
#include "policy.h"
#include "prompt_parts.h"
#include "term.h"

static bool read_tries(const struct prompt_retry *retry, int *out)
{
    int64_t tries = 0;
    if (retry->tries.len == 0) {
        *out = 0;
        return true;
    }
    if (!parse_i64(retry->tries.text, 1, POLICY_ATTEMPTS_MAX, &tries, NULL))
        return false;
    *out = (int)tries;
    return true;
}

int prompt_tries(const struct prompt *prompt)
{
    int tries = 0;
    return read_tries(&prompt->retry, &tries) ? tries : 0;
}

const char *prompt_hint(const struct prompt *prompt)
{
    return prompt->retry.hint.text;
}

/* What was typed is looked over before anything is asked for. */
static void look_over(struct prompt *prompt, int64_t now_ms)
{
    struct prompt_retry *retry = &prompt->retry;
    int tries = 0;
    if (!read_tries(retry, &tries)) {
        (void)snprintf(retry->problem, sizeof(retry->problem), "tries: a number from 1 to %d",
                       POLICY_ATTEMPTS_MAX);
        retry->in_tries = true;
        return;
    }
    retry->is_asked = true;
    prompt->opened_ms = now_ms;
}

static void type(struct prompt_retry *retry, uint32_t key)
{
    struct line_edit *field = retry->in_tries ? &retry->tries : &retry->hint;
    bool is_full = retry->in_tries && retry->tries.len + 1 >= PROMPT_TRIES_MAX;
    bool is_text = key < TERM_KEY_FIRST && key >= ' ';
    if (is_full && is_text && key != TERM_KEY_BACKSPACE)
        return;
    (void)line_edit_key(field, key);
}

void prompt_retry_key(struct prompt *prompt, uint32_t key, int64_t now_ms)
{
    struct prompt_retry *retry = &prompt->retry;
    retry->problem[0] = '\0';
    switch (key) {
    case TERM_KEY_ENTER:
        look_over(prompt, now_ms);
        break;
    case TERM_KEY_TAB:
    case TERM_KEY_BACK_TAB:
    case TERM_KEY_DOWN:
    case TERM_KEY_UP:
        retry->in_tries = !retry->in_tries;
        break;
    default:
        type(retry, key);
        break;
    }
    retry->hint.open = !retry->in_tries;
    retry->tries.open = retry->in_tries;
}
