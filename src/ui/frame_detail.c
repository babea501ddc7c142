#include "frame_detail.h"

#include "frame_page.h"

/* Where things are; rows of -1 are not there. */
struct layout {
    struct frame_page page;
    struct frame_box what, log;
    int log_rule;
};

static struct layout lay_out(int rows, int columns, const struct frame_input *input)
{
    struct layout out = {.page = frame_page_lay(rows, columns, input), .log_rule = -1};
    out.what = out.page.body;
    return out;
}

void frame_detail_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    const struct layout layout = lay_out(rows, columns, input);
    view_fit(view, 0, layout.log.rows, VIEW_HAS_LIST);
}

void frame_detail(struct canvas *canvas, const struct frame_input *input)
{
    static const enum act acts[] = {UI_QUIT,     UI_RETRY,       UI_CANCEL, UI_HOLD,
                                    UI_TRY_BACK, UI_TRY_FORWARD, UI_HELP};
    static const char *const briefs[UI_ACT_COUNT] = {[UI_QUIT] = "back"};
    const struct frame_keys keys = {.acts = acts, .count = ARRAY_LEN(acts), .briefs = briefs};
    const struct layout layout = lay_out(canvas->rows, canvas->columns, input);
    struct str path = {0};
    frame_add_try(input, canvas->columns, &path);
    frame_page_draw(canvas, &layout.page, input, str_text(&path), &keys);
    frame_preview(canvas, &layout.what, FRAME_PREVIEW_ROOMY, input);
    str_done(&path);
}
