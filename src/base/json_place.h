/*
 * json_place.h - where in a JSON text something is. Pure.
 */
#ifndef DEVS_JSON_PLACE_H
#define DEVS_JSON_PLACE_H

#include <stddef.h>

/* Where the token begins that ends before text[end]: a string, or letters, digits and signs. */
size_t json_token_start(const char *text, size_t end);

#endif
