/* term.c - opens the terminal with ncurses, and restores it however the process ends.
 *
 * The bytes that restore the terminal are prepared when it is opened, because a signal handler may
 * use neither ncurses nor terminfo (term_signals.c). Output that ncurses does not know is written
 * directly to stdout: the modes for pasting and the mouse, and requests for the clipboard and
 * notifications, which must be wrapped for tmux and screen. This output is dropped if the terminal
 * accepts nothing for TERM_OUT_WAIT_MS.
 *
 * Symbols are used only if the locale is UTF-8 and each of them is one column wide. term_keys.c
 * reads keys, term_draw.c draws. */
#include "term.h"

#include <errno.h>
#include <langinfo.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "attr.h"
#include "term_internal.h"
#include "text.h"
#include "xalloc.h"

/* Output to a terminal that accepts nothing for TERM_OUT_WAIT_MS is dropped. */
enum { TERM_OUT_WAIT_MS = 1000 };

/* Size of a piece in bytes; screen drops strings of more than 768 bytes. */
enum { SCREEN_PIECE = 512 };

/* How a request is sent: directly, wrapped for tmux, or in pieces for screen. */
enum term_wrap { TERM_WRAP_NONE, TERM_WRAP_TMUX, TERM_WRAP_SCREEN };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Writes all bytes to stdout. Drops output that cannot be written; term_key() detects a closed
 * terminal. */
static void write_all(const char *bytes, size_t len)
{
    while (len > 0) {
        const ssize_t count = write(STDOUT_FILENO, bytes, len);
        if (count > 0) {
            bytes += count;
            len -= (size_t)count;
            continue;
        }
        bool may_go_on = count < 0 && errno == EINTR;
        if (count < 0 && errno == EAGAIN) {
            struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
            may_go_on = poll(&output, 1, TERM_OUT_WAIT_MS) > 0;
        }
        if (!may_go_on)
            return;
    }
}

/* Writes the bytes up to the NUL directly to stdout, bypassing ncurses. */
static void term_out_write(const char *bytes)
{
    write_all(bytes, strlen(bytes));
}

/* Appends base64 as in RFC 4648, section 4. */
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

/* Appends a request for the terminal, which must be a single OSC with ESC only as its first
 * byte. */
static void add_request(struct str *out, const struct str *request, enum term_wrap wrap)
{
    if (wrap == TERM_WRAP_SCREEN) {
        /* Put each piece into a device control string, which screen passes on unchanged. */
        for (size_t at = 0; at < request->len; at += SCREEN_PIECE) {
            const size_t left = request->len - at;
            str_add(out, "\033P");
            str_add_n(out, request->data + at, left < SCREEN_PIECE ? left : SCREEN_PIECE);
            str_add(out, "\033\\");
        }
    } else if (wrap == TERM_WRAP_TMUX) {
        str_add(out, "\033Ptmux;\033"); /* tmux needs each ESC of the request doubled */
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

/* Declared as in ncurses' term.h, which cannot be included because our header has the same name. */
int setupterm(const char *name, int fd, int *answer);

/* Returns a terminfo string, or NULL if it is missing (tigetstr() then returns NULL or -1). */
static const char *capability(const char *name)
{
    char copy[16];
    (void)snprintf(copy, sizeof(copy), "%s", name);
    const char *text = tigetstr(copy);
    return text == (const char *)-1 ? NULL : text;
}

bool term_check(struct err *err)
{
    const char *name = getenv("TERM");
    int answer = 0;
    if (!name || *name == '\0')
        return err_set(err, ERR_INVALID, "TERM is not set");
    if (setupterm(NULL, STDOUT_FILENO, &answer) == ERR)
        return err_set(err, ERR_INVALID, "unknown terminal '%s'", name);
    if (!capability("cup")) /* cursor addressing, which all drawing needs */
        return err_set(err, ERR_INVALID, "terminal '%s' cannot position the cursor", name);
    return true;
}

int term_color_count(void)
{
    char name[] = "colors";
    const int count = tigetnum(name);
    return count > 0 ? count : 0;
}

enum { ESC_DELAY_MS = 25 };

static const char paste_on[] = "\033[?2004h";
static const char paste_off[] = "\033[?2004l";
/* Reports presses, releases and drags, with coordinates of any size. */
static const char mouse_on[] = "\033[?1000h\033[?1002h\033[?1006h";
static const char mouse_off[] = "\033[?1006l\033[?1002l\033[?1000l";

/* terminfo names of the sequences that reset a screen, in the order in which they are written. */
static const char *const reset_names[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};

/* All symbols used on screens; each must be one column wide in this locale. */
static const wchar_t signs[] = L"●○!⊘…─│┄█✓✗↻◔▸❚∞⊝·—▁▂▃▄▅▆▇■├┤┊╵▲⏎↑↓←→";

struct term {
    SCREEN *screen;
    struct term_keys *keys;
    struct term_draw *draw;
    struct term_reset reset;
    bool has_mouse;
    int rows, columns;
};

static bool is_gone(const struct term *term)
{
    return term->keys && term_keys_are_gone(term->keys);
}

/* Appends a terminfo string without its padding marks "$<5/>". */
static void add_reset(struct term_reset *reset, const char *text)
{
    while (*text && reset->len < sizeof(reset->bytes)) {
        const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end)
            text = end + 1;
        else
            reset->bytes[reset->len++] = *text++;
    }
}

static void prepare_reset(struct term_reset *reset)
{
    reset->len = 0;
    add_reset(reset, paste_off);
    add_reset(reset, mouse_off);
    for (size_t i = 0; i < ARRAY_LEN(reset_names); i++) {
        const char *text = capability(reset_names[i]);
        if (text)
            add_reset(reset, text);
    }
    add_reset(reset, "\r");
    if (!capability("rmcup"))
        add_reset(reset, "\n");
}

static bool utf8_works(void)
{
    const char *codeset = nl_langinfo(CODESET);
    if (strcmp(codeset, "UTF-8") != 0 && strcmp(codeset, "utf8") != 0)
        return false;
    for (size_t i = 0; signs[i]; i++) {
        if (wcwidth(signs[i]) != 1)
            return false;
    }
    return true;
}

static void learn_size(struct term *term)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        (void)resizeterm(size.ws_row, size.ws_col);
    getmaxyx(stdscr, term->rows, term->columns);
}

