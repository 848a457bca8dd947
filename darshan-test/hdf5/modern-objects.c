/* Attributes, groups, links and objects, by calls that HDF5 has since 1.12 and 1.14. Prints facts
 * in the format of facts.h.
 *
 * A test compiles this with the library of a Python wheel, which contains no header. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int64_t hid_t;
typedef uint64_t hsize_t;
typedef int each(hid_t, const char *, const void *, void *);
struct token {
  unsigned char bytes[16];
};
struct object { /* as large as any of the library's object descriptions */
  unsigned long file;
  struct token token;
  char rest[256];
};

enum { DEFAULT = 0, TRUNCATE = 2, NO_EVENTS = 0, SCALAR = 0, BASIC = 1, HEADER = 8 };
/* First parameters of asynchronous functions: file, function and line of the call. */
#define WHERE_TYPES const char *, const char *, unsigned
#define WHERE __FILE__, __func__, __LINE__
#define ORDER_TYPES int, int
#define BY_NAME 0, 0

extern hid_t H5T_STD_I32LE_g;
int H5open(void);
hid_t H5Screate(int);
hid_t H5Fcreate(const char *, unsigned, hid_t, hid_t);
hid_t H5Freopen_async(WHERE_TYPES, hid_t, hid_t);
int H5Fclose(hid_t);
int H5Fdelete(const char *, hid_t);
int H5ESwait(hid_t, uint64_t, size_t *, bool *);

hid_t H5Acreate_async(WHERE_TYPES, hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t);
hid_t H5Acreate_by_name_async(WHERE_TYPES, hid_t, const char *, const char *, hid_t, hid_t, hid_t,
                              hid_t, hid_t, hid_t);
hid_t H5Aopen_async(WHERE_TYPES, hid_t, const char *, hid_t, hid_t);
hid_t H5Aopen_by_name_async(WHERE_TYPES, hid_t, const char *, const char *, hid_t, hid_t, hid_t);
hid_t H5Aopen_by_idx_async(WHERE_TYPES, hid_t, const char *, ORDER_TYPES, hsize_t, hid_t, hid_t,
                           hid_t);
int H5Aread_async(WHERE_TYPES, hid_t, hid_t, void *, hid_t);
int H5Awrite_async(WHERE_TYPES, hid_t, hid_t, const void *, hid_t);
int H5Aclose_async(WHERE_TYPES, hid_t, hid_t);
int H5Arename_async(WHERE_TYPES, hid_t, const char *, const char *, hid_t);
int H5Arename_by_name_async(WHERE_TYPES, hid_t, const char *, const char *, const char *, hid_t,
                            hid_t);
int H5Aexists_async(WHERE_TYPES, hid_t, const char *, bool *, hid_t);
int H5Aexists_by_name_async(WHERE_TYPES, hid_t, const char *, const char *, bool *, hid_t, hid_t);

hid_t H5Gcreate_async(WHERE_TYPES, hid_t, const char *, hid_t, hid_t, hid_t, hid_t);
hid_t H5Gopen_async(WHERE_TYPES, hid_t, const char *, hid_t, hid_t);
int H5Gclose_async(WHERE_TYPES, hid_t, hid_t);

int H5Lcreate_hard_async(WHERE_TYPES, hid_t, const char *, hid_t, const char *, hid_t, hid_t,
                         hid_t);
