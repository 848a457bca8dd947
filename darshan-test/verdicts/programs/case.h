/* Main function of a program of the corpus: PROGRAM CASE [cured]. Any error ends the program. */
#ifndef VERDICTS_CASE_H
#define VERDICTS_CASE_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#define CASE_WORD inline
#else
#define CASE_WORD static inline
#endif

struct Case {
  const char *name;
  void (*run)(bool cured);
};

CASE_WORD void must(bool holds, const char *what) {
  if (holds) return;
  perror(what);
  exit(1);
}

CASE_WORD int run_case(int argc, char **argv, const struct Case *cases) {
  bool cured = argc == 3 && strcmp(argv[2], "cured") == 0;
  for (; argc >= 2 && cases->name; cases++)
    if (strcmp(cases->name, argv[1]) == 0) {
      cases->run(cured);
      return 0;
    }
  fprintf(stderr, "usage: %s CASE [cured]\n", argv[0]);
  return 2;
}
#endif
