#include "gain_bytes.h"

#include <assert.h>
#include <string.h>

#include "log_writer.h"
#include "parse.h"

static_assert(2 * (int)ENTROPY_BLOB_BYTES_MAX + (int)GAIN_HEAD_BYTES <= (int)LOG_GAIN_BYTES_MAX,
              "the log keeps what two memories save");

/* Four bytes that no memory begins with, then the length of the first. */
enum { MAGIC_BYTES = 4 };
static const char magic[MAGIC_BYTES + 1] = "dTwo";

void gain_bytes_write(const struct entropy_memory *attempts, const struct entropy_memory *calls,
                      struct str *out)
{
    struct str first = {0};
    entropy_memory_save(attempts, &first);
    if (calls) {
        str_add_n(out, magic, MAGIC_BYTES);
        number_bytes_put(out, first.len, GAIN_HEAD_BYTES - MAGIC_BYTES);
    }
    str_add_n(out, str_text(&first), first.len);
    str_done(&first);
    if (calls)
        entropy_memory_save(calls, out);
}

bool gain_bytes_read(const char *bytes, size_t len, const struct entropy_limits *limits,
                     struct entropy_memory *attempts, struct entropy_memory **calls,
                     struct err *err)
{
    const bool are_two = len >= GAIN_HEAD_BYTES && memcmp(bytes, magic, MAGIC_BYTES) == 0;
    if (!are_two)
        return entropy_memory_load(attempts, bytes, len, err);
    struct number_bytes head = {.at = (const unsigned char *)bytes + MAGIC_BYTES,
                                .len = len - MAGIC_BYTES};
    const size_t first = (size_t)number_bytes_take(&head, GAIN_HEAD_BYTES - MAGIC_BYTES);
    const char *rest = bytes + GAIN_HEAD_BYTES;
    const size_t rest_len = len - GAIN_HEAD_BYTES;
    if (first > rest_len)
        return err_set(err, ERR_INVALID, "no memories: their lengths are wrong");
    if (!entropy_memory_load(attempts, rest, first, err))
        return false;
    entropy_memory_open(calls, limits);
    return entropy_memory_load(*calls, rest + first, rest_len - first, err);
}
