/* Splits the output of a program into lines without escape sequences, progress bars and the
 * prefixes that tools put before each line. */
#include "clean_text.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "text.h"
#include "xalloc.h"

/* Line prefixes: what logs put before the line of a program, such as time stamps, marks of a CI
 * runner, the name of a service or a build step, or a level. */

enum {
    ROUNDS_MAX = 6, /* maximum number of prefixes in a row: a stamp, a service, a level */
    NAME_MAX_LEN = 60,
    JOB_MAX_LEN = 120, /* maximum length of "job step " in `gh run view --log` */
    PLACE_MAX_LEN = 80,
};

/* The part of a line that has not been read yet. */
struct rest {
    const char *text;
    size_t len;
};

static char byte_at(const struct rest *rest, size_t i)
{
    return i < rest->len ? rest->text[i] : '\0';
}

static bool is_word(char c)
{
    return ascii_is_digit(c) || ascii_is_lower(ascii_lower(c)) || c == '_' || c == '-' || c == '.';
}

static size_t blank_length(const struct rest *rest, size_t from)
{
    size_t i = from;
    while (byte_at(rest, i) == ' ')
        i++;
    return i - from;
}

static size_t digit_length(const struct rest *rest, size_t from)
{
    size_t i = from;
    while (ascii_is_digit(byte_at(rest, i)))
        i++;
    return i - from;
}

static size_t word_length(const struct rest *rest, size_t from)
{
    size_t i = from;
    while (i - from < NAME_MAX_LEN && is_word(byte_at(rest, i)))
        i++;
    return i - from;
}

static bool begins_with(const struct rest *rest, size_t from, const char *with)
{
    const size_t len = strlen(with);
    return from + len <= rest->len && memcmp(rest->text + from, with, len) == 0;
}

/* Returns the length of the shape, or 0. In `form`, '#' matches a digit, '_' a digit or a blank,
 * '@' a letter, and any other character itself. */
static size_t shape_length(const struct rest *rest, size_t from, const char *form)
{
    for (size_t i = 0; form[i]; i++) {
        const char c = byte_at(rest, from + i);
        const bool fits = form[i] == '#'   ? ascii_is_digit(c)
                          : form[i] == '_' ? ascii_is_digit(c) || c == ' '
                          : form[i] == '@' ? ascii_is_lower(ascii_lower(c))
                                           : c == form[i];
        if (!fits)
            return 0;
    }
    return strlen(form);
}

/* Returns the length of a fraction of a second and a time zone. */
static size_t stamp_end(const struct rest *rest, size_t from)
{
    size_t i = from;
    if ((byte_at(rest, i) == '.' || byte_at(rest, i) == ',') && digit_length(rest, i + 1) > 0)
        i += 1 + digit_length(rest, i + 1);
    static const char *const zones[] = {"Z", "+##:##", "-##:##", "+####", "-####", " UTC"};
    for (size_t k = 0; k < ARRAY_LEN(zones); k++) {
        const size_t taken = shape_length(rest, i, zones[k]);
        if (taken > 0)
            return i + taken - from;
    }
    return i - from;
}

/* Matches a date with a time, or a time of day. */
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
        const size_t taken = shape_length(rest, from, forms[k]);
        if (taken > 0)
            return taken + stamp_end(rest, from + taken);
    }
    return 0;
}

/* Matches a time stamp, which ends at a blank, a closing bracket or the end of the line. */
static size_t take_stamp(const struct rest *rest)
{
    static const char pairs[] = "[]()";
    size_t from = 0;
    char close = '\0';
    for (size_t k = 0; k < sizeof(pairs) - 1; k += 2) {
        if (byte_at(rest, 0) == pairs[k]) {
            close = pairs[k + 1];
            from = 1;
        }
    }
    size_t taken = bare_stamp(rest, from);
    if (taken == 0)
        return 0;
    taken += from;
    if (close) {
        if (byte_at(rest, taken) != close)
            return 0;
        taken++;
    }
    if (taken < rest->len && byte_at(rest, taken) != ' ' &&
        !(close && is_word(byte_at(rest, taken))))
        return 0;
    taken += byte_at(rest, taken) == ' ';
    /* Jenkins writes two blanks; otherwise, further blanks belong to the program. */
    const bool is_jenkins = taken == strlen("18:02:37 ") && byte_at(rest, taken) == ' ' &&
                            byte_at(rest, taken + 1) != ' ';
    return taken + is_jenkins;
}

