/* far_place.c - HOST[:DIR], and the channel to the devs there. */
#define _GNU_SOURCE /* environ */

#include "far.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "plan.h"
#include "text.h"
#include "version.h"

/* The program there can be named, because ssh starts it with the PATH of commands, which is often
 * shorter than that of a login. */
static const char program_variable[] = "DEVS_ON_PROGRAM";

static bool has_control(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return true;
    }
    return false;
}

bool far_place_parse(const char *word, struct far_place *out, struct err *err)
{
    const char *colon = strchr(word, ':');
    const size_t len = colon ? (size_t)(colon - word) : strlen(word);
    const char *program = getenv(program_variable);
    struct far_place far = {0};
    if (len >= sizeof(far.host) || (colon && strlen(colon + 1) >= sizeof(far.dir)))
        return err_set(err, ERR_INVALID, "'%.60s...' is too long for a host and a folder", word);
    memcpy(far.host, word, len);
    (void)snprintf(far.dir, sizeof(far.dir), "%s", colon ? colon + 1 : "");
    (void)snprintf(far.program, sizeof(far.program), "%s", program && *program ? program : "devs");
    const char *fault = far.host[0] == '\0' ? "names no host" : plan_host_fault(far.host);
    if (!fault && (has_control(far.dir) || has_control(far.program)))
        fault = "must not contain control characters";
    if (!fault) {
        *out = far;
        return true;
    }
    (void)err_set(err, ERR_INVALID, "'%s': %s", word, fault);
    return err_hint(err, "use HOST or HOST:DIR, with a host as for ssh");
}

void far_place_words(const struct far_place *far, struct str *out)
{
    str_add(out, far->host);
    if (far->dir[0] != '\0')
        str_addf(out, ":%s", far->dir);
}

int far_run(const struct far_place *far, int argc, char **argv)
{
    struct str command = {0};
    struct err err = {0};
    if (far->dir[0] != '\0') {
        str_add(&command, "cd -- ");
        ssh_path_add(far->dir, &command);
        str_add(&command, " && ");
    }
    str_add(&command, "exec ");
    ssh_path_add(far->program, &command);
    for (int i = 0; i < argc; i++) {
        str_add_char(&command, ' ');
        shell_word_add(argv[i], &command);
    }
    (void)execlp("ssh", "ssh", "-T", "--", far->host, str_text(&command), (char *)NULL);
    (void)err_set_errno(&err, errno, "cannot start ssh");
    str_done(&command);
    return fail(&err);
}

/* The channel. */

bool far_talk_open(struct far_talk *talk, const struct far_place *far, struct err *err)
{
    struct str command = {0};
    *talk = (struct far_talk){.began_ms = clock_now().mono_ms};
    str_add(&command, "exec ");
    ssh_path_add(far->program, &command);
    str_add(&command, " feed --");
    if (far->dir[0] != '\0') {
        str_add_char(&command, ' ');
        ssh_path_add(far->dir, &command);
    }
    talk->is_open = ssh_channel_open(&talk->channel, far->host, str_text(&command), environ, err);
    talk->heard_ms = talk->began_ms;
    str_done(&command);
    return talk->is_open;
}

