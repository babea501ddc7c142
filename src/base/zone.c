/* zone.c - reads the offset of a time zone from its zone file.
 *
 * The rule for the years after the last listed transition is not read: the files of Linux
 * distributions list the transitions until 2037. Names that lead out of the zone folder are
 * rejected. */
#include "zone.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ZONE_FILE_MAX = 64 * 1024, /* the largest file in the zone database is 4 KiB */
    ZONE_NAME_MAX = 64,
    ZONE_PATH_MAX = 512,
    HEADER = 44,
    TIME_SIZE_V1 = 4,
    TIME_SIZE_V2 = 8,
    TYPE_SIZE = 6, /* offset, daylight flag, abbreviation */
};

struct bytes {
    const unsigned char *at;
    size_t len;
};

/* The counts of a data block, in the order of its header. */
struct block {
    uint32_t ut, std, leap, times, types, chars;
};

static int64_t read_number(const unsigned char *bytes, size_t size)
{
    uint64_t value = (bytes[0] & 0x80U) != 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8U | bytes[i];
    return (int64_t)value;
}

static bool skip_bytes(struct bytes *bytes, size_t size)
{
    if (bytes->len < size)
        return false;
    bytes->at += size;
    bytes->len -= size;
    return true;
}

static bool read_header(struct bytes *bytes, struct block *out)
{
    if (bytes->len < HEADER || memcmp(bytes->at, "TZif", 4) != 0)
        return false;
    uint32_t *const counts[] = {&out->ut,    &out->std,   &out->leap,
                                &out->times, &out->types, &out->chars};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        const int64_t count = read_number(bytes->at + 20 + 4 * i, 4);
        if (count < 0 || count > ZONE_FILE_MAX)
            return false;
        *counts[i] = (uint32_t)count;
    }
    return skip_bytes(bytes, HEADER);
}

static size_t block_size(const struct block *block, size_t time_size)
{
    return block->times * (time_size + 1) + (size_t)block->types * TYPE_SIZE + block->chars +
           block->leap * (time_size + 4) + block->std + block->ut;
}

/* Finds the offset at `at_s`. Returns false after the last transition if the rule at the end of the
 * file has commas, which mean that the clock changes every year. */
static bool find_offset(struct bytes bytes, const struct block *block, int64_t at_s, int *out)
{
    const unsigned char *indices = bytes.at + (size_t)block->times * TIME_SIZE_V2;
    const unsigned char *types = indices + block->times;
    size_t after = 0;
    while (after < block->times && read_number(bytes.at + after * TIME_SIZE_V2, 8) <= at_s)
        after++;
    const size_t size = block_size(block, TIME_SIZE_V2);
    if (after == block->times && memchr(bytes.at + size, ',', bytes.len - size))
        return false;
    const size_t type = after > 0 ? indices[after - 1] : 0;
    if (type >= block->types)
        return false;
    *out = (int)read_number(types + type * TYPE_SIZE, 4);
    return true;
}

bool zone_offset(void *folder, const char *zone, int64_t at_s, int *offset_s_out)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/";
    const char *dir = folder ? folder : getenv("TZDIR");
    char path[ZONE_PATH_MAX];
    const int len = snprintf(path, sizeof(path), "%s/%s", dir ? dir : "/usr/share/zoneinfo", zone);
    /* Rejects names that lead out of the directory or cannot be a zone file. */
    const size_t zone_len = strlen(zone);
    if (zone_len == 0 || zone_len > ZONE_NAME_MAX || zone[0] == '/' ||
        strspn(zone, letters) != zone_len || len < 0 || (size_t)len >= sizeof(path))
        return false;

    FILE *file = fopen(path, "rbe");
    if (!file)
        return false;
    unsigned char *content = malloc(ZONE_FILE_MAX);
    const size_t size = content ? fread(content, 1, ZONE_FILE_MAX, file) : 0;
    (void)fclose(file);

    struct bytes bytes = {.at = content, .len = size};
    struct block old = {0};
    struct block block = {0};
    const bool ok = read_header(&bytes, &old) &&
                    skip_bytes(&bytes, block_size(&old, TIME_SIZE_V1)) &&
                    read_header(&bytes, &block) && block.types > 0 &&
                    bytes.len >= block_size(&block, TIME_SIZE_V2) &&
                    find_offset(bytes, &block, at_s, offset_s_out);
    free(content);
    return ok;
}
