/* Makes processes from rows of the event file. A pid refers to the process that had it last. */
#include "processes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MOST_PLACES = 4096 };

/* --- places and pids ------------------------------------------------------------- */

/* Returns the index of a row's PID namespace and host in tree->places, and adds them if they are
 * new; -1 if out of memory. Beyond MOST_PLACES, returns the last index. */
static int place_of(struct run_tree *tree, const struct run_event *event) {
  int clock = clocks_take(&tree->clocks, event);
  for (size_t i = tree->num_places; i-- > 0;)
    if (tree->places[i].pid_namespace == event->pid_namespace &&
        strcmp(tree->places[i].host, event->host) == 0)
      return (int)i;
  if (tree->num_places == MOST_PLACES) return MOST_PLACES - 1;
  struct run_place *place =
      list_more((void **)&tree->places, tree->num_places, &tree->room_places, sizeof(*place));
  if (!place) return -1;
  place->pid_namespace = event->pid_namespace;
  place->ended = 0;
  place->clock = clock;
  memcpy(place->host, event->host, sizeof(place->host));
  return (int)tree->num_places++;
}

/* Returns the key of a pid, or of a token, within a place. place: index in tree->places. */
static uint64_t key_of(int place, uint32_t number) {
  return (uint64_t)place << 32 | number;
}

/* Returns the key of a fork. Tokens are small numbers that each process counts separately, so the
 * key also contains the pid. */
