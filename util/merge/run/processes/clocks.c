/* Computes the clock differences between the hosts of a run (processes.h). */
#include "processes.h"

#include <string.h>

/* Returns the index of a host, which is added if it is new; CLOCKS_MOST if the table is full. */
static int host_of(struct clocks *clocks, const char *name) {
  for (int i = clocks->count; i-- > 0;)
    if (strcmp(clocks->host[i].host, name) == 0) return i;
  if (clocks->count == CLOCKS_MOST) {
    clocks->more = 1;
    return CLOCKS_MOST;
  }
  struct host_clock *host = &clocks->host[clocks->count];
  *host = (struct host_clock){.low = INT64_MIN, .high = INT64_MAX};
  memcpy(host->host, name, sizeof(host->host));
  return clocks->count++;
}

int clocks_take(struct clocks *clocks, const struct run_event *event) {
  int number = host_of(clocks, event->host);
  if (number == CLOCKS_MOST) return number;
  struct host_clock *first = &clocks->host[0], *this = &clocks->host[number];
  int64_t now = event->now_ns;
  if (number > 0 && first->latest - now > this->low) this->low = first->latest - now;
  for (int i = 1; number == 0 && i < clocks->count; i++)
    if (now - clocks->host[i].latest < clocks->host[i].high)
      clocks->host[i].high = now - clocks->host[i].latest;
  if (now > this->latest) this->latest = now;
  return number;
}

static int is_bounded(const struct host_clock *host) {
  return host->low != INT64_MIN && host->high != INT64_MAX;
}

/* Returns the middle of low and high, in nanoseconds. low may be above high, because a file server
 * may reorder rows. */
static int64_t middle(const struct host_clock *host) {
  return host->low + (host->high - host->low) / 2;
}

/* Returns how many nanoseconds the clock of a host is behind the run's clock. Returns 0 if both may
 * be equal, and for a difference of more than a year, because no clock error is so large. */
int64_t clocks_behind(const struct clocks *clocks, int number) {
  static const int64_t year = INT64_C(365) * 24 * 3600 * 1000000000;
  if (number <= 0 || number >= clocks->count) return 0;
  const struct host_clock *host = &clocks->host[number];
  int64_t behind = 0;
  if (host->low > 0) behind = host->high == INT64_MAX ? host->low : middle(host);
  if (host->high < 0) behind = host->low == INT64_MIN ? host->high : middle(host);
  return behind > year || behind < -year ? 0 : behind;
}

int64_t clocks_error(const struct clocks *clocks, int number) {
  if (number == 0 && clocks->count) return 0;
  if (number < 0 || number >= clocks->count || !is_bounded(&clocks->host[number])) return -1;
  int64_t moved = clocks_behind(clocks, number);
  int64_t below = moved - clocks->host[number].low, above = clocks->host[number].high - moved;
  if (below < 0) below = -below;
  if (above < 0) above = -above;
  return below > above ? below : above;
}
