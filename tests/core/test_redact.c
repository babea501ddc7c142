#include "redact.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "test_main.h"
#include "utf8.h"
#include "xalloc.h"

#define SECRET "pa55/W0rd+\"x' \303\251&Z"

static struct redactor *redactor;

static void setup(void)
{
    redactor = NULL;
}

static void teardown(void)
{
    redactor_close(redactor);
}

static void open_with(char *const *environment, const struct secret_settings *settings)
{
    const struct redact_setting setting = {.environment = environment, .settings = settings};
    struct err err = {0};
    ck_assert_msg(redactor_open(&redactor, &setting, &err), "%s", err.message);
}

/* Variables of the environment; `second` and `third` may be NULL. */
static void open_for(const char *first, const char *second, const char *third)
{
    const char *const texts[] = {first, second, third};
    char *variables[TABLE_LEN(texts) + 1] = {0};
    for (int i = 0; i < TABLE_LEN(texts) && texts[i]; i++)
        variables[i] = xstrdup(texts[i]);
    open_with(variables, NULL);
    for (int i = 0; i < TABLE_LEN(texts); i++)
        free(variables[i]);
}

static void check(const char *name, const char *text, const char *want)
{
    char *got = redact_string(redactor, text, NULL);
    ck_assert_msg(strcmp(got, want) == 0, "%s: %s\nis cut to %s\nand not %s", name, text, got,
                  want);
    free(got);
}

static const struct {
    const char *name, *text, *want;
} forms[] = {
    {"raw", "<pa55/W0rd+\"x' \303\251&Z>", "<[cut:API_TOKEN]>"},
    {"base64 alone", "cGE1NS9XMHJkKyJ4JyDDqSZa\n", "[cut:API_TOKEN]\n"},
    {"base64 with a line feed", "cGE1NS9XMHJkKyJ4JyDDqSZaCg==\n", "[cut:API_TOKEN]\n"},
    {"base64 after 1", "YXBhNTUvVzByZCsieCcgw6kmWg==", "YX[cut:API_TOKEN]"},
    {"base64 after 2", "YWJwYTU1L1cwcmQrIngnIMOpJlo=", "YWJ[cut:API_TOKEN]"},
    {"base64 in the middle", "dXNlcjpwYTU1L1cwcmQrIngnIMOpJlpAaG9zdC1hbmQtbW9yZQ==",
     "dXNlcjp[cut:API_TOKEN]pAaG9zdC1hbmQtbW9yZQ=="},
    {"base64 for URLs", "cGE1NS9XMHJkKyJ4JyDDqSZa", "[cut:API_TOKEN]"},
    {"base64 unpadded", "cGE1NS9XMHJkKyJ4JyDDqSZa&", "[cut:API_TOKEN]&"},
    {"hex", "0x706135352f573072642b22782720c3a9265a", "0x[cut:API_TOKEN]"},
    {"HEX", "0x706135352F573072642B22782720C3A9265A", "0x[cut:API_TOKEN]"},
    {"URL", "?k=pa55%2FW0rd%2B%22x%27%20%C3%A9%26Z", "?k=[cut:API_TOKEN]"},
    {"URL small", "?k=pa55%2fW0rd%2b%22x%27%20%c3%a9%26Z", "?k=[cut:API_TOKEN]"},
    {"URL path", "?k=pa55/W0rd%2B%22x%27%20%C3%A9%26Z", "?k=[cut:API_TOKEN]"},
    {"form", "k=pa55%2FW0rd%2B%22x%27+%C3%A9%26Z", "k=[cut:API_TOKEN]"},
    {"component", "k=pa55%2FW0rd%2B%22x'%20%C3%A9%26Z", "k=[cut:API_TOKEN]"},
    {"all percent", "%70%61%35%35%2F%57%30%72%64%2B%22%78%27%20%C3%A9%26%5A", "[cut:API_TOKEN]"},
    {"JSON", "\"pa55/W0rd+\\\"x' \303\251&Z\"", "\"[cut:API_TOKEN]\""},
    {"JSON ASCII", "\"pa55/W0rd+\\\"x' \\u00e9&Z\"", "\"[cut:API_TOKEN]\""},
    {"JSON slashes", "\"pa55\\/W0rd+\\\"x' \303\251&Z\"", "\"[cut:API_TOKEN]\""},
    {"JSON markup", "\"pa55/W0rd+\\\"x' \303\251\\u0026Z\"", "\"[cut:API_TOKEN]\""},
    {"JSON in JSON", "\"\\\"pa55/W0rd+\\\\\\\"x' \303\251&Z\\\"\"", "\"\\\"[cut:API_TOKEN]\\\"\""},
    {"single quotes", "'pa55/W0rd+\"x'\\'' \303\251&Z'", "'[cut:API_TOKEN]'"},
    {"quotes in quotes", "'pa55/W0rd+\"x'\"'\"' \303\251&Z'", "'[cut:API_TOKEN]'"},
    {"double quotes", "\"pa55/W0rd+\\\"x' \303\251&Z\"", "\"[cut:API_TOKEN]\""},
    {"backslashes", "pa55/W0rd+\\\"x\\'\\ \303\251\\&Z", "[cut:API_TOKEN]"},
    {"XML", ">pa55/W0rd+&quot;x&apos; \303\251&amp;Z<", ">[cut:API_TOKEN]<"},
    {"HTML", ">pa55/W0rd+&#34;x&#39; \303\251&amp;Z<", ">[cut:API_TOKEN]<"},
};

