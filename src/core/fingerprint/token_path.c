/* token_path.c - temporary files whose names nobody chose (rule 6). */
#include "attr.h"
#include "token_scan.h"

enum {
    SUFFIX_MIN = 6, /* what mkstemp() makes up, and more */
    SUFFIX_MAX = 12,
    FIGURES_MIN = 6,      /* of a number inside a name */
    LAST_FIGURES_MIN = 3, /* of one at its end, as in "build.4711" */
    PYTHON_SUFFIX = 8,
    COMPILER_SUFFIX = 6,
};

static const char *const places[] = {
    "/tmp/", "/var/tmp/", "/private/tmp/", "/private/var/tmp/", "/dev/shm/",
};

static bool begins_with(const byte *from, const byte *to, const char *text)
{
    const size_t len = strlen(text);
    return (size_t)(to - from) >= len && memcmp(from, text, len) == 0;
}

/* Letters and figures mixed as nobody would: parts of fewer than 2.6 letters. */
static bool is_made_up(const byte *from, const byte *to)
{
    const ptrdiff_t len = to - from;
    return len >= SUFFIX_MIN && len * 10 < 26 * (ptrdiff_t)token_parts(from, to);
}

static unsigned all_classes(const byte *from, const byte *to)
{
    unsigned classes = ~0U;
    for (const byte *p = from; p < to; p++)
        classes &= token_classes[*p];
    return classes;
}

static bool has_other_than_lower(const byte *from, const byte *to)
{
    return !(all_classes(from, to) & CLASS_LOWER);
}

/* A run of letters and figures of a name; `last` when the name ends with it. */
static bool is_random_run(const byte *from, const byte *to, bool last)
{
    const ptrdiff_t len = to - from;
    const unsigned all = all_classes(from, to);
    if (all & CLASS_DIGIT)
        return len >= (last ? LAST_FIGURES_MIN : FIGURES_MIN);
    if ((all & CLASS_HEX) && len >= SUFFIX_MIN + 1 && has_other_than_lower(from, to))
        return true;
    const byte *figures = to; /* "go-build1234567" */
    while (figures > from && byte_is(figures[-1], CLASS_DIGIT))
        figures--;
    return to - figures >= FIGURES_MIN || is_made_up(from, to);
}

/* "ccUwfH2T.s" of compilers, "tmpab12_x9z" of Python, "tmp.Xa81bQz0Kd" of mktemp. */
static bool is_known_form(const byte *from, const byte *to)
{
    const byte *end = from;
    while (end < to && byte_is(*end, CLASS_WORD))
        end++;
    if (begins_with(from, end, "cc") && end - from == 2 + COMPILER_SUFFIX)
        return has_other_than_lower(from + 2, end);
    if (begins_with(from, end, "tmp") && end - from == 3 + PYTHON_SUFFIX)
        return true;
    if (!begins_with(from, to, "tmp."))
        return false;
    const byte *suffix = from + 4;
    return to - suffix >= SUFFIX_MIN && (all_classes(suffix, to) & CLASS_WORD) &&
           (has_other_than_lower(suffix, to) || to - suffix == 10);
}

/* What mktemp puts in the place of XXXXXX at the end of a name: letters of both cases,
 * and not only the first one a capital, or figures among them; after a point one capital of
 * six will do, or figures in two places, for no kind of file is called so. */
static bool is_template_end(const byte *from, const byte *to)
{
    const byte *run = to;
    unsigned classes = 0;
    unsigned later = 0;
    while (run > from && byte_is(run[-1], CLASS_LETTER | CLASS_DIGIT)) {
        run--;
        later = classes;
        classes |= token_classes[*run];
    }
    const ptrdiff_t len = to - run;
    const unsigned mixed = CLASS_UPPER | CLASS_LOWER | CLASS_DIGIT;
    if (run == from || len < SUFFIX_MIN || len > SUFFIX_MAX || len % 2 != 0)
        return false;
    if (run[-1] == '.' &&
        (token_parts(run, to) >= 3 || (len == SUFFIX_MIN && (classes & CLASS_UPPER))))
        return true;
    return ((later & CLASS_UPPER) && (classes & CLASS_LOWER)) || (classes & mixed) == mixed;
}

/* "MSBuildTempKfsaZYot": made up behind a word for it, with a capital inside. */
static bool is_temp_name(const byte *from, const byte *to)
{
    static const char word[] = "Temp";
    for (const byte *p = from; to - p >= (ptrdiff_t)sizeof(word) - 1 + SUFFIX_MIN; p++) {
        if (memcmp(p, word, sizeof(word) - 1) == 0) {
            const byte *suffix = p + sizeof(word) - 1;
            bool plain = (all_classes(suffix, to) & CLASS_WORD) != 0;
            return plain && has_other_than_lower(suffix + 1, to);
        }
    }
    return false;
}

/* One part of a path, between two slashes: was it made up? */
static bool is_random(const byte *from, const byte *to)
{
    if (is_known_form(from, to) || is_template_end(from, to) || is_temp_name(from, to))
        return true;
    const byte *p = from;
    while (p < to) {
        const byte *run = p;
        while (p < to && (byte_is(*p, CLASS_LETTER) || byte_is(*p, CLASS_DIGIT)))
            p++;
        bool tail = p == to && run > from && (run[-1] == '.' || run[-1] == '-');
        if (p > run && is_random_run(run, p, tail))
            return true;
        p += p < to;
    }
    return false;
}

