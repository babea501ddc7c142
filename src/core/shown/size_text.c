#include "size_text.h"

enum { KB = 1000, MB = 1000 * 1000 };

void size_text_add(int64_t bytes, struct str *out)
{
    if (bytes < KB)
        str_addf(out, "%lld bytes", (long long)bytes);
    else if (bytes < MB)
        str_addf(out, "%.1f kB", (double)bytes / KB);
    else
        str_addf(out, "%.1f MB", (double)bytes / MB);
}
