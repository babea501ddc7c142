#include "row_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"
#include "test_main.h"
#include "xalloc.h"

static const char indent[] = "    ";

static struct row *add_row(struct rows *rows, const char *file, int line)
{
    size_t cap = (size_t)rows->count;
    rows->items = xgrow(rows->items, &cap, cap + 1, sizeof(*rows->items));
    rows->items[rows->count] = (struct row){.file = file, .line = line};
    return &rows->items[rows->count++];
}

static void add_line(struct str *input, struct str *want, const char *line)
{
    const size_t skip = sizeof(indent) - 1;
    if (strncmp(line, indent, skip) == 0)
        str_addf(want, "%s\n", line + skip);
    else
        str_addf(input, "%s%s", input->len > 0 ? "\n" : "", line);
}

static void end_row(struct row *row, struct str *input, struct str *want)
{
    row->input = xstrdup(str_text(input));
    row->want = xstrdup(str_text(want));
    str_done(input);
    str_done(want);
}

struct rows rows_read(const char *name)
{
    struct rows rows = {0};
    struct row *row = NULL;
    struct str path = {0}, input = {0}, want = {0};
    char *line = NULL;
    size_t cap = 0;
    int number = 0;
    str_addf(&path, "tests/data/%s", name);
    FILE *file = fopen(test_source_path(str_text(&path)), "r");
    if (!file) {
        (void)fprintf(stderr, "cannot open %s\n", str_text(&path));
        exit(EXIT_FAILURE);
    }
    while (getline(&line, &cap, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        number++;
        if (*line == '\0' && row) {
            end_row(row, &input, &want);
            row = NULL;
        }
        if (*line == '\0' || *line == '#')
            continue;
        if (!row)
            row = add_row(&rows, name, number);
        add_line(&input, &want, line);
    }
    if (row)
        end_row(row, &input, &want);
    (void)fclose(file);
    free(line);
    if (rows.count == 0) {
        (void)fprintf(stderr, "%s has no rows\n", str_text(&path));
        exit(EXIT_FAILURE);
    }
    str_done(&path);
    return rows;
}

void row_check(const struct row *row, const char *got)
{
    ck_assert_msg(strcmp(got, row->want) == 0, "%s:%d: got:\n%swanted:\n%s", row->file, row->line,
                  got, row->want);
}