int H5Lcreate_soft_async(WHERE_TYPES, const char *, hid_t, const char *, hid_t, hid_t, hid_t);
int H5Ldelete_async(WHERE_TYPES, hid_t, const char *, hid_t, hid_t);
int H5Ldelete_by_idx_async(WHERE_TYPES, hid_t, const char *, ORDER_TYPES, hsize_t, hid_t, hid_t);
int H5Lexists_async(WHERE_TYPES, hid_t, const char *, bool *, hid_t, hid_t);
int H5Literate1(hid_t, ORDER_TYPES, hsize_t *, each *, void *);
int H5Literate2(hid_t, ORDER_TYPES, hsize_t *, each *, void *);
int H5Literate_async(WHERE_TYPES, hid_t, ORDER_TYPES, hsize_t *, each *, void *, hid_t);
int H5Literate_by_name1(hid_t, const char *, ORDER_TYPES, hsize_t *, each *, void *, hid_t);
int H5Literate_by_name2(hid_t, const char *, ORDER_TYPES, hsize_t *, each *, void *, hid_t);
int H5Lvisit1(hid_t, ORDER_TYPES, each *, void *);
int H5Lvisit2(hid_t, ORDER_TYPES, each *, void *);
int H5Lvisit_by_name1(hid_t, const char *, ORDER_TYPES, each *, void *, hid_t);
int H5Lvisit_by_name2(hid_t, const char *, ORDER_TYPES, each *, void *, hid_t);

hid_t H5Oopen_async(WHERE_TYPES, hid_t, const char *, hid_t, hid_t);
hid_t H5Oopen_by_idx_async(WHERE_TYPES, hid_t, const char *, ORDER_TYPES, hsize_t, hid_t, hid_t);
hid_t H5Oopen_by_token(hid_t, struct token);
int H5Oclose_async(WHERE_TYPES, hid_t, hid_t);
int H5Ocopy_async(WHERE_TYPES, hid_t, const char *, hid_t, const char *, hid_t, hid_t, hid_t);
int H5Oflush_async(WHERE_TYPES, hid_t, hid_t);
int H5Orefresh_async(WHERE_TYPES, hid_t, hid_t);
int H5Oget_info3(hid_t, struct object *, unsigned);
int H5Oget_info_by_idx3(hid_t, const char *, ORDER_TYPES, hsize_t, struct object *, unsigned,
                        hid_t);
int H5Oget_info_by_name3(hid_t, const char *, struct object *, unsigned, hid_t);
int H5Oget_info_by_name_async(WHERE_TYPES, hid_t, const char *, struct object *, unsigned, hid_t,
                              hid_t);
int H5Oget_native_info(hid_t, struct object *, unsigned);
int H5Oget_native_info_by_idx(hid_t, const char *, ORDER_TYPES, hsize_t, struct object *, unsigned,
                              hid_t);
int H5Oget_native_info_by_name(hid_t, const char *, struct object *, unsigned, hid_t);
int H5Ovisit3(hid_t, ORDER_TYPES, each *, void *, unsigned);
int H5Ovisit_by_name3(hid_t, const char *, ORDER_TYPES, each *, void *, unsigned, hid_t);
int H5Rcreate_object(hid_t, const char *, hid_t, void *);
int H5Rdestroy(void *);
hid_t H5Ropen_object(void *, hid_t, hid_t);
hid_t H5Ropen_object_async(WHERE_TYPES, void *, hid_t, hid_t, hid_t);

/* Ends the program if an HDF5 call failed; otherwise returns its result. line: of the call. */
static hid_t must(hid_t result, int line) {
  if (result >= 0) return result;
  fprintf(stderr, "failed in line %d\n", line);
  exit(1);
}
#define MUST(call) must((hid_t)(call), __LINE__)
/* Prints which counter of the file counts the operation, performs it, and returns its result. */
#define META(call, counter) (printf("meta\t" #counter "\ta.h5\n"), MUST(call))

static int seen;

/* Counts the calls of this callback. */
static int look(hid_t at, const char *name, const void *info, void *data) {
  (void)at, (void)name, (void)info, (void)data;
  seen++;
  return 0;
}