static bool start_screen(struct term *term, enum term_color color, struct err *err)
{
    const char *no_color = getenv("NO_COLOR");
    const bool wants_color = color != TERM_COLOR_NONE && !(no_color && no_color[0]);
    term->screen = newterm(NULL, stdout, stdin);
    if (!term->screen)
        return err_set(err, ERR_INVALID, "terminal: unknown type '%s'", getenv("TERM"));
    prepare_reset(&term->reset);
    term_signals_arm(&term->reset);
    if (!capability("cup") || !capability("clear"))
        return err_set(err, ERR_INVALID, "terminal: type '%s' cannot position the cursor",
                       getenv("TERM"));
    term->keys = term_keys_open();
    if (!term->keys)
        return err_set(err, ERR_IO, "terminal: out of memory");
    (void)raw();
    (void)noecho();
    (void)nonl();
    (void)intrflush(stdscr, FALSE);
    (void)typeahead(-1); /* never leave a frame half drawn */
    (void)set_escdelay(ESC_DELAY_MS);
    (void)curs_set(0);
    term_out_write(paste_on);
    term->draw = term_draw_open(utf8_works(), wants_color);
    learn_size(term);
    (void)flushinp(); /* also drops the KEY_RESIZE caused by learn_size() */
    return true;
}

bool term_open(struct term **out, enum term_color color, struct err *err)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(err, ERR_INVALID, "terminal: stdin or stdout is not a terminal");
    if (!getenv("TERM"))
        return err_set(err, ERR_INVALID, "terminal: TERM is not set");
    struct term *term = xcalloc(1, sizeof(*term));
    bool ok = term_signals_open(err) && start_screen(term, color, err);
    if (ok)
        *out = term;
    else
        term_close(term);
    return ok;
}

/* Restores the terminal, even if devs is in the background, so that the program that now has the
 * terminal finds it restored. SIGTTOU would stop us or prevent that, so it is blocked. */
static void restore_terminal(const struct term *term)
{
    sigset_t set;
    sigset_t before;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTTOU);
    (void)pthread_sigmask(SIG_BLOCK, &set, &before);
    if (!is_gone(term)) {
        term_out_write(paste_off);
        term_out_write(mouse_off);
    }
    term_signals_ignore_keys();
    (void)endwin();
    term_signals_restore_settings();
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void term_close(struct term *term)
{
    if (!term)
        return;
    if (term->screen)
        restore_terminal(term);
    term_signals_close();
    term_keys_close(term->keys);
    term_draw_close(term->draw);
    if (term->screen)
        delscreen(term->screen);
    free(term);
}

