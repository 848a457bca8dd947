/* Digits come in pairs from a table; fractions are exact 128-bit integers. */
#include "numbers.h"

#include <stdio.h>
#include <string.h>

#define PAIRS(tens)                                                                                \
  tens "0" tens "1" tens "2" tens "3" tens "4" tens "5" tens "6" tens "7" tens "8" tens "9"
static const char pairs[] = PAIRS("0") PAIRS("1") PAIRS("2") PAIRS("3") PAIRS("4") PAIRS("5")
    PAIRS("6") PAIRS("7") PAIRS("8") PAIRS("9");

char *number_unsigned(char *to, uint64_t value) {
  if (value < 10) {
    *to = (char)('0' + value);
    return to + 1;
  }
  char digits[20];
  char *p = digits + sizeof(digits);
  while (value >= 100) {
    p -= 2;
    memcpy(p, pairs + 2 * (value % 100), 2);
    value /= 100;
  }
  if (value >= 10) {
    p -= 2;
    memcpy(p, pairs + 2 * value, 2);
  } else {
    *--p = (char)('0' + value);
  }
  size_t n = (size_t)(digits + sizeof(digits) - p);
  memcpy(to, p, n);
  return to + n;
}

char *number_signed(char *to, int64_t value) {
  if (value >= 0) return number_unsigned(to, (uint64_t)value);
  *to++ = '-';
  return number_unsigned(to, -(uint64_t)value);
}

/* Six digits of a number below a million. */
static char *six_digits(char *to, uint32_t value) {
  memcpy(to, pairs + 2 * (value / 10000), 2);
  memcpy(to + 2, pairs + 2 * (value / 100 % 100), 2);
  memcpy(to + 4, pairs + 2 * (value % 100), 2);
  return to + 6;
}

/* fraction * 10^6 / 2^shift, rounded half to even; fraction < 2^53. */
static uint64_t millionths(uint64_t fraction, int shift) {
  /* fraction * 10^6 is below 2^73: less than half of 2^74. */
  if (shift > 73) return 0;
  unsigned __int128 product = (unsigned __int128)fraction * 1000000;
  unsigned __int128 one = (unsigned __int128)1 << shift;
  uint64_t quotient = (uint64_t)(product >> shift);
  unsigned __int128 rest = product & (one - 1), half = one >> 1;
  return quotient + (rest > half || (rest == half && (quotient & 1)));
}

char *number_fixed(char *to, double value) {
  enum { MANTISSA_BITS = 52, BIAS = 1023 };
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  uint64_t magnitude = bits << 1 >> 1;
  int exponent = (int)(magnitude >> MANTISSA_BITS) - BIAS;
  if (exponent > MANTISSA_BITS) /* 2^53 and more, infinite, not a number */
    return to + snprintf(to, NUMBER_MAX, "%f", value);
  if (bits != magnitude) *to++ = '-';
  if (magnitude == 0) {
    memcpy(to, "0.000000", 8);
    return to + 8;
  }
  /* value = mantissa / 2^shift; subnormals lack the leading one but are below
   * any digit printed, so their exponent does not matter. */
  uint64_t one = UINT64_C(1) << MANTISSA_BITS;
  uint64_t mantissa = (magnitude & (one - 1)) | one;
  int shift = MANTISSA_BITS - exponent;
  uint64_t whole = 0, parts;
  if (exponent < 0) {
    parts = millionths(mantissa, shift);
  } else {
    whole = mantissa >> shift;
    parts = shift ? millionths(mantissa & ((UINT64_C(1) << shift) - 1), shift) : 0;
  }
  if (parts >= 1000000) {
    parts -= 1000000;
    whole++;
  }
  to = number_unsigned(to, whole);
  *to++ = '.';
  return six_digits(to, (uint32_t)parts);
}
