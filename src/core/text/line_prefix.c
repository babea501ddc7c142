#include "line_prefix.h"

#include <stdbool.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "words.h"

enum {
    ROUNDS_MAX = 6, /* prefixes one after the other: a stamp, a service, a level */
    NAME_MAX_LEN = 60,
    JOB_MAX_LEN = 120, /* "job  step  " of `gh run view --log` */
    PLACE_MAX_LEN = 80,
};

/* The part of a line that has not been taken yet. */
struct rest {
    const char *text;
    size_t len;
};

static char at(const struct rest *rest, size_t i)
{
    return i < rest->len ? rest->text[i] : '\0';
}

static struct rest after(const struct rest *rest, size_t taken)
{
    return (struct rest){.text = rest->text + taken, .len = rest->len - taken};
}

static bool is_word(char c)
{
    return ascii_is_digit(c) || ascii_is_lower(words_small(c)) || c == '_' || c == '-' || c == '.';
}

static size_t blanks(const struct rest *rest, size_t from)
{
    size_t i = from;
    while (at(rest, i) == ' ')
        i++;
    return i - from;
}

static size_t digits(const struct rest *rest, size_t from)
{
    size_t i = from;
    while (ascii_is_digit(at(rest, i)))
        i++;
    return i - from;
}

static size_t word(const struct rest *rest, size_t from)
{
    size_t i = from;
    while (i - from < NAME_MAX_LEN && is_word(at(rest, i)))
        i++;
    return i - from;
}

static bool begins(const struct rest *rest, size_t from, const char *with)
{
    const size_t len = strlen(with);
    return from + len <= rest->len && memcmp(rest->text + from, with, len) == 0;
}

/* '#' is a digit, '_' a digit or a blank, '@' a letter; all else is itself. */
static size_t shape(const struct rest *rest, size_t from, const char *form)
{
    for (size_t i = 0; form[i]; i++) {
        const char c = at(rest, from + i);
        const bool fits = form[i] == '#'   ? ascii_is_digit(c)
                          : form[i] == '_' ? ascii_is_digit(c) || c == ' '
                          : form[i] == '@' ? ascii_is_lower(words_small(c))
                                           : c == form[i];
        if (!fits)
            return 0;
    }
    return strlen(form);
}

/* A fraction of a second and a zone. */
static size_t stamp_end(const struct rest *rest, size_t from)
{
    size_t i = from;
    if ((at(rest, i) == '.' || at(rest, i) == ',') && digits(rest, i + 1) > 0)
        i += 1 + digits(rest, i + 1);
    static const char *const zones[] = {"Z", "+##:##", "-##:##", "+####", "-####", " UTC"};
    for (size_t k = 0; k < ARRAY_LEN(zones); k++) {
        const size_t taken = shape(rest, i, zones[k]);
        if (taken > 0)
            return i + taken - from;
    }
    return i - from;
}

/* A date with a time, or a time of the day. */
static size_t bare_stamp(const struct rest *rest, size_t from)
{
    static const char *const forms[] = {"####-##-##T##:##:##",
                                        "####-##-## ##:##:##",
                                        "####/##/## ##:##:##",
                                        "##/##/#### ##:##:##",
                                        "##/## ##:##:##",
                                        "@@@ _# ##:##:##",
                                        "##:##:##"};
    for (size_t k = 0; k < ARRAY_LEN(forms); k++) {
        const size_t taken = shape(rest, from, forms[k]);
        if (taken > 0)
            return taken + stamp_end(rest, from + taken);
    }
    return 0;
}

/* What ends a stamp: a blank, a closing bracket, the end of the line. */
static size_t take_stamp(const struct rest *rest)
{
    static const char pairs[] = "[]()";
    size_t from = 0;
    char close = '\0';
    for (size_t k = 0; k < sizeof(pairs) - 1; k += 2) {
        if (at(rest, 0) == pairs[k]) {
            close = pairs[k + 1];
            from = 1;
        }
    }
    size_t taken = bare_stamp(rest, from);
    if (taken == 0)
        return 0;
    taken += from;
    if (close) {
        if (at(rest, taken) != close)
            return 0;
        taken++;
    }
    if (taken < rest->len && at(rest, taken) != ' ' && !(close && is_word(at(rest, taken))))
        return 0;
    return taken + (at(rest, taken) == ' '); /* further blanks are the program's own */
}

/* `gh run view --log`: "job <tab> step <tab> stamp". Tabs are blanks by now. */
static size_t take_job(const struct rest *rest)
{
    if (!ascii_is_lower(words_small(at(rest, 0))))
        return 0;
    for (size_t i = 1; i < JOB_MAX_LEN && i < rest->len; i++) {
        if (rest->text[i] == ' ' && shape(rest, i + 1, "####-##-##T##:##:##.#######Z") > 0)
            return i + 1;
    }
    return 0;
}

