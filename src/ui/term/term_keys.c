/* term_keys.c - keys and mouse events from ncurses and the terminal. */
#include <ncurses.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "ascii.h"
#include "attr.h"
#include "term.h"
#include "term_internal.h"
#include "xalloc.h"

enum {
    SEQUENCE_MAX = 32,       /* maximum length of an unknown escape sequence */
    KEYS_SKIPPED_MAX = 4096, /* maximum number of skipped keys per term_keys_next() */
    OLD_MOUSE_BYTES = 3,     /* bytes after "ESC [ M" in the old mouse report */
    KEY_PASTE_BEGIN = 0x400, /* above all key codes of ncurses */
    KEY_PASTE_END,
    CTRL_C = 0x03,
    CTRL_H = 0x08,
};

static const char paste_begin[] = "\033[200~";
static const char paste_end[] = "\033[201~";

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

/* A sequence that terminfo does not know, while it is being read. */
struct sequence {
    char kind; /* '[' or 'O'; 0 = not in a sequence */
    size_t len;
    char bytes[SEQUENCE_MAX + 1];
};

struct term_keys {
    WINDOW *pad; /* reading keys from a pad draws nothing */
    struct sequence sequence;
    int skipped; /* runes still to skip */
    bool pasting;
    bool gone;
    bool has_mouse;
    struct mouse mouse;
};

struct term_keys *term_keys_open(void)
{
    struct term_keys *keys = xcalloc(1, sizeof(*keys));
    keys->pad = newpad(1, 1);
    if (!keys->pad) {
        free(keys);
        return NULL;
    }
    (void)keypad(keys->pad, TRUE);
    (void)nodelay(keys->pad, TRUE);
    (void)define_key(paste_begin, KEY_PASTE_BEGIN);
    (void)define_key(paste_end, KEY_PASTE_END);
    (void)define_key(NULL, KEY_MOUSE); /* we parse mouse reports ourselves, as complete sequences */
    return keys;
}

void term_keys_close(struct term_keys *keys)
{
    if (!keys)
        return;
    (void)delwin(keys->pad);
    free(keys);
}

bool term_keys_are_gone(const struct term_keys *keys)
{
    return keys->gone;
}

void term_keys_take_mouse(struct term_keys *keys, bool taken)
{
    keys->has_mouse = taken;
}

struct mouse term_keys_mouse(const struct term_keys *keys)
{
    return keys->mouse;
}

/* Call when ncurses returned no key. Returns true if the terminal was closed, false if nothing was
 * typed. */
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

/* Returns true if Esc begins a sequence that terminfo does not know: bytes that look like one
 * follow immediately. The whole sequence is read then, so that its letters do not act as keys. */
