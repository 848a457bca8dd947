/* Formats numbers for narrow columns of a terminal (values.h). */
#include "values.h"

#include <stdio.h>

const char *quantity_bytes(char out[QUANTITY_ROOM], double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  unsigned unit = 0;
  if (!(bytes >= 0)) return "?"; /* counters are untrusted and may be negative */
  while (bytes >= 999.5 && unit < 6 && (unit > 0 || bytes >= 1024)) {
    bytes /= 1024;
    unit++;
  }
  int digits = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  snprintf(out, QUANTITY_ROOM, "%.*f %s", digits, bytes, units[unit]);
  return out;
}

const char *quantity_seconds(char out[QUANTITY_ROOM], double value) {
  if (!(value >= 0 && value < 3.6e9)) return "?";
  if (value >= 99999.5)
    snprintf(out, QUANTITY_ROOM, "%.0f h", value / 3600);
  else if (value >= 0.9995 || value <= 0)
    snprintf(out, QUANTITY_ROOM, "%.*f s",
             value >= 99.95 || value <= 0 ? 0
             : value >= 9.995             ? 1
                                          : 2,
             value > 0 ? value : 0);
  else if (value >= 0.0009995)
    snprintf(out, QUANTITY_ROOM, "%.*f ms",
             value >= 0.09995    ? 0
             : value >= 0.009995 ? 1
                                 : 2,
             value * 1e3);
  else if (value >= 0.5e-6)
    snprintf(out, QUANTITY_ROOM, "%.0f \u00b5s", value * 1e6);
  else
    snprintf(out, QUANTITY_ROOM, "< 1 \u00b5s");
  return out;
}

const char *quantity_count(char out[QUANTITY_ROOM], int64_t value) {
  static const char units[] = "MGTP";
  double scaled = (double)value / 1e6;
  unsigned unit = 0;
  if (value < 10000000) {
    snprintf(out, QUANTITY_ROOM, "%lld", (long long)value);
    return out;
  }
  while (scaled >= 9999.5 && unit < 3) {
    scaled /= 1000;
    unit++;
  }
  snprintf(out, QUANTITY_ROOM, "%.0f%c", scaled, units[unit]);
  return out;
}

const char *quantity_ratio(char out[QUANTITY_ROOM], double part, double whole) {
  if (!(part > 0 && whole > 0)) return "-";
  double ratio = part / whole;
  if (ratio >= 9999999.5) return "> 1e7";
  snprintf(out, QUANTITY_ROOM, "%.*f", ratio >= 99.95 ? 0 : ratio >= 9.995 ? 1 : 2, ratio);
  return out;
}

const char *quantity_share(char out[QUANTITY_ROOM], double part, double whole) {
  /* Counters are untrusted: if `part` is larger than `whole`, prints no share. */
  if (!(whole > 0 && part >= 0 && part <= whole)) return "-";
  snprintf(out, QUANTITY_ROOM, "%.0f%%", 100 * part / whole);
  return out;
}

const char *quantity_percent(char out[QUANTITY_ROOM], double part, double whole) {
  if (!(whole > 0 && part >= 0)) return "-";
  double percent = 100 * part / whole;
  if (!(percent < 1e9)) return "-";
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  snprintf(out, QUANTITY_ROOM, "%.*f %%", percent < 99.95 ? 1 : 0, percent);
  return out;
}