START_TEST(test_value_is_cut_in_every_form)
{
    open_for("API_TOKEN=" SECRET, NULL, NULL);
    check(forms[_i].name, forms[_i].text, forms[_i].want);
}
END_TEST

/* How programs write a text into another one: which characters they escape, and how. */
struct writer {
    const char *name;
    const char *marks;    /* escaped among ASCII; NULL: all */
    const char *ascii;    /* %c or %x of the character; NULL: by `names` */
    const char *wide;     /* of a UTF-16 unit (two for more), or a code point; NULL: by bytes */
    const char *names[6]; /* of the marks, in their order */
};

static const struct writer writers[] = {
    {"nothing", "", "%c", NULL, {0}},
    {"JSON", "\"\\", "\\%c", NULL, {0}},
    {"JSON of Python", "\"\\", "\\%c", "\\u%04x", {0}},
    {"JSON of PHP", "\"\\/", "\\%c", "\\u%04x", {0}},
    {"JSON of PHP for markup", "\"\\/<>&'", "\\u%04X", "\\u%04X", {0}},
    {"JSON of Go", "\"\\<>&", NULL, NULL, {"\\\"", "\\\\", "\\u003c", "\\u003e", "\\u0026"}},
    {"JSON, every letter", NULL, "\\u%04x", "\\u%04x", {0}},
    {"HTML of Python", "&<>\"'", NULL, NULL, {"&amp;", "&lt;", "&gt;", "&quot;", "&#x27;"}},
    {"HTML of PHP", "&<>\"'", NULL, NULL, {"&amp;", "&lt;", "&gt;", "&quot;", "&#039;"}},
    {"HTML of Go", "&<>\"'", NULL, NULL, {"&amp;", "&lt;", "&gt;", "&#34;", "&#39;"}},
    {"XML", "&<>\"'", NULL, "&#%u;", {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}},
    {"HTML, every letter", NULL, "&#x%X;", "&#x%X;", {0}},
    {"HTML, all of it by numbers", NULL, "&#%u;", "&#%u;", {0}},
    {"URL", "\"\\/<>&'%+= ;#$!", "%%%02X", NULL, {0}},
    {"URL, small", "\"\\/<>&'%+= ;#$!", "%%%02x", NULL, {0}},
    {"URL, every letter", NULL, "%%%02X", NULL, {0}},
    {"escape() of JavaScript", "\"\\<>&'%= ;#$!", "%%%02X", "%%u%04X", {0}},
    {"shell", "'", NULL, NULL, {"'\\''"}},
    {"shell of Python", "'", NULL, NULL, {"'\"'\"'"}},
    {"double quotes of a shell", "$`\"\\", "\\%c", NULL, {0}},
    {"backslashes of a shell", "\"\\<>&' ;#$!`", "\\%c", NULL, {0}},
    {"CSV", "\"", NULL, NULL, {"\"\""}},
    {"SQL", "'", NULL, NULL, {"''"}},
    {"C", "\"\\", "\\%c", NULL, {0}},
    {"bytes of Python", "\\'", "\\%c", "\\x%02x", {0}},
    {"hex, every letter", NULL, "\\x%02x", "\\x%02x", {0}},
    {"HEX, every letter", NULL, "\\x%02X", "\\x%02X", {0}},
    {"octal, every letter", NULL, "\\%03o", NULL, {0}},
    {"octal of echo, every letter", NULL, "\\0%03o", NULL, {0}},
    {"every letter in braces", NULL, "\\u{%x}", "\\u{%x}", {0}},
    {"every letter as four digits in braces", NULL, "\\u{%04X}", "\\u{%04X}", {0}},
    {"braces of Perl, every letter", NULL, "\\x{%x}", "\\x{%x}", {0}},
    {"eight digits, every letter", NULL, "\\U%08x", "\\U%08x", {0}},
};

static void add_number(struct str *out, const char *format, unsigned number)
{
    char piece[32];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(piece, sizeof(piece), format, number);
#pragma GCC diagnostic pop
    str_add(out, piece);
}

static void add_wide(const struct writer *writer, struct str *out, const char *at, size_t len,
                     uint32_t rune)
{
    const bool is_by_bytes = strstr(writer->wide, "\\x%") != NULL;
    const bool is_by_units = strstr(writer->wide, "u%") && !strchr(writer->wide, '#');
    for (size_t i = 0; is_by_bytes && i < len; i++)
        add_number(out, writer->wide, (unsigned char)at[i]);
    if (is_by_bytes)
        return;
    if (is_by_units && rune >= 0x10000) {
        add_number(out, writer->wide, 0xd800 + ((rune - 0x10000) >> 10));
        add_number(out, writer->wide, 0xdc00 + ((rune - 0x10000) & 0x3ff));
    } else {
        add_number(out, writer->wide, rune);
    }
}

