#include "count_text.h"

void count_text_add(int64_t count, const char *one, const char *many, struct str *out)
{
    str_add_i64(out, count);
    str_add_char(out, ' ');
    str_add(out, count == 1 ? one : many);
}