/* Reads at most this much. Returns false at the end. */
static bool read_some(int fd, struct str *out, size_t max)
{
    char bytes[64 * 1024];
    for (size_t sum = 0; sum < max;) {
        const ssize_t got = read(fd, bytes, sizeof(bytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno == EAGAIN;
        if (got == 0)
            return false;
        str_add_n(out, bytes, (size_t)got);
        sum += (size_t)got;
    }
    return true;
}

/* Waits for an ssh whose program has ended, for its exit code and its last words. */
static void await_end(struct far_talk *talk)
{
    struct pollfd ended = {.fd = talk->channel.pidfd, .events = POLLIN};
    struct str bytes = {0};
    (void)poll(&ended, 1, SSH_CHANNEL_END_MS);
    (void)read_some(talk->channel.err, &bytes, FAR_TURN_BYTES);
    tool_add_error(&talk->errors, str_text(&bytes), bytes.len);
    str_done(&bytes);
}

void far_talk_close(struct far_talk *talk, const struct far_place *far, struct err *err)
{
    enum { NOT_FOUND = 127 };
    struct str line = {0};
    if (!talk->is_open)
        return;
    if (talk->has_ended)
        await_end(talk);
    const int code = ssh_channel_close(&talk->channel);
    tool_last_error(&talk->errors, &line);
    if (err && err->code == ERR_NONE) {
        (void)err_set(err, ERR_IO, "%s: %.300s", far->host,
                      line.len > 0 ? line.data : "the connection broke");
        if (code == NOT_FOUND)
            (void)err_hint(err, "devs must be in the PATH of commands there, or %s must name it",
                           program_variable);
    }
    str_done(&line);
    str_done(&talk->in);
    str_done(&talk->out);
    str_done(&talk->errors);
    talk->is_open = false;
}

void far_talk_send(struct far_talk *talk, enum feed_kind kind, const struct feed_value *values,
                   size_t count)
{
    if (!feed_add(&talk->out, kind, values, count))
        talk->has_ended = true; /* too large: cannot happen with values of ours */
}

static void drop_taken(struct str *bytes, size_t *at)
{
    if (*at == 0)
        return;
    memmove(bytes->data, bytes->data + *at, bytes->len - *at);
    str_cut(bytes, bytes->len - *at);
    *at = 0;
}

void far_talk_wait(struct far_talk *talk, int wake_fd, int64_t wait_ms)
{
    const bool has_more = talk->out.len > talk->out_at;
    struct pollfd fds[] = {
        {.fd = talk->channel.out, .events = POLLIN},
        {.fd = talk->channel.err, .events = POLLIN},
        {.fd = has_more ? talk->channel.in : -1, .events = POLLOUT},
        {.fd = wake_fd, .events = POLLIN},
    };
    (void)poll(fds, ARRAY_LEN(fds), wait_ms > 0 ? (int)wait_ms : 0);
    drop_taken(&talk->in, &talk->in_at);
    if ((fds[1].revents & (POLLIN | POLLHUP)) != 0) {
        struct str bytes = {0};
        (void)read_some(talk->channel.err, &bytes, FAR_TURN_BYTES); /* its end is no end of ours */
        if (bytes.len > 0)
            tool_add_error(&talk->errors, bytes.data, bytes.len);
        else
            (void)poll(NULL, 0, 1); /* ssh has closed it, and is about to end */
        str_done(&bytes);
    }
    if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
        const size_t before = talk->in.len;
        talk->has_ended = !read_some(talk->channel.out, &talk->in, FAR_TURN_BYTES);
        if (talk->in.len > before)
            talk->heard_ms = clock_now().mono_ms;
    }
    if (has_more && (fds[2].revents & (POLLOUT | POLLERR)) != 0) {
        const ssize_t sent =
            write(talk->channel.in, talk->out.data + talk->out_at, talk->out.len - talk->out_at);
        talk->out_at += sent > 0 ? (size_t)sent : 0;
        if (talk->out_at == talk->out.len)
            drop_taken(&talk->out, &talk->out_at);
    }
}

/* Reports what the feed there has reported as the reason of its end. */
static bool take_fault(const struct far_place *far, const struct feed_message *message,
                       struct err *err)
{
    struct str text = {0};
    struct str clean = {0};
    const int64_t code = feed_number_at(message, 0, ERR_IO);
    feed_text_at(message, 1, &text);
    text_clean(&clean, str_text(&text), text.len);
    (void)err_set(err, code > ERR_NONE && code < ERR_CODE_COUNT ? (enum err_code)code : ERR_IO,
                  "%s: %.300s", far->host, str_text(&clean));
    str_clear(&text);
    str_clear(&clean);
    feed_text_at(message, 2, &text);
    text_clean(&clean, str_text(&text), text.len);
    if (clean.len > 0)
        (void)err_hint(err, "%.180s", clean.data);
    str_done(&text);
    str_done(&clean);
    return false;
}

static enum far_got take_hello(struct far_talk *talk, const struct far_place *far, struct err *err)
{
    char version[FEED_VERSION_MAX];
    int64_t protocol = 0;
    size_t used = 0;
    switch (feed_hello_read(str_text(&talk->in), talk->in.len, &protocol, version, &used)) {
    case FEED_MORE:
        return FAR_NOTHING;
    case FEED_BAD:
        (void)err_set(err, ERR_INVALID, "%s: something else than devs feed answers there",
                      far->host);
        return FAR_FAILED;
    case FEED_WHOLE:
        break;
    }
    talk->in_at = used;
    talk->has_hello = true;
    if (protocol == FEED_PROTOCOL && strcmp(version, version_text()) == 0)
        return FAR_HELLO;
    struct str clean = {0};
    text_clean(&clean, version, strlen(version));
    (void)err_set(err, ERR_INVALID, "%s: devs there is %s, this one is %s", far->host,
                  str_text(&clean), version_text());
    (void)err_hint(err, "install the same version on both machines");
    str_done(&clean);
    return FAR_FAILED;
}

enum far_got far_talk_next(struct far_talk *talk, const struct far_place *far,
                           struct feed_message *out, struct err *err)
{
    size_t used = 0;
    if (!talk->has_hello)
        return take_hello(talk, far, err);
    switch (feed_read(str_text(&talk->in) + talk->in_at, talk->in.len - talk->in_at, true, out,
                      &used)) {
    case FEED_MORE:
        return FAR_NOTHING;
    case FEED_BAD:
        (void)err_set(err, ERR_INVALID, "%s: devs feed sent something invalid", far->host);
        return FAR_FAILED;
    case FEED_WHOLE:
        break;
    }
    talk->in_at += used;
    if (out->kind != FEED_FAULT)
        return FAR_MESSAGE;
    (void)take_fault(far, out, err);
    return FAR_FAILED;
}

bool far_collect(const struct far_place *far, struct log_copy *copy, struct err *err)
{
    const struct feed_value watch[] = {feed_number(FEED_COLLECT), feed_number(0)};
    struct far_talk talk;
    struct feed_message message;
    struct err why = {0};
    bool is_over = false;
    bool ok = far_talk_open(&talk, far, err);
    if (!ok)
        return false;
    int64_t beat_ms = talk.began_ms;
    while (ok && !is_over) {
        far_talk_wait(&talk, -1, FAR_BEAT_MS);
        const int64_t now_ms = clock_now().mono_ms;
        enum far_got got = FAR_NOTHING;
        while (ok && !is_over && (got = far_talk_next(&talk, far, &message, &why)) != FAR_NOTHING) {
            ok = got != FAR_FAILED;
            if (got == FAR_HELLO)
                far_talk_send(&talk, FEED_WATCH, watch, ARRAY_LEN(watch));
            else if (ok)
                ok = log_copy_take(copy, &message, &why);
            if (ok && got == FAR_MESSAGE && message.kind == FEED_LISTED) {
                ok = log_copy_choose(copy, &talk.out, &why);
                far_talk_send(&talk, FEED_GO, NULL, 0);
            }
            for (int64_t run = 0; ok && (run = log_copy_again(copy)) != 0;) {
                const struct feed_value again[] = {feed_number(run)};
                far_talk_send(&talk, FEED_AGAIN, again, ARRAY_LEN(again));
            }
            is_over =
                ok && got == FAR_MESSAGE && message.kind == FEED_BYE && log_copy_is_whole(copy);
        }
        ok = ok && log_copy_commit(copy, now_ms, &why);
        if (ok && !is_over && stop_signal() != 0)
            ok = err_set(&why, ERR_IO, "%s: interrupted", far->host);
        if (ok && !is_over && talk.has_ended)
            ok = false; /* far_talk_close() finds the reason */
        const int64_t silent_ms = talk.has_hello ? FAR_SILENT_MS : FAR_HELLO_MS;
        if (ok && !is_over && now_ms - talk.heard_ms > silent_ms)
            ok =
                err_set(&why, ERR_IO, "%s: no answer for %d s", far->host, (int)(silent_ms / 1000));
        if (talk.has_hello && now_ms - beat_ms >= FAR_BEAT_MS) {
            beat_ms = now_ms;
            far_talk_send(&talk, FEED_BEAT, NULL, 0);
        }
    }
    log_copy_drop(copy);
    far_talk_close(&talk, far, ok ? NULL : &why);
    if (!ok) {
        (void)err_set(err, why.code, "%s", why.message);
        (void)err_hint(err, "%s", why.hint);
    }
    return ok;
}
