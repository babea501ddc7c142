#include "term.h"

#include <assert.h>
#include <errno.h>
#include <langinfo.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "attr.h"
#include "term_paint.h"
#include "term_signals.h"
#include "theme.h"
#include "xalloc.h"

enum {
    ESC_DELAY_MS = 25,
    SEQUENCE_MAX = 32,       /* bytes of an escape sequence that nobody knows */
    KEYS_SKIPPED_MAX = 4096, /* in one term_key() */
    KEY_PASTE_BEGIN = 0x400, /* above all of ncurses' own */
    KEY_PASTE_END,
    CTRL_C = 0x03,
    CTRL_H = 0x08,
};

static const char paste_on[] = "\033[?2004h";
static const char paste_off[] = "\033[?2004l";
static const char paste_begin[] = "\033[200~";
static const char paste_end[] = "\033[201~";

/* What undoes a screen, in this order; terminfo names. */
static const char *const reset_names[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};

/* Every sign that a screen may use: each must be one column wide here. */
static const wchar_t signs[] = L"●○!⊘…─│┄█✓✗↻◔▸❚∞⊝·—▁▂▃▄▅▆▇■├┤┊╵▲⏎↑↓←→";

static const struct key_code {
    wint_t curses;
    uint32_t key;
} key_codes[] = {
    {KEY_UP, TERM_KEY_UP},         {KEY_DOWN, TERM_KEY_DOWN},
    {KEY_LEFT, TERM_KEY_LEFT},     {KEY_RIGHT, TERM_KEY_RIGHT},
    {KEY_HOME, TERM_KEY_HOME},     {KEY_END, TERM_KEY_END},
    {KEY_PPAGE, TERM_KEY_PAGE_UP}, {KEY_NPAGE, TERM_KEY_PAGE_DOWN},
    {KEY_BTAB, TERM_KEY_BACK_TAB}, {KEY_F(1), TERM_KEY_F1},
    {KEY_ENTER, TERM_KEY_ENTER},   {KEY_BACKSPACE, TERM_KEY_BACKSPACE},
    {KEY_RESIZE, TERM_KEY_RESIZE},
};

struct term {
    SCREEN *screen;
    WINDOW *keys; /* a pad: reading keys from it draws nothing */
    struct term_paint paint;
    bool colour_wanted;
    struct term_reset reset;
    bool utf8;
    bool gone;
    bool pasting;
    bool cursor_shown;
    int rows, columns;
    struct canvas shown; /* what the terminal has; cells NULL = unknown */
    cchar_t run[CANVAS_COLUMNS_MAX];
};

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

/* To the terminal, past ncurses: it knows nothing of these bytes. */
static void write_raw(const char *bytes)
{
    ssize_t ignored = write(STDOUT_FILENO, bytes, strlen(bytes));
    (void)ignored; /* a terminal that is gone is found by term_key() */
}

static void learn_size(struct term *term)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        (void)resizeterm(size.ws_row, size.ws_col);
    getmaxyx(stdscr, term->rows, term->columns);
}

static void set_modes(struct term *term)
{
    (void)raw();
    (void)noecho();
    (void)nonl();
    (void)intrflush(stdscr, FALSE);
    (void)typeahead(-1); /* frames are never left half drawn */
    (void)set_escdelay(ESC_DELAY_MS);
    (void)keypad(term->keys, TRUE);
    (void)nodelay(term->keys, TRUE);
    (void)define_key(paste_begin, KEY_PASTE_BEGIN);
    (void)define_key(paste_end, KEY_PASTE_END);
    (void)define_key(NULL, KEY_MOUSE); /* never asked for: an unknown sequence like others */
    (void)curs_set(0);
    term->cursor_shown = false;
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
    term->keys = newpad(1, 1);
    if (!term->keys)
        return err_set(err, ERR_IO, "terminal: no memory for its screen");
    set_modes(term);
    write_raw(paste_on);
    struct theme theme;
    if (theme_named("auto", &theme))
        term_paint_set(&term->paint, &theme, wants_colour(colour));
    term->colour_wanted = wants_colour(colour);
    term->utf8 = utf8_works();
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
    if (!term->gone)
        write_raw(paste_off);
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
    if (term->keys)
        (void)delwin(term->keys);
    if (term->screen)
        delscreen(term->screen);
    canvas_done(&term->shown);
    free(term);
}

void term_size(const struct term *term, int *rows_out, int *columns_out)
{
    *rows_out = term->rows;
    *columns_out = term->columns;
}

