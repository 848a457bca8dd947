/* The TEMPLATE module: one record for the process, and the wrappers of calls.def. */
#include <time.h>

#include "../../door/door.h"
#include "record-id.h"
#include "records.h"

#define CALLS "../modules/template/calls.def"
#include "../../intercept/declare-slots.h"

#include "../../intercept/wrap.h"

static struct {
  int lock; /* protects the record */
  uint32_t number;
} state;

int template_prepare(void) {
  state.lock = 0;
  state.number = NO_RECORD;
  store_guard(&darshan_store, &state.lock, 0);
  return 0;
}

/* Called in a forked child: forgets the parent's record. The child makes its own. */
void template_forked(void) {
  template_prepare();
}

/* Returns the record, which is made at the first call; NULL if it cannot be made. The caller holds
 * the lock. */
static struct darshan_template_record *record(void) {
  static const char name[] = "<sleeps>";
  struct record_store *store = &darshan_store;
  if (!state.number && store_lock(store)) {
    struct store_entry *entry =
        store_enter(store, darshan_hash(name, sizeof(name) - 1, 0), name, sizeof(name) - 1);
    state.number = store_record_number(store, STORE_TEMPLATE, entry);
    store_unlock(store);
  }
  return state.number ? store_record(store, STORE_TEMPLATE, state.number) : NULL;
}

/* Counts a sleep from t1 to t2 (ticks). */
static void template_slept(uint64_t t1, uint64_t t2) {
  record_make_room(STORE_TEMPLATE);
  if (!record_lock(&state.lock)) return;
  struct darshan_template_record *slept = record();
  if (slept) {
    double seconds = clock_length(ticks_span(t1, t2)),
           *longest = &slept->fcounters[TEMPLATE_F_LONGEST_SLEEP];
    slept->counters[TEMPLATE_SLEEPS]++;
    if (seconds > *longest) *longest = seconds;
  }
  record_unlock(&state.lock);
}

/* Macro that rows use in their column "find". */
#define ACTIVE                                                                                     \
  if (UNLIKELY(!darshan_hot.fd_limit)) FORWARD

#include "calls.def"
