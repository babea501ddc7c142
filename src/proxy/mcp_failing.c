#include "mcp_failing.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "attr.h"
#include "text.h"

/* One line of the output, without blanks around it. */
struct line {
    const char *bytes;
    size_t len;
};

static struct line trimmed(const char *bytes, size_t len)
{
    while (len > 0 && (*bytes == ' ' || *bytes == '\t')) {
        bytes++;
        len--;
    }
    while (len > 0 && strchr(" \t\r", bytes[len - 1]))
        len--;
    return (struct line){bytes, len};
}

static bool begins(const struct line *line, const char *with)
{
    const size_t len = strlen(with);
    return line->len > len && memcmp(line->bytes, with, len) == 0;
}

static bool ends(const struct line *line, const char *with)
{
    const size_t len = strlen(with);
    return line->len > len && memcmp(line->bytes + line->len - len, with, len) == 0;
}

static struct line cut(const struct line *line, size_t front, size_t back)
{
    return front + back < line->len ? trimmed(line->bytes + front, line->len - front - back)
                                    : (struct line){line->bytes, 0};
}

/* Up to the first place where these words stand. */
static struct line before(struct line line, const char *words)
{
    const size_t len = strlen(words);
    for (size_t i = 0; i + len <= line.len; i++) {
        if (memcmp(line.bytes + i, words, len) == 0)
            return trimmed(line.bytes, i);
    }
    return line;
}

/* How many of them it begins with. */
static size_t digits(const struct line *line)
{
    size_t count = 0;
    while (count < line->len && isdigit((unsigned char)line->bytes[count]))
        count++;
    return count;
}

/* "not ok 3 - name", the number and the dash may lack; a test that was to fail is none. */
static struct line of_tap(const struct line *line)
{
    static const struct line none = {"", 0};
    if (!begins(line, "not ok "))
        return none;
    struct line rest = cut(line, strlen("not ok "), 0);
    rest = cut(&rest, digits(&rest), 0);
    if (begins(&rest, "- "))
        rest = cut(&rest, 2, 0);
    const struct line name = before(rest, " # ");
    return begins(&name, "# ") || name.len < rest.len ? none : name;
}

/* "3 - name (Failed)" */
static struct line of_ctest(const struct line *line)
{
    static const char *const ways[] = {" (Failed)", " (Timeout)", " (SEGFAULT)"};
    const size_t number = digits(line);
    for (size_t i = 0; number > 0 && i < ARRAY_LEN(ways); i++) {
        const struct line rest = cut(line, number, strlen(ways[i]));
        if (ends(line, ways[i]) && begins(&rest, "- "))
            return cut(&rest, 2, 0);
    }
    return (struct line){"", 0};
}

/* "[  FAILED  ] Case.Name (3 ms)", not the line that counts them. */
static struct line of_gtest(const struct line *line)
{
    static const char mark[] = "[  FAILED  ] ";
    const struct line name = before(cut(line, strlen(mark), 0), " (");
    bool is_name =
        begins(line, mark) && digits(&name) == 0 && before(name, ", where").len == name.len;
    return is_name ? name : (struct line){"", 0};
}

static struct line of_line(const struct line *line)
{
    if (begins(line, "FAILED ") && memchr(line->bytes, ':', line->len))
        return before(cut(line, strlen("FAILED "), 0), " - ");
    if (begins(line, "FAIL: ") || begins(line, "ERROR: "))
        return ends(line, ")") ? cut(line, strcspn(line->bytes, ":") + 1, 0) : (struct line){"", 0};
    if (begins(line, "test ") && ends(line, " ... FAILED"))
        return cut(line, strlen("test "), strlen(" ... FAILED"));
    if (begins(line, "--- FAIL: "))
        return before(cut(line, strlen("--- FAIL: "), 0), " (");
    if (begins(line, "\u25cf "))
        return cut(line, strlen("\u25cf "), 0);
    struct line name = of_tap(line);
    if (name.len == 0)
        name = of_ctest(line);
    return name.len > 0 ? name : of_gtest(line);
}

/* Is it in the list already? */
static bool is_listed(const struct str *list, const struct str *element)
{
    const char *at = strstr(str_text(list), str_text(element));
    return at && (at[element->len] == ',' || at[element->len] == '\0');
}

static bool add_name(const struct line *name, struct str *out)
{
    struct str clean = {0};
    struct str element = {0};
    text_clean(&clean, name->bytes, name->len);
    const size_t len = text_cut(str_text(&clean), clean.len, MCP_FAILING_NAME_MAX);
    str_add_json(&element, str_text(&clean), len);
    bool is_new = len > 0 && !is_listed(out, &element);
    if (is_new)
        str_addf(out, "%s%s", out->len > 0 ? "," : "", str_text(&element));
    str_done(&element);
    str_done(&clean);
    return is_new;
}

int mcp_failing_find(const char *bytes, size_t len, struct str *out)
{
    const char *const end = bytes + len;
    int count = 0;
    while (bytes < end && count < MCP_FAILING_MAX) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = feed ? feed : end;
        const struct line line = trimmed(bytes, (size_t)(stop - bytes));
        const struct line name = of_line(&line);
        if (name.len > 0 && add_name(&name, out))
            count++;
        bytes = feed ? feed + 1 : end;
    }
    return count;
}
