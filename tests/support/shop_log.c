#include "shop_log.h"

#include "attr.h"
#include "shop_run.h"
#include "shop_story.h"

/* Writes three small runs of earlier days: one that passed, one that failed, one that was
 * killed. */
static bool write_earlier(const struct place *place, struct err *err)
{
    static const struct shop_step steps[3][9] = {
        {{0, "T-102", SHOP_START, 0, NULL},
         {60, "T-102", SHOP_PASS, 0, NULL},
         {61, "T-106", SHOP_START, 0, NULL},
         {200, "T-106", SHOP_PASS, 0, NULL},
         {201, NULL, SHOP_END_RUN, 0, NULL}},
        {{0, "T-105", SHOP_START, 0, NULL},
         {60, "T-105", SHOP_FAIL, SHOP_RATE_LIMIT, NULL},
         {60, "T-105", SHOP_WAIT, 90, NULL},
         {150, "T-105", SHOP_AGAIN, 0, NULL},
         {210, "T-105", SHOP_FAIL, SHOP_RATE_LIMIT, NULL},
         {210, "T-105", SHOP_GIVE_UP, 0, NULL},
         {211, NULL, SHOP_END_RUN, 1, NULL}},
        {{0, "T-101", SHOP_START, 0, NULL}, {300, "T-101", SHOP_SAY, 0, "reading src/cart.c\n"}},
    };
    static const struct {
        const char *ids, *phases;
        int64_t before_s;
    } runs[] = {{"T-102 T-106", "V", 86400 * 2}, {"T-105", "V", 86400}, {"T-101", "V", 16000}};
    for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
        struct shop_run run;
        bool ok = shop_run_begin(&run, place, runs[i].ids, runs[i].phases, -runs[i].before_s, err);
        for (size_t j = 0; ok && j < ARRAY_LEN(steps[i]) && steps[i][j].verb != SHOP_NOTHING; j++)
            ok = shop_run_step(&run, &steps[i][j], err);
        shop_run_done(&run);
        if (!ok)
            return false;
    }
    return true;
}

bool shop_log_write(const struct place *place, struct err *err)
{
    struct shop_run run;
    if (!write_earlier(place, err))
        return false;
    bool ok = shop_run_begin(&run, place, shop_story_ids, "RGVF", 0, err);
    for (size_t i = 0; ok && i < shop_story_count; i++)
        ok = shop_run_step(&run, &shop_story[i], err);
    shop_run_done(&run);
    return ok;
}
