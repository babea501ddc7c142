/*
 * contract_uri.h - the URIs of $id and $ref (RFC 3986). Pure.
 */
#ifndef DEVS_CONTRACT_URI_H
#define DEVS_CONTRACT_URI_H

#include <stdbool.h>

#include "attr.h"
#include "str.h"

enum { CONTRACT_URI_MAX = 4096 }; /* bytes of a URI, as written and as resolved */

/* The reference as seen from `base` (RFC 3986, 5.2), without its fragment, appended to *out;
 * the fragment, with its percent codes read, to *fragment. False if one of them is too long. */
ATTR_MUST_USE bool contract_uri_resolve(const char *base, const char *reference, struct str *out,
                                        struct str *fragment);

#endif