bool term_is_utf8(const struct term *term)
{
    return term->utf8;
}

/* Can the terminal draw this rune in as many columns as the canvas gave it? */
static bool can_draw(const struct term *term, const struct cell *cell, bool wide)
{
    if (cell->rune >= 0x20 && cell->rune <= 0x7e)
        return !wide;
    return term->utf8 && wcwidth((wchar_t)cell->rune) == (wide ? 2 : 1);
}

/* Make ncurses' cell for column `i` of a row; false for the right half of a wide
 * rune, which comes with its left one. */
static bool make_cell(const struct term *term, const struct cell *row, int columns, int i,
                      cchar_t *out)
{
    const struct cell *cell = &row[i];
    bool wide = i + 1 < columns && cell->rune != 0 && row[i + 1].rune == 0;
    wchar_t text[3] = {L'?', L'\0', L'\0'};
    if (cell->rune == 0) {
        if (i > 0 && can_draw(term, &row[i - 1], true))
            return false;
        text[0] = L' ';
    } else if (can_draw(term, cell, wide)) {
        text[0] = (wchar_t)cell->rune;
        if (cell->mark != 0 && term->utf8 && wcwidth((wchar_t)cell->mark) == 0)
            text[1] = (wchar_t)cell->mark;
    }
    struct look look = term_paint_look(&term->paint, cell);
    (void)setcchar(out, text, look.attrs, look.pair, NULL);
    return true;
}

static bool cells_equal(const struct cell *a, const struct cell *b)
{
    return a->rune == b->rune && a->mark == b->mark && a->style == b->style &&
           a->chosen == b->chosen;
}

/* Hand the cells from `from` up to `to` of a row to ncurses. */
static void put_run(struct term *term, const struct canvas *canvas, int row, int from, int to)
{
    const struct cell *cells = &canvas->cells[(size_t)row * (size_t)canvas->columns];
    int count = 0;
    for (int i = from; i < to; i++)
        count += make_cell(term, cells, canvas->columns, i, &term->run[count]);
    if (count > 0)
        (void)mvadd_wchnstr(row, from, term->run, count);
}

static void put_changes(struct term *term, const struct canvas *canvas, int row, int columns)
{
    size_t first = (size_t)row * (size_t)canvas->columns;
    const struct cell *now = &canvas->cells[first];
    const struct cell *old = term->shown.cells ? &term->shown.cells[first] : NULL;
    int i = 0;
    while (i < columns) {
        if (old && cells_equal(&now[i], &old[i])) {
            i++;
            continue;
        }
        int from = i;
        while (i < columns && !(old && cells_equal(&now[i], &old[i])))
            i++;
        if (now[from].rune == 0 && from > 0)
            from--; /* a wide rune is drawn from its left half */
        put_run(term, canvas, row, from, i);
    }
}

static void put_cursor(struct term *term, const struct canvas *canvas)
{
    bool wanted = canvas->cursor_row >= 0 && canvas->cursor_row < term->rows &&
                  canvas->cursor_column >= 0 && canvas->cursor_column < term->columns;
    if (wanted != term->cursor_shown)
        (void)curs_set(wanted ? 1 : 0);
    term->cursor_shown = wanted;
    if (wanted)
        (void)move(canvas->cursor_row, canvas->cursor_column);
}

static void remember(struct term *term, const struct canvas *canvas)
{
    struct canvas *shown = &term->shown;
    if (!shown->cells)
        canvas_init(shown, canvas->rows, canvas->columns, canvas->ascii);
    size_t bytes = (size_t)canvas->rows * (size_t)canvas->columns * sizeof(*canvas->cells);
    memcpy(shown->cells, canvas->cells, bytes);
    shown->cursor_row = canvas->cursor_row;
    shown->cursor_column = canvas->cursor_column;
}

void term_show(struct term *term, const struct canvas *canvas)
{
    struct canvas *shown = &term->shown;
    if (term->gone)
        return;
    if (shown->cells && (shown->rows != canvas->rows || shown->columns != canvas->columns))
        term_redraw(term);
    if (shown->cells && canvas_equal(shown, canvas))
        return;

    if (!shown->cells)
        (void)erase();
    int rows = canvas->rows < term->rows ? canvas->rows : term->rows;
    int columns = canvas->columns < term->columns ? canvas->columns : term->columns;
    for (int row = 0; row < rows; row++)
        put_changes(term, canvas, row, columns);
    put_cursor(term, canvas);
    (void)wnoutrefresh(stdscr);
    (void)doupdate();
    remember(term, canvas);
}

