/*
 * figure.h - what a benchmark in C has measured, for bench/figures.py to make a line of the table
 * of.
 */
#ifndef DEVS_FIGURE_H
#define DEVS_FIGURE_H

/* One figure. NULL: there is none. */
struct figure {
    const char *what;
    double value; /* of devs, in unit */
    const char *unit;
    const char *peer;   /* what is beside it; NULL: peer_value is not read */
    double peer_value;  /* in unit, too */
    const char *wanted; /* "at most 20 ms", or of the ratio "at most 1.3 x" */
};

/* Print it: a line of six columns on standard output. */
void figure_print(const struct figure *figure);

/* The value that a share of them (0 to 1) does not exceed: 0.5 is the median, 1 the most. Sorts
 * them; count is at least 1. */
double figure_share(double *values, int count, double share);

/* Processor time that this process has used, in milliseconds: what else the machine does has little
 * part in it. */
double figure_cpu_ms(void);

/* Time that has gone by, in milliseconds: for what waits for a disk. */
double figure_wall_ms(void);

#endif