static void write_as(const struct writer *writer, const char *text, struct str *out)
{
    for (size_t i = 0; text[i] != '\0';) {
        uint32_t rune = 0;
        const size_t len = utf8_rune(text + i, strlen(text + i), &rune);
        const char *mark = rune < 0x80 && writer->marks ? strchr(writer->marks, text[i]) : NULL;
        const bool is_all = !writer->marks || strcmp(writer->name, "URL") == 0 ||
                            strcmp(writer->name, "URL, small") == 0;
        if (rune >= 0x80 && writer->wide)
            add_wide(writer, out, text + i, len, rune);
        else if (rune >= 0x80 && is_all)
            for (size_t byte = 0; byte < len; byte++)
                add_number(out, writer->ascii, (unsigned char)text[i + byte]);
        else if (mark && writer->names[0])
            str_add(out, writer->names[mark - writer->marks]);
        else if (mark || (!writer->marks && rune < 0x80))
            add_number(out, writer->ascii, rune);
        else
            str_add_n(out, text + i, len);
        i += len;
    }
}

static void collect(void *ctx, const char *bytes, size_t len)
{
    ck_assert_uint_ge(len, 1);
    ck_assert_uint_le(len, REDACT_SINK_MAX);
    str_add_n(ctx, bytes, len);
}

/* The first piece has a length of its own. */
static void redact_in_pieces(const struct redactor *by, const struct str *text, size_t first,
                             size_t piece, struct str *out)
{
    struct redact_stream *stream = NULL;
    size_t at = 0;
    redact_stream_open(&stream, by);
    for (size_t len = first; at < text->len; len = piece) {
        len = len < text->len - at ? len : text->len - at;
        redact_stream_add(stream, text->data + at, len, collect, out);
        at += len;
    }
    redact_stream_end(stream, collect, out);
    redact_stream_close(stream);
}

static const char *const nested[] = {
    "abcd/efgh+ijkl/mnopqrst",
    "p\u00e4ssw\u00f6rtlich9",
    "it'sasecret99",
    "\"quoted\" and \\back/",
    "\u043f\u0430\u0440\u043e\u043b\u044c-12",
    "a<b>&c=d\"e'f",
    "\U0001f600smile&key/1",
    "$HOME`x`!\"q\\",
    "x\"y'z/w&v%u+t s",
    "%41%42literal99",
    "\\u0041bcdefgh",
    "&lt;tag&gt;99",
    "\u00fc\"\u00df'\u00e9&\u00e0/",
};

/* One writer's text in another's, for all pairs. Each pair comes in pieces of each length, but not
 * with every value. */
START_TEST(test_value_is_cut_in_every_pair_of_notations)
{
    char variable[128];
    (void)snprintf(variable, sizeof(variable), "A_TOKEN=%s", nested[_i]);
    open_for(variable, NULL, NULL);
    for (size_t inner = 0; inner < ARRAY_LEN(writers); inner++) {
        for (size_t outer = 0; outer < ARRAY_LEN(writers); outer++) {
            static const size_t pieces[] = {1, 5, SIZE_MAX / 2};
            const size_t piece = pieces[(inner + outer + (size_t)_i) % ARRAY_LEN(pieces)];
            struct str once = {0}, text = {0}, got = {0};
            write_as(&writers[inner], nested[_i], &once);
            str_add_char(&text, '<');
            write_as(&writers[outer], str_text(&once), &text);
            str_add_char(&text, '>');
            redact_in_pieces(redactor, &text, piece, piece, &got);
            ck_assert_msg(strcmp(str_text(&got), "<[cut:A_TOKEN]>") == 0,
                          "%s in %s: %s is cut to %s", writers[inner].name, writers[outer].name,
                          str_text(&text), str_text(&got));
            str_done(&got);
            str_done(&text);
            str_done(&once);
        }
    }
}
END_TEST

static const struct {
    const char *name, *text, *want;
} escaped[] = {
    {"in a line of an agent",
     "{\"out\":\"{\\\"k\\\":\\\"pa55\\\\/W0rd+\\\\\\\"x' \\\\u00e9&Z\\\"}\"}",
     "{\"out\":\"{\\\"k\\\":\\\"[cut:API_TOKEN]\\\"}\"}"},
    {"colored within JSON", "\"pa55/\\u001b[01;31m\\u001b[KW0rd+\\\"x' \\u00e9\\u001b[m&Z\"",
     "\"[cut:API_TOKEN]\""},
    {"named", "pa55/W0rd+&quot;x&apos; &eacute;&amp;Z", "[cut:API_TOKEN]"},
    {"octal", "\"pa55/W0rd+\\\"x' \\303\\251&Z\"", "\"[cut:API_TOKEN]\""},
    {"braces", "'pa55/W0rd+\"x\\' \\u{e9}&Z'", "'[cut:API_TOKEN]'"},
    {"mixed", "\\x70\\141\\u{35}5\\u002fW\\x{30}\\0162d+\"x' \\303\\251\\046\\x5a",
     "[cut:API_TOKEN]"},
    {"fully escaped, truncated", "<\\x70\\x61\\x35\\x35\\x2f\\x57\\x30\\x72", "<[cut:API_TOKEN]"},
    {"another value in hex", "\\x70\\x61\\x35\\x35\\x2f\\x57\\x30\\x73",
     "\\x70\\x61\\x35\\x35\\x2f\\x57\\x30\\x73"},
    {"base64 in JSON of PHP", "\"az8\\/K\" \"cGE1NS9XMHJkKyJ4JyDDqSZa\"",
     "\"az8\\/K\" \"[cut:API_TOKEN]\""},
    {"broken off", "\"pa55\\/W0rd", "\"[cut:API_TOKEN]"},
    {"broken off in an escape", "\"pa55\\/W0rd+\\", "\"[cut:API_TOKEN]\\"},
    {"another value", "\"pa55\\/W0rd+\\\"y' \\u00e9&Z\"", "\"pa55\\/W0rd+\\\"y' \\u00e9&Z\""},
    {"escapes of something else", "\\/ \\u00e9 &amp; %2F '' \\", "\\/ \\u00e9 &amp; %2F '' \\"},
};

