#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_main.h"

static void save(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

void golden_check_text(const char *text, const char *frame)
{
    char relative[128];
    (void)snprintf(relative, sizeof(relative), "tests/data/frames/%s.txt", frame);
    const char *path = test_source_path(relative);
    if (getenv("DEVS_UPDATE_FRAMES"))
        save(path, text);
    char *want = test_read_file(path);
    ck_assert_msg(want != NULL, "no golden frame %s", path);
    ck_assert_msg(strcmp(want, text) == 0, "%s is now:\n%s", frame, text);
    free(want);
}

void golden_check(const struct canvas *canvas, const char *frame)
{
    struct str out = {0};
    canvas_to_text(canvas, &out);
    golden_check_text(str_text(&out), frame);
    str_done(&out);
}
