/* Writes the record of each rank to the log, with the head before the first record. */
#include "apmpi-module.h"

#include <string.h>

#include "records.h"

/* Returns this rank's record in the journal with its head, or NULL if there is none. */
static struct apmpi_kept *kept(void) {
  if (store_fill(&darshan_store, STORE_APMPI).count == 0) return NULL;
  return store_record(&darshan_store, STORE_APMPI, 1);
}

int apmpi_times(double times[2]) {
  const struct apmpi_kept *own = kept();
  if (!own) return 0;
  times[0] = own->record.total_time;
  times[1] = own->record.total_sync_time;
  return 1;
}

void apmpi_agree(const double variances[2], int is_first) {
  struct apmpi_kept *own = kept();
  apmpi_state.without_head = !is_first;
  if (!own) return;
  own->head.variance_of_time = variances[0];
  own->head.variance_of_sync_time = variances[1];
}

void apmpi_add_part(struct log_content *content) {
  const struct apmpi_kept *own = kept();
  if (!own) return;
  const char *bytes = apmpi_state.without_head ? (const char *)&own->record : (const char *)own;
  size_t length = apmpi_state.without_head ? sizeof(own->record) : sizeof(*own);
  log_add_part(content, DARSHAN_MOD_APMPI, DARSHAN_VERSION_APMPI, bytes, length, 0, 0);
}
