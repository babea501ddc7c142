#include "contract_pattern.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "contract_word.h"
#include "ecma_pattern.h"
#include "xalloc.h"

enum {
    HEAP_LIMIT_KIB = 64 * 1024, /* memory of one match */
    STEP_FACTOR = 16,           /* from one try with more steps to the next */
    STEP_BYTES = 16,            /* of the text that a step may look at for nothing */
    REASON_MAX = 200,
};

/* Either a plain text that must stand at the beginning, or a word, or what PCRE2 compiled. */
struct contract_pattern {
    char *beginning; /* owned; NULL: one of the others */
    size_t beginning_len;
    struct contract_word word;
    pcre2_code *code;  /* owned; NULL: one of the others */
    int required;      /* a byte without which nothing matches; -1: none is known */
    bool looks_around; /* or back to a group: a step may look at all of the text */
};

struct contract_matcher {
    pcre2_match_data *data;       /* owned */
    pcre2_match_context *context; /* owned */
    int64_t steps_left;
};

/* "^literal" is common and needs no machine. */
static bool is_beginning(const char *text, size_t len)
{
    if (len == 0 || text[0] != '^')
        return false;
    for (size_t i = 1; i < len; i++) {
        if (text[i] == '\0' || strchr("\\^$.|?*+()[]{}", text[i]))
            return false;
    }
    return true;
}

/* What the library would make possessive is not counted as a step, so it may not. */
static bool compile(struct contract_pattern *pattern, const struct str *source, struct err *err)
{
    const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF |
                             PCRE2_ALLOW_EMPTY_CLASS | PCRE2_NO_AUTO_POSSESS |
                             PCRE2_NEVER_BACKSLASH_C;
    int number = 0;
    size_t at = 0;
    pcre2_compile_context *context = xcheck(pcre2_compile_context_create(NULL));
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF); /* what '.' does not match */
    pattern->code =
        pcre2_compile((PCRE2_SPTR)str_text(source), source->len, options, &number, &at, context);
    pcre2_compile_context_free(context);
    if (number == PCRE2_ERROR_HEAP_FAILED)
        xalloc_fail();
    if (pattern->code)
        return true;
    char why[REASON_MAX] = {0};
    (void)pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof(why));
    return err_set(err, ERR_INVALID, "%s", why);
}

/* Group names and classes may look so too; then it is only more careful than it need be. */
static bool looks_around(const struct contract_pattern *pattern, const char *source)
{
    uint32_t groups = 0;
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_BACKREFMAX, &groups);
    return groups > 0 || strstr(source, "(?=") || strstr(source, "(?!") || strstr(source, "(?<");
}

static int required_byte(const struct contract_pattern *pattern)
{
    uint32_t is_known = 0;
    uint32_t byte = 0;
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_LASTCODETYPE, &is_known);
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_LASTCODEUNIT, &byte);
    return is_known ? (int)byte : -1;
}

/* The library counts steps anew at each place of the text where the match may begin. So a pattern
 * that may begin anywhere is made one that begins at the text's start and goes on from there. */
static bool compile_counted(struct contract_pattern *pattern, const struct str *source,
                            struct err *err)
{
    uint32_t options = 0;
    struct str counted = {0};
    bool ok = compile(pattern, source, err);
    if (ok)
        (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_ALLOPTIONS, &options);
    if (ok && (options & PCRE2_ANCHORED) == 0) {
        pcre2_code_free(pattern->code);
        str_add(&counted, "\\A(?s:.*?)(?:");
        str_add_n(&counted, str_text(source), source->len);
        str_add_char(&counted, ')');
        ok = compile(pattern, &counted, err);
    }
    str_done(&counted);
    pattern->looks_around = ok && looks_around(pattern, str_text(source));
    pattern->required = ok ? required_byte(pattern) : -1;
    return ok;
}

