/*
 * Words: comparing without case, the nearest known word, the line of an output that names the
 * error, and quoting for a shell.
 */
#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "lines.h"

/*
 * Words without case (ASCII).
 */

static bool starts_with(const char *text, const char *needle, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (ascii_lower(text[i]) != ascii_lower(needle[i]))
            return false;
    }
    return true;
}

bool words_begin(const char *text, const char *beginning)
{
    const size_t len = strlen(beginning);
    return strlen(text) >= len && starts_with(text, beginning, len);
}

const char *words_find(const char *text, size_t len, const char *needle)
{
    size_t want = strlen(needle);
    if (want == 0)
        return NULL;
    for (size_t i = 0; i + want <= len; i++) {
        if (starts_with(text + i, needle, want))
            return text + i;
    }
    return NULL;
}

/*
 * The nearest word: the Levenshtein distance over bytes. Words are alike if at most one letter in
 * three differs (or one of a shorter word), or if only the case differs.
 */

enum { LETTERS_PER_CHANGE = 3 };

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

static bool is_surely_far(size_t a_len, size_t b_len)
{
    size_t apart = a_len > b_len ? a_len - b_len : b_len - a_len;
    return apart >= NEAR_WORD_FAR || a_len > NEAR_WORD_BYTES_MAX || b_len > NEAR_WORD_BYTES_MAX;
}

size_t near_word_pairs(const struct near_word *near, const char *candidate)
{
    size_t len = strlen(near->word);
    size_t candidate_len = strlen(candidate);
    return is_surely_far(len, candidate_len) ? 0 : len * candidate_len;
}

struct near_word near_word_new(const char *word)
{
    return (struct near_word){.word = word, .distance = NEAR_WORD_FAR};
}

void near_word_offer(struct near_word *near, const char *candidate)
{
    size_t len = strlen(near->word);
    size_t same = 0; /* letters that are equal, ignoring case */
    while (candidate[same] && ascii_lower(candidate[same]) == ascii_lower(near->word[same]))
        same++;
    bool is_same = len > 0 && candidate[same] == near->word[same];
    int distance = is_same ? 0 : near_word_distance(candidate, near->word);
    int most = len < 2 * LETTERS_PER_CHANGE ? 1 : (int)(len / LETTERS_PER_CHANGE);
    bool is_alike = distance <= most && (is_same || (size_t)distance < len);
    if (is_alike && distance < near->distance) {
        near->distance = distance;
        near->nearest = candidate;
    }
}

int near_word_distance(const char *a, const char *b)
{
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);
    if (is_surely_far(a_len, b_len))
        return NEAR_WORD_FAR;

    int row[NEAR_WORD_BYTES_MAX + 1];
    for (size_t j = 0; j <= b_len; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_len; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_len; j++) {
            int change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = lesser(change, lesser(row[j], row[j - 1]) + 1);
        }
    }
    return lesser(row[b_len], NEAR_WORD_FAR);
}

/*
 * Error lines: whether a line looks like an error, and which line tells most about a failure. For
 * display and navigation only; no verdict depends on it. lines.h has the rules.
 */

/* A word of a line. */
struct word {
    const char *text;
    size_t len;
};

/* Returns true for characters that may be part of a name such as src/no_error. */
static bool is_of_name(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c) || c == '_' || c == '/';
}

static bool is_same_word(struct word word, const char *want)
{
    return word.len == strlen(want) && words_find(word.text, word.len, want) == word.text;
}

static bool is_one_of_words(struct word word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_same_word(word, words[i]))
            return true;
    }
    return false;
}

/* Returns true for the name of a thrown error, such as TypeError: it ends in "Error" or
 * "Exception". */
static bool is_thrown_error(struct word word)
{
    static const char *const ends[] = {"Error", "Exception"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        const size_t len = strlen(ends[i]);
        if (word.len > len && memcmp(word.text + word.len - len, ends[i], len) == 0)
            return true;
    }
    return false;
}

/* Returns true for "0 errors", "no failures", "errors: 0", "failed=0". */
static bool says_none(const char *text, size_t len, size_t from, size_t to)
{
    static const char *const none[] = {"0", "no", "without", "zero"};
    size_t end = from;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    size_t begin = end;
    while (begin > 0 && (ascii_is_letter(text[begin - 1]) || ascii_is_digit(text[begin - 1])))
        begin--;
    if (is_one_of_words((struct word){text + begin, end - begin}, none, ARRAY_LEN(none)))
        return true;
    size_t at = to;
    while (at < len && (text[at] == ' ' || text[at] == ':' || text[at] == '='))
        at++;
    const bool has_sign = at > to;
    return has_sign && at < len && text[at] == '0' &&
           (at + 1 == len || !ascii_is_digit(text[at + 1])) &&
           (at + 1 == len || text[at + 1] != '.');
}

bool line_is_error(const char *text, size_t len)
{
    static const char *const words[] = {
        "error", "errors",   "fail",      "failed",    "failure", "failures", "fatal",
        "panic", "panicked", "exception", "traceback", "abort",   "aborted",  "segfault",
    };
    const size_t end = len < ERROR_LINE_BYTES ? len : ERROR_LINE_BYTES;
    for (size_t at = 0, to = 0; at < end; at = to + (to == at)) {
        to = at;
        while (to < end && ascii_is_letter(text[to]))
            to++;
        const struct word word = {text + at, to - at};
        const bool is_not_ok = is_same_word(word, "not") && to + 3 <= end &&
                               is_same_word((struct word){text + to, 3}, " ok") &&
                               (to + 3 == end || !ascii_is_letter(text[to + 3]));
        if (is_not_ok)
            return true;
        const bool thrown = is_thrown_error(word);
        if (!thrown && !is_one_of_words(word, words, ARRAY_LEN(words)))
            continue;

        const bool before =
            at > 0 && (is_of_name(text[at - 1]) || text[at - 1] == '-' || text[at - 1] == '.');
        const bool joined = to < end && (is_of_name(text[to]) || text[to] == '-');
        const bool dotted = to + 1 < end && text[to] == '.' && is_of_name(text[to + 1]);
        /* The name of a thrown error may have its module's name before it. */
        const bool is_name = !thrown && (before || joined || dotted);
        if (!is_name && !says_none(text, end, at, to))
            return true;
    }
    return false;
}

/* Returns true for a line in which a program only reports the exit code of another program. */
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
    enum { ANY, PLAIN, ERROR, KINDS }; /* last line of each kind */
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

/*
 * Quoting for a shell, for people who copy a command.
 */

static bool is_shell_safe(const char *word)
{
    while (ascii_is_letter(*word) || ascii_is_digit(*word) ||
           (*word != '\0' && strchr("_-./=:,@%+", *word)))
        word++;
    return *word == '\0';
}

void shell_word_add(const char *word, struct str *out)
{
    if (*word && is_shell_safe(word)) {
        str_add(out, word);
        return;
    }
    str_add_char(out, '\'');
    for (const char *c = word; *c; c++) {
        if (*c == '\'')
            str_add(out, "'\\''");
        else
            str_add_char(out, *c);
    }
    str_add_char(out, '\'');
}

void shell_words_add(char *const *words, int count, struct str *out)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            str_add_char(out, ' ');
        shell_word_add(words[i], out);
    }
}
