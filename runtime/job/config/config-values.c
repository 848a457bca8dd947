/* Parses values of settings: lists, numbers, module names. */
#include <string.h>

#include "config-settings.h"
#include "log-format.h"

bool darshan_next_item(struct darshan_slice *list, char separator, struct darshan_slice *item) {
  while (list->length > 0) {
    const char *end = memchr(list->at, separator, list->length);
    *item = (struct darshan_slice){list->at, end ? (size_t)(end - list->at) : list->length};
    size_t taken = item->length + (end != NULL);
    list->at += taken;
    list->length -= taken;
    if (item->length > 0) return true;
  }
  return false;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Parses the exponent after 'e', and limits it, because larger exponents give 0 or infinity.
 * Returns true, or false if there are no digits. */
static bool take_exponent(const char **at, const char *end, int *exponent) {
  bool negative = false;
  int value = 0;
  if (*at < end && (**at == '+' || **at == '-')) negative = *(*at)++ == '-';
  const char *start = *at;
  for (; *at < end && is_digit(**at); (*at)++)
    if (value < 1000) value = value * 10 + (**at - '0');
  *exponent += negative ? -value : value;
  return *at > start;
}

bool darshan_parse_number(struct darshan_slice text, double *value) {
  const char *at = text.at, *end = text.at + text.length;
  while (at < end && is_blank(*at))
    at++;
  while (end > at && is_blank(end[-1]))
    end--;
  bool negative = false, fraction = false;
  if (at < end && (*at == '+' || *at == '-')) negative = *at++ == '-';
  double mantissa = 0;
  int exponent = 0, digits = 0;
  for (; at < end && (is_digit(*at) || (*at == '.' && !fraction)); at++) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    mantissa = mantissa * 10 + (*at - '0');
    exponent -= fraction;
    digits++;
  }
  if (digits == 0) return false;
  if (at < end && (*at == 'e' || *at == 'E') && (at++, !take_exponent(&at, end, &exponent)))
    return false;
  if (at != end) return false;
  /* Divides by powers of ten, because division is exact to the last bit for common sizes and
   * fractions; multiplication by 0.1 is not. */
  double scale = 1;
  for (int i = exponent < 0 ? -exponent : exponent; i > 0 && mantissa > 0 && scale <= 1e308; i--)
    scale *= 10;
  mantissa = exponent < 0 ? mantissa / scale : mantissa * scale;
  *value = negative ? -mantissa : mantissa;
  return true;
}

bool darshan_parse_leading_integer(const char *text, int64_t *value) {
  while (is_blank(*text))
    text++;
  bool negative = *text == '-';
  if (*text == '+' || *text == '-') text++;
  if (!is_digit(*text)) return false;
  int64_t result = 0;
  for (; is_digit(*text); text++) {
    if (result > (INT64_MAX - 9) / 10) return false;
    result = result * 10 + (*text - '0');
  }
  *value = negative ? -result : result;
  return true;
}

#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes) {id, name},
static const struct {
  int id;
  const char *name;
} modules[] = {
#include "modules.def"
};
enum { NUM_MODULES = sizeof(modules) / sizeof(modules[0]) };

int darshan_module_named(struct darshan_slice name) {
  for (int i = 0; i < NUM_MODULES; i++)
    if (strlen(modules[i].name) == name.length &&
        memcmp(modules[i].name, name.at, name.length) == 0)
      return modules[i].id;
  return -1;
}

const char *darshan_module_text(int id) {
  for (int i = 0; i < NUM_MODULES; i++)
    if (modules[i].id == id) return modules[i].name;
  return NULL;
}
