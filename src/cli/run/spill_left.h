/*
 * spill_left.h - telling the person that the end of a run is in a spill (store/spill.h).
 */
#ifndef DEVS_SPILL_LEFT_H
#define DEVS_SPILL_LEFT_H

#include "place.h"

/* After the run: what its log lacks, and how to bring it in, on stderr; nothing if its log has
 * everything. */
void spill_left_tell(const struct place *place, const char *uid);

#endif
