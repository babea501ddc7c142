#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "classify.h"
#include "classify_row.h"
#include "clock.h"
#include "command.h"
#include "config.h"
#include "exit_code.h"
#include "fail.h"
#include "read_text.h"
#include "rule_list.h"
#include "str.h"
#include "zone.h"

enum {
    LINE_MAX_BYTES = 16 * 1024 * 1024, /* a longer row is not read */
    READ_SIZE = 64 * 1024,
};

/* One input while it is read. */
struct feed {
    const struct classifier *classifier;
    const char *name;   /* NULL: standard input */
    struct str line;    /* what of the present line has come */
    bool too_long;      /* the rest of the line is skipped */
    int64_t number;     /* of the present line, from 1 */
    int64_t bad;        /* lines that were no rows */
    struct str answers; /* not yet written */
    bool closed;        /* nobody reads the answers any more */
};

/* All that is read. */
struct inputs {
    const struct classifier *classifier;
    int64_t bad; /* lines that were no rows */
    int unread;  /* files that could not be read */
    bool closed; /* nobody reads the answers any more */
};

static void say_bad(struct feed *feed, const char *why)
{
    feed->bad++;
    if (feed->name)
        warn("classify: %s, line %lld: %s", feed->name, (long long)feed->number, why);
    else
        warn("classify: line %lld: %s", (long long)feed->number, why);
}

static bool is_blank(const struct str *line)
{
    return strspn(str_text(line), " \t\r") == line->len;
}

static void end_line(struct feed *feed)
{
    struct err err = {0};
    if (feed->too_long) {
        say_bad(feed, "longer than 16 MiB");
    } else if (!is_blank(&feed->line)) {
        const struct classify_edge edge = {.now_ms = clock_now().at_ms, .zone_offset = zone_offset};
        if (!classify_row(feed->classifier, &feed->line, &edge, &feed->answers, &err))
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

/* A reader that went away is no error: it has seen enough. */
static bool put_answers(struct feed *feed, struct err *err)
{
    size_t at = 0;
    while (at < feed->answers.len && !feed->closed) {
        const ssize_t put = write(STDOUT_FILENO, feed->answers.data + at, feed->answers.len - at);
        if (put >= 0)
            at += (size_t)put;
        else if (errno == EPIPE)
            feed->closed = true;
        else if (errno != EINTR)
            return err_set_errno(err, errno, "standard output");
    }
    str_clear(&feed->answers);
    return true;
}

static void say_unread(struct inputs *inputs, const char *name, int number)
{
    inputs->unread++;
    warn("%s: %s", name ? name : "standard input", strerror(number));
}

/* Answers go out as soon as their rows have come: the other end may wait for them. */
static bool read_all(struct feed *feed, struct inputs *inputs, int fd, struct err *err)
{
    char bytes[READ_SIZE];
    while (!feed->closed) {
        const ssize_t got = read(fd, bytes, sizeof(bytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            say_unread(inputs, feed->name, errno);
        if (got <= 0)
            break;
        take(feed, bytes, (size_t)got);
        if (!put_answers(feed, err))
            return false;
    }
    if (!feed->closed && (feed->line.len > 0 || feed->too_long))
        end_line(feed);
    return put_answers(feed, err);
}

/* False: nobody can be answered. One that cannot be read does not keep the others back. */
static bool read_input(struct inputs *inputs, const char *name, struct err *err)
{
    const int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (fd < 0) {
        say_unread(inputs, name, errno);
        return true;
    }
    struct feed feed = {.classifier = inputs->classifier, .name = name, .number = 1};
    const bool ok = read_all(&feed, inputs, fd, err);
    inputs->bad += feed.bad;
    inputs->closed = feed.closed;
    str_done(&feed.line);
    str_done(&feed.answers);
    if (name)
        (void)close(fd);
    return ok;
}

static int read_inputs(struct inputs *inputs, int count, char **names)
{
    struct err err = {0};
    bool ok = count > 0 || read_input(inputs, NULL, &err);
    for (int i = 0; ok && i < count && !inputs->closed; i++)
        ok = read_input(inputs, strcmp(names[i], "-") == 0 ? NULL : names[i], &err);
    if (!ok)
        return fail(&err);
    if (inputs->unread > 0)
        return EXIT_NO_LOG;
    return inputs->bad > 0 ? EXIT_USAGE : EXIT_ALL_PASSED;
}

/* The rules in force with those of the file, which take the place of their namesakes. */
static bool add_rules(const char *in_force, const char *path, struct str *out, struct err *err)
{
    struct str text = {0};
    struct err why = {0};
    FILE *file = fopen(path, "re");
    if (!file)
        return err_set_errno(err, errno, "%s", path);
    bool ok = read_text(file, RULE_LIST_BYTES_MAX, &text, &why) &&
              rule_list_add(in_force, str_text(&text), out, &why);
    if (!ok)
        ok = err_set(err, why.code, "%s: %s", path, why.message);
    (void)fclose(file); /* only read */
    str_done(&text);
    return ok;
}

/* As `devs exec` judges here, and by the rules of the file. */
static int open_rules(const char *path, struct classifier **out)
{
    char dir[PATH_MAX];
    struct config config;
    struct err err = {0};
    struct str rules = {0};
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "this folder is not there any more");
    int code = config_read(dir, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    bool ok = !path || add_rules(config.settings.rules, path, &rules, &err);
    struct err why = {0};
    if (ok && !classifier_open(out, path ? str_text(&rules) : config.settings.rules, &why))
        ok = err_set(&err, why.code, "%s: %s", path ? path : config.path, why.message);
    str_done(&rules);
    config_done(&config);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

int cmd_classify(struct globals *globals, int argc, char **argv)
{
    const char *rules = NULL;
    const struct option_spec specs[] = {
        {"rules", 0, "FILE", "rules beside those of devs.config.json: one, or a JSON list", NULL,
         &rules},
    };
    struct command_line line = {
        .name = "classify", .specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = -1};
    struct classifier *classifier = NULL;
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    code = open_rules(rules, &classifier);
    if (code != EXIT_ALL_PASSED)
        return code;
    struct inputs inputs = {.classifier = classifier};
    code = read_inputs(&inputs, line.operands, argv);
    classifier_close(classifier);
    return code;
}