/* "host program[812]: " after the stamp of a system log. */
static size_t take_unit(const struct rest *rest)
{
    const size_t host = word(rest, 0);
    size_t i = host + blanks(rest, host);
    if (host == 0 || i == host)
        return 0;
    while (i < NAME_MAX_LEN && (is_word(at(rest, i)) || at(rest, i) == '/'))
        i++;
    const size_t number = at(rest, i) == '[' ? digits(rest, i + 1) : 0;
    if (number == 0 || !begins(rest, i + 1 + number, "]: "))
        return 0;
    return i + 1 + number + 3;
}

/* The step of BuildKit: "#9 4.514 "; in its summary the seconds alone. */
static size_t take_build_step(const struct rest *rest)
{
    size_t i = 0;
    if (at(rest, 0) == '#') {
        const size_t number = digits(rest, 1);
        if (number == 0 || at(rest, 1 + number) != ' ')
            return 0;
        i = 1 + number + 1;
    }
    const size_t whole = digits(rest, i);
    if (whole > 0 && (shape(rest, i + whole, ".### ") > 0 || shape(rest, i + whole, ".## ") > 0)) {
        i += whole + 1;
        i += digits(rest, i) + 1;
    } else if (i > 0 && whole > 0 && i + whole + 4 == rest->len &&
               shape(rest, i + whole, ".###") > 0) {
        i = rest->len;
    }
    return i;
}

/* "app-1  | " of docker compose, "web.1   | " of a process manager. */
static size_t take_service(const struct rest *rest)
{
    size_t i = 0;
    if (!ascii_is_lower(at(rest, 0)) || begins(rest, 0, "ok "))
        return 0;
    while (i < NAME_MAX_LEN && (is_word(at(rest, i)) || at(rest, i) == '@'))
        i++;
    const size_t gap = blanks(rest, i);
    if (gap == 0 || at(rest, i + gap) != '|')
        return 0;
    i += gap + 1;
    return at(rest, i) == ' ' ? i + 1 : i == rest->len ? i : 0;
}

/* "[pod/web-0/app] ", "[3] ", "[step:12] " */
static size_t take_source(const struct rest *rest)
{
    size_t i = 1;
    bool named = false;
    bool number = true;
    const bool lettered = ascii_is_lower(at(rest, 1)); /* "[12/400] " counts steps */
    for (; i < NAME_MAX_LEN && (is_word(at(rest, i)) || at(rest, i) == '/' || at(rest, i) == ':');
         i++) {
        const char c = at(rest, i);
        named = named || (lettered && (c == '/' || (c == ':' && ascii_is_digit(at(rest, i + 1)))));
        number = number && ascii_is_digit(c);
    }
    if (i == 1 || !(named || number) || !begins(rest, i, "] "))
        return 0;
    i += 1 + blanks(rest, i + 1);
    return ascii_is_digit(at(rest, i)) ? 0 : i; /* "[1]  4711 killed" is a shell's */
}

/* "web:build: " of a task runner for many packages. */
static size_t take_task(const struct rest *rest)
{
    size_t i = at(rest, 0) == '@' ? 1 : 0;
    while (i < NAME_MAX_LEN && (is_word(at(rest, i)) || (i > 0 && at(rest, i) == '/')))
        i++;
    if (i < 2 || at(rest, i) != ':' || !ascii_is_lower(at(rest, i + 1)))
        return 0;
    i++;
    while (i < NAME_MAX_LEN && (ascii_is_lower(at(rest, i)) || at(rest, i) == '-'))
        i++;
    return begins(rest, i, ": ") ? i + 2 : 0;
}

/* Marks of CI runners for an error. Of other marks only the sharps go: "[warning]" says that
 * the line is no error. */
static size_t take_runner_mark(const struct rest *rest)
{
    static const char *const marks[] = {"##[error]", "[error]",  "[ERROR]", "[fatal]",
                                        "[FATAL]",   "[Error] ", "[Fatal] "};
    for (size_t k = 0; k < ARRAY_LEN(marks); k++) {
        if (begins(rest, 0, marks[k])) {
            const size_t len = strlen(marks[k]);
            return len + blanks(rest, len);
        }
    }
    if (begins(rest, 0, "##[warning]"))
        return 2;
    if (!begins(rest, 0, "::error"))
        return 0;
    for (size_t i = 7; i < LINE_PREFIX_MAX && i < rest->len; i++) {
        if (begins(rest, i, "::"))
            return i + 2;
    }
    return 0;
}

