/*
 * frame_size.h - how large a frame is that is drawn without a terminal, and in which colours.
 */
#ifndef DEVS_FRAME_SIZE_H
#define DEVS_FRAME_SIZE_H

#include "attr.h"
#include "command.h"
#include "err.h"
#include "theme.h"

/* "80x24": columns x rows. */
ATTR_MUST_USE bool frame_size_parse(const char *word, int *rows_out, int *columns_out,
                                    struct err *err);
/* As the options say; without colours, too, there is bold and underline. */
ATTR_MUST_USE bool frame_theme(const struct globals *globals, struct theme *out, struct err *err);

#endif
