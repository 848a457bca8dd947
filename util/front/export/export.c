/* Reads journals at intervals and exports sums for `darshan watch --export` (export.h). */
#define _GNU_SOURCE
#include "export.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../message.h"

enum { BILLION = 1000000000, LAST_WORDS = 2 /* seconds for the last delivery */ };

/* Looks and listings that take long are made less often, so that each kind uses at most 1/200 of a
 * core; but at most 10 seconds lie between two looks, even if a look takes more than 50 ms of
 * processor time. Sums are exported after 5 seconds even if they have not changed. */
static const double pause_per_cost = 200, longest_pause = 10, unchanged_for = 5; /* seconds */

/* The state of the export. Times are monotonic seconds. */
struct exporter {
  struct export_options *options;
  struct followed followed;
  double next_listing, exported; /* times: of the next listing; of the last export to all */
  unsigned long changed;         /* number of the last look in which a sum changed */
  uint64_t skipped;              /* files that were skipped so far */
  int64_t began_ns;              /* start of this program, since the epoch */
  char *said; /* for each folder: 1 after a message that the folder cannot be read */
};

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int64_t wall_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * BILLION + now.tv_nsec;
}

/* Lists all folders. Prints a message when a folder becomes unreadable. Returns how many folders
 * could be read. */
static int list_folders(struct exporter *exporter) {
  int read = 0;
  for (int i = 0; i < exporter->options->num_folders; i++) {
    const char *folder = exporter->options->folders[i];
    int failed = listing_find(&exporter->followed, folder) != 0;
    if (failed && !exporter->said[i])
      say("cannot read the folder %s: %s", say_path(folder), strerror(errno));
    exporter->said[i] = (char)failed;
    read += !failed;
  }
  return read;
}

/* Returns 1 if a sum changed in this look, or a further file was skipped; otherwise 0. */
static int has_changed(struct exporter *exporter) {
  const struct sums *sums = &exporter->followed.sums;
  uint64_t skipped = exporter->skipped;
  exporter->skipped = 0;
  for (int i = 0; i < SKIPPED_REASONS; i++)
    exporter->skipped += exporter->followed.skipped[i];
  if (exporter->skipped != skipped) return 1;
  for (size_t i = 0; i < sums->exported; i++)
    if (sums->all[i]->changed == sums->look) return 1;
  return 0;
}

/* If the receiver is ready, makes its text and passes it to the delivering process. If that fails,
 * prints why and marks the receiver as broken. If the receiver is not ready, does nothing, and the
 * receiver gets a later text. */
