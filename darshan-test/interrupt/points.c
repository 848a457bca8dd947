/* The points at which the process is stopped: every instruction that one call executes inside the
 * runtime. */
#include "driver.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void append(struct trace *trace, uint32_t address, int blocked, uint32_t call) {
  if (trace->length == trace->room) {
    trace->room = trace->room ? 2 * trace->room : 1 << 16;
    trace->address = realloc(trace->address, trace->room * sizeof(*trace->address));
    trace->blocked = realloc(trace->blocked, trace->room);
    trace->call = realloc(trace->call, trace->room * sizeof(*trace->call));
    if (!trace->address || !trace->blocked || !trace->call) abort();
  }
  trace->address[trace->length] = address;
  trace->call[trace->length] = call;
  trace->blocked[trace->length++] = (char)blocked;
}

/* Returns the address of the mark after the call, at which stepping ends; 0 on failure. */
static uint64_t end_of_call(const struct place *place, const char *kind, int action) {
  struct process process;
  uint64_t end = 0;
  result_clean(place);
  if (process_start(&process, place, kind, action) < 0) return 0;
  if (process_go(&process, 0) == STOP_MARK) end = process.instruction;
  process_kill(&process);
  return end;
}

/* Fills the field n of the trace: numbers the executions of each address. */
static void number(struct trace *trace) {
  uint32_t *times = calloc(trace->code[1] - trace->code[0], sizeof(*times));
  trace->n = malloc((trace->length + 1) * sizeof(*trace->n));
  if (!times || !trace->n) abort();
  for (size_t i = 0; i < trace->length; i++)
    trace->n[i] = ++times[trace->address[i]];
  free(times);
}

/* The stack frames below the current instruction. A frame is given by the stack pointer at its
 * first instruction; 0 means that there is none. */
struct below {
  uint64_t program[2]; /* the program's code: its first address, and that after its end */
  uint64_t library;    /* the outermost function outside program and runtime; 0: none */
  uint64_t runtime;    /* the runtime's function that the library called; 0: none */
  uint32_t calls;      /* of the library to the runtime, so far */
  int in_runtime;      /* whether the previous step was in the runtime */
};

static int is_in(const uint64_t range[2], uint64_t address) {
  return address >= range[0] && address < range[1];
}

/* Returns 1 if the function of this frame has returned, because the stack pointer is above the
 * frame; otherwise 0. A large distance means that sp belongs to another stack. */
static int has_returned(uint64_t frame, uint64_t sp) {
  enum { ANOTHER_STACK = 1 << 20 };
  return sp > frame && sp - frame < ANOTHER_STACK;
}

/* Updates `below` before each instruction. Returns the index of the library's call to the runtime;
 * 0 if the program itself called the runtime. */
static uint32_t look_below(struct below *below, const struct process *process, int in_runtime) {
  int in_library = !in_runtime && !is_in(below->program, process->instruction);
  int crossed = in_runtime != below->in_runtime;
  below->in_runtime = in_runtime;
  if (crossed || in_library == !below->library) {
    uint64_t sp = process_stack_pointer(process);
    if (!below->library)
      below->library = in_library ? sp : 0;
    else if (!in_library && has_returned(below->library, sp))
      below->library = below->runtime = 0;
    else if (in_library && below->runtime && has_returned(below->runtime, sp))
      below->runtime = 0;
    /* A wrapper that jumps to the real function does not return itself. */
    else if (crossed && in_runtime && (!below->runtime || has_returned(below->runtime, sp + 1)))
      below->runtime = sp, below->calls++;
  }
  return below->library && below->runtime ? below->calls : 0;
}

int trace_take(struct trace *trace, const struct place *place, const char *kind, int action) {
  struct process process;
  struct below below = {0};
  *trace = (struct trace){0};
  uint64_t end = end_of_call(place, kind, action), *code = trace->code;
  result_clean(place);
  if (process_start(&process, place, kind, action) < 0) return -1;
  if (process_code(&process, place->runtime, code) < 0 ||
      process_code(&process, place->program, below.program) < 0) {
    process_kill(&process);
    return -1;
  }
  pid_t thread = process.thread;
  process_take_your_time();
  while (process_step(&process) == STOP_STEP && process.thread == thread &&
         process.instruction != end) {
    uint64_t at = process.instruction;
    uint32_t call = look_below(&below, &process, is_in(code, at));
    if (is_in(code, at))
      append(trace, (uint32_t)(at - code[0]), process_blocks(&process, SIGUSR1), call);
  }
  process_kill(&process);
  number(trace);
  return trace->length ? 0 : -1;
}

void trace_free(struct trace *trace) {
  free(trace->address);
  free(trace->blocked);
  free(trace->call);
  free(trace->n);
}

/* Returns the point for the index `place` of the trace that needs the fewest stops. The n-th
 * execution of an address costs n stops. If n is large, the process first runs to a rarer
 * instruction shortly before it. */
static struct point point_at(const struct trace *trace, size_t place) {
  enum { FEW = 12, FAR = 200000 };
  uint32_t address = trace->address[place], between = 0;
  struct point best = {.address = address, .n = trace->n[place]};
  uint32_t cost = best.n;
  if (cost <= FEW) return best;
  for (size_t i = place; i-- > 0 && place - i < FAR && between < cost;) {
    if (trace->address[i] == address) {
      between++;
      continue;
    }
    if (trace->n[i] + between + 1 < cost) {
      cost = trace->n[i] + between + 1;
      best = (struct point){address, between + 1, trace->address[i], trace->n[i]};
    }
  }
  return best;
}

struct times { /* of one address: only executions that qualify */
  uint32_t counted, seen;
};

void points_choose(struct points *points, const struct trace *trace, int with_handlers) {
  struct times *times = calloc(trace->code[1] - trace->code[0], sizeof(*times));
  *points = (struct points){malloc((3 * trace->length + 1) * sizeof(*points->point)), 0, 0};
  if (!times || !points->point) abort();
  for (size_t i = 0; i < trace->length; i++)
    times[trace->address[i]].counted += !(with_handlers && trace->blocked[i]);
  for (size_t i = 0; i < trace->length; i++) {
    struct times *of = &times[trace->address[i]];
    if (with_handlers && trace->blocked[i]) continue;
    uint32_t n = ++of->seen;
    points->addresses += n == 1;
    if (n == 1 || n == of->counted || n == (of->counted + 1) / 2)
      points->point[points->count++] = point_at(trace, i);
  }
  free(times);
}
