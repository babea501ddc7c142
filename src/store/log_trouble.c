/* log_trouble.c - what is wrong with the log, in words. */
#include "clock.h"
#include "log_reader.h"
#include "schema.h"

enum { MS_PER_S = 1000 };

static void add_busy(const struct log_trouble *trouble, struct str *out)
{
    long long seconds = (long long)trouble->for_ms / MS_PER_S;
    str_addf(out, "log busy for %lld s (another devs", seconds);
    if (trouble->pid > 0)
        str_addf(out, ", pid %lld", (long long)trouble->pid);
    str_addf(out, "): shown data is %lld s old", seconds);
}

void log_trouble_words(const struct log_trouble *trouble, struct str *out)
{
    char hms[CLOCK_TEXT_MAX];
    switch (trouble->kind) {
    case LOG_TROUBLE_NONE:
        break;
    case LOG_TROUBLE_SPILLED:
        str_addf(out, "the log cannot be written since %s: %s. Runs go on, recorded in a spill log",
                 clock_hms(trouble->since_ms, hms), trouble->text);
        break;
    case LOG_TROUBLE_LEFT:
        str_addf(out, "the end of this run is in a spill log: devs gc --merge %s brings it in",
                 trouble->text);
        break;
    case LOG_TROUBLE_CUT_OFF:
        str_add(out, "the log was deleted, moved or replaced: this is what it held then");
        break;
    case LOG_TROUBLE_NEWER:
        str_addf(out, "this log was written by devs %s (schema %d, I know %d): read only",
                 trouble->text, trouble->schema, (int)SCHEMA_VERSION);
        break;
    case LOG_TROUBLE_STILL:
        str_add(out, "nothing can be written where the log is: read only, acts are refused");
        break;
    case LOG_TROUBLE_BUSY:
        add_busy(trouble, out);
        break;
    }
}