/* The runner of GitLab: "01O " behind the stamp. */
static size_t take_gitlab_mark(const struct rest *rest)
{
    const bool stream = at(rest, 2) == 'O' || at(rest, 2) == 'E';
    const bool ends = at(rest, 3) == ' ' || at(rest, 3) == '+';
    return digits(rest, 0) == 2 && stream && ends ? 4 : 0;
}

/* Length of the level, 0 if it is another word. */
static size_t error_level(const struct rest *rest, size_t from)
{
    static const char *const levels[] = {"ERROR", "CRITICAL", "FATAL", "SEVERE", "EMERG", "ERR"};
    for (size_t k = 0; k < ARRAY_LEN(levels); k++) {
        const size_t len = strlen(levels[k]);
        if (begins(rest, from, levels[k]) && !is_word(at(rest, from + len)))
            return len;
    }
    return 0;
}

/* "ERROR:root:" of Python, and what klog writes: "E0301 10:00:00.123456    12 a.go:9] ". */
static size_t take_level(const struct rest *rest)
{
    const size_t level = error_level(rest, 0);
    if (level > 0 && at(rest, level) == ':') {
        const size_t name = word(rest, level + 1);
        return name > 0 && at(rest, level + 1 + name) == ':' ? level + name + 2 : 0;
    }
    size_t i =
        at(rest, 0) == 'E' || at(rest, 0) == 'F' ? shape(rest, 1, "#### ##:##:##.######") : 0;
    if (i == 0)
        return 0;
    i++;
    i += blanks(rest, i);
    i += digits(rest, i);
    i += blanks(rest, i);
    const size_t place = word(rest, i);
    const size_t line = at(rest, i + place) == ':' ? digits(rest, i + place + 1) : 0;
    return line > 0 && begins(rest, i + place + 1 + line, "] ") ? i + place + line + 3 : 0;
}

/* "google.api_core.exceptions.ServiceUnavailable" is what happened, "app.sync" is a logger. */
static bool ends_in_class(const char *name, size_t len)
{
    size_t i = len;
    while (i > 0 && name[i - 1] != '.')
        i--;
    return i < len && ascii_is_upper(name[i]);
}

/* One word of what a logger writes between the stamp and the message: a thread in brackets, a
 * dash, a dotted name. */
static size_t logger_word(const struct rest *rest, size_t from, bool *level)
{
    const size_t found = error_level(rest, from);
    size_t i = from;
    if (found > 0) {
        i += found;
        if (at(rest, i) == ' ' && !ascii_is_digit(at(rest, i + 1))) {
            *level = true;
            return found;
        }
        return 0;
    }
    if (at(rest, i) == '-' || at(rest, i) == '|')
        return at(rest, i + 1) == ' ' ? 1 : 0;
    if (at(rest, i) == '[') {
        while (i - from < NAME_MAX_LEN && at(rest, i) != ']' && at(rest, i) != '\0')
            i++;
        *level = *level || error_level(rest, from + 1) > 0;
        return at(rest, i) == ']' && at(rest, i + 1) == ' ' ? i + 1 - from : 0;
    }
    const size_t name = word(rest, from);
    const bool dotted = name > 0 && memchr(rest->text + from, '.', name) != NULL;
    if (dotted && begins(rest, from + name, ": ") && !ends_in_class(rest->text + from, name))
        return name + 1;
    return name > 0 && (dotted || begins(rest, from + name, " - ")) && at(rest, from + name) == ' '
               ? name
               : 0;
}

/* The words of a logger, of which one is a level of errors; without it they stay. */
static size_t take_logger(const struct rest *rest)
{
    enum { WORDS_MAX = 8 };
    bool level = false;
    size_t i = blanks(rest, 0);
    for (int n = 0; n < WORDS_MAX; n++) {
        const size_t taken = logger_word(rest, i, &level);
        if (taken == 0)
            break;
        i += taken;
        const bool ends = at(rest, i - 1) == ':';
        i += blanks(rest, i);
        if (ends)
            break;
    }
    return level ? i : 0;
}

/* time="..." level=error msg="..." */
static size_t take_fields(const struct rest *rest)
{
    if (!begins(rest, 0, "time=") && !begins(rest, 0, "ts=") && !begins(rest, 0, "level="))
        return 0;
    bool level = false;
    for (size_t i = 0; i < LINE_PREFIX_MAX && i < rest->len; i++) {
        level = level || begins(rest, i, "level=error") || begins(rest, i, "level=fatal");
        if (level && begins(rest, i, "msg=\""))
            return i + 5;
    }
    return 0;
}

/* A bullet of a list of errors: a word with a colon, or the word itself, follows it. What a
 * change log lists stays quoted. */
