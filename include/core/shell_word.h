/*
 * shell_word.h - quotes a command for a shell, for people who copy it. Pure.
 */
#ifndef DEVS_SHELL_WORD_H
#define DEVS_SHELL_WORD_H

#include "str.h"

/* Appends a word: unchanged if no shell would change it, else in single quotes, including line
 * feeds (POSIX.1-2017, XCU 2.2.2). */
void shell_word_add(const char *word, struct str *out);

/* Appends `count` words separated by blanks. */
void shell_words_add(char *const *words, int count, struct str *out);

#endif
