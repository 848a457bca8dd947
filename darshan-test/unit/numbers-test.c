/* Tests the numbers of the text output, which are the same bytes as those of printf, for edge cases
 * and for random bit patterns: 400,000, or millions if DARSHAN_SAMPLE is "all". */
#include "numbers.h"
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 1;

/* Returns the next number of the generator xorshift64*, which is the same on every machine. */
static uint64_t random_bits(void) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return random_state * UINT64_C(2685821657736338717);
}

/* Returns how many of `all` patterns a run tests. */
static int part_of(int all) {
  const char *sample = getenv("DARSHAN_SAMPLE");
  return sample != NULL && strcmp(sample, "all") == 0 ? all : all / 8;
}

static double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static void check_fixed(double value) {
  char got[NUMBER_MAX + 1], want[NUMBER_MAX + 1];
  *number_fixed(got, value) = '\0';
  snprintf(want, sizeof(want), "%f", value);
  if (strcmp(got, want) != 0) fail_msg("%a: got %s, want %s", value, got, want);
  *number_fixed4_column(got, 12, value) = '\0';
  snprintf(want, sizeof(want), "%12.4f", value);
  if (strcmp(got, want) != 0) fail_msg("%a: got %s, want %s", value, got, want);
}

static void check_both_signs(double value) {
  check_fixed(value);
  check_fixed(-value);
}

static void test_fixed_edges(void **state) {
  (void)state;
  const double edges[] = {0,
                          1,
                          0.5,
                          5e-7,
                          4.9999999999999e-7,
                          1.5e-6,
                          2.5e-6,
                          DBL_MIN,
                          DBL_MAX,
                          DBL_TRUE_MIN,
                          DBL_EPSILON,
                          INFINITY,
                          NAN,
                          0x1p52,
                          0x1p53,
                          0x1p53 - 1,
                          0x1p53 + 2,
                          0x1p63,
                          0.9999995,
                          0.99999949999999997,
                          999999.9999995,
                          9.9999995,
                          123456789.123456789};
  for (size_t i = 0; i < COUNT_OF(edges); i++) {
    check_both_signs(edges[i]);
    check_both_signs(nextafter(edges[i], 0));
    check_both_signs(nextafter(edges[i], INFINITY));
  }
}

/* Tests numbers exactly between two printed ones. Exact values of x.5 millionths exist only as odd
 * multiples of 2^-7: 10^6 has six factors 2, so half a unit of the last digit is a multiple of 5^6
 * / 2^7. */
static void test_fixed_ties(void **state) {
  (void)state;
  for (int shift = 1; shift <= 12; shift++)
    for (uint64_t odd = 1; odd < 8192; odd += 2)
      check_both_signs(ldexp((double)odd, -shift));
}

static void test_fixed_random(void **state) {
  (void)state;
  for (int i = part_of(200000); i > 0; i--)
    check_fixed(double_of(random_bits()));
  for (int i = part_of(2000000); i > 0; i--) { /* exponents that occur in logs */
    uint64_t bits = random_bits();
    uint64_t exponent = 1023 - 80 + bits % 140;
    check_fixed(double_of((bits & ~(UINT64_C(0x7ff) << 52)) | exponent << 52));
  }
}

static void check_integer(uint64_t value) {
  char got[32], want[32];
  *number_unsigned(got, value) = '\0';
  snprintf(want, sizeof(want), "%llu", (unsigned long long)value);
  assert_string_equal(got, want);
  *number_signed(got, (int64_t)value) = '\0';
  snprintf(want, sizeof(want), "%lld", (long long)value);
  assert_string_equal(got, want);
  for (int width = 0; width <= 16; width += 8) {
    *number_column(got, width, (int64_t)value) = '\0';
    snprintf(want, sizeof(want), "%*lld", width, (long long)value);
    assert_string_equal(got, want);
  }
}

static void test_integers(void **state) {
  (void)state;
  uint64_t power = 1;
  for (int i = 0; i < 20; i++, power *= 10)
    for (int64_t near = -2; near <= 2; near++) {
      check_integer(power + (uint64_t)near);
      check_integer(-power + (uint64_t)near);
    }
  const uint64_t edges[] = {0, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX};
  for (size_t i = 0; i < COUNT_OF(edges); i++)
    check_integer(edges[i]);
  for (int i = part_of(1000000); i > 0; i--) {
    uint64_t bits = random_bits();
    check_integer(bits >> bits % 64);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fixed_edges), cmocka_unit_test(test_fixed_ties),
      cmocka_unit_test(test_fixed_random), cmocka_unit_test(test_integers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
