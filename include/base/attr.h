/*
 * attr.h - compiler attributes and ARRAY_LEN().
 */
#ifndef DEVS_ATTR_H
#define DEVS_ATTR_H

#define ATTR_MUST_USE           __attribute__((warn_unused_result))
#define ATTR_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* Number of elements of an array. Does not work for pointers. */
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
