/* what_if_table.c - both sides of a what-if as a table. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "agent_what.h"
#include "budget.h"
#include "text.h"
#include "what_if_parts.h"

int what_if_width(const struct what_if_look *look)
{
    return look->width > WHAT_IF_WIDTH_MIN ? look->width : WHAT_IF_WIDTH_MIN;
}

/* The columns of the table. */
enum column {
    COLUMN_TRIES,
    COLUMN_WAIT,
    COLUMN_RAN,
    COLUMN_PASSED,
    COLUMN_GAVE_UP,
    COLUMN_STUCK,
    COLUMN_NEEDS_YOU,
    COLUMN_BLOCKED,
    COLUMN_UNKNOWN,
    COLUMN_COST,
    COLUMN_COUNT,
};

static const struct {
    const char *title;
    int width;
    int rank;         /* the least goes first into a narrow table */
    bool if_not_zero; /* left out where both sides have nothing */
} columns[] = {
    [COLUMN_TRIES] = {"tries", 8, 0, false},         [COLUMN_WAIT] = {"wait", 10, 1, false},
    [COLUMN_RAN] = {"run time", 10, 2, false},       [COLUMN_PASSED] = {"passed", 8, 3, false},
    [COLUMN_GAVE_UP] = {"gave-up", 10, 4, false},    [COLUMN_STUCK] = {"stuck", 9, 5, true},
    [COLUMN_NEEDS_YOU] = {"needs-you", 11, 8, true}, [COLUMN_BLOCKED] = {"blocked", 10, 9, true},
    [COLUMN_UNKNOWN] = {"not known", 11, 7, true},   [COLUMN_COST] = {"cost", 10, 6, true},
};
static_assert(ARRAY_LEN(columns) == COLUMN_COUNT, "every column has a title");

enum { LABEL_WIDTH = 13 };
static const char label_recorded[] = " as recorded";
static const char label_other[] = " policy B";

static int64_t value_of(const struct what_if_side *side, enum column column)
{
    switch (column) {
    case COLUMN_TRIES:
        return side->tries;
    case COLUMN_WAIT:
        return side->waited_ms;
    case COLUMN_RAN:
        return side->ran_ms;
    case COLUMN_PASSED:
        return side->counts[TASK_PASSED];
    case COLUMN_GAVE_UP:
        return side->counts[TASK_GAVE_UP];
    case COLUMN_STUCK:
        return side->counts[TASK_STUCK];
    case COLUMN_NEEDS_YOU:
        return side->counts[TASK_NEEDS_YOU];
    case COLUMN_BLOCKED:
        return side->counts[TASK_BLOCKED];
    case COLUMN_UNKNOWN:
        return side->unknown;
    case COLUMN_COST:
        return side->cost_micro;
    case COLUMN_COUNT:
        break;
    }
    return 0;
}

/* Bits 1 << enum column. */
static unsigned choose_columns(const struct what_if_sum *sum, const struct what_if_look *look)
{
    unsigned chosen = 0;
    int room = what_if_width(look) - LABEL_WIDTH;
    for (int rank = 0; rank < COLUMN_COUNT; rank++) {
        for (int i = 0; i < COLUMN_COUNT; i++) {
            const bool empty = columns[i].if_not_zero &&
                               value_of(&sum->recorded, (enum column)i) == 0 &&
                               value_of(&sum->other, (enum column)i) == 0;
            if (columns[i].rank != rank || empty || columns[i].width > room)
                continue;
            chosen |= 1U << i;
            room -= columns[i].width;
        }
    }
    return chosen;
}

/* How far a count of tasks is from the recorded one: "2 (+1)". */
static void add_change(int64_t recorded, int64_t other, struct str *out)
{
    if (other != recorded)
        str_addf(out, " (%+" PRId64 ")", other - recorded);
}

static void add_value(const struct what_if_side *side, const struct what_if_side *base,
                      enum column column, struct str *out)
{
    const int64_t value = value_of(side, column);
    if (column == COLUMN_WAIT || column == COLUMN_RAN)
        shown_duration(value, out);
    else if (column == COLUMN_COST)
        agent_cost_words(value, out);
    else
        str_add_i64(out, value);
    const bool counts_tasks = column >= COLUMN_PASSED && column <= COLUMN_BLOCKED;
    if (counts_tasks)
        add_change(value_of(base, column), value, out);
}

static void add_cell(const char *text, int width, struct str *out)
{
    const int used = text_width(text, strlen(text));
    str_addf(out, "%*s%s", width > used ? width - used : 1, "", text);
}

static void add_row(const char *label, const struct what_if_side *side,
                    const struct what_if_side *base, unsigned chosen, struct str *out)
{
    str_addf(out, "%-*s", LABEL_WIDTH, label);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        struct str cell = {0};
        if ((chosen & 1U << i) == 0)
            continue;
        if (side)
            add_value(side, base, (enum column)i, &cell);
        else
            str_add(&cell, columns[i].title);
        add_cell(str_text(&cell), columns[i].width, out);
        str_done(&cell);
    }
    str_add_char(out, '\n');
}

void what_if_table(const struct what_if_sum *sum, const struct what_if_look *look, struct str *out)
{
    const unsigned chosen = choose_columns(sum, look);
    add_row("", NULL, NULL, chosen, out);
    add_row(label_recorded, &sum->recorded, &sum->recorded, chosen, out);
    add_row(label_other, &sum->other, &sum->recorded, chosen, out);
}
