#include "frame_page.h"

#include <string.h>

#include "clock.h"
#include "frame_mode.h"
#include "frame_parts.h"
#include "text.h"

struct frame_page frame_page_lay(int rows, int columns, const struct frame_input *input)
{
    struct frame_page out = {.edges = frame_edges_none()};
    const bool is_roomy = rows >= PAGE_MESSAGE_ROWS;
    int last = rows - 1;
    int top = 1;
    if (rows > 3)
        out.edges.footer = last--;
    if (input->facts->replay && is_roomy && view_screen(input->view) != SCREEN_RUNS) {
        out.edges.scrubber = last--;
        out.edges.transport = last--;
    }
    if (is_roomy) {
        out.edges.message = last--;
        out.edges.bottom_rule = last--;
    }
    if (frame_has_banner(input) && rows > 2)
        out.edges.banner = top++;
    out.body = (struct frame_box){top, 0, last - top + 1 > 0 ? last - top + 1 : 0, columns};
    return out;
}

struct frame_edges frame_edges_none(void)
{
    return (struct frame_edges){-1, -1, -1, -1, -1, -1};
}

void frame_draw_edges(struct canvas *canvas, const struct frame_edges *edges,
                      const struct frame_input *input)
{
    if (edges->banner >= 0)
        frame_banner(canvas, edges->banner, input);
    if (edges->bottom_rule >= 0)
        canvas_rule(canvas, edges->bottom_rule, 0, canvas->columns);
    if (edges->message >= 0)
        frame_message(canvas, edges->message, input);
    if (edges->transport >= 0)
        frame_transport(canvas, edges->transport, input);
    if (edges->scrubber >= 0)
        frame_scrubber(canvas, edges->scrubber, input);
}

/* "LIVE   14:02:37"; without the clock where there is no room for it beside the path. */
static void add_mode(const struct frame_input *input, const struct canvas *canvas, int path_columns,
                     struct str *out)
{
    enum { GAPS = 3 }; /* around the path */
    char hms[CLOCK_TEXT_MAX];
    frame_add_mode(input, canvas, out);
    const size_t mode_len = out->len;
    str_addf(out, "   %s%s", clock_hms(frame_now(input).at_ms, hms),
             input->view->times == SHOWN_TIMES_UTC ? "Z" : "");
    frame_add_way_back(input, out);
    const int columns = text_width(str_text(out), out->len);
    if (columns + path_columns + GAPS > canvas->columns && canvas->columns < PAGE_CLOCK_COLUMNS)
        str_cut(out, mode_len);
}

/* What is too much for the room goes from the right end. */
static void draw_path(struct canvas *canvas, const struct frame_input *input, const char *path)
{
    struct str right = {0};
    const enum style style = frame_mode_style(input->facts);
    add_mode(input, canvas, text_width(path, strlen(path)), &right);
    const int end =
        frame_put_right(canvas, (struct spot){0, 0, canvas->columns}, style, str_text(&right));
    (void)frame_put(canvas, (struct spot){0, 1, end - 2}, style, path);
    if (frame_mode_is_bar(input->facts))
        frame_paint_row(canvas, 0, style);
    str_done(&right);
}

static void draw_footer(struct canvas *canvas, const struct frame_page *page,
                        const struct frame_input *input, const struct frame_keys *keys)
{
    if (page->edges.footer < 0)
        return;
    if (page->edges.message < 0 && input->view->message[0] != '\0')
        frame_message(canvas, page->edges.footer, input);
    else
        frame_keys_draw(canvas, page->edges.footer, input, keys);
}

void frame_page_draw(struct canvas *canvas, const struct frame_page *page,
                     const struct frame_input *input, const char *path,
                     const struct frame_keys *keys)
{
    if (path)
        draw_path(canvas, input, path);
    frame_draw_edges(canvas, &page->edges, input);
    draw_footer(canvas, page, input, keys);
}

void frame_add_try(const struct frame_input *input, int columns, struct str *out)
{
    const struct view_try at = view_try_now(input->view, input->facts->state);
    if (at.task < 0)
        return;
    const struct plan_task *plan = &input->facts->state->plan->tasks[at.task];
    str_addf(out, "%s%s", columns >= PAGE_PATH_COLUMNS ? "Tasks > " : "", plan->id);
    if (columns >= PAGE_WIDE_COLUMNS && strcmp(plan->id, plan->title) != 0)
        str_addf(out, " %s", plan->title);
    const char *then = columns >= PAGE_PATH_COLUMNS ? " > " : " ";
    if (plan->step_count > 1 && columns >= PAGE_CLOCK_COLUMNS)
        str_addf(out, "%sstep %d", then, at.step + 1);
    if (at.attempt > 0)
        str_addf(out, "%stry %d", then, at.attempt);
}

void frame_add_task(const struct frame_input *input, int columns, struct str *out)
{
    const int task = input->view->chosen;
    if (task < 0)
        return;
    const struct plan_task *plan = &input->facts->state->plan->tasks[task];
    str_addf(out, "%s%s", columns >= PAGE_PATH_COLUMNS ? "Tasks > " : "", plan->id);
    if (strcmp(plan->id, plan->title) != 0)
        str_addf(out, " %s", plan->title);
}