static void attributes(hid_t file, hid_t group) {
  hid_t type = H5T_STD_I32LE_g, space = MUST(H5Screate(SCALAR));
  int32_t value = 5;
  bool there = false;
  hid_t a = META(H5Acreate_async(WHERE, group, "a", type, space, DEFAULT, DEFAULT, NO_EVENTS),
                 ATTR_CREATES);
  META(H5Awrite_async(WHERE, a, type, &value, NO_EVENTS), ATTR_WRITES);
  META(H5Aread_async(WHERE, a, type, &value, NO_EVENTS), ATTR_READS);
  META(H5Aclose_async(WHERE, a, NO_EVENTS), ATTR_OTHER);
  a = META(H5Acreate_by_name_async(WHERE, file, "g", "b", type, space, DEFAULT, DEFAULT, DEFAULT,
                                   NO_EVENTS),
           ATTR_CREATES);
  META(H5Aclose_async(WHERE, a, NO_EVENTS), ATTR_OTHER);
  a = META(H5Aopen_async(WHERE, group, "a", DEFAULT, NO_EVENTS), ATTR_OPENS);
  META(H5Aclose_async(WHERE, a, NO_EVENTS), ATTR_OTHER);
  a = META(H5Aopen_by_name_async(WHERE, file, "g", "b", DEFAULT, DEFAULT, NO_EVENTS), ATTR_OPENS);
  META(H5Aclose_async(WHERE, a, NO_EVENTS), ATTR_OTHER);
  a = META(H5Aopen_by_idx_async(WHERE, file, "g", BY_NAME, 0, DEFAULT, DEFAULT, NO_EVENTS),
           ATTR_OPENS);
  META(H5Aclose_async(WHERE, a, NO_EVENTS), ATTR_OTHER);
  META(H5Arename_async(WHERE, group, "a", "c", NO_EVENTS), ATTR_OTHER);
  META(H5Arename_by_name_async(WHERE, file, "g", "c", "d", DEFAULT, NO_EVENTS), ATTR_OTHER);
  META(H5Aexists_async(WHERE, group, "d", &there, NO_EVENTS), ATTR_OTHER);
  META(H5Aexists_by_name_async(WHERE, file, "g", "d", &there, DEFAULT, NO_EVENTS), ATTR_OTHER);
  printf("note\t%d %d\n", (int)value, there);
}

static void links(hid_t file) {
  bool there = false;
  META(H5Lcreate_hard_async(WHERE, file, "g", file, "h", DEFAULT, DEFAULT, NO_EVENTS),
       LINK_CREATES);
  META(H5Lcreate_soft_async(WHERE, "/g", file, "s", DEFAULT, DEFAULT, NO_EVENTS), LINK_CREATES);
  META(H5Lcreate_soft_async(WHERE, "/g", file, "z", DEFAULT, DEFAULT, NO_EVENTS), LINK_CREATES);
  META(H5Lexists_async(WHERE, file, "s", &there, DEFAULT, NO_EVENTS), LINK_OTHER);
  META(H5Literate1(file, BY_NAME, NULL, look, NULL), LINK_OTHER);
  META(H5Literate2(file, BY_NAME, NULL, look, NULL), LINK_OTHER);
  META(H5Literate_async(WHERE, file, BY_NAME, NULL, look, NULL, NO_EVENTS), LINK_OTHER);
  META(H5Literate_by_name1(file, "/", BY_NAME, NULL, look, NULL, DEFAULT), LINK_OTHER);
  META(H5Literate_by_name2(file, "/", BY_NAME, NULL, look, NULL, DEFAULT), LINK_OTHER);
  META(H5Lvisit1(file, BY_NAME, look, NULL), LINK_OTHER);
  META(H5Lvisit2(file, BY_NAME, look, NULL), LINK_OTHER);
  META(H5Lvisit_by_name1(file, "/", BY_NAME, look, NULL, DEFAULT), LINK_OTHER);
  META(H5Lvisit_by_name2(file, "/", BY_NAME, look, NULL, DEFAULT), LINK_OTHER);
  META(H5Ldelete_async(WHERE, file, "s", DEFAULT, NO_EVENTS), LINK_DELETES);
  META(H5Ldelete_by_idx_async(WHERE, file, "/", BY_NAME, 2, DEFAULT, NO_EVENTS), LINK_DELETES);
  printf("note\t%d\n", there);
}