static size_t take_bullet(const struct rest *rest)
{
    static const char dot[] = "\xe2\x80\xa2 ";
    static const char disc[] = "\xe2\x97\x8f "; /* also before the name of a test */
    static const char *const first[] = {"Error", "error", "Failed to ", "failed to ", "API Error"};
    const size_t lead = blanks(rest, 0);
    const bool may_be_test = begins(rest, lead, disc);
    size_t i = lead;
    i += begins(rest, i, "* ") ? 2 : begins(rest, i, dot) ? strlen(dot) : 0;
    i += may_be_test ? strlen(disc) : 0;
    if (i == lead)
        return 0;
    i += blanks(rest, i);
    for (size_t k = 0; k < ARRAY_LEN(first); k++) {
        if (begins(rest, i, first[k]))
            return i;
    }
    size_t name = word(rest, i);
    if (at(rest, i + name) == '(' && digits(rest, i + name + 1) > 0)
        name += 1 + digits(rest, i + name + 1) + 1;
    return name > 2 && !may_be_test && begins(rest, i + name, ": ") ? i : 0;
}

/* The frame that terraform draws around an error, and the sign before the result of an agent's
 * tool, whose further lines are indented. */
static size_t take_mark(const struct rest *rest, size_t *indent)
{
    static const char bar[] = "\xe2\x94\x82";
    static const char hook[] = "\xe2\x8e\xbf";
    if (begins(rest, 0, bar)) /* source that is quoted in it keeps its indent */
        return strlen(bar) + (at(rest, strlen(bar)) == ' ');
    const size_t lead = blanks(rest, 0);
    if (!begins(rest, lead, hook))
        return 0;
    const size_t gap = blanks(rest, lead + strlen(hook));
    *indent = lead + 1 + gap;
    return lead + strlen(hook) + gap;
}

/* What begins with a letter: the first character that belongs to no word says what it may be. */
static size_t take_worded(const struct rest *rest)
{
    const char *text = rest->text;
    const size_t name = word(rest, 0);
    const char next = at(rest, name);
    size_t taken = 0;
    if (next == '=')
        return take_fields(rest);
    if (next == ' ' && name == 3 && ascii_is_upper(at(rest, 0)))
        taken = take_stamp(rest);
    if (next == ':' || next == '/')
        taken = take_task(rest);
    if (next == '@' || (next == ' ' && at(rest, name + blanks(rest, name)) == '|'))
        taken = take_service(rest);
    if (ascii_is_upper(at(rest, 0)) && (next == ':' || name == 5))
        taken = taken > 0 ? taken : take_level(rest);
    if (taken == 0 && memchr(text, 'Z', rest->len < JOB_MAX_LEN ? rest->len : JOB_MAX_LEN))
        taken = take_job(rest);
    return taken;
}

/* The first character says which kinds of prefix there may be. */
static size_t take_one(const struct rest *rest)
{
    const char first = at(rest, 0);
    size_t taken = 0;
    if (ascii_is_letter(first))
        return take_worded(rest);
    const char second = at(rest, 1);
    const bool opens = first == '[' || first == '(';
    if (ascii_is_digit(first) || (opens && (ascii_is_digit(second) || ascii_is_upper(second))))
        taken = take_stamp(rest);
    if (taken == 0 && (ascii_is_digit(first) || first == '#'))
        taken = take_build_step(rest);
    if (taken == 0 && ((first == '[' && ascii_is_letter(second)) || first == '#' || first == ':'))
        taken = take_runner_mark(rest);
    if (taken == 0 && first == '[' && second != ' ')
        taken = take_source(rest);
    if (first == '@')
        taken = take_task(rest);
    if (first == ' ' || first == '*' || first == '\xe2')
        taken = take_bullet(rest);
    return taken;
}

/* Some prefixes would take too much of a line that has no stamp before them. */
static size_t take_after_stamp(const struct rest *rest)
{
    size_t taken = take_unit(rest);
    taken = taken > 0 ? taken : take_gitlab_mark(rest);
    return taken > 0 ? taken : take_logger(rest);
}

size_t line_prefix_len(const char *line, size_t len, size_t *indent)
{
    const struct rest whole = {.text = line, .len = len};
    size_t taken = *indent;
    bool stamped = false;
    if (taken > 0 && blanks(&whole, 0) < taken) {
        taken = 0;
        *indent = 0;
    }
    for (int round = 0; round < ROUNDS_MAX && taken < LINE_PREFIX_MAX; round++) {
        const struct rest rest = after(&whole, taken);
        const char first = at(&rest, 0);
        size_t more = first == ' ' || first == '\xe2' ? take_mark(&rest, indent) : 0;
        more = more == 0 && stamped ? take_after_stamp(&rest) : more;
        more = more > 0 ? more : take_one(&rest);
        if (more == 0)
            break;
        stamped = stamped || ascii_is_digit(first) || take_stamp(&rest) > 0;
        taken += more;
    }
    return taken;
}
