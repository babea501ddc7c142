#include <langinfo.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "exit_code.h"
#include "keys_text.h"

int cmd_keys(struct globals *globals, int argc, char **argv)
{
    struct command_line line = {.name = "keys", .max_operands = 0};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct str text = {0};
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    keymap_to_text(&text, globals->ascii || !utf8);
    (void)fputs(str_text(&text), stdout);
    str_done(&text);
    return EXIT_ALL_PASSED;
}
