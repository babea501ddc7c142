#include "frame_rest.h"

int frame_least(int a, int b)
{
    return a < b ? a : b;
}

int frame_most(int a, int b)
{
    return a > b ? a : b;
}

struct frame_box frame_take(struct frame_box *rest, int rows)
{
    const struct frame_box box = {rest->row, rest->column, rows, rest->columns};
    rest->row += rows;
    rest->rows -= rows;
    return box;
}

int frame_take_row(struct frame_box *rest)
{
    return frame_take(rest, 1).row;
}
