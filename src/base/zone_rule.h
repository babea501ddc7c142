/*
 * zone_rule.h - the rule at the end of a zone file, which holds for all times
 * after the last change that the file lists: "CET-1CEST,M3.5.0,M10.5.0/3"
 * (POSIX TZ as RFC 8536 extends it). Pure.
 */
#ifndef DEVS_ZONE_RULE_H
#define DEVS_ZONE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"

/* `rule` stands between two line feeds. False if it is none. */
ATTR_MUST_USE bool zone_rule_offset(const char *rule, size_t len, int64_t at_s, int *offset_s_out);

#endif
