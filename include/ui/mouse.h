/*
 * mouse.h - what a mouse did, as terminals report it (xterm's mode 1006). Pure.
 */
#ifndef DEVS_MOUSE_H
#define DEVS_MOUSE_H

#include <stdbool.h>

#include "attr.h"

enum mouse_kind { MOUSE_PRESS, MOUSE_DRAG, MOUSE_RELEASE, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct mouse {
    enum mouse_kind kind;
    int row, column; /* from 0 */
};

/* Read a report: "0;34;12" between "ESC [ <" and its last byte, 'M' or 'm'. False for what is
 * none, and for buttons that do nothing here. */
ATTR_MUST_USE bool mouse_read(const char *report, char last, struct mouse *out);

#endif
