#include "entropy_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct digest entropy_digest(const void *bytes, size_t len)
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, len);
    const bool none = hash.high64 == 0 && hash.low64 == 0;
    return (struct digest){.hi = hash.high64, .lo = none ? 1 : hash.low64};
}

uint64_t entropy_hash(const void *bytes, size_t len)
{
    return XXH3_64bits(bytes, len);
}

uint64_t entropy_hash_pair(uint64_t a, uint64_t b)
{
    const uint64_t both[] = {a, b};
    return XXH3_64bits(both, sizeof(both));
}