START_TEST(test_escaped_value_is_cut)
{
    open_for("API_TOKEN=" SECRET, NULL, NULL);
    check(escaped[_i].name, escaped[_i].text, escaped[_i].want);
}
END_TEST

/* Ways to escape one ASCII character: its number with zeros in front, between two texts. */
static const struct {
    const char *before, *after;
    int digits;
    bool is_octal;
} numbers[] = {
    {"\\x", "", 2, false},   {"\\", "", 3, true}, {"\\u", "", 4, false},
    {"\\u{", "}", 2, false}, {"%", "", 2, false}, {"&#x", ";", 2, false},
};

/* One character of an otherwise plain value. */
START_TEST(test_one_escaped_character_hides_nothing)
{
    static const char value[] = "pa55word-Tr1cky/Val";
    open_for("API_TOKEN=pa55word-Tr1cky/Val", NULL, NULL);
    for (size_t i = 0; i + 1 < sizeof(value); i++) {
        struct str text = {0};
        str_addf(&text, "<%.*s%s", (int)i, value, numbers[_i].before);
        if (numbers[_i].is_octal)
            str_addf(&text, "%0*o", numbers[_i].digits, (unsigned)value[i]);
        else
            str_addf(&text, "%0*x", numbers[_i].digits, (unsigned)value[i]);
        str_addf(&text, "%s%s>", numbers[_i].after, value + i + 1);
        check(numbers[_i].before, str_text(&text), "<[cut:API_TOKEN]>");
        str_done(&text);
    }
}
END_TEST

/* Opens a redactor for a variable "BIG_SECRET=" with that many bytes. The caller frees. */
static char *open_long(int len)
{
    struct str variable = {0};
    str_add(&variable, "BIG_SECRET=");
    for (int i = 0; i < len; i++)
        str_add_char(&variable, (char)('!' + (i * i + i / 7) % 90));
    open_for(variable.data, NULL, NULL);
    return variable.data;
}

/* A value with more escapes than a lane keeps is let go: nothing is held back forever. */
START_TEST(test_long_escaped_value_is_cut)
{
    char *variable = open_long(1500);
    struct str text = {0};
    for (const char *c = strchr(variable, '=') + 1; *c; c++)
        str_addf(&text, "\\\\u%04x", (unsigned)*c);
    check("all escaped twice", str_text(&text), "[cut:BIG_SECRET]");
    str_done(&text);
    free(variable);
}
END_TEST

START_TEST(test_base64_for_urls_has_an_alphabet_of_its_own)
{
    open_for("API_TOKEN=k?>k?>k?>k?>", NULL, NULL);
    check("standard", "az8+az8+az8+az8+", "[cut:API_TOKEN]");
    check("for URLs", "az8-az8-az8-az8-", "[cut:API_TOKEN]");
}
END_TEST

START_TEST(test_value_of_several_lines_is_cut_line_by_line)
{
    open_for("DEPLOY_KEY=first line 1\nab\n  second line 2\n", NULL, NULL);
    check("whole", "<first line 1\nab\n  second line 2>", "<[cut:DEPLOY_KEY]>");
    check("terminal", "<first line 1\r\nab\r\n  second line 2>", "<[cut:DEPLOY_KEY]>");
    check("JSON", "first line 1\\nab\\n  second line 2", "[cut:DEPLOY_KEY]");
    check("lines", "1: second line 2\n2: first line 1\n3: ab\n",
          "1: [cut:DEPLOY_KEY]\n2: [cut:DEPLOY_KEY]\n3: ab\n");
}
END_TEST

START_TEST(test_long_value_is_cut_as_one)
{
    char *variable = open_long(10000);
    check("long", variable, "BIG_SECRET=[cut:BIG_SECRET]");
    free(variable);
}
END_TEST

START_TEST(test_secrets_within_values_are_cut)
{
    open_for("DATABASE_URL=postgres://app:s3cretp4ss@db/x",
             "EXTRA=--header=ghp_abcdefghijklmnopqrstuvwxyz0123456789", NULL);
    check("password", "s3cretp4ss, czNjcmV0cDRzcw==", "[cut:DATABASE_URL], [cut:DATABASE_URL]");
    check("hex", "6768705f6162636465666768696a6b6c6d6e6f707172737475767778797a30313233343536373839",
          "[cut:EXTRA]");
    check("the rest stays", "--header= app postgres://db/x", "--header= app postgres://db/x");
}
END_TEST

START_TEST(test_ordinary_variables_stay)
{
    char ordinary[] = "HOME=/home/somebody-else", socket[] = "SSH_AUTH_SOCK=/tmp/ssh-abc/agent.1";
    char key_path[] = "SSH_KEY=/home/me/.ssh/id_rsa", number[] = "MAX_TOKENS=100000000";
    char word[] = "DB_PASSWORD=postgres", brief[] = "PIN_SECRET=abc1234", no_name[] = "=strange";
    char *const environment[] = {ordinary, socket, key_path, number, word, brief, no_name, NULL};
    const char *text = "/home/somebody-else /tmp/ssh-abc/agent.1 /home/me/.ssh/id_rsa 100000000 "
                       "postgres abc1234 =strange";
    open_with(environment, NULL);
    check("ordinary", text, text);
}
END_TEST

