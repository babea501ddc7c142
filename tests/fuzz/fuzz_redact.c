/*
 * Whatever comes, and wherever it is cut: the same bytes come out, the secret is not among them
 * in any of its forms, and no more is held back than may be.
 *
 * The first byte says how the text is cut into pieces, the second how long the secret is and
 * whether there is a pattern, the third how often the text is repeated; then comes the secret,
 * then the text. Some bytes of the text stand for the secret in one of its forms.
 */
#define _GNU_SOURCE /* memmem */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redact.h"
#include "redact_internal.h"

enum { HEAD = 3, SECRET_MAX = 40, PATTERN_BIT = 128, REPEAT_MAX = 140 * 1024, FEW = 250 };
/* Bytes that stand for a form. */
enum {
    ESCAPED_TWICE = 0xf4,
    JSON_IN_HTML,
    HTML_IN_JSON,
    PERCENT_IN_JSON,
    AS_IT_IS,
    HEX,
    BASE64,
    PERCENT,
    HALF,
    COLORED
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void add_base64(struct str *out, const struct str *bytes)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->len; i += 3) {
        uint32_t group = 0;
        for (size_t j = 0; j < 3; j++)
            group = group << 8 | (i + j < bytes->len ? (unsigned char)bytes->data[i + j] : 0u);
        for (size_t j = 0; j < 4; j++)
            str_add_char(out, i + j <= bytes->len ? letters[group >> (18 - 6 * j) & 63u] : '=');
    }
}

/* Each byte as \u00xx of \u00xx, and so on: the parts of one escape are escaped themselves. */
static void add_nested(struct str *out, const struct str *secret, unsigned form)
{
    for (size_t i = 0; i < secret->len; i++) {
        const unsigned byte = (unsigned char)secret->data[i];
        if (form == ESCAPED_TWICE)
            str_addf(out, "\\\\x%02x", byte);
        else if (form == JSON_IN_HTML)
            str_addf(out, "&#92;x%02x", byte);
        else if (form == HTML_IN_JSON && byte < 0x80)
            str_addf(out, "\\u0026#%u;", byte);
        else if (form == PERCENT_IN_JSON)
            str_addf(out, "\\u0025%02x", byte);
        else
            str_add_char(out, (char)byte);
    }
}

static void add_form(struct str *out, const struct str *secret, unsigned form)
{
    if (form < AS_IT_IS) {
        add_nested(out, secret, form);
        return;
    }
    if (form == AS_IT_IS)
        str_add_n(out, str_text(secret), secret->len);
    if (form == HALF)
        str_add_n(out, str_text(secret), secret->len / 2);
    if (form == BASE64)
        add_base64(out, secret);
    for (size_t i = 0; i < secret->len && form == COLORED; i++) {
        if (i % 5 == 3)
            str_addf(out, "\033[3%zum", i % 8);
        str_add_char(out, secret->data[i]);
    }
    for (size_t i = 0; i < secret->len && (form == HEX || form == PERCENT); i++)
        str_addf(out, form == HEX ? "%02x" : "%%%02X", (unsigned char)secret->data[i]);
}

static void build_text(const uint8_t *data, size_t size, const struct str *secret, struct str *out)
{
    for (size_t i = 0; i < size; i++) {
        if (data[i] >= ESCAPED_TWICE && data[i] <= COLORED)
            add_form(out, secret, data[i]);
        else
            str_add_char(out, (char)data[i]);
    }
}

static void take(void *ctx, const char *bytes, size_t len)
{
    must(len >= 1 && len <= REDACT_SINK_MAX);
    str_add_n(ctx, bytes, len);
}

/* Cut into pieces whose lengths follow from `seed`; 0: in one piece. */
static void redact(const struct redactor *redactor, const struct str *text, unsigned seed,
                   struct str *out)
{
    struct redact_stream *stream = NULL;
    unsigned state = seed;
    redact_stream_open(&stream, redactor);
    for (size_t at = 0; at < text->len;) {
        const size_t left = text->len - at;
        state = state * 1103515245U + 12345U;
        size_t piece = seed == 0 ? left : 1 + (state >> 16) % (seed % 8 == 7 ? 70000U : seed);
        piece = piece < left ? piece : left;
        redact_stream_add(stream, text->data + at, piece, take, out);
        at += piece;
    }
    redact_stream_end(stream, take, out);
    redact_stream_close(stream);
}

/* Text beside a mark may look like more of a secret than there was; what has a bracket in it,
 * or is part of the mark's name, proves nothing. */
static void must_be_gone(const struct str *out, const struct str *form)
{
    if (!memchr(form->data, '[', form->len) && !memchr(form->data, ']', form->len) &&
        !strstr("cut:FUZZ_TOKEN", form->data))
        must(!memmem(str_text(out), out->len, form->data, form->len));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void check_forms(const struct str *out, const struct str *secret)
{
    const bool trimmed =
        secret->len > 0 && !is_blank(secret->data[0]) && !is_blank(secret->data[secret->len - 1]);
    if (!trimmed || !redact_may_be_secret(secret->data, secret->len))
        return;
    for (unsigned form = ESCAPED_TWICE; form <= PERCENT; form++) {
        struct str text = {0};
        add_form(&text, secret, form);
        must_be_gone(out, &text);
        str_done(&text);
    }
}

static struct redactor *open_redactor(const struct str *secret, bool with_pattern)
{
    char name[] = "badge", regex[] = "B-([0-9]{2})+|x(y)?z$";
    struct redact_pattern pattern = {name, regex};
    const struct secret_settings settings = {.patterns = &pattern, .pattern_count = 1};
    char variable[sizeof("FUZZ_TOKEN=") + SECRET_MAX];
    char *const environment[] = {variable, NULL};
    struct redactor *redactor = NULL;
    (void)snprintf(variable, sizeof(variable), "FUZZ_TOKEN=%s", str_text(secret));
    const struct redact_setting setting = {.environment = environment,
                                           .settings = with_pattern ? &settings : NULL};
    must(redactor_open(&redactor, &setting, NULL));
    return redactor;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    struct str secret = {0}, once = {0}, text = {0}, whole = {0}, cut = {0};
    const size_t wanted = data[1] % SECRET_MAX;
    size_t at = HEAD;
    for (; at < size && secret.len < wanted && data[at] != '\0'; at++)
        str_add_char(&secret, (char)data[at]);
    build_text(data + at, size - at, &secret, &once);
    const int repeats = data[2] < FEW ? 1 : (data[2] - FEW) * (data[2] - FEW) * FEW;
    for (int i = 0; i < repeats && text.len < REPEAT_MAX; i++)
        str_add_n(&text, str_text(&once), once.len);

    struct redactor *redactor = open_redactor(&secret, data[1] & PATTERN_BIT);
    redact(redactor, &text, 0, &whole);
    redact(redactor, &text, 1 + data[0], &cut);
    must(whole.len == cut.len && memcmp(str_text(&whole), str_text(&cut), whole.len) == 0);
    check_forms(&whole, &secret);

    redactor_close(redactor);
    str_done(&secret);
    str_done(&once);
    str_done(&text);
    str_done(&whole);
    str_done(&cut);
    return 0;
}