/* Matches "job <tab> step <tab> stamp" of `gh run view --log`. Tabs have become blanks. */
static size_t take_job(const struct rest *rest)
{
    if (!ascii_is_lower(ascii_lower(byte_at(rest, 0))))
        return 0;
    for (size_t i = 1; i < JOB_MAX_LEN && i < rest->len; i++) {
        if (rest->text[i] == ' ' && shape_length(rest, i + 1, "####-##-##T##:##:##.#######Z") > 0)
            return i + 1;
    }
    return 0;
}

/* Matches "host program[812]: " after the stamp of a system log. */
static size_t take_unit(const struct rest *rest)
{
    const size_t host = word_length(rest, 0);
    size_t i = host + blank_length(rest, host);
    if (host == 0 || i == host)
        return 0;
    while (i < NAME_MAX_LEN && (is_word(byte_at(rest, i)) || byte_at(rest, i) == '/'))
        i++;
    const size_t number = byte_at(rest, i) == '[' ? digit_length(rest, i + 1) : 0;
    if (number == 0 || !begins_with(rest, i + 1 + number, "]: "))
        return 0;
    return i + 1 + number + 3;
}

/* Matches a step of BuildKit, "#9 4.514 "; in its summary, only the seconds. */
static size_t take_build_step(const struct rest *rest)
{
    size_t i = 0;
    if (byte_at(rest, 0) == '#') {
        const size_t number = digit_length(rest, 1);
        if (number == 0 || byte_at(rest, 1 + number) != ' ')
            return 0;
        i = 1 + number + 1;
    }
    const size_t whole = digit_length(rest, i);
    if (whole > 0 &&
        (shape_length(rest, i + whole, ".### ") > 0 || shape_length(rest, i + whole, ".## ") > 0)) {
        i += whole + 1;
        i += digit_length(rest, i) + 1;
    } else if (i > 0 && whole > 0 && i + whole + 4 == rest->len &&
               shape_length(rest, i + whole, ".###") > 0) {
        i = rest->len;
    }
    return i;
}

/* Matches the name of a service and a bar, as written by docker compose ("app-1") or a process
 * manager ("web.1"). */
static size_t take_service(const struct rest *rest)
{
    size_t i = 0;
    if (!ascii_is_lower(byte_at(rest, 0)) || begins_with(rest, 0, "ok "))
        return 0;
    while (i < NAME_MAX_LEN && (is_word(byte_at(rest, i)) || byte_at(rest, i) == '@'))
        i++;
    const size_t gap = blank_length(rest, i);
    if (gap == 0 || byte_at(rest, i + gap) != '|')
        return 0;
    i += gap + 1;
    return byte_at(rest, i) == ' ' ? i + 1 : i == rest->len ? i : 0;
}

/* Matches "[pod/web-0/app] ", "[3] " and "[step:12] ". */
static size_t take_source(const struct rest *rest)
{
    size_t i = 1;
    bool named = false;
    bool number = true;
    const bool lettered = ascii_is_lower(byte_at(rest, 1)); /* "[12/400] " counts steps */
    for (; i < NAME_MAX_LEN &&
           (is_word(byte_at(rest, i)) || byte_at(rest, i) == '/' || byte_at(rest, i) == ':');
         i++) {
        const char c = byte_at(rest, i);
        named =
            named || (lettered && (c == '/' || (c == ':' && ascii_is_digit(byte_at(rest, i + 1)))));
        number = number && ascii_is_digit(c);
    }
    if (i == 1 || !(named || number) || !begins_with(rest, i, "] "))
        return 0;
    i += 1 + blank_length(rest, i + 1);
    return ascii_is_digit(byte_at(rest, i)) ? 0 : i; /* "[1]  4711 killed" is from a shell */
}

