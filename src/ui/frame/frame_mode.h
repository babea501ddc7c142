/*
 * frame_mode.h - what lies behind the screen, in words: a run as it is, as it was, a recording.
 * For the heads of all screens.
 */
#ifndef DEVS_FRAME_MODE_H
#define DEVS_FRAME_MODE_H

#include <stdbool.h>

#include "canvas.h"
#include "frame.h"
#include "str.h"
#include "view.h"

/* Is the head a bar that cannot be missed? */
bool frame_mode_is_bar(const struct view_facts *facts);
enum style frame_mode_style(const struct view_facts *facts);

/* "LIVE", "REPLAY (read only)", "PAST -2:06  (live goes on: !1 ~3 *4)"; what a narrow screen has no
 * room for is left out. */
void frame_add_mode(const struct frame_input *input, const struct canvas *canvas, struct str *out);

/* "live", or "end" of a run that is over: where the way back from the past leads. Static. */
const char *frame_present_word(const struct view_facts *facts);

/* Behind the clock: the way back from the past; nothing elsewhere. */
void frame_add_way_back(const struct frame_input *input, struct str *out);

#endif
