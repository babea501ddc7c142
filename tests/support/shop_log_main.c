/* shop_log_main.c - shop_log FILE: writes a new run log, see shop_log.h. */
#include <stdio.h>

#include "shop_log.h"

int main(int argc, char **argv)
{
    struct err err = {0};
    struct place place;
    if (argc == 2 && place_find(argv[1], true, &place, &err) && shop_log_write(&place, &err))
        return 0;
    (void)fprintf(stderr, "shop_log: %s\n", argc == 2 ? err.message : "shop_log FILE");
    return 1;
}
