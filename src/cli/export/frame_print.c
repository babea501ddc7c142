#include "frame_print.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "canvas.h"
#include "exit_code.h"
#include "fail.h"
#include "looks.h"
#include "parse.h"

bool frame_size_parse(const char *word, int *rows_out, int *columns_out, struct err *err)
{
    char columns[8];
    const char *x = strchr(word, 'x');
    size_t len = x ? (size_t)(x - word) : 0;
    int64_t numbers[2] = {0};
    if (len == 0 || len >= sizeof(columns)) {
        (void)err_set(err, ERR_INVALID, "'%s' is not a size", word);
        return err_hint(err, "columns x rows, as in 80x24");
    }
    memcpy(columns, word, len);
    columns[len] = '\0';
    struct err why = {0};
    if (!parse_i64(columns, FRAME_COLUMNS_MIN, CANVAS_COLUMNS_MAX, &numbers[0], &why))
        return err_set(err, why.code, "columns of '%s': %s", word, why.message);
    if (!parse_i64(x + 1, FRAME_ROWS_MIN, CANVAS_ROWS_MAX, &numbers[1], &why))
        return err_set(err, why.code, "rows of '%s': %s", word, why.message);
    *columns_out = (int)numbers[0];
    *rows_out = (int)numbers[1];
    return true;
}

bool frame_theme(const struct globals *globals, struct theme *out, struct err *err)
{
    if (!globals->theme && globals->no_color && theme_named("mono", out))
        return true;
    return looks_theme(globals, NULL, out, err);
}

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
