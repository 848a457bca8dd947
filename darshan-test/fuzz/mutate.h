/* Changes logs at random: bytes of the file, of its header or of its annex, or the content of a
 * region before compression. */
#ifndef DARSHAN_FUZZ_MUTATE_H
#define DARSHAN_FUZZ_MUTATE_H

#include "frame.h"

/* Returns the next number of a reproducible random sequence. *state begins with the seed, which
 * must not be 0, and is advanced. */
uint64_t mutate_random(uint64_t *state);
/* Makes one to four random changes to a log, whose size may change. *state: of mutate_random. */
void mutate_log(struct bytes *log, uint64_t *state);

#endif
