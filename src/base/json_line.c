#include "json_line.h"

#include <string.h>

#include "ascii.h"
#include "json_text.h"
#include "utf8.h"

/* Past the backslash. */
static bool check_escape(struct json_text *text)
{
    if (json_text_take(text, 'u'))
        return json_text_take_character(text) >= 0;
    char c = json_text_peek(text);
    text->at++;
    return c != '\0' && strchr("\"\\/bfnrt", c) != NULL;
}

/* Past the first quote. */
static bool check_string(struct json_text *text)
{
    for (;;) {
        text->at += json_text_plain(text->text + text->at, text->len - text->at);
        if (text->at == text->len)
            return false;
        unsigned char c = (unsigned char)text->text[text->at];
        size_t wide = c < 0x80 ? 1 : utf8_len(text->text + text->at, text->len - text->at);
        if (wide == 0 || c < 0x20)
            return false;
        text->at += wide;
        if (c == '"')
            return true;
        if (c == '\\' && !check_escape(text))
            return false;
    }
}

static bool take_digits(struct json_text *text)
{
    size_t from = text->at;
    while (ascii_is_digit(json_text_peek(text)))
        text->at++;
    return text->at > from;
}

static bool check_number(struct json_text *text)
{
    (void)json_text_take(text, '-');
    if (!json_text_take(text, '0') && !take_digits(text))
        return false;
    if (json_text_take(text, '.') && !take_digits(text))
        return false;
    if (!json_text_take(text, 'e') && !json_text_take(text, 'E'))
        return true;
    if (!json_text_take(text, '+'))
        (void)json_text_take(text, '-');
    return take_digits(text);
}

static bool check_word(struct json_text *text, const char *word)
{
    size_t len = strlen(word);
    if (text->len - text->at < len || memcmp(text->text + text->at, word, len) != 0)
        return false;
    text->at += len;
    return true;
}

/* A value that holds no other. */
static bool check_scalar(struct json_text *text)
{
    switch (json_text_peek(text)) {
    case '"':
        text->at++;
        return check_string(text);
    case 't':
        return check_word(text, "true");
    case 'f':
        return check_word(text, "false");
    case 'n':
        return check_word(text, "null");
    default:
        return check_number(text);
    }
}

/* A value while it is copied: what is open, innermost last. */
struct copying {
    struct json_text text;
    struct str *out;
    size_t copied; /* bytes of the text that are dealt with */
    int depth;
    char open[JSON_LINE_DEPTH_MAX];
};

static void copy_so_far(struct copying *copying)
{
    str_add_n(copying->out, copying->text.text + copying->copied,
              copying->text.at - copying->copied);
    copying->copied = copying->text.at;
}

static void leave_out_blanks(struct copying *copying)
{
    if (!ascii_is_blank(json_text_peek(&copying->text)))
        return;
    copy_so_far(copying);
    json_text_skip_blanks(&copying->text);
    copying->copied = copying->text.at;
}

static bool take_key(struct copying *copying)
{
    if (!json_text_take(&copying->text, '"') || !check_string(&copying->text))
        return false;
    leave_out_blanks(copying);
    return json_text_take(&copying->text, ':');
}

/* Past '{' or '['. *value: a value comes next. */
static bool enter(struct copying *copying, char bracket, bool *value)
{
    if (copying->depth == JSON_LINE_DEPTH_MAX)
        return false;
    leave_out_blanks(copying);
    char end = bracket == '{' ? '}' : ']';
    *value = !json_text_take(&copying->text, end);
    if (!*value)
        return true;
    copying->open[copying->depth++] = end;
    return bracket == '[' || take_key(copying);
}

/* Past a value: ends what ends here. *value: another value comes next. */
static bool go_on(struct copying *copying, bool *value)
{
    *value = false;
    while (copying->depth > 0) {
        const char end = copying->open[copying->depth - 1];
        leave_out_blanks(copying);
        if (json_text_take(&copying->text, end)) {
            copying->depth--;
            continue;
        }
        if (!json_text_take(&copying->text, ','))
            return false;
        leave_out_blanks(copying);
        *value = true;
        return end == ']' || take_key(copying);
    }
    return true;
}

static bool copy_value(struct copying *copying)
{
    bool value = true;
    while (value) {
        leave_out_blanks(copying);
        char first = json_text_peek(&copying->text);
        if (first == '{' || first == '[') {
            copying->text.at++;
            if (!enter(copying, first, &value))
                return false;
            if (value)
                continue;
        } else if (!check_scalar(&copying->text)) {
            return false;
        }
        if (!go_on(copying, &value))
            return false;
    }
    leave_out_blanks(copying);
    copy_so_far(copying);
    return copying->text.at == copying->text.len;
}

bool json_line_add(const char *text, size_t len, struct str *out)
{
    struct copying copying; /* what is open is written before it is read */
    copying.text = (struct json_text){.text = text, .len = len};
    copying.out = out;
    copying.copied = 0;
    copying.depth = 0;
    const size_t before = out->len;
    if (copy_value(&copying))
        return true;
    str_cut(out, before);
    return false;
}
