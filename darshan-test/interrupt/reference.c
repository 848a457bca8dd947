/* The runs to compare with: the same program, with the same action at an instruction outside the
 * runtime. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"
#include "target.h"

static const struct {
  const char *kind;
  int action;
  const char *words;
} knowns[] = {
#define KNOWN(kind, action, words) {kind, action, words},
#include "known.def"
#undef KNOWN
};

const char *known_words(const char *kind, int action) {
  for (size_t i = 0; i < sizeof(knowns) / sizeof(knowns[0]); i++)
    if (knowns[i].action == action && strcmp(knowns[i].kind, kind) == 0) return knowns[i].words;
  return NULL;
}

static int signal_of(int action) {
  return action == ACTION_KILL ? SIGKILL : SIGUSR1;
}

int let_happen(struct process *process, int action) {
  enum stop stop = process_go(process, signal_of(action));
  if (stop == STOP_HUNG) return -1;
  return process_finish(process);
}

/* Runs the program, performs the action where `which` says, and stores the result in
 * judge->reference[which]. For AFTER_CALL, does so only if the call returns. Returns 0, or -1 if
 * the program did not start or hangs. */
static int take_reference(struct judge *judge, const struct place *place, const char *kind,
                          enum reference which) {
  struct process process;
  int action = which == EXIT_BEFORE ? ACTION_EXIT : judge->action;
  result_clean(place);
  if (process_start(&process, place, kind, action) < 0) return -1;
  int there = 1, result;
  if (which == AFTER_CALL) there = process_go(&process, 0) == STOP_MARK && process.mark == 2;
  if (!there || which == NO_SIGNAL)
    result = process_finish(&process);
  else
    result = let_happen(&process, action);
  if (result < 0) process_kill(&process);
  if (result < 0 || !there) return result;
  result_read(&judge->reference[which], place, process.status, action == ACTION_KILL, NULL);
  judge->have[which] = 1;
  return 0;
}

int take_references(struct judge *judge, const struct place *place, const char *kind, int action) {
  *judge = (struct judge){.action = action};
  if (take_reference(judge, place, kind, BEFORE_CALL) < 0) return -1;
  if (take_reference(judge, place, kind, AFTER_CALL) < 0) return -1;
  int ends = !judge->have[AFTER_CALL]; /* the call does not return */
  if ((ends || action == ACTION_IO || action == ACTION_FORK) &&
      take_reference(judge, place, kind, NO_SIGNAL) < 0)
    return -1;
  if (ends && take_reference(judge, place, kind, EXIT_BEFORE) < 0) return -1;
  for (int i = 0; i < REFERENCES; i++)
    if (judge->have[i] && judge->reference[i].problem[0]) {
      printf("%s %c: reference %d: %s\n", kind, action, i, judge->reference[i].problem);
      return -1;
    }
  return 0;
}

/* Performs the action while another library is at work: before the first or after the last
 * instruction of the library's call to the runtime. Stores the result in judge->reference[which].
 * Returns 0, or -1 if the program did not reach this instruction, or its result has an error. */
static int take_reference_within(struct judge *judge, const struct place *place, const char *kind,
                                 const struct trace *trace, size_t at, enum reference which) {
  const char *known = known_words(kind, judge->action);
  struct process process;
  result_clean(place);
  if (process_start(&process, place, kind, judge->action) < 0) return -1;
  uint64_t address = trace->code[0] + trace->address[at];
  enum stop stop = process_go_to(&process, address, trace->n[at]);
  if (stop == STOP_POINT && which == AFTER_CALL) stop = process_step(&process);
  if ((stop != STOP_POINT && stop != STOP_STEP) || let_happen(&process, judge->action) < 0) {
    process_kill(&process);
    return -1;
  }
  struct result *result = &judge->reference[which];
  result_read(result, place, process.status, judge->action == ACTION_KILL, known);
  judge->have[which] = !result->problem[0];
  return judge->have[which] ? 0 : -1;
}

/* Stores both results, of the action before and after call number `call` of the library. Returns 0,
 * or -1 if three attempts fail; it repeats them because results that depend on time may differ. */
static int take_references_within(struct judge *judge, const struct place *place, const char *kind,
                                  int action, const struct trace *trace, uint32_t call) {
  size_t first = 0, last;
  while (first < trace->length && trace->call[first] != call)
    first++;
  for (last = first; last + 1 < trace->length && trace->call[last + 1] == call;)
    last++;
  for (int attempt = 0; attempt < 3; attempt++) {
    *judge = (struct judge){.action = action};
    if (take_reference_within(judge, place, kind, trace, first, BEFORE_CALL) == 0 &&
        take_reference_within(judge, place, kind, trace, last, AFTER_CALL) == 0)
      return 0;
  }
  return -1;
}

int is_of_the_library(const struct result *result, const struct place *place, const char *kind,
                      int action, const struct trace *trace) {
  enum { CALLS = 16 };
  static struct judge within[CALLS]; /* of this kind and action */
  static int taken[CALLS];
  char why[512];
  uint32_t calls = 0;
  for (size_t i = 0; i < trace->length; i++)
    if (trace->call[i] > calls) calls = trace->call[i];
  for (uint32_t call = 1; call <= calls && call < CALLS; call++) {
    if (!taken[call])
      taken[call] =
          take_references_within(&within[call], place, kind, action, trace, call) == 0 ? 1 : -1;
    if (taken[call] == 1 && judge_says(&within[call], result, why, sizeof(why))) return 1;
  }
  return 0;
}
