/* Formats numbers as decimal text. Digits are converted in pairs, from a table. A fraction is
 * multiplied exactly, in 128 bits, and then rounded to the digits that are printed. snprintf
 * formats numbers from 2^53 on, infinities and NaN. */
#include "numbers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PAIRS(tens)                                                                                \
  tens "0" tens "1" tens "2" tens "3" tens "4" tens "5" tens "6" tens "7" tens "8" tens "9"
static const char pairs[] = PAIRS("0") PAIRS("1") PAIRS("2") PAIRS("3") PAIRS("4") PAIRS("5")
    PAIRS("6") PAIRS("7") PAIRS("8") PAIRS("9");

/* Writes the decimal digits of `value` so that the last one is at end[-1]. Returns the address of
 * the first digit. */
static inline char *digits_before(char *end, uint64_t value) {
  while (value >= 100) {
    end -= 2;
    memcpy(end, pairs + 2 * (value % 100), 2);
    value /= 100;
  }
  if (value >= 10) {
    end -= 2;
    memcpy(end, pairs + 2 * value, 2);
  } else {
    *--end = (char)('0' + value);
  }
  return end;
}

char *number_unsigned(char *to, uint64_t value) {
  if (value < 10) {
    *to = (char)('0' + value);
    return to + 1;
  }
  char digits[20];
  char *p = digits_before(digits + sizeof(digits), value);
  size_t n = (size_t)(digits + sizeof(digits) - p);
  memcpy(to, p, n);
  return to + n;
}

char *number_signed(char *to, int64_t value) {
  if (value >= 0) return number_unsigned(to, (uint64_t)value);
  *to++ = '-';
  return number_unsigned(to, -(uint64_t)value);
}

/* Returns fraction * scale / 2^shift, rounded half to even. fraction must be below 2^53, scale at
 * most 10^6. */
static inline uint64_t scaled(uint64_t fraction, int shift, uint64_t scale) {
  /* fraction * 10^6 is below 2^73, which is half of 2^74, so the result is 0. */
  if (shift > 73) return 0;
  unsigned __int128 product = (unsigned __int128)fraction * scale;
  unsigned __int128 one = (unsigned __int128)1 << shift;
  uint64_t quotient = (uint64_t)(product >> shift);
  unsigned __int128 rest = product & (one - 1), half = one >> 1;
  return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/* The decimal parts of a double: `whole`, and `parts` in units of 1 / scale. */
struct decimal {
  bool negative;
  uint64_t whole, parts;
};

/* Splits a double into whole and parts, rounded to 1 / scale. Returns true; false for 2^53 and
 * larger values, infinity and NaN. */
static inline bool to_decimal(struct decimal *out, double value, uint64_t scale) {
  enum { MANTISSA_BITS = 52, BIAS = 1023 };
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  uint64_t magnitude = bits << 1 >> 1;
  int exponent = (int)(magnitude >> MANTISSA_BITS) - BIAS;
  if (exponent > MANTISSA_BITS) return false;
  *out = (struct decimal){.negative = bits != magnitude};
  if (magnitude == 0) return true;
  /* The value is mantissa / 2^shift. Subnormals lack the leading one. The missing one makes no
   * difference, because subnormals are smaller than any printed digit. */
  uint64_t one = UINT64_C(1) << MANTISSA_BITS;
  uint64_t mantissa = (magnitude & (one - 1)) | one;
  int shift = MANTISSA_BITS - exponent;
  if (exponent < 0) {
    out->parts = scaled(mantissa, shift, scale);
  } else {
    out->whole = mantissa >> shift;
    if (shift) out->parts = scaled(mantissa & ((UINT64_C(1) << shift) - 1), shift, scale);
  }
  if (out->parts >= scale) {
    out->parts -= scale;
    out->whole++;
  }
  return true;
}

char *number_fixed(char *to, double value) {
  struct decimal number;
  if (!to_decimal(&number, value, 1000000)) return to + snprintf(to, NUMBER_MAX, "%f", value);
  if (number.negative) *to++ = '-';
  to = number_unsigned(to, number.whole);
  uint32_t parts = (uint32_t)number.parts;
  *to = '.';
  memcpy(to + 1, pairs + 2 * (parts / 10000), 2);
  memcpy(to + 3, pairs + 2 * (parts / 100 % 100), 2);
  memcpy(to + 5, pairs + 2 * (parts % 100), 2);
  return to + 7;
}

/* A column is filled from its right end; blanks fill the rest. */
enum { COLUMN_SIZE = 48 };

static inline char *copy_column(char *to, const char *column, const char *begin, int width) {
  const char *end = column + COLUMN_SIZE;
  if (end - begin < width) begin = end - width;
  size_t n = (size_t)(end - begin);
  memcpy(to, begin, n);
  return to + n;
}

char *number_column(char *to, int width, int64_t value) {
  char column[COLUMN_SIZE];
  memset(column, ' ', sizeof(column));
  uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
  char *p = digits_before(column + sizeof(column), magnitude);
  if (value < 0) *--p = '-';
  return copy_column(to, column, p, width);
}

char *number_fixed4_column(char *to, int width, double value) {
  struct decimal number;
  if (!to_decimal(&number, value, 10000))
    return to + snprintf(to, NUMBER_MAX, "%*.4f", width, value);
  char column[COLUMN_SIZE];
  memset(column, ' ', sizeof(column));
  char *p = column + sizeof(column) - 5;
  uint32_t parts = (uint32_t)number.parts;
  *p = '.';
  memcpy(p + 1, pairs + 2 * (parts / 100), 2);
  memcpy(p + 3, pairs + 2 * (parts % 100), 2);
  p = digits_before(p, number.whole);
  if (number.negative) *--p = '-';
  return copy_column(to, column, p, width);
}
