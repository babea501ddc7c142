/*
 * figure.h - the figures of a benchmark in C, which bench/figures.py turns into lines of the table.
 */
#ifndef DEVS_FIGURE_H
#define DEVS_FIGURE_H

/* One figure. NULL = none. */
struct figure {
    const char *what;
    double value; /* of devs, in unit */
    const char *unit;
    const char *peer;   /* the program that it is compared with; NULL: peer_value is not read */
    double peer_value;  /* in unit, too */
    const char *wanted; /* "at most 20 ms", or "at most 1.3 x" for the ratio */
};

/* Prints a line of six columns on standard output. */
void figure_print(const struct figure *figure);

/* Returns the value that this share of the values (0 to 1) does not exceed: 0.5 is the median, 1
 * the maximum. Sorts the values; count is at least 1. */
double figure_share(double *values, int count, double share);

/* Returns the processor time of this process in milliseconds, on which other load has little
 * effect. */
double figure_cpu_ms(void);

/* Returns the wall time in milliseconds, for work that waits for a disk. */
double figure_wall_ms(void);

#endif