static void descriptions(hid_t file, struct object *object) {
  META(H5Oget_info_by_idx3(file, "/", BY_NAME, 0, object, BASIC, DEFAULT), OBJECT_OTHER);
  META(H5Oget_info_by_name3(file, "g", object, BASIC, DEFAULT), OBJECT_OTHER);
  META(H5Oget_info_by_name_async(WHERE, file, "g", object, BASIC, DEFAULT, NO_EVENTS),
       OBJECT_OTHER);
  META(H5Oget_native_info(file, object, HEADER), OBJECT_OTHER);
  META(H5Oget_native_info_by_idx(file, "/", BY_NAME, 0, object, HEADER, DEFAULT), OBJECT_OTHER);
  META(H5Oget_native_info_by_name(file, "g", object, HEADER, DEFAULT), OBJECT_OTHER);
  META(H5Ovisit3(file, BY_NAME, look, NULL, BASIC), OBJECT_OTHER);
  META(H5Ovisit_by_name3(file, "/", BY_NAME, look, NULL, BASIC, DEFAULT), OBJECT_OTHER);
}

/* Closes an object that was opened. */
static void opened(hid_t object) {
  META(H5Oclose_async(WHERE, object, NO_EVENTS), OBJECT_OTHER);
}

static void objects(hid_t file, hid_t group) {
  struct object object;
  uint64_t reference[8] = {0};
  META(H5Oget_info3(group, &object, BASIC), OBJECT_OTHER);
  opened(META(H5Oopen_by_token(file, object.token), OBJECT_OPENS));
  opened(META(H5Oopen_async(WHERE, file, "g", DEFAULT, NO_EVENTS), OBJECT_OPENS));
  opened(
      META(H5Oopen_by_idx_async(WHERE, file, "/", BY_NAME, 0, DEFAULT, NO_EVENTS), OBJECT_OPENS));
  MUST(H5Rcreate_object(file, "g", DEFAULT, reference));
  opened(META(H5Ropen_object(reference, DEFAULT, DEFAULT), OBJECT_OPENS));
  opened(META(H5Ropen_object_async(WHERE, reference, DEFAULT, DEFAULT, NO_EVENTS), OBJECT_OPENS));
  MUST(H5Rdestroy(reference));
  META(H5Ocopy_async(WHERE, file, "g", file, "k", DEFAULT, DEFAULT, NO_EVENTS), OBJECT_COPIES);
  META(H5Oflush_async(WHERE, group, NO_EVENTS), OBJECT_OTHER);
  printf("flushed\ta.h5\n");
  META(H5Orefresh_async(WHERE, group, NO_EVENTS), OBJECT_OTHER);
  descriptions(file, &object);
}

static void say_file(const char *what, const char *name) {
  printf("file\t%s\t%s\n", what, name);
}

static void close_file(hid_t file, const char *name) {
  MUST(H5Fclose(file));
  say_file("close", name);
}

int main(void) {
  size_t waiting = 0;
  bool failed = false;
  MUST(H5open());
  hid_t file = MUST(H5Fcreate("a.h5", TRUNCATE, DEFAULT, DEFAULT));
  say_file("open", "a.h5");
  hid_t group =
      META(H5Gcreate_async(WHERE, file, "g", DEFAULT, DEFAULT, DEFAULT, NO_EVENTS), GROUP_CREATES);
  attributes(file, group);
  links(file);
  objects(file, group);
  META(H5Gclose_async(WHERE, group, NO_EVENTS), GROUP_OTHER);
  group = META(H5Gopen_async(WHERE, file, "g", DEFAULT, NO_EVENTS), GROUP_OPENS);
  META(H5Gclose_async(WHERE, group, NO_EVENTS), GROUP_OTHER);
  hid_t again = MUST(H5Freopen_async(WHERE, file, NO_EVENTS));
  say_file("open", "a.h5");
  close_file(file, "a.h5");
  close_file(again, "a.h5");
  MUST(H5ESwait(NO_EVENTS, 0, &waiting, &failed));
  hid_t other = MUST(H5Fcreate("b.h5", TRUNCATE, DEFAULT, DEFAULT));
  say_file("open", "b.h5");
  close_file(other, "b.h5");
  MUST(H5Fdelete("b.h5", DEFAULT));
  printf("note\tseen: %d\n", seen);
  return 0;
}
