#include "error_line.h"

#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "words.h"

/* A word of the text. */
struct word {
    const char *text;
    size_t len;
};

/* What joins words to names, as in error_line.c or no-error. */
static bool is_of_name(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c) || c == '_' || c == '/';
}

static bool is_same(struct word word, const char *want)
{
    return word.len == strlen(want) && words_find(word.text, word.len, want) == word.text;
}

static bool is_one_of(struct word word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_same(word, words[i]))
            return true;
    }
    return false;
}

/* As programs call what they throw: with a capital in the middle of the word. */
static bool is_thrown(struct word word)
{
    static const char *const ends[] = {"Error", "Exception"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        const size_t len = strlen(ends[i]);
        if (word.len > len && memcmp(word.text + word.len - len, ends[i], len) == 0)
            return true;
    }
    return false;
}

static bool is_word_of_error(struct word word)
{
    static const char *const words[] = {
        "error", "errors",   "fail",      "failed",    "failure", "failures", "fatal",
        "panic", "panicked", "exception", "traceback", "abort",   "aborted",  "segfault",
    };
    return is_one_of(word, words, ARRAY_LEN(words)) || is_thrown(word);
}

/* The word that ends before a place, blanks between left out. */
static struct word word_before(const char *text, size_t at)
{
    size_t end = at;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    size_t begin = end;
    while (begin > 0 && (ascii_is_letter(text[begin - 1]) || ascii_is_digit(text[begin - 1])))
        begin--;
    return (struct word){text + begin, end - begin};
}

/* "0 errors", "no failures", "errors: 0", "failed=0" */
static bool says_none(const char *text, size_t len, size_t from, size_t to)
{
    static const char *const none[] = {"0", "no", "without", "zero"};
    if (is_one_of(word_before(text, from), none, ARRAY_LEN(none)))
        return true;
    size_t at = to;
    while (at < len && (text[at] == ' ' || text[at] == ':' || text[at] == '='))
        at++;
    const bool has_sign = at > to;
    return has_sign && at < len && text[at] == '0' &&
           (at + 1 == len || !ascii_is_digit(text[at + 1])) &&
           (at + 1 == len || text[at + 1] != '.');
}

static bool is_part_of_name(const char *text, size_t len, size_t from, size_t to)
{
    const bool before =
        from > 0 && (is_of_name(text[from - 1]) || text[from - 1] == '-' || text[from - 1] == '.');
    const bool joined = to < len && (is_of_name(text[to]) || text[to] == '-');
    const bool dotted = to + 1 < len && text[to] == '.' && is_of_name(text[to + 1]);
    return before || joined || dotted;
}

bool line_is_error(const char *text, size_t len)
{
    const size_t end = len < ERROR_LINE_BYTES ? len : ERROR_LINE_BYTES;
    for (size_t at = 0; at < end;) {
        size_t to = at;
        while (to < end && ascii_is_letter(text[to]))
            to++;
        const struct word word = {text + at, to - at};
        const bool is_not_ok = is_same(word, "not") && to + 3 <= end &&
                               is_same((struct word){text + to, 3}, " ok") &&
                               (to + 3 == end || !ascii_is_letter(text[to + 3]));
        if (word.len > 0 && (is_not_ok || is_word_of_error(word))) {
            /* A thrown error's name may have its module's before it. */
            const bool is_name = !is_thrown(word) && is_part_of_name(text, end, at, to);
            if (is_not_ok || (!is_name && !says_none(text, end, at, to)))
                return true;
        }
        at = to + (to == at);
    }
    return false;
}

/* Whether a line of a program that ran another one says only how that one ended. */
static bool is_only_exit_code(const char *line, size_t len)
{
    static const char *const reports[] = {
        "*** [",
        "exit code ",
        "exit status ",
        "exited with ",
        "returned non-zero",
        "ELIFECYCLE",
        "Command failed.",
        "complete log of this run",
    };
    for (size_t i = 0; i < ARRAY_LEN(reports); i++) {
        if (words_find(line, len, reports[i]))
            return true;
    }
    return false;
}

const char *line_telling(const char *text, size_t len, size_t *len_out)
{
    enum { ANY, PLAIN, ERROR, KINDS }; /* the last line of each kind */
    struct word last[KINDS] = {{0}};
    for (size_t at = 0; at < len;) {
        const char *feed = memchr(text + at, '\n', len - at);
        size_t end = feed ? (size_t)(feed - text) : len;
        const size_t next = end + 1;
        while (at < end && ascii_is_blank(text[at]))
            at++;
        while (end > at && ascii_is_blank(text[end - 1]))
            end--;
        const struct word line = {text + at, end - at};
        at = next;
        if (line.len == 0)
            continue;
        const bool is_plain = !is_only_exit_code(line.text, line.len);
        last[ANY] = line;
        last[PLAIN] = is_plain ? line : last[PLAIN];
        last[ERROR] = is_plain && line_is_error(line.text, line.len) ? line : last[ERROR];
    }
    for (int kind = ERROR; kind >= ANY; kind--) {
        if (last[kind].len > 0) {
            *len_out = last[kind].len;
            return last[kind].text;
        }
    }
    return NULL;
}
