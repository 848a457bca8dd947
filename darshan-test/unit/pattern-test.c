/* Tests patterns of settings, compared with libc's regular expressions in the C locale. */
#include "../../runtime/names/pattern.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void compare(const char *text, const char *const *subjects, size_t count) {
  struct pattern ours;
  regex_t theirs;
  int known = regcomp(&theirs, text, REG_EXTENDED | REG_NOSUB) == 0;
  int taken = pattern_compile(&ours, text) == 0;
  if (known != taken) fail_msg("'%s': libc takes it: %d, we: %d", text, known, taken);
  for (size_t i = 0; known && i < count; i++) {
    bool expected = regexec(&theirs, subjects[i], 0, NULL, 0) == 0;
    if (pattern_found(&ours, subjects[i]) != expected)
      fail_msg("'%s' in '%s': libc says %d", text, subjects[i], expected);
  }
  if (known) regfree(&theirs);
  if (taken) pattern_release(&ours);
}

static const char *const subjects[] = {"",
                                       "a",
                                       "b",
                                       "ab",
                                       "ba",
                                       "aab",
                                       "abab",
                                       "a.b",
                                       "/usr/lib",
                                       "/home",
                                       "x.pyc",
                                       "x.py",
                                       "a b",
                                       "a_b c",
                                       "]",
                                       "-",
                                       "^",
                                       "$",
                                       "aaaa",
                                       "abcabc",
                                       "0123",
                                       "Z9_",
                                       "\t",
                                       "a\nb",
                                       "{2}",
                                       "a{2}",
                                       "(a)",
                                       ")",
                                       "\\",
                                       "\x80\xff",
                                       "a|b",
                                       "*",
                                       "aaaaaaaaaaaaaaaaaaaaaaab",
                                       "/scratch/user/run.17/out-00012.tmp"};

static void test_known(void **state) {
  (void)state;
  static const char *const patterns[] = {"",
                                         "a",
                                         "^a",
                                         "a$",
                                         "^$",
                                         "a|b",
                                         "a||b",
                                         "|",
                                         "()",
                                         "(a|b)*",
                                         "a+b?",
                                         "a{2}",
                                         "a{2,}",
                                         "a{1,3}b",
                                         "a{,2}b",
                                         "a{,}",
                                         "(ab){2}",
                                         "a{0}b",
                                         "a{2}{2}",
                                         "((a{2}){2})",
                                         "[abc]",
                                         "[^abc]",
                                         "[]a]",
                                         "[^]a]",
                                         "[a-]",
                                         "[-a]",
                                         "[[:alpha:]]",
                                         "[[:digit:]_]+$",
                                         "[[=a=]]",
                                         "[[.-.]]",
                                         "[a-c]",
                                         "[c-a]",
                                         "[[:no:]]",
                                         "[a",
                                         "(a",
                                         "a)",
                                         "\\.pyc$",
                                         "\\(a\\)",
                                         "\\",
                                         "*a",
                                         "a**",
                                         "^*",
                                         "(*a)",
                                         "a|*b",
                                         "{2}",
                                         "a{2",
                                         "a{x}",
                                         "a{3,2}",
                                         "a{}",
                                         "\\ba",
                                         "a\\b",
                                         "\\Bb",
                                         "\\<a",
                                         "b\\>",
                                         "\\`a",
                                         "b\\'",
                                         "\\w+",
                                         "\\W",
                                         "\\s",
                                         "\\S$",
                                         ".",
                                         "a.b",
                                         "..",
                                         "/\\.git/|^/scratch/[[:alnum:]]+/run\\.[0-9]+/.*\\.tmp$",
                                         "x*",
                                         "(a*)*b",
                                         "(a|aa)+$",
                                         "}",
                                         "a}",
                                         "[a\\]",
                                         "\\n",
                                         "(^a)",
                                         "(a$)b",
                                         "a^b",
                                         "a$b",
                                         "[[:space:]]",
                                         "[[:punct:]]",
                                         "[z-\x90]",
                                         "[[:cntrl:]]"};
  for (size_t i = 0; i < COUNT_OF(patterns); i++)
    compare(patterns[i], subjects, COUNT_OF(subjects));
}

/* Patterns of random pieces of syntax match the same random strings in this implementation and in
 * libc. */
static void test_random(void **state) {
  (void)state;
  static const char *const words[] = {
      "a",    "b",    "ab",   "(",           ")", "|", "*", "+",   "?",   "{2}", "{1,2}", "{0,1}",
      "{2,}", "[ab]", "[^a]", "[[:alpha:]]", ".", "^", "$", "\\.", "\\w", "\\b", "\\>"};
  unsigned number = 12345;
  for (int round = 0; round < 20000; round++) {
    char text[128] = "", random[12] = "";
    for (unsigned i = 0, n = number % 9; i <= n; i++) {
      number = number * 1103515245 + 12345;
      strcat(text, words[(number >> 16) % COUNT_OF(words)]);
    }
    for (int i = 0; i < 11; i++) {
      number = number * 1103515245 + 12345;
      random[i] = "ab.c_ "[(number >> 16) % 6];
    }
    const char *const also[] = {random, random + 7, "", "a", "abab"};
    compare(text, also, COUNT_OF(also));
  }
}

/* Patterns that would exhaust libc's time or memory are rejected, and so are back-references. */
static void test_limits(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "(a)\\1", "a{1000}{1000}", "((((a{99}){99}){99}){99})",
      "(((((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))))"};
  struct pattern pattern;
  for (size_t i = 0; i < COUNT_OF(wrong); i++)
    assert_int_equal(pattern_compile(&pattern, wrong[i]), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_random),
                                     cmocka_unit_test(test_limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
