#include "mouse.h"

#include "ascii.h"

enum {
    FIELDS = 3,
    NUMBER_MAX = 100000,
    BUTTON_MASK = 3, /* 0: the left one */
    WITH_KEYS = 28,  /* Shift, Alt, Ctrl */
    MOVED = 32,
    WHEEL = 64,
    WHEEL_UP = 64,
    WHEEL_DOWN = 65,
};

/* Three numbers with semicolons between them. */
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
