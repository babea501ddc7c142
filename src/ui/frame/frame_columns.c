#include "frame_columns.h"

enum {
    FIRST_COLUMN = 3, /* after the mark and the sign */
    ID_WIDTH_MIN = 5,
    ID_WIDTH_MAX = 14,
    TRY_WIDTH_MIN = 3,
    TRY_WIDTH_MAX = 9,
    NEXT_WIDTH_MIN = 11,
    NEXT_WIDTH_MAX = 16,
    NEXT_WIDTH_FEW = 9,      /* where there are few columns */
    NEXT_RIGHT_COLUMNS = 58, /* from here on there are heads */
    TAKES_REST = -1,
    MEASURED = -2,
};

static const char *const heads[COL_COUNT] = {
    [COL_STATE] = "STATE", [COL_ID] = "ID",         [COL_TASK] = "TASK",   [COL_PHASE] = "PHASE",
    [COL_TRY] = "TRY",     [COL_NEXT] = "NEXT/FOR", [COL_CLASS] = "CLASS", [COL_NEW] = "NEW",
};

struct column_rule {
    int width; /* 0 = not shown */
    int gap;   /* blanks after it */
};

/* What is shown from which width on; the widest that fits is taken. */
static const struct column_set {
    int columns_min;
    struct column_rule rules[COL_COUNT];
} sets[] = {
    {86,
     {[COL_STATE] = {9, 1},
      [COL_ID] = {MEASURED, 1},
      [COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {8, 2},
      [COL_TRY] = {MEASURED, 2},
      [COL_NEXT] = {MEASURED, 1},
      [COL_CLASS] = {11, 1},
      [COL_NEW] = {3, 0}}},
    {74,
     {[COL_STATE] = {9, 1},
      [COL_ID] = {MEASURED, 1},
      [COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {8, 2},
      [COL_TRY] = {MEASURED, 2},
      [COL_NEXT] = {MEASURED, 1},
      [COL_CLASS] = {11, 0}}},
    {58,
     {[COL_STATE] = {9, 1},
      [COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {8, 1},
      [COL_TRY] = {MEASURED, 1},
      [COL_NEXT] = {MEASURED, 0}}},
    {30,
     {[COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {1, 1},
      [COL_TRY] = {MEASURED, 1},
      [COL_NEXT] = {MEASURED, 0}}},
    {COLUMNS_FEW,
     {[COL_ID] = {MEASURED, 1},
      [COL_PHASE] = {1, 1},
      [COL_TRY] = {MEASURED, 1},
      [COL_NEXT] = {TAKES_REST, 0}}},
    {0, {[COL_TASK] = {TAKES_REST, 1}, [COL_TRY] = {MEASURED, 1}, [COL_NEXT] = {MEASURED, 0}}},
};

const char *column_head(enum column column)
{
    return heads[column];
}

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

struct measures measures_new(void)
{
    return (struct measures){ID_WIDTH_MIN, TRY_WIDTH_MIN, NEXT_WIDTH_MIN};
}

void measures_take(struct measures *measures, const struct measures *texts)
{
    measures->id = clamp(texts->id, measures->id, ID_WIDTH_MAX);
    measures->attempts = clamp(texts->attempts, measures->attempts, TRY_WIDTH_MAX);
    measures->next = clamp(texts->next, measures->next, NEXT_WIDTH_MAX);
}

static int measured(const struct measures *measures, int column)
{
    if (column == COL_ID)
        return measures->id;
    return column == COL_TRY ? measures->attempts : measures->next;
}

struct columns columns_place(int columns, const struct measures *measures)
{
    const struct column_set *set = sets;
    while (set->columns_min > columns)
        set++;
    struct measures texts = *measures;
    if (columns < COLUMNS_FEW && texts.next > NEXT_WIDTH_FEW)
        texts.next = NEXT_WIDTH_FEW;
    struct columns out = {.next_is_right = columns < NEXT_RIGHT_COLUMNS};
    int fixed = FIRST_COLUMN;
    for (int i = 0; i < COL_COUNT; i++) {
        int width = set->rules[i].width;
        if (width == MEASURED)
            width = measured(&texts, i);
        out.width[i] = width;
        if (width != 0)
            fixed += (width > 0 ? width : 0) + set->rules[i].gap;
    }
    int at = FIRST_COLUMN;
    for (int i = 0; i < COL_COUNT; i++) {
        if (out.width[i] == TAKES_REST)
            out.width[i] = columns > fixed ? columns - fixed : 0;
        out.at[i] = at;
        if (out.width[i] > 0)
            at += out.width[i] + set->rules[i].gap;
    }
    return out;
}
