#include "agent_used.h"

int64_t agent_used_sum(int64_t a, int64_t b)
{
    const int64_t sum = a + b;
    if (sum < 0)
        return 0;
    return sum < AGENT_USED_MAX ? sum : AGENT_USED_MAX;
}
