#include "frame_empty.h"

#include "clock.h"
#include "frame_parts.h"
#include "runs_list.h"

enum {
    MARGIN = 4,
    WORDS_COLUMN = 20,
    NARROW_COLUMNS = 60, /* narrower: less margin, and commands only */
};

struct line {
    const char *label;
    struct str words; /* owned */
};

/* The latest that is over: 0 = none is. */
static int64_t last_end(const struct runs_list *runs)
{
    int64_t latest = 0;
    for (size_t i = 0; i < runs->count; i++) {
        if (runs->rows[i].ended_at_ms > latest)
            latest = runs->rows[i].ended_at_ms;
    }
    return latest;
}

static void add_runs(const struct frame_input *input, struct str *out)
{
    const struct view_facts *facts = input->facts;
    char when[CLOCK_TEXT_MAX];
    const int64_t runs = facts->runs ? facts->runs->totals.runs : 0;
    const int64_t end = facts->runs ? last_end(facts->runs) : 0;
    frame_say(input, "{runs}  runs list: ", out);
    shown_count(runs, "run", "runs", out);
    if (end > 0)
        str_addf(out, ", the last one ended %s", clock_short(end, facts->clock.at_ms, when));
}

static void draw_line(struct canvas *canvas, struct spot spot, const struct line *line)
{
    const bool is_narrow = spot.width < NARROW_COLUMNS;
    const int margin = is_narrow ? 1 : MARGIN;
    const int words = is_narrow ? margin : WORDS_COLUMN;
    if (!is_narrow)
        (void)frame_put(canvas, (struct spot){spot.row, margin, words - margin}, STYLE_LABEL,
                        line->label);
    (void)frame_put(canvas, (struct spot){spot.row, words, spot.width - words}, STYLE_PLAIN,
                    str_text(&line->words));
}

void frame_no_tasks(struct canvas *canvas, const struct frame_box *box,
                    const struct frame_input *input)
{
    enum { TITLE, GAP, FROM_FILE, ONE, PAST, LOOKING, LINES };
    const struct view_facts *facts = input->facts;
    struct line lines[LINES] = {
        [FROM_FILE] = {.label = "from a file"},
        [ONE] = {.label = "one command"},
        [PAST] = {.label = "look at past"},
        [LOOKING] = {.label = "just looking?"},
    };
    str_addf(&lines[FROM_FILE].words, "devs run plan.json   (%s in this folder)",
             facts->has_plan ? "there is one" : "none found");
    str_add(&lines[ONE].words, "devs exec -- COMMAND ...");
    add_runs(input, &lines[PAST].words);
    str_add(&lines[LOOKING].words, "devs init   writes a commented starter plan");
    const char *title = input->is_session ? "No tasks yet: each call of the agent will be one."
                                          : "No tasks yet: they come as an agent calls tools.";
    const int first = box->rows > LINES ? box->row + 1 : box->row;
    for (int i = 0; i < LINES && first + i < box->row + box->rows; i++) {
        const struct spot spot = {first + i, box->column, box->columns};
        if (i == TITLE)
            (void)frame_put(canvas, (struct spot){spot.row, MARGIN, box->columns - MARGIN},
                            STYLE_HEAD, title);
        else if (i > GAP)
            draw_line(canvas, spot, &lines[i]);
    }
    for (int i = 0; i < LINES; i++)
        str_done(&lines[i].words);
}
