#include "data_rows.h"

#include <stdlib.h>
#include <string.h>

#include "test_main.h"

int data_rows(const char *path, void (*check)(const struct json *row, void *ctx), void *ctx)
{
    char *text = test_read_file(test_source_path(path));
    ck_assert_msg(text != NULL, "%s", path);
    int rows = 0;
    for (const char *line = text; *line != '\0'; rows++) {
        const size_t len = strcspn(line, "\n");
        struct json *row = NULL;
        ck_assert_msg(json_parse(line, len, &row, NULL, NULL), "%s:%d", path, rows + 1);
        check(row, ctx);
        json_free(row);
        line += len + (line[len] == '\n');
    }
    free(text);
    return rows;
}

const char *data_text(const struct json *row, const char *key)
{
    return json_text(json_get(row, key), "");
}
