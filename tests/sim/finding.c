#include "finding.h"

#include <stdarg.h>
#include <stdio.h>

bool finding_check(struct finding *finding, bool holds, const char *name, const char *fmt, ...)
{
    if (holds || finding->broken)
        return holds;
    finding->broken = true;
    (void)snprintf(finding->name, sizeof(finding->name), "%s", name);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(finding->words, sizeof(finding->words), fmt, args);
    va_end(args);
    return false;
}
