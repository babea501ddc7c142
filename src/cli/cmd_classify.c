#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "classify.h"
#include "classify_row.h"
#include "clock.h"
#include "command.h"
#include "exit_code.h"
#include "fail.h"
#include "read_text.h"
#include "str.h"
#include "zone.h"

enum {
    LINE_MAX_BYTES = 16 * 1024 * 1024, /* a longer row is not read */
    READ_SIZE = 64 * 1024,
    RULES_FILE_MAX = 1024 * 1024,
};

/* One input while it is read. */
struct feed {
    const struct classifier *classifier;
    const char *name; /* NULL: standard input */
    struct str line;  /* what of the present line has come */
    bool too_long;    /* the rest of the line is skipped */
    int64_t number;   /* of the present line, from 1 */
    int64_t bad;      /* lines that were no rows */
    struct str answer;
};

static void say_bad(struct feed *feed, const char *why)
{
    feed->bad++;
    if (feed->name)
        warn("classify: %s, line %lld: %s", feed->name, (long long)feed->number, why);
    else
        warn("classify: line %lld: %s", (long long)feed->number, why);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r")] == '\0';
}

static void end_line(struct feed *feed)
{
    struct err err = {0};
    if (feed->too_long) {
        say_bad(feed, "longer than 16 MiB");
    } else if (!is_blank(str_text(&feed->line))) {
        const struct classify_edge edge = {.now_ms = clock_now().at_ms, .zone_offset = zone_offset};
        str_clear(&feed->answer);
        if (classify_row(feed->classifier, &feed->line, &edge, &feed->answer, &err))
            (void)fwrite(str_text(&feed->answer), 1, feed->answer.len, stdout);
        else
            say_bad(feed, err.message);
    }
    str_clear(&feed->line);
    feed->too_long = false;
    feed->number++;
}

static void add_part(struct feed *feed, const char *bytes, size_t len)
{
    if (feed->too_long || feed->line.len + len > LINE_MAX_BYTES)
        feed->too_long = true;
    else
        str_add_n(&feed->line, bytes, len);
}

static void take(struct feed *feed, const char *bytes, size_t len)
{
    while (len > 0) {
        const char *end = memchr(bytes, '\n', len);
        const size_t part = end ? (size_t)(end - bytes) : len;
        add_part(feed, bytes, part);
        if (end)
            end_line(feed);
        bytes += part + (end ? 1 : 0);
        len -= part + (end ? 1 : 0);
    }
}

/* Answers go out as soon as their rows have come: the other end may wait for them. */
static bool read_all(struct feed *feed, int fd, struct err *err)
{
    char bytes[READ_SIZE];
    for (;;) {
        const ssize_t got = read(fd, bytes, sizeof(bytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, errno, "%s", feed->name ? feed->name : "standard input");
        if (got == 0)
            break;
        take(feed, bytes, (size_t)got);
        if (fflush(stdout) != 0)
            return err_set_errno(err, errno, "standard output");
    }
    if (feed->line.len > 0 || feed->too_long)
        end_line(feed);
    return fflush(stdout) == 0 || err_set_errno(err, errno, "standard output");
}

static bool read_input(const struct classifier *classifier, const char *name, int64_t *bad,
                       struct err *err)
{
    const int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (fd < 0)
        return err_set_errno(err, errno, "%s", name);
    struct feed feed = {.classifier = classifier, .name = name, .number = 1};
    const bool ok = read_all(&feed, fd, err);
    *bad += feed.bad;
    str_done(&feed.line);
    str_done(&feed.answer);
    if (name)
        (void)close(fd);
    return ok;
}

static bool open_rules(const char *path, struct classifier **out, struct err *err)
{
    struct str text = {0};
    FILE *file = path ? fopen(path, "re") : NULL;
    if (path && !file)
        return err_set_errno(err, errno, "%s", path);
    bool ok = !file || read_text(file, RULES_FILE_MAX, &text, err);
    struct err why = {0};
    if (ok && !classifier_open(out, file ? str_text(&text) : NULL, &why))
        ok = err_set(err, why.code, "%s: %s", path ? path : "rules", why.message);
    if (file)
        (void)fclose(file);
    str_done(&text);
    return ok;
}

int cmd_classify(struct globals *globals, int argc, char **argv)
{
    const char *rules = NULL;
    const struct option_spec specs[] = {
        {"rules", 0, "FILE", "rules of your own, a JSON list as in devs.config.json", NULL, &rules},
    };
    struct command_line line = {
        .name = "classify", .specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = -1};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;

    struct err err = {0};
    struct classifier *classifier = NULL;
    int64_t bad = 0;
    bool ok = open_rules(rules, &classifier, &err);
    if (ok && line.operands == 0)
        ok = read_input(classifier, NULL, &bad, &err);
    for (int i = 0; ok && i < line.operands; i++)
        ok = read_input(classifier, argv[i], &bad, &err);
    classifier_close(classifier);
    if (!ok)
        return fail(&err);
    return bad > 0 ? EXIT_USAGE : EXIT_ALL_PASSED;
}
