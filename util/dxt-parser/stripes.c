/* Layouts of Lustre files (traces.h). Offsets and sizes in a log are untrusted, so their sums need
 * 128 bits. */
#include "records.h"
#include "traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stripes_open(struct stripes *stripes) {
  id_table_init(&stripes->layouts, sizeof(struct stripe_layout));
}

void stripes_close(struct stripes *stripes) {
  for (size_t i = 0; i < stripes->layouts.count; i++) {
    struct stripe_layout *layout = id_table_value(&stripes->layouts, i);
    free(layout->components);
  }
  id_table_free(&stripes->layouts);
}

/* Stores the components and targets of a LUSTRE record in *layout. Returns 0, or -1 if out of
 * memory. */
static int keep(struct stripe_layout *layout, const struct darshan_lustre_head *head) {
  const struct darshan_lustre_component *from = (const void *)(head + 1);
  size_t n = (size_t)head->num_comps, num_osts = (size_t)head->num_stripes;
  if (n == 0) return 0;
  layout->components = malloc(n * sizeof(*layout->components) + num_osts * sizeof(int64_t));
  if (!layout->components) return -1;
  int64_t *osts = (int64_t *)(layout->components + n);
  memcpy(osts, from + n, num_osts * sizeof(*osts));
  layout->num_components = n;
  for (size_t i = 0; i < n; i++) {
    const int64_t *counters = from[i].counters;
    layout->components[i] = (struct stripe_component){
        .start = counters[LUSTRE_COMP_EXT_START],
        .end = counters[LUSTRE_COMP_EXT_END],
        .size = counters[LUSTRE_COMP_STRIPE_SIZE],
        .count = counters[LUSTRE_COMP_STRIPE_COUNT],
        .osts = osts,
    };
    osts += counters[LUSTRE_COMP_STRIPE_COUNT];
  }
  return 0;
}

int stripes_load(struct stripes *stripes, darshan_log *log, struct darshan_error *error) {
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_LUSTRE, error);
  const void *record;
  size_t size;
  int result = records ? 1 : -1;
  while (result > 0) {
    result = darshan_records_next(records, &record, &size, error);
    if (result <= 0) break;
    const struct darshan_lustre_head *head = record;
    int is_new = 0;
    struct stripe_layout *layout = id_table_get(&stripes->layouts, head->base.id, &is_new);
    if (!layout || (is_new && keep(layout, head) != 0)) {
      snprintf(error->text, sizeof(error->text), "cannot read the stripes: out of memory");
      result = -1;
    }
  }
  darshan_records_close(records);
  return result;
}

const struct stripe_layout *stripes_find(const struct stripes *stripes, uint64_t id) {
  return id_table_find(&stripes->layouts, id);
}

void stripes_begin(struct stripe_walk *walk, const struct stripe_layout *layout, int64_t offset,
                   int64_t length) {
  *walk = (struct stripe_walk){
      .layout = layout, .at = offset, .stop = (__int128)offset + length, .inside = false};
}

/* Moves the walk to the stripe of this component at the current offset. Returns false if the offset
 * is outside of the component or the component is invalid. */
static bool enter(struct stripe_walk *walk, const struct stripe_component *component) {
  if (component->count < 1 || component->size < 1 || walk->at < component->start) return false;
  if (component->end != -1 && walk->at >= component->end) return false;
  walk->local = walk->at - component->start;
  walk->index = (int64_t)(walk->local / component->size % component->count);
  return true;
}

/* Skips the rest of the component, because all of its targets have been returned. */
static void skip_rest(struct stripe_walk *walk, const struct stripe_component *component) {
  walk->at = component->end == -1 ? walk->stop : component->end;
  walk->inside = false;
  walk->component++;
}

bool stripes_next(struct stripe_walk *walk, int64_t *ost) {
  while (walk->component < walk->layout->num_components) {
    const struct stripe_component *component = &walk->layout->components[walk->component];
    if (!walk->inside) walk->inside = enter(walk, component);
    bool touches = walk->inside && walk->at < walk->stop &&
                   (component->end == -1 || walk->at < component->end);
    if (!touches) {
      walk->inside = false;
      walk->component++;
      continue;
    }
    *ost = component->osts[walk->index];
    walk->index = walk->index + 1 == component->count ? 0 : walk->index + 1;
    walk->local = (walk->local / component->size + 1) * component->size;
    walk->at = component->start + walk->local;
    if (++walk->printed >= component->count) skip_rest(walk, component);
    return true;
  }
  return false;
}