static bool begins_sequence(struct term_keys *keys)
{
    wint_t rune = 0;
    int code = wget_wch(keys->pad, &rune);
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
    keys->sequence = (struct sequence){.kind = (char)rune};
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

/* Returns our key for a typed rune; TERM_KEY_NONE if the rune has no effect of its own. */
static uint32_t key_of_rune(struct term_keys *keys, uint32_t rune)
{
    if (rune == '\r')
        return TERM_KEY_ENTER;
    if (rune == CTRL_H)
        return TERM_KEY_BACKSPACE;
    if (rune == TERM_KEY_ESC && begins_sequence(keys))
        return TERM_KEY_NONE;
    return rune < TERM_KEY_FIRST ? rune : TERM_KEY_NONE;
}

/* Adds the next rune to the sequence; a control character aborts the sequence. Returns
 * TERM_KEY_MOUSE for a complete mouse report. */
static uint32_t add_to_sequence(struct term_keys *keys, uint32_t rune)
{
    struct sequence *sequence = &keys->sequence;
    const bool is_csi = sequence->kind == '[';
    const bool is_end = rune >= 0x40 && rune <= 0x7e;
    if (!is_end && rune >= 0x20 && rune <= 0x7e && sequence->len < SEQUENCE_MAX) {
        sequence->bytes[sequence->len++] = (char)rune;
        return TERM_KEY_NONE;
    }
    sequence->kind = 0;
    if (!is_end)
        return rune < 0x20 ? key_of_rune(keys, rune) : TERM_KEY_NONE;
    sequence->bytes[sequence->len] = '\0';
    if (is_csi && rune == 'M' && sequence->len == 0)
        keys->skipped = OLD_MOUSE_BYTES;
    const bool is_report =
        keys->has_mouse && is_csi && sequence->bytes[0] == '<' && (rune == 'M' || rune == 'm');
    if (is_report && mouse_read(sequence->bytes + 1, (char)rune, &keys->mouse))
        return TERM_KEY_MOUSE;
    return TERM_KEY_NONE;
}

/* Like key_of_rune(), for pasted text. Terminals remove control bytes from pasted text, so Esc and
 * ^C come from the user, and end a paste whose end was lost. */
static uint32_t key_of_pasted(struct term_keys *keys, uint32_t rune, bool text_wanted)
{
    if (rune == TERM_KEY_ESC || rune == CTRL_C) {
        keys->pasting = false;
        return TERM_KEY_NONE;
    }
    if (!text_wanted)
        return TERM_KEY_NONE;
    if (rune == '\r' || rune == '\n' || rune == '\t')
        return ' ';
    return rune >= 0x20 && rune != TERM_KEY_BACKSPACE ? rune : TERM_KEY_NONE;
}

uint32_t term_keys_next(struct term_keys *keys, bool text_wanted)
{
    for (int i = 0; i < KEYS_SKIPPED_MAX; i++) {
        if (keys->gone)
            return TERM_KEY_GONE;
        wint_t rune = 0;
        int code = wget_wch(keys->pad, &rune);
        if (code == ERR) {
            /* The rest of a mouse report may still arrive; any other incomplete sequence is
             * dropped. */
            if (keys->sequence.bytes[0] != '<')
                keys->sequence.kind = 0;
            keys->gone = is_gone();
            return keys->gone ? TERM_KEY_GONE : TERM_KEY_NONE;
        }
        bool is_code = code == KEY_CODE_YES;
        if (is_code && (rune == KEY_PASTE_BEGIN || rune == KEY_PASTE_END)) {
            keys->pasting = rune == KEY_PASTE_BEGIN;
            continue;
        }
        uint32_t key = TERM_KEY_NONE;
        if (is_code && (!keys->pasting || rune == KEY_RESIZE))
            key = key_of_code(rune);
        else if (is_code)
            continue;
        else if (keys->pasting)
            key = key_of_pasted(keys, rune, text_wanted);
        else if (keys->skipped > 0)
            keys->skipped--;
        else if (keys->sequence.kind != 0)
            key = add_to_sequence(keys, rune);
        else
            key = key_of_rune(keys, rune);
        if (key != TERM_KEY_NONE)
            return key;
    }
    return TERM_KEY_NONE;
}

void term_keys_flush(struct term_keys *keys)
{
    keys->pasting = false;
    keys->skipped = 0;
    keys->sequence.kind = 0;
    (void)flushinp();
}

enum {
    FIELDS = 3,
    NUMBER_MAX = 100000,
    BUTTON_MASK = 3, /* 0: left button */
    WITH_KEYS = 28,  /* Shift, Alt, Ctrl */
    MOVED = 32,
    WHEEL = 64,
    WHEEL_UP = 64,
    WHEEL_DOWN = 65,
};

/* Parses three numbers separated by semicolons. */
static bool read_numbers(const char *text, int out[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        int number = 0;
        const char *first = text;
        for (; ascii_is_digit(*text) && number < NUMBER_MAX; text++)
            number = number * 10 + (*text - '0');
        if (text == first || *text != (i + 1 < FIELDS ? ';' : '\0'))
            return false;
        out[i] = number;
        text++;
    }
    return true;
}

bool mouse_read(const char *report, char last, struct mouse *out)
{
    int numbers[FIELDS];
    if (!read_numbers(report, numbers) || numbers[1] < 1 || numbers[2] < 1)
        return false;
    const int button = numbers[0] & ~WITH_KEYS;
    struct mouse mouse = {.column = numbers[1] - 1, .row = numbers[2] - 1};
    if (button == WHEEL_UP || button == WHEEL_DOWN)
        mouse.kind = button == WHEEL_UP ? MOUSE_WHEEL_UP : MOUSE_WHEEL_DOWN;
    else if (button >= WHEEL || (button & BUTTON_MASK) != 0)
        return false;
    else if (last == 'm')
        mouse.kind = MOUSE_RELEASE;
    else
        mouse.kind = (button & MOVED) != 0 ? MOUSE_DRAG : MOUSE_PRESS;
    *out = mouse;
    return true;
}
