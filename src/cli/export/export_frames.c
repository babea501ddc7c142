/* export_frames.c - an export's pictures and recordings of the screens. */
#include "app_cast.h"
#include "export.h"
#include "frame_size.h"
#include "parse.h"

static const char size_default[] = "80x24";

static bool write_bytes(void *ctx, const char *bytes, size_t len, struct err *err)
{
    return export_sink_write(ctx, bytes, len, err);
}

static bool tell(void *ctx, int64_t done, int64_t all, struct err *err)
{
    return export_sink_tell(ctx, done, all, err);
}

static struct app_options options_of(const struct export_call *call)
{
    return (struct app_options){.place = call->place,
                                .log_file = call->log->db,
                                .run = call->run,
                                .mode = APP_LIVE,
                                .ascii = call->globals->ascii};
}

static bool parse_speed(const char *word, int *out, struct err *err)
{
    int64_t speed = 1;
    if (word && !parse_i64(word, 1, APP_CAST_SPEED_MAX, &speed, err))
        return err_hint(err, "--speed takes a whole number: 4 plays four seconds in one");
    *out = (int)speed;
    return true;
}

bool export_cast(const struct export_call *call, struct err *err)
{
    const struct export_words *words = call->words;
    const struct app_options options = options_of(call);
    struct theme theme;
    struct app_cast cast = {.task = words->task,
                            .view = words->view,
                            .theme = &theme,
                            .write = write_bytes,
                            .tell = tell,
                            .ctx = call->sink};
    return frame_size_parse(words->size ? words->size : size_default, &cast.rows, &cast.columns,
                            err) &&
           parse_speed(words->speed, &cast.speed, err) && frame_theme(call->globals, &theme, err) &&
           app_cast_write(&options, &cast, err);
}

bool export_svg(const struct export_call *call, struct err *err)
{
    const struct export_words *words = call->words;
    const struct app_options options = options_of(call);
    struct theme theme;
    struct str text = {0};
    struct app_picture picture = {
        .at = call->at, .task = words->task, .view = words->view, .theme = &theme};
    const bool ok = frame_size_parse(words->size ? words->size : size_default, &picture.rows,
                                     &picture.columns, err) &&
                    frame_theme(call->globals, &theme, err) &&
                    app_draw_picture(&options, &picture, &text, err) &&
                    export_sink_write(call->sink, str_text(&text), text.len, err);
    str_done(&text);
    return ok;
}
