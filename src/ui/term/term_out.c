#include "term_out.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "term.h"
#include "text.h"

enum { SCREEN_PIECE = 512 }; /* screen drops longer strings (its limit is 768 bytes) */

/* How the request is written: for a terminal, wrapped for tmux, or in pieces for screen. */
enum term_wrap { TERM_WRAP_NONE, TERM_WRAP_TMUX, TERM_WRAP_SCREEN };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static bool wait_for_room(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, TERM_OUT_WAIT_MS) > 0;
}

/* What cannot be written is dropped: a terminal that is gone is found by term_key(). */
static void write_all(const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t count = write(STDOUT_FILENO, bytes, len);
        bool may_go_on = count < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_room()));
        if (count <= 0 && !may_go_on)
            return;
        if (count > 0) {
            bytes += count;
            len -= (size_t)count;
        }
    }
}

void term_out_write(const char *bytes)
{
    write_all(bytes, strlen(bytes));
}

/* RFC 4648, section 4. */
static void add_base64(struct str *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8U | (i + k < len ? (unsigned char)text[i + k] : 0U);
        for (size_t k = 0; k < 4; k++) {
            bool is_pad = i + k > len;
            str_add_char(out, is_pad ? '=' : alphabet[bits >> (18U - 6U * k) & 0x3fU]);
        }
    }
}

/* Within a device control string of screen's, which is passed on as it is. */
static void add_pieces(struct str *out, const struct str *request)
{
    for (size_t at = 0; at < request->len; at += SCREEN_PIECE) {
        const size_t left = request->len - at;
        str_add(out, "\033P");
        str_add_n(out, request->data + at, left < SCREEN_PIECE ? left : SCREEN_PIECE);
        str_add(out, "\033\\");
    }
}

/* A request is one OSC: the only ESC in it is its first byte. */
static void add_request(struct str *out, const struct str *request, enum term_wrap wrap)
{
    if (wrap == TERM_WRAP_SCREEN) {
        add_pieces(out, request);
    } else if (wrap == TERM_WRAP_TMUX) {
        str_add(out, "\033Ptmux;\033"); /* an ESC within is written twice */
        str_add_n(out, request->data, request->len);
        str_add(out, "\033\\");
    } else {
        str_add_n(out, request->data, request->len);
    }
}

static void add_copy(struct str *out, const char *text, size_t len, enum term_wrap wrap)
{
    struct str request = {0};
    str_add(&request, "\033]52;c;");
    add_base64(&request, text, len);
    str_add(&request, "\a");
    add_request(out, &request, wrap);
    str_done(&request);
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] != '\0';
}

/* tmux takes the request itself where `set-clipboard` is on, and passes the wrapped one on where
 * `allow-passthrough` is: either does. */
bool term_out_copy(const char *text, size_t len)
{
    struct str bytes = {0};
    if (len > TERM_COPY_MAX)
        return false;
    bool in_tmux = is_set("TMUX");
    bool in_screen = !in_tmux && is_set("STY");
    if (!in_screen)
        add_copy(&bytes, text, len, TERM_WRAP_NONE);
    if (in_tmux)
        add_copy(&bytes, text, len, TERM_WRAP_TMUX);
    if (in_screen)
        add_copy(&bytes, text, len, TERM_WRAP_SCREEN);
    write_all(str_text(&bytes), bytes.len);
    str_done(&bytes);
    return true;
}

/* Some terminals know both requests and would show the message twice, so only one is sent. */
static bool knows_777(void)
{
    const char *term = getenv("TERM");
    return is_set("VTE_VERSION") ||
           (term && (strncmp(term, "rxvt", 4) == 0 || strncmp(term, "foot", 4) == 0));
}

void term_out_notify(const char *message)
{
    struct str text = {0};
    struct str request = {0};
    struct str bytes = {0};
    const char *term = getenv("TERM");
    text_clean_line(&text, message, strlen(message));
    str_add(&request, knows_777() ? "\033]777;notify;devs;" : "\033]9;devs: ");
    str_add(&request, str_text(&text));
    str_add(&request, "\a");
    if (is_set("TMUX"))
        add_request(&bytes, &request, TERM_WRAP_TMUX);
    else
        add_request(&bytes, &request, is_set("STY") ? TERM_WRAP_SCREEN : TERM_WRAP_NONE);
    if (!term || strcmp(term, "linux") != 0) /* the console has no notifications */
        write_all(str_text(&bytes), bytes.len);
    str_done(&bytes);
    str_done(&request);
    str_done(&text);
}
