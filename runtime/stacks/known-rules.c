/* A table of rules by address (known_rules in frame-rules.h). A thread neither reads nor writes an
 * entry that another thread is writing, so no thread waits. */
#include "frame-rules.h"

#include <string.h>

#include "../intercept/guard.h"

enum { ENTRIES = 256, IS_SAME = 1, IS_UNDEFINED = 3 };

/* at: for each register, the offset of its memory from the frame's address. Offsets are even; odd
 * numbers have special meanings. */
struct entry {
  uintptr_t key;      /* the address, and whether it is a return address (key_of) */
  uint32_t forgotten; /* value of the counter of unloads when the entry was made */
  int32_t offset;     /* the frame's address is this plus the register `base` */
  uint8_t base;
  uint8_t returns; /* number of the register that has the caller's address */
  int16_t at[REGISTERS];
};
enum { WORDS = (sizeof(struct entry) + sizeof(uint64_t) - 1) / sizeof(uint64_t) };
union entry_words {
  struct entry entry;
  uint64_t word[WORDS];
};

/* version: odd while a thread is writing the entry. */
struct slot {
  uint64_t version, word[WORDS];
};
SELDOM static struct slot table[ENTRIES];
static uint32_t forgotten;

static uintptr_t key_of(uintptr_t address, int is_call) {
  return address * 2 + (is_call != 0);
}

static struct slot *slot_of(uintptr_t key) {
  return &table[(key * 0x9e3779b97f4a7c15u >> 32) % ENTRIES];
}

static void expand(const struct entry *entry, struct frame_rules *rules) {
  rules->by_expression = 0;
  rules->base = entry->base;
  rules->offset = entry->offset;
  for (unsigned i = 0; i < REGISTERS; i++) {
    enum frame_rule_kind kind = RULE_AT_OFFSET;
    if (entry->at[i] == IS_SAME) kind = RULE_SAME;
    if (entry->at[i] == IS_UNDEFINED) kind = RULE_UNDEFINED;
    rules->rule[i] = (struct frame_rule){kind, entry->at[i]};
  }
}

int known_rules(uintptr_t address, int is_call, struct frame_rules *rules, uint64_t *returns) {
  union entry_words copy;
  uintptr_t key = key_of(address, is_call);
  const struct slot *slot = slot_of(key);
  uint64_t version = __atomic_load_n(&slot->version, __ATOMIC_ACQUIRE);
  if (version % 2 != 0) return 0;
  for (unsigned i = 0; i < WORDS; i++)
    copy.word[i] = __atomic_load_n(&slot->word[i], __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&slot->version, __ATOMIC_RELAXED) != version) return 0;
  if (copy.entry.key != key ||
      copy.entry.forgotten != __atomic_load_n(&forgotten, __ATOMIC_ACQUIRE))
    return 0;
  expand(&copy.entry, rules);
  *returns = copy.entry.returns;
  return 1;
}

/* Converts the rules to an entry. Returns 0, or -1 if an entry cannot represent them. */
static int shorten(const struct frame_rules *rules, struct entry *entry) {
  if (rules->by_expression || rules->base >= REGISTERS || rules->offset != (int32_t)rules->offset)
    return -1;
  entry->base = (uint8_t)rules->base;
  entry->offset = (int32_t)rules->offset;
  for (unsigned i = 0; i < REGISTERS; i++) {
    const struct frame_rule *rule = &rules->rule[i];
    if (rule->kind == RULE_SAME)
      entry->at[i] = IS_SAME;
    else if (rule->kind == RULE_UNDEFINED)
      entry->at[i] = IS_UNDEFINED;
    else if (rule->kind == RULE_AT_OFFSET && rule->value % 2 == 0 &&
             rule->value == (int16_t)rule->value)
      entry->at[i] = (int16_t)rule->value;
    else
      return -1;
  }
  return 0;
}

void known_rules_add(uintptr_t address, int is_call, const struct frame_rules *rules,
                     uint64_t returns) {
  union entry_words new;
  memset(&new, 0, sizeof(new));
  new.entry.key = key_of(address, is_call);
  new.entry.forgotten = __atomic_load_n(&forgotten, __ATOMIC_ACQUIRE);
  new.entry.returns = (uint8_t)returns;
  struct slot *slot = slot_of(new.entry.key);
  uint64_t version = __atomic_load_n(&slot->version, __ATOMIC_RELAXED);
  if (returns >= REGISTERS || shorten(rules, &new.entry) < 0 || version % 2 != 0 ||
      !__atomic_compare_exchange_n(&slot->version, &version, version + 1, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    return;
  for (unsigned i = 0; i < WORDS; i++)
    __atomic_store_n(&slot->word[i], new.word[i], __ATOMIC_RELEASE);
  __atomic_store_n(&slot->version, version + 2, __ATOMIC_RELEASE);
}

void known_rules_forget(void) {
  __atomic_add_fetch(&forgotten, 1, __ATOMIC_ACQ_REL);
}
