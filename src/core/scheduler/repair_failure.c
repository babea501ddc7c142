/* repair_failure.c - what an agent is told of a check of its work that failed. */
#include <assert.h>
#include <string.h>

#include "repair.h"
#include "repair_words.h"
#include "text.h"
#include "utf8.h"

enum {
    COMMAND_MAX = 600, /* bytes of the command that are shown */
    LINES_MAX = 1100,  /* bytes of the lines about a contract */
};

static const char check_failed[] = "A check of your work failed.\n\n";
static const char check_passed[] = "A check of your work did not fail in the expected way.\n\n";
static const char closing[] =
    "\nFind the cause and fix it. Do not weaken the check to make it pass. When you are done, this "
    "command is run again.\n";

/* Clean, one line, at most `max` bytes. */
static void add_line(struct str *out, const char *text, size_t max)
{
    struct str clean = {0};
    text_clean(&clean, text, strlen(text));
    for (size_t i = 0; i < clean.len; i++)
        clean.data[i] = clean.data[i] == '\n' ? ' ' : clean.data[i];
    const size_t cut = text_cut(str_text(&clean), clean.len, max);
    str_add_n(out, str_text(&clean), cut);
    str_add(out, cut < clean.len ? " ..." : "");
    str_done(&clean);
}

static void add_command(struct str *out, char *const *argv)
{
    struct str words = {0};
    for (char *const *arg = argv; *arg && words.len <= COMMAND_MAX; arg++)
        str_addf(&words, "%s%.*s", words.len > 0 ? " " : "", COMMAND_MAX + 1, *arg);
    str_add(out, "Command: ");
    add_line(out, str_text(&words), COMMAND_MAX);
    str_add_char(out, '\n');
    str_done(&words);
}

/* A line of violations_display(), "[CODE] PATH: MESSAGE", as repair_prompt() writes it; any other
 * line as it is. */
static void add_violation(struct str *out, const char *line, size_t len)
{
    const char *code_end = line[0] == '[' ? memchr(line, ']', len) : NULL;
    const char *path = code_end ? code_end + 2 : NULL; /* after "] " */
    const char *end = line + len;
    const char *path_end = path;
    while (path_end && path_end + 1 < end && (path_end[0] != ':' || path_end[1] != ' '))
        path_end++;
    if (!path_end || path_end + 1 >= end) {
        str_addf(out, "  - %.*s\n", (int)len, line);
        return;
    }
    str_addf(out, "  - Path: %.*s\n", (int)(path_end - path), path);
    str_addf(out, "    Code: %.*s\n", (int)(code_end - line - 1), line + 1);
    str_addf(out, "    Error: %.*s\n", (int)(end - path_end - 2), path_end + 2);
}

/* As many lines as fit, those of an agent's own output in the form of a repair prompt. */
static void add_response_lines(struct str *out, const char *lines)
{
    const size_t before = out->len;
    while (*lines) {
        const size_t len = strcspn(lines, "\n");
        const size_t kept = out->len;
        add_violation(out, lines, len);
        if (out->len - before > LINES_MAX) {
            str_cut(out, kept);
            str_add(out, "  ...\n");
            return;
        }
        lines += len + (lines[len] == '\n');
    }
}

/* Whole lines from the first on, as many as fit. */
static void add_lines(struct str *out, const char *lines)
{
    size_t used = 0;
    while (*lines) {
        const size_t len = strcspn(lines, "\n");
        if (used + len + 1 > LINES_MAX)
            break;
        str_add_n(out, lines, len);
        str_add_char(out, '\n');
        used += len + 1;
        lines += len + (lines[len] == '\n');
    }
    str_add(out, *lines ? "...\n" : "");
}

/* The end of the clean text, from the beginning of a line where one begins in it. */
static void add_tail(struct str *out, const struct str *clean, size_t room)
{
    const char *text = str_text(clean);
    size_t from = 0;
    if (clean->len > room) {
        from = clean->len - room;
        const char *line = memchr(text + from, '\n', clean->len - from);
        if (line && line[1] != '\0')
            from = (size_t)(line + 1 - text);
        while (from < clean->len && utf8_is_inner(text[from]))
            from++;
    }
    str_add_n(out, text + from, clean->len - from);
    if (clean->len > 0 && text[clean->len - 1] != '\n')
        str_add_char(out, '\n');
}

static void add_output(struct str *out, const struct repair_failure *failure, size_t room)
{
    static const char title[] = "\nThe end of its output:\n\n";
    struct str clean = {0};
    if (failure->tail)
        text_clean(&clean, failure->tail, failure->tail_len);
    if (clean.len > 0 && room > sizeof(title) + 1) {
        str_add(out, title);
        add_tail(out, &clean, room - sizeof(title) - 1);
    }
    str_done(&clean);
}

void repair_failure_prompt(const struct repair_failure *failure, size_t max, struct str *out)
{
    struct str words = {0};
    assert(max >= REPAIR_PROMPT_MIN);
    if (failure->argv)
        str_add(&words, failure->expected_to_fail ? check_passed : check_failed);
    else
        str_add(&words, repair_head);
    if (failure->argv)
        add_command(&words, failure->argv);
    if (failure->argv && failure->ended) {
        str_add(&words, "It ended with: ");
        add_line(&words, failure->ended, COMMAND_MAX / 2);
        str_add_char(&words, '\n');
    }
    if (failure->argv && failure->violations)
        str_add(&words, "\nWhat is wrong with its output:\n\n");
    if (failure->violations && failure->argv)
        add_lines(&words, failure->violations);
    else if (failure->violations)
        add_response_lines(&words, failure->violations);
    if (!failure->argv) {
        str_addf(&words, "\n%s", repair_instructions);
    } else {
        add_output(&words, failure, max - words.len - sizeof(closing));
        str_add(&words, closing);
    }
    assert(words.len <= max);
    str_add_n(out, str_text(&words), words.len);
    str_done(&words);
}
