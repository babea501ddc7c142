/*
 * mouse.h - mouse events as terminals report them (xterm's mode 1006). Pure.
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

/* Parses a report: "0;34;12" between "ESC [ <" and its last byte, 'M' or 'm'. Returns false for an
 * invalid report and for buttons that are not used. */
ATTR_MUST_USE bool mouse_read(const char *report, char last, struct mouse *out);

#endif
