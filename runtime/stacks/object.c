/* Reads the headers of a loaded object (object.h). */
#include "object.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "../intercept/loader/loader.h"

enum { PAGE_LEAST = 4096 };

/* Program headers, all of which are within the first page of the object. */
struct parts {
  const ElfW(Phdr) * part;
  unsigned count;
};

static int parts_of(uintptr_t start, size_t size, struct parts *parts) {
  const ElfW(Ehdr) *head = (const void *)start;
  if (size < PAGE_LEAST || start % PAGE_LEAST != 0) return -1;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return -1;
  if (head->e_phentsize != sizeof(ElfW(Phdr)) || head->e_phoff % 8 != 0) return -1;
  if (head->e_phoff > PAGE_LEAST) return -1;
  if (head->e_phnum > (PAGE_LEAST - head->e_phoff) / sizeof(ElfW(Phdr))) return -1;
  parts->part = (const void *)(start + head->e_phoff);
  parts->count = head->e_phnum;
  return 0;
}

/* Returns the section of `size` bytes at an address if a readable segment contains it; otherwise an
 * empty section. With size 0 the section ends at the end of the segment. */
static struct section section_in(const struct object *object, const struct parts *parts,
                                 uintptr_t address, size_t size) {
  struct section none = {NULL, 0, 0};
  for (unsigned i = 0; i < parts->count; i++) {
    const ElfW(Phdr) *part = &parts->part[i];
    uintptr_t from = object->base + part->p_vaddr, to = from + part->p_filesz;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_R)) continue;
    if (from < object->start || to < from || to > object->end) continue;
    if (address < from || address >= to || size > to - address) continue;
    return (struct section){(const uint8_t *)address, size ? size : to - address, address};
  }
  return none;
}

static struct section part_section(const struct object *object, const struct parts *parts,
                                   const ElfW(Phdr) * part) {
  return section_in(object, parts, object->base + part->p_vaddr, part->p_filesz);
}

/* Returns the section .eh_frame, to which .eh_frame_hdr points; an empty section if there is
 * none. */
static struct section frames_of(const struct object *object, const struct parts *parts) {
  struct cursor cursor = cursor_at(&object->header, 0, object->header.size);
  uint64_t version = cursor_number(&cursor, 1);
  unsigned encoding = (unsigned)cursor_number(&cursor, 1);
  cursor_skip(&cursor, 2); /* encodings of the table */
  uintptr_t at = cursor_pointer(&cursor, encoding, object->header.address);
  if (cursor.failed || version != 1 || encoding & POINTER_INDIRECT) at = 0;
  return section_in(object, parts, at, 0);
}

int object_read(uintptr_t start, size_t size, struct object *object) {
  struct parts parts;
  uintptr_t first = UINTPTR_MAX;
  *object = (struct object){.start = start, .end = start + size, .path = ""};
  if (parts_of(start, size, &parts) < 0) return -1;
  for (unsigned i = 0; i < parts.count; i++)
    if (parts.part[i].p_type == PT_LOAD && parts.part[i].p_vaddr < first)
      first = parts.part[i].p_vaddr;
  if (first == UINTPTR_MAX) return -1;
  object->base = start - (first & ~(uintptr_t)(PAGE_LEAST - 1));
  for (unsigned i = 0; i < parts.count; i++) {
    const ElfW(Phdr) *part = &parts.part[i];
    if (part->p_type == PT_GNU_EH_FRAME) object->header = part_section(object, &parts, part);
  }
  if (object->header.size) object->frames = frames_of(object, &parts);
  return 0;
}

static int has_code_at(const struct object *object, uintptr_t address) {
  struct parts parts;
  if (parts_of(object->start, object->end - object->start, &parts) < 0) return 0;
  for (unsigned i = 0; i < parts.count; i++) {
    const ElfW(Phdr) *part = &parts.part[i];
    if (part->p_type == PT_LOAD && (part->p_flags & PF_X) &&
        address - (object->base + part->p_vaddr) < part->p_filesz)
      return 1;
  }
  return 0;
}

/* If this base is that of the program, extends *start and *end to all segments: the kernel may
 * leave a hole between two segments, and glibc then reports only the mapping of the code, without
 * the headers. */
static void add_segments(uintptr_t base, uintptr_t *start, uintptr_t *end) {
  const ElfW(Phdr) *part = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  size_t count = part ? getauxval(AT_PHNUM) : 0;
  uintptr_t first = UINTPTR_MAX, last = 0;
  int is_program = 0;
  for (size_t i = 0; i < count; i++) {
    uintptr_t from = base + part[i].p_vaddr, to = from + part[i].p_memsz;
    if (part[i].p_type == PT_PHDR) is_program = from == (uintptr_t)part;
    if (part[i].p_type != PT_LOAD) continue;
    if (from < first) first = from;
    if (to > last) last = to;
  }
  if (!is_program || first >= last) return;
  *start = first & ~(uintptr_t)(PAGE_LEAST - 1);
  *end = last;
}

int object_of(uintptr_t address, struct object *object) {
  struct loaded_object loaded;
  if (!loader_is_there() || loader_object_of((const void *)address, &loaded) < 0) return -1;
  uintptr_t start = (uintptr_t)loaded.start, end = (uintptr_t)loaded.end;
  if (loaded.map) add_segments(loaded.map->l_addr, &start, &end);
  if (object_read(start, end - start, object) < 0 || !has_code_at(object, address)) return -1;
  object->map = loaded.map;
  object->path = loaded.map && loaded.map->l_name ? loaded.map->l_name : "";
  return 0;
}

static size_t build_id_in(const struct section *notes, uint8_t id[BUILD_ID_MOST]) {
  struct cursor cursor = cursor_at(notes, 0, notes->size);
  while (cursor.at < cursor.end && !cursor.failed) {
    uint64_t name = cursor_number(&cursor, 4), length = cursor_number(&cursor, 4);
    uint64_t type = cursor_number(&cursor, 4), gnu = 0;
    if (name == 4) gnu = cursor_number(&cursor, 4);
    if (name != 4) cursor_skip(&cursor, (name + 3) & ~(uint64_t)3);
    if (type == NT_GNU_BUILD_ID && gnu == 0x00554e47 /* "GNU" */) {
      if (length > BUILD_ID_MOST || length > cursor.end - cursor.at) return 0;
      memcpy(id, notes->bytes + cursor.at, (size_t)length);
      return (size_t)length;
    }
    cursor_skip(&cursor, (length + 3) & ~(uint64_t)3);
  }
  return 0;
}

size_t object_build_id(const struct object *object, uint8_t id[BUILD_ID_MOST]) {
  struct parts parts;
  size_t length = 0;
  if (parts_of(object->start, object->end - object->start, &parts) < 0) return 0;
  for (unsigned i = 0; i < parts.count && length == 0; i++) {
    const ElfW(Phdr) *part = &parts.part[i];
    if (part->p_type != PT_NOTE || part->p_filesz == 0) continue;
    struct section notes = part_section(object, &parts, part);
    length = build_id_in(&notes, id);
  }
  return length;
}
