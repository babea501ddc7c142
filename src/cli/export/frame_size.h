/*
 * frame_size.h - how large a frame is that is drawn without a terminal, and in which colours.
 */
#ifndef DEVS_FRAME_SIZE_H
#define DEVS_FRAME_SIZE_H

#include "attr.h"
#include "command.h"
#include "err.h"
#include "theme.h"

/* A smaller picture has no room for a word of what it is about. */
enum { FRAME_COLUMNS_MIN = 20, FRAME_ROWS_MIN = 4 };

/* "80x24": columns x rows, from FRAME_COLUMNS_MIN x FRAME_ROWS_MIN to what a canvas holds. */
ATTR_MUST_USE bool frame_size_parse(const char *word, int *rows_out, int *columns_out,
                                    struct err *err);
/* As the options say; without colours, too, there is bold and underline. */
ATTR_MUST_USE bool frame_theme(const struct globals *globals, struct theme *out, struct err *err);

#endif
