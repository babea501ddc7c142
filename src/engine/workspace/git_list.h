/*
 * git_list.h - words for git and its environment, as lists that grow. Private to git.c and
 * git_open.c.
 */
#ifndef DEVS_GIT_LIST_H
#define DEVS_GIT_LIST_H

#include <stddef.h>

struct git_list {
    char **items; /* owned, each; NULL-terminated once there is one; git_list_free() */
    size_t count, cap;
};

/* A copy of the text at the end of the list. */
void git_list_add(struct git_list *list, const char *text);
/* Free what a list held. NULL is allowed. */
void git_list_free(char **items);

#endif
