/* Cases for attributes, groups, links, objects and named types, which the module H5_META counts for
 * each file. */
#include "facts.h"

#include <stdio.h>

static const char FILE_NAME[] = "a.h5";

/* Prints which counter of the file counts the operation, performs it, and returns its result. */
#define META(call, counter) (say_meta(#counter, FILE_NAME), MUST(call))

/* Describes a dataset of eight integers. */
static struct dataset small(const char *name) {
  return (struct dataset){
      .file = FILE_NAME, .name = name, .type = H5T_NATIVE_INT, .dims = 1, .length = {8}};
}

/* Counts an attribute in `count`: a callback of H5Aiterate2. */
static herr_t each_attribute(hid_t at, const char *name, const H5A_info_t *info, void *count) {
  (void)at, (void)name, (void)info;
  ++*(int *)count;
  return 0;
}

/* Creates and opens attributes of `at` by deprecated calls. */
static void old_attributes(hid_t at, hid_t space) {
  hid_t old = META(H5Acreate1(at, "old", H5T_NATIVE_INT, space, H5P_DEFAULT), ATTR_CREATES);
  META(H5Aclose(old), ATTR_OTHER);
  META(H5Aclose(META(H5Aopen_name(at, "old"), ATTR_OPENS)), ATTR_OTHER);
  META(H5Aclose(META(H5Aopen_idx(at, 0), ATTR_OPENS)), ATTR_OTHER);
}

/* Creates, opens and removes attributes by the name of their object. */
static void named_attributes(hid_t file, hid_t space) {
  int value = 2;
  hid_t made = META(H5Acreate_by_name(file, "d", "b", H5T_NATIVE_INT, space, H5P_DEFAULT,
                                      H5P_DEFAULT, H5P_DEFAULT),
                    ATTR_CREATES);
  META(H5Awrite(made, H5T_NATIVE_INT, &value), ATTR_WRITES);
  META(H5Idec_ref(made), ATTR_OTHER);
  META(H5Aclose(META(H5Aopen_by_name(file, "d", "b", H5P_DEFAULT, H5P_DEFAULT), ATTR_OPENS)),
       ATTR_OTHER);
  META(H5Aclose(
           META(H5Aopen_by_idx(file, "d", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT, H5P_DEFAULT),
                ATTR_OPENS)),
       ATTR_OTHER);
  META(H5Aexists_by_name(file, "d", "b", H5P_DEFAULT), ATTR_OTHER);
  META(H5Arename_by_name(file, "d", "b", "c", H5P_DEFAULT), ATTR_OTHER);
  META(H5Adelete_by_name(file, "d", "c", H5P_DEFAULT), ATTR_DELETES);
}

/* Creates, opens, reads, writes, renames and deletes attributes of a dataset. */
void case_attributes(void) {
  hid_t file = file_create(FILE_NAME), space = MUST(H5Screate(H5S_SCALAR));
  struct dataset data = small("/d");
  dataset_create(&data, file);
  int value = 1, count = 0;
  hid_t id =
      META(H5Acreate2(data.id, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT), ATTR_CREATES);
  META(H5Awrite(id, H5T_NATIVE_INT, &value), ATTR_WRITES);
  META(H5Aread(id, H5T_NATIVE_INT, &value), ATTR_READS);
  META(H5Aread(id, H5T_NATIVE_INT, &value), ATTR_READS);
  META(H5Aclose(id), ATTR_OTHER);
  id = META(H5Aopen(data.id, "a", H5P_DEFAULT), ATTR_OPENS);
  META(H5Aread(id, H5T_NATIVE_INT, &value), ATTR_READS);
  META(H5Aclose(id), ATTR_OTHER);
  META(H5Aexists(data.id, "a"), ATTR_OTHER);
  META(H5Arename(data.id, "a", "z"), ATTR_OTHER);
  old_attributes(data.id, space);
  named_attributes(file, space);
  META(H5Aiterate2(data.id, H5_INDEX_NAME, H5_ITER_INC, NULL, each_attribute, &count), ATTR_OTHER);
  META(H5Adelete(data.id, "z"), ATTR_DELETES);
  META(H5Adelete_by_idx(file, "d", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT), ATTR_DELETES);
  printf("note\tattributes seen: %d\n", count);
  MUST(H5Sclose(space));
  dataset_close(&data);
  file_close(file, FILE_NAME);
}

/* Counts a member in `count`: a callback of H5Giterate. */
static herr_t each_member(hid_t group, const char *name, void *count) {
  (void)group, (void)name;
  ++*(int *)count;
  return 0;
}

/* Creates, opens, moves and unlinks groups. */
void case_groups(void) {
  hid_t file = file_create(FILE_NAME);
  int count = 0;
  hid_t group = META(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), GROUP_CREATES);
  hid_t old = META(H5Gcreate1(group, "old", 0), GROUP_CREATES);
  META(H5Gclose(old), GROUP_OTHER);
  META(H5Gclose(META(H5Gopen2(file, "g/old", H5P_DEFAULT), GROUP_OPENS)), GROUP_OTHER);
  META(H5Gclose(META(H5Gopen1(file, "g"), GROUP_OPENS)), GROUP_OTHER);
  hid_t loose = META(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), GROUP_CREATES);
  META(H5Gclose(loose), GROUP_OTHER);
  META(H5Gflush(group), GROUP_OTHER);
  META(H5Grefresh(group), GROUP_OTHER);
  META(H5Glink(file, H5L_TYPE_HARD, "g", "h"), LINK_CREATES);
  META(H5Gmove(file, "h", "i"), LINK_CREATES);
  META(H5Giterate(file, "/", NULL, each_member, &count), GROUP_OTHER);
  META(H5Gunlink(file, "i"), LINK_DELETES);
  META(H5Gclose(group), GROUP_OTHER);
  printf("note\tmembers seen: %d\n", count);
  file_close(file, FILE_NAME);
}

