#include "read_text.h"

#include <errno.h>

#include "shown.h"

static bool set_too_large(size_t max_bytes, struct err *err)
{
    struct str size = {0};
    shown_size((int64_t)max_bytes, &size);
    (void)err_set(err, ERR_LIMIT, "it is larger than %s", str_text(&size));
    str_done(&size);
    return false;
}

bool read_text(FILE *from, size_t max_bytes, struct str *out, struct err *err)
{
    char buffer[16384];
    size_t got = 0;
    while ((got = fread(buffer, 1, sizeof(buffer), from)) > 0) {
        str_add_n(out, buffer, got);
        if (out->len > max_bytes)
            return set_too_large(max_bytes, err);
    }
    return ferror(from) == 0 || err_set_errno(err, errno, "it cannot be read");
}
