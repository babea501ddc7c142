#include "frame_print.h"

#include <stdio.h>

#include "app.h"
#include "exit_code.h"
#include "fail.h"
#include "frame_size.h"
#include "looks.h"

int frame_print(const struct globals *globals, const struct frame_words *words,
                const struct place *place, const struct target *target)
{
    struct err err = {0};
    struct theme theme;
    const char *of = target->task[0] != '\0' ? target->task : NULL;
    struct app_picture picture = {.at = words->at,
                                  .task = words->task ? words->task : of,
                                  .view = words->view,
                                  .is_replay = words->replay,
                                  .theme = words->svg ? &theme : NULL};
    const struct app_options options = {.place = place,
                                        .run = target->run,
                                        .mode = APP_LIVE,
                                        .ascii = words->svg ? globals->ascii
                                                            : looks_print_ascii(globals)};
    struct str text = {0};
    bool ok = frame_size_parse(words->size, &picture.rows, &picture.columns, &err) &&
              frame_theme(globals, &theme, &err) &&
              app_draw_picture(&options, &picture, &text, &err);
    if (ok)
        (void)fputs(str_text(&text), stdout);
    str_done(&text);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