START_TEST(test_settings_add_and_keep_names)
{
    char variable[] = "DEPLOY_PIN_7=12345678", kept[] = "PUBLIC_TOKEN=not-a-secret-at-all";
    char *const environment[] = {variable, kept, NULL};
    char name[] = "DEPLOY_*", keep[] = "PUBLIC_TOKEN", form[] = "jwt";
    char *names[] = {name, NULL}, *keeps[] = {keep, form, NULL};
    const struct secret_settings settings = {.names = names, .keep = keeps};
    open_with(environment, &settings);
    check("kept", "not-a-secret-at-all", "not-a-secret-at-all");
    check("a form that is kept", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl",
          "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl");
    check("named", "the pin is 12345678", "the pin is [cut:DEPLOY_PIN_7]");
    ck_assert(redactor_hides(redactor, "DEPLOY_PIN_7"));
    ck_assert(redactor_hides(redactor, "API_KEY"));
    ck_assert(!redactor_hides(redactor, "PUBLIC_TOKEN"));
    ck_assert(redactor_hides(NULL, "PUBLIC_TOKEN"));
}
END_TEST

static void open_patterns(struct redact_pattern *patterns, size_t count)
{
    const struct secret_settings settings = {.patterns = patterns, .pattern_count = count};
    open_with(NULL, &settings);
}

START_TEST(test_patterns_cut_within_lines)
{
    char name[] = "badge", regex[] = "B-[0-9]{4}", other[] = "pin", group[] = "^pin: (\\w+)$";
    struct redact_pattern patterns[] = {{name, regex}, {other, group}};
    open_patterns(patterns, 2);
    check("all of them", "B-1234 and B-5678\nB-\n9999", "[cut:badge] and [cut:badge]\nB-\n9999");
    check("the group", "pin: 77\r\npin: 78 no\npin: 79",
          "pin: [cut:pin]\r\npin: 78 no\npin: [cut:pin]");
}
END_TEST

START_TEST(test_pattern_at_its_limit_cuts_the_line)
{
    char name[] = "slow", regex[] = "(a+)+$";
    struct redact_pattern patterns[] = {{name, regex}};
    open_patterns(patterns, 1);
    check("slow", "fine\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\nfine\n",
          "fine\n[cut:slow]\nfine\n");
}
END_TEST

START_TEST(test_pattern_sees_lines_longer_than_its_window)
{
    enum { LINE = 5 * REDACT_LINE_MAX };
    static const char found[] = "B-1234";
    char name[] = "badge", regex[] = "B-[0-9]{4}";
    struct redact_pattern patterns[] = {{name, regex}};
    open_patterns(patterns, 1);
    for (size_t at = 0; at < LINE; at += 1021) {
        char *line = xcalloc(LINE + 8, 1);
        struct redact_counts counts = {0};
        memset(line, '.', LINE + 7);
        for (size_t i = 0; i < sizeof(found) - 1; i++)
            line[at + i] = found[i];
        char *got = redact_string(redactor, line, &counts);
        ck_assert_msg(strstr(got, ".[cut:badge].") || at == 0, "at %zu", at);
        ck_assert_int_eq(counts.all, 1);
        ck_assert_uint_eq(strlen(got), LINE + 7 - 6 + strlen("[cut:badge]"));
        redact_counts_done(&counts);
        free(got);
        free(line);
    }
}
END_TEST

START_TEST(test_wrong_pattern_is_refused_by_name)
{
    char name[] = "half", regex[] = "(";
    struct redact_pattern patterns[] = {{name, regex}};
    const struct secret_settings settings = {.patterns = patterns, .pattern_count = 1};
    const struct redact_setting setting = {.settings = &settings};
    struct err err = {0};
    ck_assert(!redactor_open(&redactor, &setting, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "pattern half: "));
    ck_assert_ptr_null(redactor);
}
END_TEST

START_TEST(test_too_many_bytes_of_secrets_are_refused)
{
    enum { SIZE = REDACT_BYTES_MAX + 100, BEFORE = sizeof("A_SECRET=") - 1 };
    char *variable = xcalloc(SIZE + 1, 1);
    char *const environment[] = {variable, NULL};
    const struct redact_setting setting = {.environment = environment};
    struct err err = {0};
    unsigned state = 1;
    (void)snprintf(variable, SIZE, "A_SECRET=");
    for (int i = BEFORE; i < SIZE; i++) {
        state = state * 1103515245U + 12345U;
        variable[i] = (char)('A' + (state >> 16) % 26);
    }
    ck_assert(!redactor_open(&redactor, &setting, &err));
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "A_SECRET"));
    ck_assert_ptr_nonnull(strstr(err.hint, "keep"));
    free(variable);
}
END_TEST