/* Matches "web:build: " of a task runner for monorepos. */
static size_t take_task(const struct rest *rest)
{
    size_t i = byte_at(rest, 0) == '@' ? 1 : 0;
    while (i < NAME_MAX_LEN && (is_word(byte_at(rest, i)) || (i > 0 && byte_at(rest, i) == '/')))
        i++;
    if (i < 2 || byte_at(rest, i) != ':' || !ascii_is_lower(byte_at(rest, i + 1)))
        return 0;
    i++;
    while (i < NAME_MAX_LEN && (ascii_is_lower(byte_at(rest, i)) || byte_at(rest, i) == '-'))
        i++;
    return begins_with(rest, i, ": ") ? i + 2 : 0;
}

/* Matches error marks of CI runners. Other marks only lose their sharps: "[warning]" shows that the
 * line is not an error. */
static size_t take_runner_mark(const struct rest *rest)
{
    static const char *const marks[] = {"##[error]", "[error]",  "[ERROR]", "[fatal]",
                                        "[FATAL]",   "[Error] ", "[Fatal] "};
    for (size_t k = 0; k < ARRAY_LEN(marks); k++) {
        if (begins_with(rest, 0, marks[k])) {
            const size_t len = strlen(marks[k]);
            return len + blank_length(rest, len);
        }
    }
    if (begins_with(rest, 0, "##[warning]"))
        return 2;
    if (!begins_with(rest, 0, "::error"))
        return 0;
    for (size_t i = 7; i < LINE_PREFIX_MAX && i < rest->len; i++) {
        if (begins_with(rest, i, "::"))
            return i + 2;
    }
    return 0;
}

/* Returns the length of the level, or 0. */
static size_t error_level(const struct rest *rest, size_t from)
{
    static const char *const levels[] = {"ERROR", "CRITICAL", "FATAL", "SEVERE", "EMERG", "ERR"};
    for (size_t k = 0; k < ARRAY_LEN(levels); k++) {
        const size_t len = strlen(levels[k]);
        if (begins_with(rest, from, levels[k]) && !is_word(byte_at(rest, from + len)))
            return len;
    }
    return 0;
}

/* Matches "ERROR:root:" of Python and "E0301 10:00:00.123456 12 a.go:9] " of klog. */
static size_t take_level(const struct rest *rest)
{
    const size_t level = error_level(rest, 0);
    if (level > 0 && byte_at(rest, level) == ':') {
        const size_t name = word_length(rest, level + 1);
        return name > 0 && byte_at(rest, level + 1 + name) == ':' ? level + name + 2 : 0;
    }
    size_t i = byte_at(rest, 0) == 'E' || byte_at(rest, 0) == 'F'
                   ? shape_length(rest, 1, "#### ##:##:##.######")
                   : 0;
    if (i == 0)
        return 0;
    i++;
    i += blank_length(rest, i);
    i += digit_length(rest, i);
    i += blank_length(rest, i);
    const size_t place = word_length(rest, i);
    const size_t line = byte_at(rest, i + place) == ':' ? digit_length(rest, i + place + 1) : 0;
    return line > 0 && begins_with(rest, i + place + 1 + line, "] ") ? i + place + line + 3 : 0;
}

/* Matches a word that a logger puts between the stamp and the message: a thread in brackets, a
 * dash, a dotted name. */
static size_t logger_word(const struct rest *rest, size_t from, bool *level)
{
    const size_t found = error_level(rest, from);
    size_t i = from;
    if (found > 0) {
        i += found;
        if (byte_at(rest, i) == ' ' && !ascii_is_digit(byte_at(rest, i + 1))) {
            *level = true;
            return found;
        }
        return 0;
    }
    if (byte_at(rest, i) == '-' || byte_at(rest, i) == '|')
        return byte_at(rest, i + 1) == ' ' ? 1 : 0;
    if (byte_at(rest, i) == '[') {
        while (i - from < NAME_MAX_LEN && byte_at(rest, i) != ']' && byte_at(rest, i) != '\0')
            i++;
        *level = *level || error_level(rest, from + 1) > 0;
        return byte_at(rest, i) == ']' && byte_at(rest, i + 1) == ' ' ? i + 1 - from : 0;
    }
    const size_t name = word_length(rest, from);
    const bool dotted = name > 0 && memchr(rest->text + from, '.', name) != NULL;
    size_t last = name; /* where the last part of a dotted name begins */
    while (last > 0 && rest->text[from + last - 1] != '.')
        last--;
    /* "google.api_core.exceptions.ServiceUnavailable" is an error, "app.sync" is a logger. */
    const bool is_class = last < name && ascii_is_upper(rest->text[from + last]);
    if (dotted && begins_with(rest, from + name, ": ") && !is_class)
        return name + 1;
    return name > 0 && (dotted || begins_with(rest, from + name, " - ")) &&
                   byte_at(rest, from + name) == ' '
               ? name
               : 0;
}