void term_redraw(struct term *term)
{
    canvas_done(&term->shown);
    if (term->gone)
        return;
    (void)reset_prog_mode(); /* whoever had the terminal meanwhile may have changed it */
    write_raw(paste_on);
    (void)clearok(curscr, TRUE);
}

int term_fd(const struct term *term)
{
    (void)term; /* one terminal, and it is stdin */
    return STDIN_FILENO;
}

/* ncurses has no key: none was typed, or there is nobody any more who could? */
static bool is_gone(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&input, 1, 0) <= 0)
        return false;
    if ((input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
        return true;
    int waiting = 0;
    return ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 || waiting == 0;
}

/* After Esc: what follows at once and looks like a sequence is one that terminfo does
 * not know. Take it all, or its letters would be keys. */
static bool skip_sequence(struct term *term)
{
    wint_t rune = 0;
    int code = wget_wch(term->keys, &rune);
    if (code == ERR)
        return false;
    if (code == KEY_CODE_YES) {
        (void)ungetch((int)rune);
        return false;
    }
    if (rune != L'[' && rune != L'O') {
        (void)unget_wch((wchar_t)rune);
        return false;
    }
    for (int i = 0; i < SEQUENCE_MAX; i++) {
        if (wget_wch(term->keys, &rune) != OK || (rune >= 0x40 && rune <= 0x7e))
            break;
    }
    return true;
}

static uint32_t key_of_code(wint_t code)
{
    for (size_t i = 0; i < ARRAY_LEN(key_codes); i++) {
        if (key_codes[i].curses == code)
            return key_codes[i].key;
    }
    return TERM_KEY_NONE;
}

/* A rune that was typed, as our key; TERM_KEY_NONE for what is to be left out. */
static uint32_t key_of_rune(struct term *term, uint32_t rune)
{
    if (rune == '\r')
        return TERM_KEY_ENTER;
    if (rune == CTRL_H)
        return TERM_KEY_BACKSPACE;
    if (rune == TERM_KEY_ESC && skip_sequence(term))
        return TERM_KEY_NONE;
    return rune < TERM_KEY_FIRST ? rune : TERM_KEY_NONE;
}

/* The same for pasted text. Terminals keep control bytes out of it: Esc and ^C come
 * from a person, and get him out of a paste whose end was lost. */
static uint32_t key_of_pasted(struct term *term, uint32_t rune, bool text_wanted)
{
    if (rune == TERM_KEY_ESC || rune == CTRL_C) {
        term->pasting = false;
        return TERM_KEY_NONE;
    }
    if (!text_wanted)
        return TERM_KEY_NONE;
    if (rune == '\r' || rune == '\n' || rune == '\t')
        return ' ';
    return rune >= 0x20 && rune != TERM_KEY_BACKSPACE ? rune : TERM_KEY_NONE;
}

uint32_t term_key(struct term *term, bool text_wanted)
{
    for (int i = 0; i < KEYS_SKIPPED_MAX; i++) {
        if (term->gone)
            return TERM_KEY_GONE;
        wint_t rune = 0;
        int code = wget_wch(term->keys, &rune);
        if (code == ERR) {
            term->gone = is_gone();
            return term->gone ? TERM_KEY_GONE : TERM_KEY_NONE;
        }
        bool is_code = code == KEY_CODE_YES;
        if (is_code && (rune == KEY_PASTE_BEGIN || rune == KEY_PASTE_END)) {
            term->pasting = rune == KEY_PASTE_BEGIN;
            continue;
        }
        uint32_t key = TERM_KEY_NONE;
        if (is_code)
            key = term->pasting && rune != KEY_RESIZE ? TERM_KEY_NONE : key_of_code(rune);
        else if (term->pasting)
            key = key_of_pasted(term, rune, text_wanted);
        else
            key = key_of_rune(term, rune);
        if (key != TERM_KEY_NONE)
            return key;
    }
    return TERM_KEY_NONE;
}

void term_flush_keys(struct term *term)
{
    term->pasting = false;
    (void)flushinp();
}

void term_suspend(struct term *term)
{
    if (term->gone)
        return;
    write_raw(paste_off);
    (void)endwin();
    term_signals_restore_settings();
    term_signals_disarm();
    term_signals_stop_here();
    term_signals_arm(&term->reset);
    term->cursor_shown = false;
    term_redraw(term);
    (void)curs_set(0);
    learn_size(term);
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
