/* term_check.c - can this terminal show a screen? Asked before one is opened. */
#include "term.h"

#include <ncurses.h>
#include <stdlib.h>
#include <unistd.h>

/* As ncurses' own term.h has it, which cannot be included: the name is ours. */
int setupterm(const char *name, int fd, int *answer);

bool term_check(struct err *err)
{
    const char *name = getenv("TERM");
    int answer = 0;
    if (!name || *name == '\0')
        return err_set(err, ERR_INVALID, "TERM is not set");
    if (setupterm(NULL, STDOUT_FILENO, &answer) == ERR)
        return err_set(err, ERR_INVALID, "terminal '%s' is not known here", name);
    char capability[] = "cup"; /* cursor addressing: nothing is drawn without it */
    char *cup = tigetstr(capability);
    /* NULL and -1: ncurses says absent in two ways */
    if (!cup || cup == (char *)-1)
        return err_set(err, ERR_INVALID, "terminal '%s' cannot place its cursor", name);
    return true;
}

int term_colour_count(void)
{
    char capability[] = "colors";
    const int count = tigetnum(capability);
    return count > 0 ? count : 0;
}