/* Matches the words of a logger if one of them is an error level. */
static size_t take_logger(const struct rest *rest)
{
    enum { WORDS_MAX = 8 };
    bool level = false;
    size_t i = blank_length(rest, 0);
    for (int n = 0; n < WORDS_MAX; n++) {
        const size_t taken = logger_word(rest, i, &level);
        if (taken == 0)
            break;
        i += taken;
        const bool ends = byte_at(rest, i - 1) == ':';
        i += blank_length(rest, i);
        if (ends)
            break;
    }
    return level ? i : 0;
}

/* Matches: time="..." level=error msg="..." */
static size_t take_fields(const struct rest *rest)
{
    if (!begins_with(rest, 0, "time=") && !begins_with(rest, 0, "ts=") &&
        !begins_with(rest, 0, "level="))
        return 0;
    bool level = false;
    for (size_t i = 0; i < LINE_PREFIX_MAX && i < rest->len; i++) {
        level = level || begins_with(rest, i, "level=error") || begins_with(rest, i, "level=fatal");
        if (level && begins_with(rest, i, "msg=\""))
            return i + 5;
    }
    return 0;
}

/* Matches a bullet in a list of errors, followed by a word with a colon or an error word. Items of
 * a changelog keep their bullet. */
static size_t take_bullet(const struct rest *rest)
{
    static const char dot[] = "\xe2\x80\xa2 ";
    static const char disc[] = "\xe2\x97\x8f "; /* also used before the names of tests */
    static const char *const first[] = {"Error", "error", "Failed to ", "failed to ", "API Error"};
    const size_t lead = blank_length(rest, 0);
    const bool may_be_test = begins_with(rest, lead, disc);
    size_t i = lead;
    i += begins_with(rest, i, "* ") ? 2 : begins_with(rest, i, dot) ? strlen(dot) : 0;
    i += may_be_test ? strlen(disc) : 0;
    if (i == lead)
        return 0;
    i += blank_length(rest, i);
    for (size_t k = 0; k < ARRAY_LEN(first); k++) {
        if (begins_with(rest, i, first[k]))
            return i;
    }
    size_t name = word_length(rest, i);
    if (byte_at(rest, i + name) == '(' && digit_length(rest, i + name + 1) > 0)
        name += 1 + digit_length(rest, i + name + 1) + 1;
    return name > 2 && !may_be_test && begins_with(rest, i + name, ": ") ? i : 0;
}

/* Matches the frame that terraform draws around an error, and the sign before the result of an
 * agent's tool, whose further lines are indented. */
static size_t take_mark(const struct rest *rest, size_t *indent)
{
    static const char bar[] = "\xe2\x94\x82";
    static const char hook[] = "\xe2\x8e\xbf";
    if (begins_with(rest, 0, bar)) /* quoted source code keeps its indent */
        return strlen(bar) + (byte_at(rest, strlen(bar)) == ' ');
    const size_t lead = blank_length(rest, 0);
    if (!begins_with(rest, lead, hook))
        return 0;
    const size_t gap = blank_length(rest, lead + strlen(hook));
    *indent = lead + 1 + gap;
    return lead + strlen(hook) + gap;
}

/* Handles a line that begins with a letter: the character after the first word tells which prefix
 * is possible. */
static size_t take_worded(const struct rest *rest)
{
    const char *text = rest->text;
    const size_t name = word_length(rest, 0);
    const char next = byte_at(rest, name);
    size_t taken = 0;
    if (next == '=')
        return take_fields(rest);
    if (next == ' ' && name == 3 && ascii_is_upper(byte_at(rest, 0)))
        taken = take_stamp(rest);
    if (next == ':' || next == '/')
        taken = take_task(rest);
    if (next == '@' || (next == ' ' && byte_at(rest, name + blank_length(rest, name)) == '|'))
        taken = take_service(rest);
    if (ascii_is_upper(byte_at(rest, 0)) && (next == ':' || name == 5))
        taken = taken > 0 ? taken : take_level(rest);
    if (taken == 0 && memchr(text, 'Z', rest->len < JOB_MAX_LEN ? rest->len : JOB_MAX_LEN))
        taken = take_job(rest);
    return taken;
}

