/* Remembers the rules of return addresses whose unwind tables were read: most frames of a new stack
 * are those of stacks before. */
#ifndef DARSHAN_KNOWN_RULES_H
#define DARSHAN_KNOWN_RULES_H

#include "frame-rules.h"

/* The rules of a frame with this address. is_call: the address is a return address. returns: the
 * number of the register that has the caller's address. Takes no lock. Returns 1 if the rules are
 * known, else 0. */
int known_rules(uintptr_t address, int is_call, struct frame_rules *rules, uint64_t *returns);

/* Remembers the rules, unless they are of a kind for which there is no room. Takes no lock. */
void known_rules_add(uintptr_t address, int is_call, const struct frame_rules *rules,
                     uint64_t returns);

/* Forgets all rules, because code was unloaded. */
void known_rules_forget(void);

#endif
