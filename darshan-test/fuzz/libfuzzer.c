/* The functions that libFuzzer calls: one reads an input, and one changes it. */
#include "mutate.h"
#include "target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Changes an input in place. Returns its new size, at most `room`. The fuzzer's own changes would
 * hardly ever get past the checksums of zlib. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_everything_from(data, size);
  return 0;
}

/* Changes the log `data` in place and returns its new size, at most `room`. The fuzzer's own
 * mutations would hardly ever get past the checksums of zlib. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
  uint64_t state = seed | 1ull << 32;
  struct bytes log = {NULL, 0};
  bytes_splice(&log, 0, 0, data, size);
  mutate_log(&log, &state);
  size_t n = log.size < room ? log.size : room;
  if (n) memcpy(data, log.data, n);
  bytes_free(&log);
  return n;
}
