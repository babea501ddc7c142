/* row_feed.c - reads JSON rows line by line, and writes an answer to each at once.
 *
 * A bad row or an unreadable input does not stop the others, and a closed output pipe is not an
 * error. */
#include "row_feed.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "text_file.h"

enum { READ_SIZE = 64 * 1024 };

/* One input while it is read. */
struct row_input {
    const struct row_feed *feed;
    const char *name;   /* NULL: standard input */
    struct str line;    /* the current line, as far as it has arrived */
    bool too_long;      /* skip the rest of the line */
    int64_t number;     /* number of the current line, from 1 */
    int64_t bad;        /* lines that were not valid rows */
    struct str answers; /* answers that have not been written yet */
    bool closed;        /* the output pipe is closed */
};

/* All inputs. */
struct inputs {
    const struct row_feed *feed;
    int64_t bad; /* lines that were not valid rows */
    int unread;  /* files that could not be read */
    bool closed; /* the output pipe is closed */
};

static void say_bad(struct row_input *input, const char *why)
{
    const char *command = input->feed->command;
    input->bad++;
    if (input->name)
        warn("%s: %s, line %lld: %s", command, input->name, (long long)input->number, why);
    else
        warn("%s: line %lld: %s", command, (long long)input->number, why);
}

static void end_line(struct row_input *input)
{
    const struct row_feed *feed = input->feed;
    struct err err = {0};
    const bool is_blank = strspn(str_text(&input->line), " \t\r") == input->line.len;
    if (input->too_long)
        say_bad(input, "longer than 16 MiB");
    else if (!is_blank && !feed->answer(feed->ctx, &input->line, &input->answers, &err))
        say_bad(input, err.message);
    str_clear(&input->line);
    input->too_long = false;
    input->number++;
}

/* Writes the answers to stdout. A closed pipe is not an error: its reader wants no more. */
static bool put_answers(struct row_input *input, struct err *err)
{
    size_t at = 0;
    while (at < input->answers.len && !input->closed) {
        const ssize_t put = write(STDOUT_FILENO, input->answers.data + at, input->answers.len - at);
        if (put >= 0)
            at += (size_t)put;
        else if (errno == EPIPE)
            input->closed = true;
        else if (errno != EINTR)
            return err_set_errno(err, errno, "standard output");
    }
    str_clear(&input->answers);
    return true;
}

static void say_unread(struct inputs *inputs, const char *name, const char *why)
{
    inputs->unread++;
    warn("%s: %s", name ? name : "standard input", why);
}

static bool read_all(struct row_input *input, struct inputs *inputs, int fd, struct err *err)
{
    char bytes[READ_SIZE];
    while (!input->closed) {
        const ssize_t got = read(fd, bytes, sizeof(bytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            say_unread(inputs, input->name, strerror(errno));
        if (got <= 0)
            break;
        for (size_t at = 0; at < (size_t)got;) {
            const size_t left = (size_t)got - at;
            const char *end = memchr(bytes + at, '\n', left);
            const size_t part = end ? (size_t)(end - (bytes + at)) : left;
            if (input->too_long || input->line.len + part > ROW_FEED_LINE_MAX)
                input->too_long = true;
            else
                str_add_n(&input->line, bytes + at, part);
            if (end)
                end_line(input);
            at += part + (end ? 1 : 0);
        }
        if (!put_answers(input, err))
            return false;
    }
    if (!input->closed && (input->line.len > 0 || input->too_long))
        end_line(input);
    return put_answers(input, err);
}

/* Reads an input to its end. An unreadable input does not stop the others. Returns false only if an
 * answer cannot be written; a closed pipe just sets inputs->closed. */
static bool read_input(struct inputs *inputs, const char *name, struct err *err)
{
    struct err why = {0};
    const int fd = name ? read_text_input_fd(name, &why) : STDIN_FILENO;
    if (fd < 0) {
        say_unread(inputs, name, why.message);
        return true;
    }
    struct row_input input = {.feed = inputs->feed, .name = name, .number = 1};
    const bool ok = read_all(&input, inputs, fd, err);
    inputs->bad += input.bad;
    inputs->closed = input.closed;
    str_done(&input.line);
    str_done(&input.answers);
    if (name)
        (void)close(fd); /* only read */
    return ok;
}

int row_feed_run(const struct row_feed *feed, int count, char **names)
{
    struct inputs inputs = {.feed = feed};
    struct err err = {0};
    bool ok = count > 0 || read_input(&inputs, NULL, &err);
    for (int i = 0; ok && i < count && !inputs.closed; i++)
        ok = read_input(&inputs, strcmp(names[i], "-") == 0 ? NULL : names[i], &err);
    if (!ok)
        return fail(&err);
    if (inputs.unread > 0)
        return EXIT_NO_INPUT;
    return inputs.bad > 0 ? EXIT_USAGE : EXIT_ALL_PASSED;
}