bool contract_pattern_open(struct contract_pattern **out, const char *text, size_t len,
                           struct err *err)
{
    if (len > CONTRACT_PATTERN_MAX)
        return err_set(err, ERR_INVALID, "more than %d bytes", CONTRACT_PATTERN_MAX);
    struct contract_pattern *pattern = xcalloc(1, sizeof(*pattern));
    struct str source = {0};
    bool ok = true;
    if (is_beginning(text, len)) {
        pattern->beginning = xstrndup(text + 1, len - 1);
        pattern->beginning_len = len - 1;
    } else if (!contract_word_read(&pattern->word, text, len)) {
        ok = ecma_pattern(&source, text, len, err) && compile_counted(pattern, &source, err);
    }
    str_done(&source);
    if (ok)
        *out = pattern;
    else
        contract_pattern_close(pattern);
    return ok;
}

void contract_pattern_close(struct contract_pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_code_free(pattern->code);
    free(pattern->beginning);
    free(pattern);
}

struct contract_matcher *contract_matcher_new(int64_t steps)
{
    struct contract_matcher *matcher = xcalloc(1, sizeof(*matcher));
    matcher->data = xcheck(pcre2_match_data_create(1, NULL));
    matcher->context = xcheck(pcre2_match_context_create(NULL));
    matcher->steps_left = steps;
    (void)pcre2_set_heap_limit(matcher->context, HEAP_LIMIT_KIB);
    return matcher;
}

void contract_matcher_free(struct contract_matcher *matcher)
{
    if (!matcher)
        return;
    pcre2_match_context_free(matcher->context);
    pcre2_match_data_free(matcher->data);
    free(matcher);
}

static int64_t steps_allowed(size_t len)
{
    const int64_t most = CONTRACT_MATCH_STEPS_MAX;
    const int64_t bytes = len < (size_t)most ? (int64_t)len : most;
    const int64_t steps = CONTRACT_MATCH_STEPS_MIN + bytes * CONTRACT_MATCH_STEPS_PER_BYTE;
    return steps < most ? steps : most;
}

static int64_t at_least_one(int64_t steps)
{
    return steps > 0 ? steps : 1;
}

static bool begins(const struct contract_pattern *pattern, const char *text, size_t len)
{
    const size_t want = pattern->beginning_len;
    return len >= want && (want == 0 || (text[0] == pattern->beginning[0] &&
                                         memcmp(text, pattern->beginning, want) == 0));
}

/* The library does not say how many steps a match took. So it gets few first, and more of
 * what is left only when those are not enough. */
enum contract_match contract_pattern_match(const struct contract_pattern *pattern,
                                           struct contract_matcher *matcher, const char *text,
                                           size_t len)
{
    if (pattern->beginning)
        return begins(pattern, text, len) ? CONTRACT_MATCH_YES : CONTRACT_MATCH_NO;
    if (!pattern->code)
        return contract_word_fits(&pattern->word, text, len) ? CONTRACT_MATCH_YES
                                                             : CONTRACT_MATCH_NO;
    if (pattern->required >= 0 && !memchr(text, pattern->required, len))
        return CONTRACT_MATCH_NO;
    const int64_t weight = pattern->looks_around ? 1 + (int64_t)(len / STEP_BYTES) : 1;
    const int64_t allowed = at_least_one(steps_allowed(len) / weight);
    for (int64_t steps = at_least_one(CONTRACT_MATCH_STEPS_FREE / weight);; steps *= STEP_FACTOR) {
        const int64_t now = steps < allowed ? steps : allowed;
        if (now * weight > CONTRACT_MATCH_STEPS_FREE)
            matcher->steps_left -= now * weight;
        if (matcher->steps_left < 0)
            return CONTRACT_MATCH_LIMITED;
        (void)pcre2_set_match_limit(matcher->context, (uint32_t)now);
        const int result = pcre2_match(pattern->code, (PCRE2_SPTR)text, len, 0, PCRE2_NO_UTF_CHECK,
                                       matcher->data, matcher->context);
        if (result == PCRE2_ERROR_NOMATCH)
            return CONTRACT_MATCH_NO;
        if (result >= 0)
            return CONTRACT_MATCH_YES;
        if (result != PCRE2_ERROR_MATCHLIMIT || now == allowed)
            return CONTRACT_MATCH_LIMITED;
    }
}
