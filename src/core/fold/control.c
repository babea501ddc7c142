#include "control.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "json.h"
#include "policy.h"
#include "str.h"

static const char *const verb_names[] = {
    [CONTROL_CANCEL] = "cancel",   [CONTROL_RETRY] = "retry",       [CONTROL_HOLD] = "hold",
    [CONTROL_RELEASE] = "release", [CONTROL_SEND_ONE] = "send-one", [CONTROL_CORRECT] = "correct",
};
static_assert(ARRAY_LEN(verb_names) == CONTROL_VERB_COUNT, "every verb has a name");

static const char *const mode_names[] = {
    [CANCEL_STOP] = "stop",
    [CANCEL_TERM] = "term",
    [CANCEL_KILL] = "kill",
};
static_assert(ARRAY_LEN(mode_names) == CANCEL_MODE_COUNT, "every mode has a name");

const char *control_verb_name(enum control_verb verb)
{
    assert(verb >= CONTROL_CANCEL);
    assert(verb < CONTROL_VERB_COUNT);
    return verb_names[verb];
}

const char *cancel_mode_name(enum cancel_mode mode)
{
    assert(mode < CANCEL_MODE_COUNT);
    return mode_names[mode];
}

static bool cancel_mode_parse(const char *text, enum cancel_mode *out)
{
    for (size_t i = 0; i < ARRAY_LEN(mode_names); i++) {
        if (strcmp(mode_names[i], text) == 0) {
            *out = (enum cancel_mode)i;
            return true;
        }
    }
    return false;
}

static void add_choices(const struct control *control, struct str *out)
{
    if (control->hint[0] == '\0' && control->tries == 0)
        return;
    str_add_char(out, '{');
    if (control->hint[0] != '\0')
        str_json_text(out, "hint", control->hint);
    if (control->tries > 0)
        str_json_i64(out, "attempts", control->tries);
    str_add_char(out, '}');
}

void control_args(const struct control *control, struct str *out)
{
    if (control->verb == CONTROL_RETRY)
        add_choices(control, out);
    const char *key = NULL;
    const char *word = NULL;
    if (control->verb == CONTROL_CANCEL) {
        key = "mode";
        word = cancel_mode_name(control->mode);
    } else if (control->verb == CONTROL_CORRECT) {
        key = "class";
        word = verdict_label_word(&control->label);
    }
    if (!key)
        return;
    str_add_char(out, '{');
    str_json_text(out, key, word);
    str_add_char(out, '}');
}

static bool take_choices(const struct json *args, struct control *control)
{
    const char *hint = json_text(json_get(args, "hint"), "");
    const struct json *attempts = json_get(args, "attempts");
    const int64_t tries = json_i64(attempts, 0);
    const size_t len = strlen(hint);
    if (len >= sizeof(control->hint) || (attempts && tries < 1) || tries > POLICY_ATTEMPTS_MAX)
        return false;
    memcpy(control->hint, hint, len + 1);
    control->tries = (int)tries;
    return true;
}

static bool take_args(const struct json *args, struct control *control)
{
    const struct json *mode = json_get(args, "mode");
    const struct json *class = json_get(args, "class");
    if (control->verb == CONTROL_RETRY)
        return take_choices(args, control);
    if (control->verb == CONTROL_CORRECT)
        return verdict_label_parse(json_text(class, ""), &control->label);
    return !mode || cancel_mode_parse(json_text(mode, ""), &control->mode);
}

bool control_args_parse(const char *args, struct control *control)
{
    struct json *json = NULL;
    if (args && !json_parse(args, strlen(args), &json, NULL, NULL))
        return false;
    bool ok = take_args(json, control);
    json_free(json);
    return ok;
}
