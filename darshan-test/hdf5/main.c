/* Runs one case of facts.h in the current folder: hdf5-cases NAME */
#include "facts.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {
#define ROW(name) {#name, case_##name},
    HDF5_CASES(ROW)
#undef ROW
};

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++) {
    if (strcmp(argv[1], cases[i].name) != 0) continue;
    cases[i].run();
    return 0;
  }
  fprintf(stderr, "usage: %s CASE\n", argv[0]);
  return 2;
}