/* Counts a link in `count`: a callback of H5Literate and H5Lvisit. */
static herr_t each_link(hid_t group, const char *name, const H5L_info_t *info, void *count) {
  (void)group, (void)name, (void)info;
  ++*(int *)count;
  return 0;
}

/* Creates, copies, moves, visits and deletes links. */
void case_links(void) {
  hid_t file = file_create(FILE_NAME);
  struct dataset data = small("/d");
  dataset_create(&data, file);
  int count = 0;
  META(H5Lcreate_hard(file, "d", file, "hard", H5P_DEFAULT, H5P_DEFAULT), LINK_CREATES);
  META(H5Lcreate_soft("/d", file, "soft", H5P_DEFAULT, H5P_DEFAULT), LINK_CREATES);
  META(H5Lcreate_external("b.h5", "/x", file, "external", H5P_DEFAULT, H5P_DEFAULT), LINK_CREATES);
  META(H5Lcopy(file, "hard", file, "copy", H5P_DEFAULT, H5P_DEFAULT), LINK_CREATES);
  META(H5Lmove(file, "copy", file, "moved", H5P_DEFAULT, H5P_DEFAULT), LINK_CREATES);
  META(H5Lexists(file, "soft", H5P_DEFAULT), LINK_OTHER);
  META(H5Lexists(file, "nothing", H5P_DEFAULT), LINK_OTHER);
  META(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, each_link, &count), LINK_OTHER);
  META(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, each_link, &count), LINK_OTHER);
  META(H5Ldelete(file, "moved", H5P_DEFAULT), LINK_DELETES);
  META(H5Ldelete_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT), LINK_DELETES);
  printf("note\tlinks seen: %d\n", count);
  dataset_close(&data);
  file_close(file, FILE_NAME);
}

/* Counts an object in `count`: a callback of H5Ovisit1. */
static herr_t each_object(hid_t at, const char *name, const H5O_info_t *info, void *count) {
  (void)at, (void)name, (void)info;
  ++*(int *)count;
  return 0;
}

/* Asks about objects, visits, copies and opens them. */
void case_objects(void) {
  hid_t file = file_create(FILE_NAME);
  struct dataset data = small("/d");
  dataset_create(&data, file);
  dataset_write(&data, &EVERYTHING);
  META(H5Gclose(META(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), GROUP_CREATES)),
       GROUP_OTHER);
  int count = 0;
  H5O_info_t info;
  META(H5Oget_info1(data.id, &info), OBJECT_OTHER);
  META(H5Oget_info2(data.id, &info, H5O_INFO_BASIC), OBJECT_OTHER);
  META(H5Oget_info_by_name1(file, "d", &info, H5P_DEFAULT), OBJECT_OTHER);
  META(H5Oexists_by_name(file, "d", H5P_DEFAULT), OBJECT_OTHER);
  META(H5Ovisit1(file, H5_INDEX_NAME, H5_ITER_INC, each_object, &count), OBJECT_OTHER);
  META(H5Ocopy(file, "d", file, "e", H5P_DEFAULT, H5P_DEFAULT), OBJECT_COPIES);
  hid_t group = META(H5Oopen(file, "g", H5P_DEFAULT), OBJECT_OPENS);
  META(H5Oclose(group), OBJECT_OTHER);
  printf("note\tobjects seen: %d\n", count);
  dataset_close(&data);
  file_close(file, FILE_NAME);
}

/* Commits and opens named types. */
void case_datatypes(void) {
  hid_t file = file_create(FILE_NAME);
  hid_t first = MUST(H5Tcopy(H5T_NATIVE_INT)), second = MUST(H5Tcopy(H5T_NATIVE_INT));
  META(H5Tcommit2(file, "t", first, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), TYPE_COMMITS);
  META(H5Tcommit1(file, "u", second), TYPE_COMMITS);
  MUST(H5Tclose(first));
  MUST(H5Tclose(second));
  MUST(H5Tclose(META(H5Topen2(file, "t", H5P_DEFAULT), TYPE_OPENS)));
  MUST(H5Tclose(META(H5Topen1(file, "u"), TYPE_OPENS)));
  file_close(file, FILE_NAME);
}

/* Callback of H5Literate, which calls HDF5 again: opens, reads and closes the dataset `name`, and
 * adds one to *count. */
static herr_t read_each(hid_t file, const char *name, const H5L_info_t *info, void *count) {
  (void)info;
  char full[16];
  snprintf(full, sizeof(full), "/%s", name);
  struct dataset data = small(full);
  dataset_open(&data, file);
  dataset_read(&data, &EVERYTHING);
  dataset_close(&data);
  ++*(int *)count;
  return 0;
}

/* Reads three datasets in callbacks of H5Literate. */
void case_callbacks(void) {
  static const char *names[] = {"/a", "/b", "/c"};
  hid_t file = file_create(FILE_NAME);
  for (int i = 0; i < 3; i++) {
    struct dataset data = small(names[i]);
    dataset_create(&data, file);
    dataset_write(&data, &EVERYTHING);
    dataset_close(&data);
  }
  int count = 0;
  META(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, read_each, &count), LINK_OTHER);
  printf("note\tdatasets read: %d\n", count);
  file_close(file, FILE_NAME);
}