static void export_to(struct exporter *exporter, struct delivery *delivery) {
  struct export_view view = {.followed = &exporter->followed,
                             .now_ns = wall_ns(),
                             .began_ns = exporter->began_ns,
                             .processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
  size_t length = 0;
  if (!delivery_is_ready(delivery)) return;
  view.since = delivery->has_failed ? 0 : delivery->sent;
  for (int i = 0; i < exporter->options->num_deliveries; i++)
    view.processor += exporter->options->deliveries[i].processor;
  if (gethostname(view.host, sizeof(view.host) - 1) != 0) strcpy(view.host, "unknown");
  char *text = delivery->form == DELIVER_PROMETHEUS ? format_prometheus(&view, &length)
               : delivery->form == DELIVER_OTLP     ? format_otlp(&view, &length)
                                                    : format_ldms(&view, &length);
  delivery->sent = exporter->followed.sums.look;
  if (text && length > 0 && delivery_hand_over(delivery, text, length) != 0) {
    say("cannot export to %s: %s", say_path(delivery->place), strerror(errno));
    delivery->is_broken = 1;
  }
  free(text);
}

/* Exports the sums to each receiver that does not have the last change. After `unchanged_for`
 * seconds without an export to all, or if is_last is 1, exports them to all receivers, so that
 * these see that this program is running. */
static void export_all(struct exporter *exporter, int is_last) {
  struct export_options *options = exporter->options;
  const struct sums *sums = &exporter->followed.sums;
  int is_due = is_last || exporter->followed.now - exporter->exported >= unchanged_for;
  if (has_changed(exporter)) exporter->changed = sums->look;
  if (is_due) exporter->exported = exporter->followed.now;
  for (int i = 0; i < options->num_deliveries; i++) {
    struct delivery *delivery = &options->deliveries[i];
    if (is_due || delivery->sent < exporter->changed || !delivery->sent)
      export_to(exporter, delivery);
  }
}

/* Reads the journals once and exports the sums. If is_last is 1, lists all folders and exports to
 * all receivers. Returns the seconds until the next look, or -1 if the first look could read no
 * folder. */
static double look(struct exporter *exporter, int is_last) {
  double now = seconds_of(CLOCK_MONOTONIC), before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  int lists = now >= exporter->next_listing || is_last;
  followed_begin_look(&exporter->followed, now, lists);
  if (lists && list_folders(exporter) == 0 && exporter->followed.sums.look == 1) return -1;
  double listed = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  double cost = listed - before - exporter->followed.large_cost;
  if (lists) exporter->next_listing = now + cost * pause_per_cost;
  double large = exporter->followed.large_cost;
  followed_read(&exporter->followed);
  export_all(exporter, is_last);
  cost = seconds_of(CLOCK_THREAD_CPUTIME_ID) - listed - (exporter->followed.large_cost - large);
  double pause = cost * pause_per_cost;
  if (pause > longest_pause) pause = longest_pause;
  if (pause < exporter->options->interval) pause = exporter->options->interval;
  double left = now + pause - seconds_of(CLOCK_MONOTONIC);
  return left > 0 ? left : 0;
}

/* Waits for `seconds` seconds or until a signal. Signals are blocked everywhere else, so none is
 * missed between a look and the wait. */
static void wait_for(const sigset_t *unblocked, double seconds) {
  struct timespec length = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  ppoll(NULL, 0, &length, unblocked);
}

static int is_broken(const struct export_options *options) {
  for (int i = 0; i < options->num_deliveries; i++)
    if (options->deliveries[i].is_broken) return 1;
  return 0;
}

/* Ends the deliveries. Waits up to two seconds for each process that is delivering. If a signal
 * ends the program, makes a last look then, waits up to two seconds for the delivery of its text,
 * and removes the file for Prometheus, because its numbers would otherwise seem current for
 * ever. */
static void finish(struct exporter *exporter) {
  struct export_options *options = exporter->options;
  int is_last = *options->interrupted, patience[EXPORT_PLACES];
  for (int i = 0; i < options->num_deliveries; i++)
    patience[i] = delivery_wait(&options->deliveries[i], LAST_WORDS) ? LAST_WORDS : 0;
  if (is_last) look(exporter, 1);
  /* Ends the processes in reverse order, because a process that was started later has inherited the
   * pipes of the earlier ones. */
  for (int i = options->num_deliveries; i-- > 0;) {
    struct delivery *delivery = &options->deliveries[i];
    int is_idle = delivery_wait(delivery, patience[i]);
    delivery_end(delivery);
    if (is_last && is_idle && delivery->form == DELIVER_PROMETHEUS) unlink(delivery->place);
  }
}

int export_run(struct export_options *options) {
  struct exporter exporter = {.options = options, .began_ns = wall_ns()};
  sigset_t blocked, unblocked;
  int status = 0;
  exporter.said = calloc((size_t)options->num_folders + 1, 1);
  signal(SIGPIPE, SIG_IGN);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &unblocked);
  for (int i = 0; i < options->num_deliveries; i++)
    if (delivery_start(&options->deliveries[i]) != 0) {
      say("cannot export to %s: cannot start a process: %s", say_path(options->deliveries[i].place),
          strerror(errno));
      return 1;
    }
  if (!exporter.said || followed_init(&exporter.followed, options->limit) != 0) {
    say("--export: cannot follow journals: out of memory");
    return 1;
  }
  for (long i = 1; !*options->interrupted && !status; i++) {
    double pause = look(&exporter, i == options->looks);
    if (pause < 0 || is_broken(options)) status = 1;
    if (status || i == options->looks) break;
    wait_for(&unblocked, pause);
  }
  finish(&exporter);
  followed_free(&exporter.followed);
  free(exporter.said);
  return status;
}
