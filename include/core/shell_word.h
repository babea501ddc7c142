/*
 * shell_word.h - a command in the form in which a shell takes it: for people who copy it. Pure.
 */
#ifndef DEVS_SHELL_WORD_H
#define DEVS_SHELL_WORD_H

#include "str.h"

/* Append one word: as it is where no shell would change it, else in single quotes, line feeds and
 * all (POSIX.1-2017, XCU 2.2.2). */
void shell_word_add(const char *word, struct str *out);

/* Append `count` words with blanks between them. */
void shell_words_add(char *const *words, int count, struct str *out);

#endif
