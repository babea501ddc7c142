/* frame_id.c - a task's id in a column that may be too narrow for it. An id is ASCII: a byte is a
 * column. */
#include <string.h>

#include "frame_parts.h"

enum {
    CUT_COLUMNS_MIN = 7,     /* narrower, what is left of both ends says less than the front */
    WINDOW_COLUMNS_MIN = 11, /* narrower, there is no room for a part of the middle, too */
    NEIGHBOURS = 8,          /* on each side: ids that are alike were counted on from each other */
};

/* Of a longer one its ends, so many bytes of each. */
struct ends {
    size_t front, back;
};

static bool is_cut_alike(const struct ends *ends, const char *a, const char *b)
{
    const size_t a_len = strlen(a);
    const size_t b_len = strlen(b);
    return b_len > ends->front + ends->back && strcmp(a, b) != 0 &&
           strncmp(a, b, ends->front) == 0 &&
           strcmp(a + a_len - ends->back, b + b_len - ends->back) == 0;
}

/* Where the id differs from the nearest one that would look like it; false: none would. */
static bool find_difference(const struct plan *plan, int task, const struct ends *ends, size_t *out)
{
    const char *id = plan->tasks[task].id;
    for (int i = 1; i <= NEIGHBOURS; i++) {
        const int others[] = {task - i, task + i};
        for (int side = 0; side < 2; side++) {
            const int other = others[side];
            if (other < 0 || other >= plan->task_count ||
                !is_cut_alike(ends, id, plan->tasks[other].id))
                continue;
            *out = ends->front;
            while (id[*out] == plan->tasks[other].id[*out])
                (*out)++;
            return true;
        }
    }
    return false;
}

/* Both ends, and between them what stands round byte `at`. */
static void add_with_window(const char *id, size_t at, size_t columns, struct str *out)
{
    const size_t len = strlen(id);
    const size_t room = columns - 2; /* two gaps */
    const size_t front = room / 3;
    const size_t back = room / 3;
    const size_t window = room - front - back;
    size_t start = at > front + window / 2 ? at - window / 2 : front + 1;
    if (start + window + 1 > len - back)
        start = len - back - window - 1;
    str_addf(out, "%.*s…%.*s…%s", (int)front, id, (int)window, id + start, id + len - back);
}

void frame_add_id(const struct plan *plan, int task, int columns, struct str *out)
{
    const char *id = plan->tasks[task].id;
    const size_t len = strlen(id);
    if (columns < CUT_COLUMNS_MIN || len <= (size_t)columns) {
        str_add(out, id);
        return;
    }
    size_t at = 0;
    const struct ends ends = {.front = ((size_t)columns - 1) / 2, .back = (size_t)columns / 2};
    if (columns >= WINDOW_COLUMNS_MIN && find_difference(plan, task, &ends, &at))
        add_with_window(id, at, (size_t)columns, out);
    else
        str_addf(out, "%.*s…%s", (int)ends.front, id, id + len - ends.back);
}
