/*
 * entropy_echo.h - an argument that a message quotes is one echo, not one for each of its
 * words. Private to core.
 */
#ifndef DEVS_ENTROPY_ECHO_H
#define DEVS_ENTROPY_ECHO_H

#include <stddef.h>

enum { ECHO_BYTES_MAX = 4096 /* of a line; a longer one is left as it is */ };

/* Joins "<arg> <arg>(<arg>) as f:" to "<arg>": between and behind those marks, what has no
 * digit and no word of three letters goes with them. Digits stay, since a number is what
 * tells two places apart. Returns the length, 0 where nothing was joined. */
size_t entropy_echo_join(const char *line, size_t len, char out[ECHO_BYTES_MAX]);

#endif