static uint64_t fork_key(int place, int32_t pid, uint32_t token) {
  return ((uint64_t)token << 32 | (uint32_t)pid) ^ (uint64_t)place * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t start_key(int32_t pid, int64_t start_ns) {
  return (uint64_t)start_ns ^ (uint64_t)(uint32_t)pid << 40;
}

/* Returns the index of the process that has this pid in this place, or had it last; -1 if no
 * process is known. */
static int current(const struct run_tree *tree, int place, int32_t pid) {
  return (int)map_get(&tree->by_pid, key_of(place, (uint32_t)pid));
}

/* Adds a process that now owns the pid in this place. Returns its index, or -1 if out of memory. */
static int add_process(struct run_tree *tree, int place, int32_t pid, int64_t start_ns) {
  struct run_process *process = list_more((void **)&tree->processes, tree->num_processes,
                                          &tree->room_processes, sizeof(*process));
  int64_t *known = map_at(&tree->by_pid, key_of(place, (uint32_t)pid));
  if (!process || !known) return -1;
  *process = (struct run_process){.pid = pid,
                                  .parent = -1,
                                  .place = place,
                                  .start_ns = start_ns,
                                  .status = -1,
                                  .first_program = -1,
                                  .last_program = -1,
                                  .first_part = -1,
                                  .last_part = -1,
                                  .rank = -1,
                                  .next_of_rank = -1};
  *known = (int64_t)tree->num_processes;
  return (int)tree->num_processes++;
}

/* Adds a program at the end of a process's list. process: index. Returns the program's index, or -1
 * if out of memory. */
static int add_program(struct run_tree *tree, int process, int64_t start_ns, const char *name) {
  struct run_program *program = list_more((void **)&tree->programs, tree->num_programs,
                                          &tree->room_programs, sizeof(*program));
  struct run_process *of = &tree->processes[process];
  int64_t *known = map_at(&tree->by_start, start_key(of->pid, start_ns));
  if (!program || !known) return -1;
  *program = (struct run_program){.start_ns = start_ns, .process = process, .next = -1};
  strncpy(program->name, name, sizeof(program->name) - 1);
  int number = (int)tree->num_programs++;
  if (*known < 0) *known = number;
  if (of->last_program >= 0)
    tree->programs[of->last_program].next = number;
  else
    of->first_program = number;
  of->last_program = number;
  of->programs++;
  return number;
}

int tree_program(const struct run_tree *tree, int32_t pid, int64_t start_ns) {
  int64_t found = map_get(&tree->by_start, start_key(pid, start_ns));
  if (found < 0) return -1;
  const struct run_program *program = &tree->programs[found];
  return program->start_ns == start_ns && tree->processes[program->process].pid == pid ? (int)found
                                                                                       : -1;
}

/* --- rows -------------------------------------------------------------------------- */

/* Sets the parent of process `number`. parent: its index, -1 if it is not in the run; then
 * parent_pid is stored. */
static void set_parent(struct run_tree *tree, int number, int parent, int32_t parent_pid) {
  struct run_process *process = &tree->processes[number];
  if (parent == number) parent = -1;
  process->parent = parent;
  process->parent_pid = parent >= 0 ? tree->processes[parent].pid : parent_pid;
}

/* Returns 1 if a START row belongs to process `number`, 0 if it belongs to a new process with the
 * same pid. */
static int is_same(const struct run_tree *tree, int number, const struct run_event *event) {
  if (number < 0) return 0;
  const struct run_process *process = &tree->processes[number];
  if (process->finished || process->was_reaped) return 0;
  if (process->execs || !process->told) return 1;
  /* The process became another program without an EXEC row. The alternative is rarer: a reused pid
   * without any row about the exit of the old process. */
  return event->token == 0 && event->parent == process->parent_pid;
}

/* Returns the index of the process that forked with this token; -1 if no process is known. Prefers
 * the parent in the row, which may be in another PID namespace, to the last process that used the
 * token. */
static int forker_of(const struct run_tree *tree, int place, const struct run_event *event) {
  int64_t forker = map_get(&tree->by_fork, fork_key(place, event->parent, event->token));
  for (size_t i = 0; forker < 0 && i < tree->num_places; i++)
    forker = map_get(&tree->by_fork, fork_key((int)i, event->parent, event->token));
  return (int)(forker < 0 ? map_get(&tree->by_token, key_of(place, event->token)) : forker);
}

/* Applies a FORKING row: remembers which process forks with this token. place: place_of the row.
 * Returns 0, or -1 if out of memory. */
static int forking(struct run_tree *tree, int place, const struct run_event *event) {
  int64_t *last = map_at(&tree->by_token, key_of(place, event->token));
  int64_t *forker = map_at(&tree->by_fork, fork_key(place, event->pid, event->token));
  if (!last || !forker) return -1;
  *last = *forker = current(tree, place, event->pid);
  return 0;
}

/* Applies a START row: adds the program, and its process if that is new. place: place_of the row.
 * Returns 0, or -1 if out of memory. */
static int started(struct run_tree *tree, int place, const struct run_event *event) {
  int64_t start = event->start_ns > 0 ? event->start_ns : event->now_ns;
  int number = current(tree, place, event->pid);
  int forker = event->token ? forker_of(tree, place, event) : -1;
  if (tree_program(tree, event->pid, start) >= 0) return 0; /* a duplicate row */
  if (!is_same(tree, number, event)) number = add_process(tree, place, event->pid, start);
  if (number < 0) return -1;
  struct run_process *process = &tree->processes[number];
  if (!process->told && process->parent < 0) {
    int parent = forker >= 0 ? forker : current(tree, place, event->parent);
    if (parent >= 0 || event->parent > 0 /* 0: in another namespace */)
      set_parent(tree, number, parent, event->parent);
  }
  if (!process->told && start < process->start_ns) process->start_ns = start;
  int forked = event->token != 0 && process->programs == 0;
  process->told = 1;
  if (process->unseen != RUN_GO)
    process->unseen = RUN_WATCHED; /* the process is instrumented, in contrast to an earlier row */
  process->execs = process->unkept = 0;
  int program = add_program(tree, number, start, event->program);
  if (program >= 0) tree->programs[program].forked = forked;
  if (program >= 0) tree->programs[program].launcher = event->status == 1;
  return program < 0 ? -1 : 0;
}

/* Applies a row in which a parent names a child: finds or adds the child. The child may write no
 * rows itself. The row may come before the child's first row, or after its exit. place: place_of
 * the row. Returns 0, or -1 if out of memory. */
static int spawned(struct run_tree *tree, int place, const struct run_event *event) {
  int number = current(tree, place, event->pid);
  int parent = current(tree, place, event->parent);
  if (number >= 0) {
    struct run_process *process = &tree->processes[number];
    int mine = process->parent_pid == event->parent || process->parent < 0;
    if (!process->spawned && (mine || !process->finished)) {
      process->spawned = 1;
      if (process->parent < 0 || !mine) set_parent(tree, number, parent, event->parent);
      return 0;
    }
    if (!process->finished && !process->was_reaped) return 0;
  }
  number = add_process(tree, place, event->pid, event->now_ns);
  if (number < 0) return -1;
  tree->processes[number].spawned = 1;
  set_parent(tree, number, parent, event->parent);
  return 0;
}

/* Returns the index of this parent's child in another PID namespace, where the child has another
 * pid. Returns -1 if no such child can have been reaped. */
static int reaped_elsewhere(const struct run_tree *tree, int place, const struct run_event *event) {
  for (size_t i = tree->num_places > 1 ? tree->num_processes : 0; i-- > 0;) {
    const struct run_process *child = &tree->processes[i];
    if (child->spawned && !child->was_reaped && child->parent_pid == event->parent &&
        child->place != place &&
        strcmp(tree->places[child->place].host, tree->places[place].host) == 0)
      return (int)i;
  }
  return -1;
}

/* Returns the index of the process with a row's pid whose end is not in the rows; adds a process if
 * there is none. reaped: 1 if the row reports that the parent has waited for the process. Returns
 * -1 if out of memory. */
static int living(struct run_tree *tree, int place, const struct run_event *event, int reaped) {
  int number = current(tree, place, event->pid);
  if (number >= 0) {
    const struct run_process *process = &tree->processes[number];
    if (!process->was_reaped && (reaped || !process->finished)) return number;
  }
  number = reaped ? reaped_elsewhere(tree, place, event) : -1;
  if (number >= 0) {
    set_parent(tree, number, current(tree, place, event->parent), event->parent);
    return number;
  }
  number = add_process(tree, place, event->pid, event->now_ns);
  if (number >= 0) set_parent(tree, number, current(tree, place, event->parent), event->parent);
  return number;
}

/* Stores the end of a process that its parent received by wait. */
static void was_reaped(struct run_process *process, const struct run_event *event) {
  process->was_reaped = process->finished = 1;
  process->reaped_ns = event->now_ns;
  process->how = WIFSIGNALED(event->status) ? PROCESS_SIGNALLED : PROCESS_EXITED;
  process->status =
      WIFSIGNALED(event->status) ? WTERMSIG(event->status) : WEXITSTATUS(event->status);
}

/* rest returns all - part, and 0 if that is negative or overflows. more adds a positive value to
 * *sum, at most up to INT64_MAX. */
static int64_t rest(int64_t all, int64_t part) {
  int64_t left;
  return __builtin_sub_overflow(all, part, &left) || left < 0 ? 0 : left;
}
static void more(int64_t *sum, int64_t value) {
  if (value > 0 && __builtin_add_overflow(*sum, value, sum)) *sum = INT64_MAX;
}

/* Stores the resource usage that the kernel reported when the parent waited. The storage bytes are
 * exact. The bytes of calls are the increase of the parent's own counters since the child began,
 * without the bytes of other children. */
static void was_used(struct run_tree *tree, struct run_process *process,
                     const struct run_event *event) {
  struct run_usage all, *own = &process->used;
  if (event->token != 1) return;
  memcpy(&all, event->program, sizeof(all));
  struct run_process *parent = process->parent < 0 ? NULL : &tree->processes[process->parent];
  if (parent) more(&parent->of_children.storage_read, all.storage_read);
  if (parent) more(&parent->of_children.storage_written, all.storage_written);
  own->storage_read = rest(all.storage_read, process->of_children.storage_read);
  own->storage_written = rest(all.storage_written, process->of_children.storage_written);
  process->cpu_ns = event->job <= INT64_MAX ? (int64_t)event->job : 0;
  process->was_used = 1;
  if (!process->has_base) {
    own->calls_read = own->calls_written = 0;
    return;
  }
  static const struct run_usage none;
  const struct run_usage *given = parent ? &parent->of_children : &none;
  own->calls_read =
      rest(rest(all.calls_read, own->calls_read), rest(given->calls_read, process->given[0]));
  own->calls_written = rest(rest(all.calls_written, own->calls_written),
                            rest(given->calls_written, process->given[1]));
  if (!parent) return;
  more(&parent->of_children.calls_read, own->calls_read);
  more(&parent->of_children.calls_written, own->calls_written);
}

/* Assigns to a new process the children whose rows came before its own first row. */
static void find_children(struct run_tree *tree, int number) {
  const struct run_process *found = &tree->processes[number];
  for (size_t i = 0; i < tree->num_processes; i++) {
    struct run_process *child = &tree->processes[i];
    if (child->parent < 0 && child->parent_pid == found->pid && child->place == found->place &&
        (int)i != number)
      child->parent = number;
  }
}

/* Clears the end of a process that became a program that is not instrumented. Its END row describes
 * only the end of its last instrumented program. Only its parent knows when and how the process
 * ended. */
static void goes_on(struct run_process *process) {
  process->finished = 0;
  process->end_ns = 0;
  process->how = PROCESS_END_UNKNOWN;
  process->status = -1;
}

/* Applies an UNWATCHED row: a process becomes, or is, a program that is not instrumented. place:
 * place_of the row. Returns 0, or -1 if out of memory. */
static int unwatched(struct run_tree *tree, int place, const struct run_event *event) {
  int number = current(tree, place, event->pid);
  int is_new = number < 0 || tree->processes[number].was_reaped;
  if (is_new) number = add_process(tree, place, event->pid, event->now_ns);
  if (number < 0) return -1;
  struct run_process *process = &tree->processes[number];
  int parent = current(tree, place, event->parent);
  if (process->parent < 0) set_parent(tree, number, parent, event->parent);
  process->unseen = event->status > RUN_WATCHED && event->status < RUN_SILENT
                        ? (uint8_t)event->status
                        : (uint8_t)RUN_SILENT;
  if (!is_new && event->status != RUN_GO) goes_on(process);
  process->spawned |= is_new; /* the parent of a fork also writes a row, perhaps later */
  if (event->token & 1) {
    process->has_base = 1;
    process->used.calls_read = event->start_ns;
    process->used.calls_written = event->job <= INT64_MAX ? (int64_t)event->job : INT64_MAX;
  }
  if (process->parent >= 0) {
    process->given[0] = tree->processes[process->parent].of_children.calls_read;
    process->given[1] = tree->processes[process->parent].of_children.calls_written;
  }
  if (event->token & 2) find_children(tree, number);
  if (event->status == RUN_GO || !event->program[0]) return 0;
  return add_program(tree, number, event->now_ns, event->program) < 0 ? -1 : 0;
}

/* Applies a row about a process that lives or lived until the time of the row: its exit, exec, MPI
 * job or lost records. place: place_of the row. Returns 0, or -1 if out of memory. */
static int tell(struct run_tree *tree, int place, const struct run_event *event) {
  int reaped = event->kind == RUN_REAPED;
  if (reaped && !WIFEXITED(event->status) && !WIFSIGNALED(event->status)) return 0;
  int number = living(tree, place, event, reaped);
  if (number < 0) return -1;
  struct run_process *process = &tree->processes[number];
  if (reaped) {
    was_reaped(process, event);
    was_used(tree, process, event);
  } else if (event->kind == RUN_EXEC) {
    process->execs = 1;
  } else if (event->kind == RUN_UNKEPT) {
    process->lost |= event->token == 1;
    process->unkept |= event->token == 0;
  } else if (event->kind == RUN_JOB) {
    process->job = event->job;
    process->job_ranks = event->status > 0 ? event->status : 1;
  } else {
    process->finished = 1;
    process->lost |= event->token == 1;
    process->unkept = 0;
    process->end_ns = event->now_ns;
    process->how = PROCESS_EXITED;
    process->status = event->status < 0 ? -1 : event->status & 0xff;
  }
  return 0;
}

int tree_take_row(void *context, const struct run_event *event) {
  struct run_tree *tree = context;
  int place = place_of(tree, event);
  if (place < 0) return -1;
  if (event->pid == 1 && event->pid_namespace &&
      (event->kind == RUN_START || event->kind == RUN_END))
    tree->places[place].ended = event->kind == RUN_END;
  if (event->kind == RUN_START) return started(tree, place, event);
  if (event->kind == RUN_SPAWNED) return spawned(tree, place, event);
  if (event->kind == RUN_FORK_FAILED) return 0;
  if (event->kind == RUN_UNWATCHED) return unwatched(tree, place, event);
  if (event->kind != RUN_FORKING) return tell(tree, place, event);
  return forking(tree, place, event);
}

/* --- parts --------------------------------------------------------------------------- */

/* Adds a program for a part whose start is in no row. The program is added to the process that had
 * the part's pid at that time. An unknown process is also added. Returns the index of the program,
 * or -1 if out of memory. */
static int program_of_pid(struct run_tree *tree, const struct run_part *part) {
  static const struct run_event nowhere = {.pid_namespace = 0};
  int number = -1;
  for (size_t i = 0; number < 0 && i < tree->num_places; i++) {
    number = current(tree, (int)i, part->pid);
    if (number < 0) continue;
    const struct run_process *process = &tree->processes[number];
    if (part->start_ns < process->start_ns ||
        (process->finished && process->end_ns && part->start_ns > process->end_ns))
      number = -1;
  }
  if (number < 0) {
    int place = tree->num_places ? 0 : place_of(tree, &nowhere);
    if (place >= 0) number = add_process(tree, place, part->pid, part->start_ns);
    if (number < 0) return -1;
    tree->processes[number].told = 1;
  }
  return add_program(tree, number, part->start_ns, "");
}

/* Appends part `number` to the parts of a process. */
static void link_part(struct run_tree *tree, struct run_process *process, int number) {
  if (process->last_part >= 0)
    tree->parts[process->last_part].next = number;
  else
    process->first_part = number;
  process->last_part = number;
  tree->parts[number].next = -1;
}

int tree_take_part(struct run_tree *tree, const struct run_part *part) {
  int program = tree_program(tree, part->pid, part->start_ns);
  struct run_part *kept =
      list_more((void **)&tree->parts, tree->num_parts, &tree->room_parts, sizeof(*kept));
  if (!kept) return -1;
  if (program < 0) program = program_of_pid(tree, part);
  if (program < 0) return -1;
  *kept = *part;
  kept->program = program;
  link_part(tree, &tree->processes[tree->programs[program].process], (int)tree->num_parts);
  tree->num_parts++;
  return 0;
}

int64_t tree_behind(const struct run_tree *tree, const struct run_process *process) {
  return clocks_behind(&tree->clocks, tree->places[process->place].clock);
}

void tree_set_clocks(struct run_tree *tree) {
  for (size_t i = 0; i < tree->num_processes; i++) {
    struct run_process *process = &tree->processes[i];
    int64_t behind = tree_behind(tree, process);
    process->start_ns += behind;
    if (process->end_ns) process->end_ns += behind;
    if (process->reaped_ns) process->reaped_ns += behind;
  }
}

void tree_free(struct run_tree *tree) {
  for (size_t i = 0; i < tree->num_parts; i++)
    free(tree->parts[i].journal);
  free(tree->processes);
  free(tree->programs);
  free(tree->parts);
  free(tree->places);
  map_free(&tree->by_pid);
  map_free(&tree->by_token);
  map_free(&tree->by_fork);
  map_free(&tree->by_start);
  *tree = (struct run_tree){.processes = NULL};
}
