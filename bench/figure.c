#include "figure.h"

#include <stdio.h>
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

double figure_cpu_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
