#include "term.h"

#include <langinfo.h>
#include <ncurses.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "attr.h"
#include "term_draw.h"
#include "term_keys.h"
#include "term_out.h"
#include "term_signals.h"
#include "xalloc.h"

enum { ESC_DELAY_MS = 25 };

static const char paste_on[] = "\033[?2004h";
static const char paste_off[] = "\033[?2004l";
/* Presses, releases and what is dragged, as numbers of any size. */
static const char mouse_on[] = "\033[?1000h\033[?1002h\033[?1006h";
static const char mouse_off[] = "\033[?1006l\033[?1002l\033[?1000l";

/* What undoes a screen, in this order; terminfo names. */
static const char *const reset_names[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};

/* Every sign that a screen may use: each must be one column wide here. */
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

/* Bytes of a terminfo string without its padding marks "$<5/>". */
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

static const char *capability(const char *name)
{
    char copy[16];
    (void)snprintf(copy, sizeof(copy), "%s", name);
    const char *text = tigetstr(copy);
    return text == (const char *)-1 ? NULL : text;
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

static bool check_terminal(struct err *err)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(err, ERR_INVALID, "terminal: stdin and stdout are not one");
    if (!getenv("TERM"))
        return err_set(err, ERR_INVALID, "terminal: TERM is not set");
    return true;
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

static bool wants_colour(enum term_colour colour)
{
    const char *no_color = getenv("NO_COLOR");
    return colour != TERM_COLOUR_NONE && !(no_color && no_color[0]);
}

static void learn_size(struct term *term)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        (void)resizeterm(size.ws_row, size.ws_col);
    getmaxyx(stdscr, term->rows, term->columns);
}

static void set_modes(void)
{
    (void)raw();
    (void)noecho();
    (void)nonl();
    (void)intrflush(stdscr, FALSE);
    (void)typeahead(-1); /* frames are never left half drawn */
    (void)set_escdelay(ESC_DELAY_MS);
    (void)curs_set(0);
}

static bool start_screen(struct term *term, enum term_colour colour, struct err *err)
{
    term->screen = newterm(NULL, stdout, stdin);
    if (!term->screen)
        return err_set(err, ERR_INVALID, "terminal: type '%s' is not known", getenv("TERM"));
    prepare_reset(&term->reset);
    term_signals_arm(&term->reset);
    if (!capability("cup") || !capability("clear"))
        return err_set(err, ERR_INVALID, "terminal: type '%s' cannot move its cursor",
                       getenv("TERM"));
    term->keys = term_keys_open();
    if (!term->keys)
        return err_set(err, ERR_IO, "terminal: no memory for its screen");
    set_modes();
    term_out_write(paste_on);
    term->draw = term_draw_open(utf8_works(), wants_colour(colour));
    learn_size(term);
    (void)flushinp(); /* also the KEY_RESIZE of learn_size() */
    return true;
}

bool term_open(struct term **out, enum term_colour colour, struct err *err)
{
    struct term *term = xcalloc(1, sizeof(*term));
    bool ok = check_terminal(err) && term_signals_open(err) && start_screen(term, colour, err);
    if (ok)
        *out = term;
    else
        term_close(term);
    return ok;
}

/* Also from the background: whoever has the terminal by now finds it as it was. SIGTTOU would
 * stop us, or keep us from it, unless it is blocked. */
static void give_back(const struct term *term)
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
        give_back(term);
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

/* What we asked of the terminal beside what ncurses did. */
static void set_own_modes(const struct term *term)
{
    term_out_write(paste_on);
    term_out_write(term->has_mouse ? mouse_on : mouse_off);
}

void term_redraw(struct term *term)
{
    if (is_gone(term))
        return;
    (void)reset_prog_mode(); /* whoever had the terminal meanwhile may have changed it */
    set_own_modes(term);
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

bool term_copy(struct term *term, const char *text, size_t len)
{
    return !is_gone(term) && term_out_copy(text, len);
}

void term_notify(struct term *term, const char *message)
{
    if (is_gone(term))
        return;
    term_out_write("\a");
    term_out_notify(message);
}

int term_fd(const struct term *term)
{
    (void)term; /* one terminal, and it is stdin */
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
    (void)term; /* signals are the process's */
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