void term_size(const struct term *term, int *rows_out, int *columns_out)
{
    *rows_out = term->rows;
    *columns_out = term->columns;
}

bool term_is_utf8(const struct term *term)
{
    return term_draw_is_utf8(term->draw);
}

void term_show(struct term *term, const struct canvas *canvas)
{
    if (!is_gone(term))
        term_draw_show(term->draw, canvas, term->rows, term->columns);
}

void term_set_theme(struct term *term, const struct theme *theme)
{
    term_draw_set_theme(term->draw, theme);
}

void term_redraw(struct term *term)
{
    if (is_gone(term))
        return;
    /* A program that ran in the meantime may have changed the modes set by ncurses and those set
     * directly. */
    (void)reset_prog_mode();
    term_out_write(paste_on);
    term_out_write(term->has_mouse ? mouse_on : mouse_off);
    term_draw_forget(term->draw);
}

void term_take_mouse(struct term *term, bool taken)
{
    term->has_mouse = taken;
    term_keys_take_mouse(term->keys, taken);
    if (!is_gone(term))
        term_out_write(taken ? mouse_on : mouse_off);
}

struct mouse term_mouse(const struct term *term)
{
    return term_keys_mouse(term->keys);
}

/* tmux handles the request itself if `set-clipboard` is on, and passes on the wrapped request if
 * `allow-passthrough` is on, so both are sent. */
bool term_copy(struct term *term, const char *text, size_t len)
{
    struct str bytes = {0};
    if (is_gone(term) || len > TERM_COPY_MAX)
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

void term_notify(struct term *term, const char *message)
{
    const char *name = getenv("TERM");
    struct str text = {0};
    struct str request = {0};
    struct str bytes = {0};
    if (is_gone(term))
        return;
    term_out_write("\a");
    /* Some terminals support both requests and would show the message twice, so send only one. */
    const bool knows_777 =
        is_set("VTE_VERSION") ||
        (name && (strncmp(name, "rxvt", 4) == 0 || strncmp(name, "foot", 4) == 0));
    text_clean_line(&text, message, strlen(message));
    str_add(&request, knows_777 ? "\033]777;notify;devs;" : "\033]9;devs: ");
    str_add(&request, str_text(&text));
    str_add(&request, "\a");
    if (is_set("TMUX"))
        add_request(&bytes, &request, TERM_WRAP_TMUX);
    else
        add_request(&bytes, &request, is_set("STY") ? TERM_WRAP_SCREEN : TERM_WRAP_NONE);
    if (!name || strcmp(name, "linux") != 0) /* the Linux console has no notifications */
        write_all(str_text(&bytes), bytes.len);
    str_done(&bytes);
    str_done(&request);
    str_done(&text);
}

int term_fd(const struct term *term)
{
    (void)term; /* unused: the only terminal is stdin */
    return STDIN_FILENO;
}

uint32_t term_key(struct term *term, bool text_wanted)
{
    return term_keys_next(term->keys, text_wanted);
}

void term_flush_keys(struct term *term)
{
    term_keys_flush(term->keys);
}

void term_step_aside(struct term *term)
{
    if (is_gone(term))
        return;
    term_out_write(paste_off);
    term_out_write(mouse_off);
    term_signals_ignore_keys();
    (void)endwin();
    term_signals_restore_settings();
    term_signals_disarm();
}

void term_come_back(struct term *term)
{
    if (is_gone(term))
        return;
    term_signals_arm(&term->reset);
    term_redraw(term);
    term_signals_take_keys();
    term_draw_hide_cursor(term->draw);
    learn_size(term);
}

void term_suspend(struct term *term)
{
    if (is_gone(term))
        return;
    term_step_aside(term);
    term_signals_stop_here();
    term_come_back(term);
}

int term_signal_fd(const struct term *term)
{
    (void)term; /* unused: signals belong to the process */
    return term_signals_fd();
}

int term_signal(struct term *term)
{
    int signal = term_signals_next();
    if (signal == SIGWINCH)
        learn_size(term);
    if (signal == SIGCONT)
        term_redraw(term);
    return signal;
}