START_TEST(test_values_of_a_plan_are_cut)
{
    static const char text[] = "{\"version\": 1, \"idempotent\": true, \"tasks\": [{\"id\": \"a\", "
                               "\"steps\": [{\"run\": [\"true\"],"
                               " \"env\": {\"DEPLOY_TOKEN\": \"from-the-plan-1\"}},"
                               "{\"run\": [\"true\", \"u=AKIAABCDEFGH23456789\"]}]}]}";
    struct plan *plan = NULL;
    struct violations wrong = {0};
    struct err err = {0};
    struct str told = {0};
    bool parsed = plan_parse(text, strlen(text), &plan, &wrong);
    violations_display(&wrong, &told);
    ck_assert_msg(parsed, "%s", str_text(&told));
    str_done(&told);
    const struct redact_setting setting = {.plan = plan};
    ck_assert(redactor_open(&redactor, &setting, &err));
    check("of a step", "x from-the-plan-1 y", "x [cut:DEPLOY_TOKEN] y");
    check("an argument", "QUtJQUFCQ0RFRkdIMjM0NTY3ODk=", "[cut:aws-key-id]");
    plan_free(plan);
    violations_done(&wrong);
}
END_TEST

START_TEST(test_cuts_are_counted_by_name)
{
    open_for("A_TOKEN=aaaa-bbbb-1", "B_TOKEN=cccc-dddd-2", NULL);
    struct redact_counts counts = {0};
    struct str lines = {0};
    redact_counts_lines(redactor, &counts, &lines);
    ck_assert_str_eq(str_text(&lines), "");
    free(redact_string(redactor, "aaaa-bbbb-1 aaaa-bbbb-1 cccc-dddd-2", &counts));
    free(redact_string(redactor, "cccc-dddd-2 https://me:you@there/", &counts));
    redact_counts_lines(redactor, &counts, &lines);
    ck_assert_str_eq(str_text(&lines), "1 url-password\n2 A_TOKEN\n2 B_TOKEN");
    ck_assert_int_eq(counts.all, 5);
    str_done(&lines);
    redact_counts_done(&counts);
}
END_TEST

START_TEST(test_cuts_that_overlap_are_one)
{
    open_for("A_TOKEN=one-two-three", "B_TOKEN=three-four-five", "C_TOKEN=two-three-four-five-six");
    check("the first one names it", "<one-two-three-four-five>", "<[cut:A_TOKEN]>");
    check("one in another", "<two-three-four-five-six>", "<[cut:C_TOKEN]>");
    check("side by side", "<one-two-threethree-four-five>", "<[cut:A_TOKEN][cut:B_TOKEN]>");
    check("a value before a form", "https://u:one-two-three@host", "https://u:[cut:A_TOKEN]@host");
}
END_TEST

START_TEST(test_name_in_a_mark_is_plain)
{
    open_for("MY \"odd\"]\nTOKEN=abcdef-123456", NULL, NULL);
    check("odd", "abcdef-123456", "[cut:MY__odd___TOKEN]");
}
END_TEST

START_TEST(test_nothing_to_look_for_lets_all_through)
{
    check("no redactor", "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
          "ghp_abcdefghijklmnopqrstuvwxyz0123456789");
    ck_assert_ptr_null(redact_string(NULL, NULL, NULL));
    redactor_close(NULL);
}
END_TEST

START_TEST(test_marks_become_values_again)
{
    char variable[] = "A_TOKEN=the value", longer[] = "A_TOKEN_2=no";
    char *const environment[] = {longer, variable, NULL};
    char name[REDACT_NAME_MAX + 1];
    struct str text = {0};
    ck_assert(redact_restore("a [cut:A_TOKEN] b [cut:] [cut", environment, &text));
    ck_assert_str_eq(text.data, "a the value b [cut:] [cut");
    str_clear(&text);
    ck_assert(!redact_restore("[cut:B][cut:A_TOKEN]", environment, &text));
    ck_assert_str_eq(text.data, "[cut:B]the value");
    ck_assert(redact_find_mark(text.data, name));
    ck_assert_str_eq(name, "B");
    ck_assert(!redact_find_mark("nothing [cut:", name));
    str_done(&text);
}
END_TEST

/* Streams */

static struct redactor *plain;    /* values and forms */
static struct redactor *patterns; /* a pattern beside them */

static struct redactor *open_many(const struct secret_settings *settings)
{
    char token[] = "A_TOKEN=tok-tok-tok-7", other[] = "B_SECRET=tok-7 and more of it";
    char lines[] = "C_KEY=line number 1\nline number 2\n", again[] = "D_KEY=xyxyxyxyxyxyz";
    char *const environment[] = {token, other, lines, again, NULL};
    open_with(environment, settings);
    return redactor;
}

static void open_both(void)
{
    char name[] = "badge", regex[] = "\\bB-[0-9]{4}$";
    struct redact_pattern pattern = {name, regex};
    const struct secret_settings settings = {.patterns = &pattern, .pattern_count = 1};
    plain = open_many(NULL);
    patterns = open_many(&settings);
}

static void close_both(void)
{
    redactor_close(plain);
    redactor_close(patterns);
}

static const char text[] =
    "start tok-tok-tok-7 and more of it, tok-tok-tok-tok-7\n"
    "a\033[1mtok-\033[31mtok-\033[0mtok-7\033[m tok-\001to\177k-\302\205tok-\033(B7 "
    "tok-tok\033[1;2 tok\033]8;;tok-tok-tok-7\a tok\033tok-tok-tok-7\n"
    "line number 1\r\nline number 2\r\nline number 2\nB-1234\nno B-12345\n"
    "dG9rLXRvay10b2stNw== 746f6b2d746f6b2d746f6b2d37 %74%6f%6b%2d%74%6f%6b%2d%74%6f%6b%2d%37\n"
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789abc; AKIAABCDEFGH23456789 AKIAABCDEFGH234567890\n"
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln https://u:pa55@h/ https://h:1/ "
    "xyxyxyxyxyxyxyxyz\n"
    "Authorization: Bearer abc123DEF.x sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345\n"
    "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES\n\nabcdefghijklmnopqrstuvwxyz012345\nab==\n"
    "-----END RSA PRIVATE KEY-----\nrest B-7777\nhttps://x:y@tok-tok-tok-";

