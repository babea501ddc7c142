#include "number_bytes.h"

void number_bytes_put(struct str *out, uint64_t value, int bytes)
{
    char text[sizeof(value)];
    for (int i = 0; i < bytes; i++, value >>= 8)
        text[i] = (char)(unsigned char)value;
    str_add_n(out, text, (size_t)bytes);
}

uint64_t number_bytes_take(struct number_bytes *from, int bytes)
{
    uint64_t value = 0;
    if (from->len < (size_t)bytes) {
        from->bad = true;
        return 0;
    }
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from->at[i] << (8 * i);
    from->at += bytes;
    from->len -= (size_t)bytes;
    return value;
}
