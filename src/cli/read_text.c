#include "read_text.h"

#include <errno.h>

bool read_text(FILE *from, size_t max_bytes, struct str *out, struct err *err)
{
    char buffer[16384];
    size_t got = 0;
    while ((got = fread(buffer, 1, sizeof(buffer), from)) > 0) {
        str_add_n(out, buffer, got);
        if (out->len > max_bytes)
            return err_set(err, ERR_LIMIT, "it is larger than %zu MiB", max_bytes / (1024 * 1024));
    }
    return ferror(from) == 0 || err_set_errno(err, errno, "it cannot be read");
}
