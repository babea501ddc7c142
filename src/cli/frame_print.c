#include "frame_print.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "exit_code.h"
#include "fail.h"
#include "looks.h"
#include "parse.h"

/* "80x24" */
static bool parse_size(const char *word, struct app_picture *out, struct err *err)
{
    char columns[8];
    const char *x = strchr(word, 'x');
    size_t len = x ? (size_t)(x - word) : 0;
    int64_t numbers[2] = {0};
    if (len == 0 || len >= sizeof(columns)) {
        (void)err_set(err, ERR_INVALID, "'%s' is no size", word);
        return err_hint(err, "columns x rows, as in 80x24");
    }
    memcpy(columns, word, len);
    columns[len] = '\0';
    if (!parse_i64(columns, 1, CANVAS_COLUMNS_MAX, &numbers[0], err) ||
        !parse_i64(x + 1, 1, CANVAS_ROWS_MAX, &numbers[1], err))
        return false;
    out->columns = (int)numbers[0];
    out->rows = (int)numbers[1];
    return true;
}

/* Without colours, too, there is bold and underline. */
static bool find_theme(const struct globals *globals, struct theme *out, struct err *err)
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
                                  .theme = words->svg ? &theme : NULL};
    const struct app_options options = {
        .place = place, .run = target->run, .mode = APP_LIVE, .ascii = globals->ascii};
    struct str text = {0};
    bool ok = parse_size(words->size, &picture, &err) && find_theme(globals, &theme, &err) &&
              app_draw_picture(&options, &picture, &text, &err);
    if (ok)
        (void)fputs(str_text(&text), stdout);
    str_done(&text);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
