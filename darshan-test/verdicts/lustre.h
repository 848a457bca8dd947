/* The files of slow.c's folder as if they lay on Lustre: what the kernel says of their file system
 * and of their layout.  A file is on the target that the digit at the end of its name tells.
 *
 *   SLOW_TARGETS  how many there are, ten at most; 0: no Lustre
 *   SLOW_TARGET   the slow one   SLOW_FACTOR  how many times as long its transfers take
 */
#ifndef VERDICTS_LUSTRE_H
#define VERDICTS_LUSTRE_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum { LUSTRE_SUPER_MAGIC = 0x0BD00BD0, LUSTRE_LAYOUT_MAGIC = 0x0BD10BD0, LUSTRE_TARGET_SHIFT = 2 };

static struct {
  unsigned targets, slow; /* slow: counted from 1 */
  double factor;
} lustre;

/* Layout of a file with one stripe, version 1. */
struct lustre_layout {
  uint32_t magic, pattern;
  uint64_t object, sequence;
  uint32_t stripe_size;
  uint16_t stripes, generation;
  uint64_t stripe_object, stripe_sequence;
  uint32_t stripe_generation, target;
};

static void lustre_start(void) {
  const char *targets = getenv("SLOW_TARGETS"), *slow = getenv("SLOW_TARGET");
  const char *factor = getenv("SLOW_FACTOR");
  lustre.targets = targets ? (unsigned)atoi(targets) : 0;
  lustre.slow = slow ? (unsigned)atoi(slow) + 1 : 0;
  lustre.factor = factor ? strtod(factor, NULL) : 1;
}

/* Returns the target, counted from 1; 0 if the file is not on Lustre. */
static unsigned lustre_target(const char *name) {
  if (!lustre.targets || !name || !*name) return 0;
  size_t length = strlen(name);
  return (unsigned char)name[length - 1] % 16 % lustre.targets + 1;
}

static double lustre_factor(unsigned target) {
  return target && target == lustre.slow ? lustre.factor : 1;
}

/* Returns the result of a call on a descriptor of the folder; kind: as slow.c records it. */
static long lustre_answer(int call, const greg_t *r, unsigned kind, long result) {
  unsigned target = kind >> LUSTRE_TARGET_SHIFT;
  if (!target) return result;
  if (call == SYS_fstatfs && result == 0)
    ((struct statfs *)(intptr_t)r[REG_RSI])->f_type = LUSTRE_SUPER_MAGIC;
  if (call != SYS_fgetxattr || strcmp((const char *)(intptr_t)r[REG_RSI], "lustre.lov") != 0)
    return result;
  struct lustre_layout layout = {.magic = LUSTRE_LAYOUT_MAGIC,
                                 .pattern = 1,
                                 .object = 1,
                                 .sequence = 2,
                                 .stripe_size = 1 << 20,
                                 .stripes = 1,
                                 .stripe_object = 1,
                                 .stripe_sequence = 2,
                                 .target = target - 1};
  if ((size_t)r[REG_R10] < sizeof layout) return result;
  memcpy((void *)(intptr_t)r[REG_RDX], &layout, sizeof layout);
  return sizeof layout;
}
#endif