/* "pytest-31" in "pytest-of-ci". */
static bool is_numbered(const byte *from, const byte *to, const byte *folder)
{
    return folder && begins_with(folder, from, "pytest-of-") && begins_with(from, to, "pytest-") &&
           to - from > 7 && byte_is(from[7], CLASS_DIGIT);
}

/* The end of the last part that was made up, from `at` to the path's end; NULL, and the scan
 * knows, if people named them all: what is inside of it is not looked at again. */
static const byte *random_end(struct token_scan *scan, const byte *at)
{
    const byte *found = NULL;
    const byte *folder = NULL;
    while (at < scan->end) {
        const byte *end = run_end(scan, at, CLASS_PATH);
        const byte *to = end;
        while (to > at && (to[-1] == '.' || to[-1] == ','))
            to--; /* a sentence's, not the name's */
        if (is_random(at, to) || is_numbered(at, to, folder))
            found = to;
        if (to == at || byte_at(scan, to) != '/') {
            at = end;
            break;
        }
        folder = at;
        at = to + 1;
    }
    if (!found)
        scan->chosen = at;
    return found;
}

/* The end of the T or X that every user's own temporary folder on macOS has. */
static const byte *mac_folder_end(const struct token_scan *scan, const byte *at)
{
    for (int part = 0; part < 2; part++) {
        const byte *end = run_end(scan, at, CLASS_PATH);
        if (end == at || byte_at(scan, end) != '/')
            return NULL;
        at = end + 1;
    }
    return at - 1;
}

/* "output saved to PATH": the name is the harness's own. */
static bool is_saved_output(const struct token_scan *scan, const byte *at)
{
    static const char *const words[] = {"utput saved to", "utput written to", "utput stored in"};
    if (byte_before(scan, at) != ' ')
        return false;
    const byte *to = at - 1;
    to -= byte_before(scan, to) == ':';
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        const ptrdiff_t len = (ptrdiff_t)strlen(words[i]);
        if (to - scan->start >= len && memcmp(to - len, words[i], (size_t)len) == 0)
            return true;
    }
    return false;
}

/* Does an absolute path begin at the '/' at `at`? */
static bool is_absolute(const struct token_scan *scan, const byte *at)
{
    const byte before = byte_before(scan, at);
    if (before == '/')
        return at - scan->start >= 2 && at[-2] == '/'; /* file:///tmp/x */
    return !byte_is(before, CLASS_PATH) || before == '=' || before == ',' || before == '@';
}

/* The end of what is made up of a path in a folder for temporary files; NULL if it is in
 * none, or if people named it all. */
static const byte *temp_end(struct token_scan *scan, const byte *at)
{
    const byte first = byte_at(scan, at + 1);
    if (first != 't' && first != 'v' && first != 'p' && first != 'd')
        return NULL; /* of no place below */
    const byte *end = NULL;
    if (token_is_next(scan, at, "/var/folders/"))
        end = mac_folder_end(scan, at + sizeof("/var/folders/") - 1);
    else if (token_is_next(scan, at, "/private/var/folders/"))
        end = mac_folder_end(scan, at + sizeof("/private/var/folders/") - 1);
    if (end) {
        const byte *further = byte_at(scan, end) == '/' ? random_end(scan, end + 1) : NULL;
        return further ? further : end;
    }
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        if (token_is_next(scan, at, places[i]))
            return random_end(scan, at + strlen(places[i]));
    }
    return NULL;
}

bool token_temp(struct token_scan *scan, const byte *at, struct token *out)
{
    if ((scan->chosen && at < scan->chosen) || !is_absolute(scan, at))
        return false;
    const byte *end = NULL;
    if (is_saved_output(scan, at)) {
        end = at;
        while (end < scan->end && (byte_is(*end, CLASS_PATH) || *end == '/'))
            end++;
    } else {
        end = temp_end(scan, at);
    }
    return end && token_set(out, at, end, TOKEN_TEMP, NORMALISER_TEMPS);
}

/* Do the bytes before `at` end with this, whatever their case? */
static bool is_before(const struct token_scan *scan, const byte *at, const char *text)
{
    const ptrdiff_t len = (ptrdiff_t)strlen(text);
    if (at - scan->start < len)
        return false;
    for (ptrdiff_t i = 0; i < len; i++) {
        const byte c = at[i - len];
        const byte lower = (byte)(byte_is(c, CLASS_UPPER) ? c + ('a' - 'A') : c);
        if (lower != (byte)text[i])
            return false;
    }
    return true;
}

bool token_temp_windows(const struct token_scan *scan, const byte *at, struct token *out)
{
    const byte *folder = at - (byte_before(scan, at) == '\\'); /* doubled in JSON and in code */
    if (!is_before(scan, folder, "\\temp") && !is_before(scan, folder, "%temp%"))
        return false;
    const byte *end = run_end(scan, at + 1, CLASS_PATH);
    return is_random(at + 1, end) && token_set(out, at + 1, end, TOKEN_TEMP, NORMALISER_TEMPS);
}