static void check_pieces(const struct redactor *by)
{
    struct str all = {0}, whole = {0}, pieces = {0};
    str_add(&all, text);
    redact_in_pieces(by, &all, all.len, all.len, &whole);
    for (size_t piece = 1; piece <= 9; piece++) {
        str_clear(&pieces);
        redact_in_pieces(by, &all, piece, piece, &pieces);
        ck_assert_str_eq(pieces.data, whole.data);
    }
    for (size_t border = 0; border < all.len; border++) {
        str_clear(&pieces);
        redact_in_pieces(by, &all, border, all.len, &pieces);
        ck_assert_str_eq(pieces.data, whole.data);
    }
    str_done(&all);
    str_done(&whole);
    str_done(&pieces);
}

START_TEST(test_where_pieces_end_does_not_matter)
{
    check_pieces(plain);
    check_pieces(patterns);
}
END_TEST

START_TEST(test_all_of_it_is_cut)
{
    struct str out = {0};
    redact_text(patterns, text, sizeof(text) - 1, &out, NULL);
    ck_assert_str_eq(out.data,
                     "start [cut:A_TOKEN], tok-[cut:A_TOKEN]\n"
                     "a\033[1m[cut:A_TOKEN]\033[m [cut:A_TOKEN] tok-tok\033[1;2 "
                     "tok\033]8;;[cut:A_TOKEN]\a tok\033[cut:A_TOKEN]\n"
                     "[cut:C_KEY]\r\n[cut:C_KEY]\n[cut:badge]\nno B-12345\n"
                     "[cut:A_TOKEN] [cut:A_TOKEN] [cut:A_TOKEN]\n"
                     "[cut:github-token]; [cut:aws-key-id] AKIAABCDEFGH234567890\n"
                     "[cut:jwt] https://u:[cut:url-password]@h/ https://h:1/ xyxy[cut:D_KEY]\n"
                     "Authorization: Bearer [cut:authorization] [cut:anthropic-key]\n"
                     "-----BEGIN RSA PRIVATE KEY-----[cut:private-key]\nrest [cut:badge]\n"
                     "https://x:[cut:url-password]@[cut:A_TOKEN]");
    str_done(&out);
}
END_TEST

/* Returns how much has come out of the stream so far. */
static size_t came(struct redact_stream *stream, const char *bytes, struct str *out)
{
    redact_stream_add(stream, bytes, strlen(bytes), collect, out);
    return out->len;
}

START_TEST(test_no_more_is_held_back_than_may_be_a_secret)
{
    struct redact_stream *stream = NULL;
    struct str out = {0};
    redact_stream_open(&stream, plain);
    ck_assert_uint_eq(came(stream, "go on? [y/n] ", &out), 13);
    ck_assert_uint_eq(came(stream, "tok-tok", &out), 13);
    ck_assert_uint_eq(came(stream, "! ", &out), 22);
    ck_assert_uint_eq(came(stream, "tok-tok-tok-7", &out), 22 + strlen("[cut:A_TOKEN]"));
    redact_stream_end(stream, collect, &out);
    str_done(&out);
    redact_stream_close(stream);
}
END_TEST

START_TEST(test_beginning_of_a_value_at_the_end_is_cut)
{
    struct str out = {0};
    redact_text(plain, "tok-tok", 7, &out, NULL);
    ck_assert_str_eq(out.data, "tok-tok");
    str_clear(&out);
    redact_text(plain, "<tok-tok-", 9, &out, NULL);
    ck_assert_str_eq(out.data, "<[cut:A_TOKEN]");
    str_done(&out);
}
END_TEST

START_TEST(test_stream_begins_again_after_its_end)
{
    struct redact_stream *stream = NULL;
    struct str out = {0};
    redact_stream_open(&stream, patterns);
    redact_stream_end(stream, collect, &out);
    (void)came(stream, "tok-tok-", &out);
    redact_stream_end(stream, collect, &out);
    (void)came(stream, "tok-7 tok-tok-tok-7", &out);
    redact_stream_end(stream, collect, &out);
    ck_assert_str_eq(out.data, "[cut:A_TOKEN]tok-7 [cut:A_TOKEN]");
    ck_assert_int_eq(redact_stream_counts(stream)->all, 2);
    str_done(&out);
    redact_stream_close(stream);
}
END_TEST

static void count_bytes(void *ctx, const char *bytes, size_t len)
{
    (void)bytes;
    *(size_t *)ctx += len;
}

