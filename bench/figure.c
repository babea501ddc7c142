#include "figure.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void figure_print(const struct figure *figure)
{
    printf("%s\t%.9g\t%s\t", figure->what, figure->value, figure->unit);
    if (figure->peer)
        printf("%s\t%.9g\t", figure->peer, figure->peer_value);
    else
        printf("-\t-\t");
    printf("%s\n", figure->wanted ? figure->wanted : "-");
    (void)fflush(stdout);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

double figure_share(double *values, int count, double share)
{
    assert(count > 0);
    qsort(values, (size_t)count, sizeof(values[0]), compare);
    const int at = (int)(share * count);
    return values[at < count ? at : count - 1];
}

static double ms_of(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

double figure_cpu_ms(void)
{
    return ms_of(CLOCK_PROCESS_CPUTIME_ID);
}

double figure_wall_ms(void)
{
    return ms_of(CLOCK_MONOTONIC);
}