/* Matches one prefix. The first character tells which prefixes are possible. */
static size_t take_prefix(const struct rest *rest)
{
    const char first = byte_at(rest, 0);
    size_t taken = 0;
    if (ascii_is_letter(first))
        return take_worded(rest);
    const char second = byte_at(rest, 1);
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

/* Matches prefixes that would match too much in lines without a stamp. */
static size_t take_after_stamp(const struct rest *rest)
{
    const size_t unit = take_unit(rest);
    if (unit > 0)
        return unit;
    /* GitLab's runner: "01O " */
    const bool stream = byte_at(rest, 2) == 'O' || byte_at(rest, 2) == 'E';
    const bool ends = byte_at(rest, 3) == ' ' || byte_at(rest, 3) == '+';
    if (digit_length(rest, 0) == 2 && stream && ends)
        return 4;
    const size_t logger = take_logger(rest);
    return logger > 0 || !begins_with(rest, 0, "- ") ? logger : strlen("- ");
}

size_t line_prefix_len(const char *line, size_t len, size_t *indent)
{
    const struct rest whole = {.text = line, .len = len};
    size_t taken = *indent;
    bool stamped = false;
    if (taken > 0 && blank_length(&whole, 0) < taken) {
        taken = 0;
        *indent = 0;
    }
    for (int round = 0; round < ROUNDS_MAX && taken < LINE_PREFIX_MAX; round++) {
        const struct rest rest = {.text = line + taken, .len = len - taken};
        const char first = byte_at(&rest, 0);
        size_t more = first == ' ' || first == '\xe2' ? take_mark(&rest, indent) : 0;
        more = more == 0 && stamped ? take_after_stamp(&rest) : more;
        more = more > 0 ? more : take_prefix(&rest);
        if (more == 0)
            break;
        stamped = stamped || ascii_is_digit(first) || take_stamp(&rest) > 0;
        taken += more;
    }
    return taken;
}

/* Reading the end of a stream, for the text rules. */

enum { ESC = 0x1b };

static void begin_line(struct clean_text *text, int64_t offset, int64_t number)
{
    text->lines = xgrow(text->lines, &text->cap, text->count + 1, sizeof(*text->lines));
    text->lines[text->count] =
        (struct clean_line){.start = text->len, .offset = offset, .number = number};
    text->count++;
}

/* Removes what a log may have put before the line. */
static void strip_prefix(struct clean_text *text)
{
    const struct clean_line *line = &text->lines[text->count - 1];
    char *bytes = text->bytes + line->start;
    const size_t len = text->len - line->start;
    if (line->continues)
        return;
    const size_t prefix = line_prefix_len(bytes, len, &text->indent);
    if (prefix > 0)
        memmove(bytes, bytes + prefix, len - prefix);
    text->len -= prefix;
}

static void end_line(struct clean_text *text)
{
    struct clean_line *line = &text->lines[text->count - 1];
    line->len = text->len - line->start;
    text->bytes[text->len++] = '\n';
}

/* Begins a new line, reusing the last one if it is empty: empty lines are not kept. */
static void next_line(struct clean_text *text, int64_t offset, int64_t number)
{
    struct clean_line *line = &text->lines[text->count - 1];
    if (text->len > line->start)
        strip_prefix(text);
    if (text->len == line->start && !line->continues) {
        line->offset = offset;
        line->number = number;
        return;
    }
    end_line(text);
    begin_line(text, offset, number);
}

/* Copies one character, or '?' if no terminal could show it. Returns the number of bytes read. */
static size_t put_character(struct clean_text *text, const char *bytes, size_t len)
{
    const unsigned char first = (unsigned char)bytes[0];
    if (first >= 0x20 && first < 0x7f) {
        text->bytes[text->len++] = bytes[0];
        return 1;
    }
    if (first < 0x80) {
        text->bytes[text->len++] = first == '\0' ? '?' : ' ';
        return 1;
    }

    uint32_t rune = 0;
    const size_t taken = (size_t)text_rune(bytes, len, &rune);
    if (rune == UINT32_MAX) {
        text->bytes[text->len++] = '?';
    } else {
        memcpy(text->bytes + text->len, bytes, taken);
        text->len += taken;
    }
    return taken;
}

/* Marks the output that a test captured: the lines from a header like "- Captured log call -" up to
 * the next header. */
static void mark_captured(struct clean_text *text)
{
    static const char word[] = " Captured ";
    bool captured = false;
    for (size_t i = 0; i < text->count; i++) {
        struct clean_line *line = &text->lines[i];
        const char *bytes = text->bytes + line->start;
        const size_t len = line->len;
        size_t dashes = 0;
        while (dashes < len && bytes[dashes] == '-')
            dashes++;
        if (dashes >= 3 && len - dashes >= sizeof(word) - 1 &&
            memcmp(bytes + dashes, word, sizeof(word) - 1) == 0)
            captured = true;
        else if (len >= 5 &&
                 (memcmp(bytes, "=====", 5) == 0 || dashes >= 5 || memcmp(bytes, "_____", 5) == 0))
            captured = false;
        if (captured)
            line->state = CLEAN_LINE_QUOTED;
    }
}

/* Handles the sequence at bytes[0]. Returns the number of bytes read. */
static size_t take_bytes(struct clean_text *text, const char *bytes, size_t len, int64_t offset,
                         int64_t *number)
{
    if (bytes[0] == ESC)
        return text_escape_len(bytes, len);
    if (bytes[0] == '\n' || bytes[0] == '\r') {
        const size_t taken = bytes[0] == '\r' && len > 1 && bytes[1] == '\n' ? 2 : 1;
        *number += bytes[taken - 1] == '\n';
        next_line(text, offset + (int64_t)taken, *number);
        return taken;
    }

    /* Splits a line that gets too long. */
    size_t used = text->len - text->lines[text->count - 1].start;
    const char last = used > 0 ? text->bytes[text->len - 1] : '\0';
    if (used >= CLEAN_PART_MAX || (used >= CLEAN_PART_LEN && (last == ' ' || last == ','))) {
        strip_prefix(text);
        end_line(text);
        begin_line(text, offset, *number);
        text->lines[text->count - 1].continues = true;
        used = 0;
    }

    /* Copies bytes that need no change, at most up to where a long line may be split. */
    const size_t room = used < CLEAN_PART_LEN ? CLEAN_PART_LEN - used : 1;
    const size_t most = len < room ? len : room;
    size_t count = 0;
    while (count < most && (unsigned char)bytes[count] >= 0x20 &&
           (unsigned char)bytes[count] < 0x7f)
        count++;
    memcpy(text->bytes + text->len, bytes, count);
    text->len += count;
    return count > 0 ? count : put_character(text, bytes, len);
}

void clean_text_init(struct clean_text *text, const struct classify_text *raw)
{
    const size_t skip = raw->len > CLASSIFY_TAIL_MAX ? raw->len - CLASSIFY_TAIL_MAX : 0;
    const size_t len = raw->len - skip;
    const char *bytes = raw->len > 0 ? raw->bytes + skip : "";
    const int64_t offset = raw->offset + (int64_t)skip;
    int64_t number = 1;

    *text = (struct clean_text){.bytes = xcalloc(len + len / CLEAN_PART_LEN + 2, 1)};
    begin_line(text, offset, number);
    for (size_t i = 0; i < len;)
        i += take_bytes(text, bytes + i, len - i, offset + (int64_t)i, &number);
    strip_prefix(text);
    end_line(text);
    mark_captured(text);
    assert(text->len <= len + len / CLEAN_PART_LEN + 1);
}

void clean_text_done(struct clean_text *text)
{
    free(text->bytes);
    free(text->lines);
    *text = (struct clean_text){0};
}

size_t clean_text_tail(const struct clean_text *text, int count)
{
    size_t i = text->count;
    while (i > 0 && count > 0) {
        i--;
        count -= text->lines[i].len > 0; /* the last one may be empty */
    }
    return i;
}
