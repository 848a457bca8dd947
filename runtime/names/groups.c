/* Decides which files share a group record (groups.h): program files of a tree, and files with one
 * ending. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for memrchr; tools that compile this file do not define it */
#endif
#include "groups.h"

#include <stdint.h>
#include <string.h>

struct darshan_group_rules darshan_group_rules;

/* The patterns as concatenated strings, because the loader would have to relocate pointers at each
 * start. */
static const char trees[] =
#define TREE(pattern) pattern "\0"
#define DATA(ending)
#define PROGRAM(name, ending)
#include "program-trees.def"
    "";
#undef TREE
#undef DATA
#undef PROGRAM
static const struct {
  char program[8], ending[8]; /* the ending includes its dot */
} program_endings[] = {
#define TREE(pattern)
#define DATA(ending)
#define PROGRAM(name, ending) {name, "." ending},
#include "program-trees.def"
#undef TREE
#undef DATA
#undef PROGRAM
};
enum { LONGEST_ENDING = 12 /* with the dot */ };
static const char data_endings[][LONGEST_ENDING] = {
#define TREE(pattern)
#define DATA(ending) ending,
#define PROGRAM(name, ending)
#include "program-trees.def"
#undef TREE
#undef DATA
#undef PROGRAM
};
enum { NUM_DATA = sizeof(data_endings) / sizeof(data_endings[0]) };

size_t darshan_folder_part(const char *name, size_t length) {
  const char *slash = length ? memrchr(name, '/', length) : NULL;
  return slash ? (size_t)(slash - name) + 1 : 0;
}

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns the offset of the ending, or length if there is none. Digits alone (of steps or ranks) do
 * not identify a kind of file. A leading "." hides a file and begins no ending. */
size_t darshan_ending_after(size_t folder, const char *name, size_t length) {
  size_t from = folder + 1, letters = 0;
  if (length <= from) return length;
  if (length - from > LONGEST_ENDING) from = length - LONGEST_ENDING;
  const char *dot = memrchr(name + from, '.', length - from);
  for (size_t at = dot ? (size_t)(dot - name) + 1 : length; at < length; at++) {
    if (!is_digit(name[at]) && !is_letter(name[at])) return length;
    letters += (size_t)is_letter(name[at]);
  }
  return letters ? (size_t)(dot - name) : length;
}

size_t darshan_ending(const char *name, size_t length) {
  return darshan_ending_after(darshan_folder_part(name, length), name, length);
}

int darshan_is_data(const char *name, size_t length) {
  char ending[LONGEST_ENDING] = "";
  size_t at = darshan_ending(name, length) + 1;
  if (at >= length) return 0;
  for (size_t i = at; i < length; i++)
    ending[i - at] = is_letter(name[i]) ? (char)(name[i] | 0x20) : name[i];
  for (int i = 0; i < NUM_DATA; i++) /* whole rows: two comparisons of words, and no call */
    if (memcmp(data_endings[i], ending, sizeof(ending)) == 0) return 1;
  return 0;
}

/* Returns the number of bytes at the start of the text that the pattern matches; the match must end
 * before a "/". Returns 0 if there is no match. "*" matches any characters of one component after
 * which the rest of the component matches. */
static size_t matched(const char *pattern, const char *text, const char *end) {
  const char *at = text, *star = NULL, *from = NULL;
  for (;;) {
    if (*pattern == '\0' && at < end && *at == '/') return (size_t)(at - text);
    if (*pattern == '*') {
      star = ++pattern;
      from = at;
      continue;
    }
    int digit = strncmp(pattern, "[0-9]", 5) == 0;
    if (at < end && *pattern != '\0' && (digit ? is_digit(*at) : *pattern == *at)) {
      if (*at == '/') star = NULL;
      pattern += digit ? 5 : 1;
      at++;
      continue;
    }
    if (!star || from >= end || *from == '/') return 0;
    pattern = star;
    at = ++from;
  }
}

/* Searches the folders in a name for the pattern `row`. Returns the end of its first match, in
 * bytes from the start of the name; 0 if no folder matches. */
static size_t place_of(const char *row, const char *name, const char *end) {
  for (const char *slash = name; slash; slash = memchr(slash + 1, '/', (size_t)(end - slash) - 1)) {
    const char *component = slash + 1;
    if (component >= end) return 0;
    if (*row != '*' && *row != '[' && *row != *component) continue;
    size_t bytes = matched(row, component, end);
    if (bytes) return (size_t)(component - name) + bytes;
  }
  return 0;
}

static uint64_t initial(const char *row) {
  return *row == '*' || *row == '[' ? UINT64_MAX : UINT64_C(1) << (*row & 63);
}

/* Returns a set with a bit for the first letter of each pattern. Few components of other paths
 * begin with one of these letters. */
static uint64_t initials(const struct darshan_group_rules *rules) {
  static uint64_t all; /* the set for the rows of the table */
  uint64_t found = __atomic_load_n(&all, __ATOMIC_RELAXED);
  if (!found) {
    for (const char *row = trees; *row; row += strlen(row) + 1)
      found |= initial(row);
    __atomic_store_n(&all, found, __ATOMIC_RELAXED);
  }
  for (int i = 0; i < rules->count; i++)
    found |= initial(rules->tree[i]);
  return found;
}

static int may_have_a_tree(const struct darshan_group_rules *rules, const char *name,
                           size_t folder) {
  uint64_t letters = initials(rules);
  for (size_t i = 0; i + 1 < folder; i++)
    if (name[i] == '/' && (letters >> (name[i + 1] & 63) & 1)) return 1;
  return 0;
}

size_t darshan_program_tree(const char *name, size_t length) {
  const struct darshan_group_rules *rules = &darshan_group_rules;
  size_t folder = darshan_folder_part(name, length), place = 0;
  if (rules->each_program_file || folder < 2 || name[0] != '/') return 0;
  if (!may_have_a_tree(rules, name, folder)) return 0;
  for (int i = 0; i < rules->count && !place; i++)
    place = place_of(rules->tree[i], name, name + folder);
  for (const char *row = trees; *row && !place; row += strlen(row) + 1)
    place = place_of(row, name, name + folder);
  return place && !darshan_is_data(name, length) ? place + 1 : 0;
}

void darshan_group_program(const char *program) {
  for (size_t i = 0; i < sizeof(program_endings) / sizeof(program_endings[0]); i++)
    if (strcmp(program_endings[i].program, program) == 0)
      darshan_group_rules.ending = program_endings[i].ending;
}

int darshan_has_program_ending(const char *name, size_t length) {
  const char *ending = darshan_group_rules.ending;
  size_t bytes = ending ? strlen(ending) : 0;
  return bytes && length > bytes && !darshan_group_rules.each_program_file && name[0] == '/' &&
         memcmp(name + length - bytes, ending, bytes) == 0;
}

int darshan_names_a_group(const char *name, size_t length) {
  size_t folder = darshan_folder_part(name, length);
  return folder && folder < length && name[folder] == '*' &&
         (folder + 1 == length || name[folder + 1] == '.');
}