/* Bytes that never end what is cut, or what may be. */
static const struct {
    const char *again;
    size_t most; /* bytes that may come out of it */
} floods[] = {
    {"xy", 100},                                       /* a value that overlaps with itself */
    {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", 100}, /* a token without an end */
    {"A", SIZE_MAX},
    {"a://b:", SIZE_MAX},
    {"eyJ", SIZE_MAX},
    {"-----BEGIN ", SIZE_MAX},
    {" \\", SIZE_MAX},
    {"authorization:", SIZE_MAX},
};

/* More than may be held back; more still where it does not take long. */
enum { FLOOD_PIECE = 6000, FLOOD_TIMEOUT_S = 120 };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { FLOOD_PIECES = 15 };
#elif defined(__OPTIMIZE__)
enum { FLOOD_PIECES = 500 };
#else
enum { FLOOD_PIECES = 100 };
#endif
static_assert(FLOOD_PIECE * FLOOD_PIECES > REDACT_HOLD_MAX, "the limit is met");

START_TEST(test_flood_is_held_back_within_limits)
{
    const struct redactor *both[] = {plain, patterns};
    const size_t len = strlen(floods[_i].again);
    for (int which = 0; which < 2; which++) {
        struct redact_stream *stream = NULL;
        char bytes[FLOOD_PIECE];
        size_t in = 0, out = 0;
        redact_stream_open(&stream, both[which]);
        if (len == 2)
            redact_stream_add(stream, "xyxyxyxyxyxyz", 12, count_bytes, &out);
        for (int i = 0; i < FLOOD_PIECES; i++) {
            for (size_t j = 0; j < FLOOD_PIECE; j++)
                bytes[j] = floods[_i].again[in++ % len];
            redact_stream_add(stream, bytes, FLOOD_PIECE, count_bytes, &out);
            if (floods[_i].most == SIZE_MAX)
                ck_assert_uint_ge(out + REDACT_HOLD_MAX, in);
        }
        redact_stream_end(stream, count_bytes, &out);
        redact_stream_close(stream);
    }
}
END_TEST

/* Of captured outputs of tools, only tokens are cut. */
static const struct {
    const char *file;
    int cuts;
} recorded[] = {
    {"tests/data/errors-captured.jsonl", 0}, {"tests/data/failures-more.jsonl", 0},
    {"tests/data/loops.jsonl", 8},           {"tests/data/loops-more.jsonl", 0},
    {"tests/data/retry-after.jsonl", 0},     {"tests/data/rules-reasons.jsonl", 0},
    {"tests/data/rules-types.jsonl", 0},
};

START_TEST(test_recorded_outputs_stay)
{
    struct redact_counts counts = {0};
    char *original = test_read_file(test_source_path(recorded[_i].file));
    ck_assert_ptr_nonnull(original);
    char *got = redact_string(plain, original, &counts);
    ck_assert_int_eq(counts.all, recorded[_i].cuts);
    ck_assert((strcmp(got, original) == 0) == (recorded[_i].cuts == 0));
    redact_counts_done(&counts);
    free(got);
    free(original);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("redact");
    TCase *tcase = test_case(suite, "values");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_value_is_cut_in_every_form, 0, TABLE_LEN(forms));
    tcase_add_loop_test(tcase, test_value_is_cut_in_every_pair_of_notations, 0, TABLE_LEN(nested));
    tcase_add_loop_test(tcase, test_escaped_value_is_cut, 0, TABLE_LEN(escaped));
    tcase_add_loop_test(tcase, test_one_escaped_character_hides_nothing, 0, TABLE_LEN(numbers));
    tcase_add_test(tcase, test_long_escaped_value_is_cut);
    tcase_add_test(tcase, test_base64_for_urls_has_an_alphabet_of_its_own);
    tcase_add_test(tcase, test_value_of_several_lines_is_cut_line_by_line);
    tcase_add_test(tcase, test_long_value_is_cut_as_one);
    tcase_add_test(tcase, test_secrets_within_values_are_cut);
    tcase_add_test(tcase, test_ordinary_variables_stay);
    tcase_add_test(tcase, test_values_of_a_plan_are_cut);
    tcase_add_test(tcase, test_too_many_bytes_of_secrets_are_refused);
    tcase = test_case(suite, "settings");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_settings_add_and_keep_names);
    tcase_add_test(tcase, test_patterns_cut_within_lines);
    tcase_add_test(tcase, test_pattern_at_its_limit_cuts_the_line);
    tcase_add_test(tcase, test_pattern_sees_lines_longer_than_its_window);
    tcase_add_test(tcase, test_wrong_pattern_is_refused_by_name);
    tcase = test_case(suite, "marks");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_cuts_are_counted_by_name);
    tcase_add_test(tcase, test_cuts_that_overlap_are_one);
    tcase_add_test(tcase, test_name_in_a_mark_is_plain);
    tcase_add_test(tcase, test_nothing_to_look_for_lets_all_through);
    tcase_add_test(tcase, test_marks_become_values_again);
    tcase = test_case(suite, "pieces");
    tcase_add_checked_fixture(tcase, open_both, close_both);
    tcase_add_test(tcase, test_where_pieces_end_does_not_matter);
    tcase_add_test(tcase, test_all_of_it_is_cut);
    tcase_add_test(tcase, test_no_more_is_held_back_than_may_be_a_secret);
    tcase_add_test(tcase, test_beginning_of_a_value_at_the_end_is_cut);
    tcase_add_test(tcase, test_stream_begins_again_after_its_end);
    tcase_add_loop_test(tcase, test_recorded_outputs_stay, 0, TABLE_LEN(recorded));
    TCase *long_case = test_case(suite, "floods");
    tcase_add_checked_fixture(long_case, open_both, close_both);
    tcase_set_timeout(long_case, FLOOD_TIMEOUT_S);
    tcase_add_loop_test(long_case, test_flood_is_held_back_within_limits, 0, TABLE_LEN(floods));
    return suite;
}
