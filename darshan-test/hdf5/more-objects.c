/* Cases for older and rarer forms of the calls on attributes, groups, links and objects; objects.c
 * has the usual ones. */
#include "facts.h"

#include <stdio.h>

/* Whether the library has symbols without a version number, which the headers redefine to numbered
 * ones; 1.12 and later have none. */
#define NUMBERLESS !H5_VERSION_GE(1, 12, 0)
#if NUMBERLESS
#undef H5Oget_info
#undef H5Oget_info_by_idx
#undef H5Oget_info_by_name
#undef H5Ovisit
#undef H5Ovisit_by_name
herr_t H5Oget_info(hid_t, H5O_info_t *);
herr_t H5Oget_info_by_idx(hid_t, const char *, H5_index_t, H5_iter_order_t, hsize_t, H5O_info_t *,
                          hid_t);
herr_t H5Oget_info_by_name(hid_t, const char *, H5O_info_t *, hid_t);
herr_t H5Ovisit(hid_t, H5_index_t, H5_iter_order_t, H5O_iterate_t, void *);
herr_t H5Ovisit_by_name(hid_t, const char *, H5_index_t, H5_iter_order_t, H5O_iterate_t, void *,
                        hid_t);
#endif

static const char FILE_NAME[] = "a.h5";

/* Prints which counter of the file counts the operation, performs it, and returns its result. */
#define META(call, counter) (say_meta(#counter, FILE_NAME), MUST(call))
#define BY_NAME H5_INDEX_NAME, H5_ITER_INC

/* Creates the file and a dataset in it, which is returned. file: set to the file's id. */
static struct dataset start(hid_t *file) {
  struct dataset data = {
      .file = FILE_NAME, .name = "/d", .type = H5T_NATIVE_INT, .dims = 1, .length = {8}};
  *file = file_create(FILE_NAME);
  dataset_create(&data, *file);
  return data;
}

/* Prints how often callbacks were called (count), and closes the dataset and the file. */
static void end(hid_t file, struct dataset *data, int count) {
  printf("note\tseen: %d\n", count);
  dataset_close(data);
  file_close(file, FILE_NAME);
}

/* Counts an attribute in `count`: a callback of H5Aiterate1. */
static herr_t each_old_attribute(hid_t at, const char *name, void *count) {
  (void)at, (void)name;
  ++*(int *)count;
  return 0;
}

/* Counts an attribute in `count`: a callback of H5Aiterate_by_name. */
static herr_t each_attribute(hid_t at, const char *name, const H5A_info_t *info, void *count) {
  (void)at, (void)name, (void)info;
  ++*(int *)count;
  return 0;
}

/* Counts a link in `count`: a callback of the calls that visit links. */
static herr_t each_link(hid_t at, const char *name, const H5L_info_t *info, void *count) {
  (void)at, (void)name, (void)info;
  ++*(int *)count;
  return 0;
}

/* Counts an object in `count`: a callback of the calls that visit objects. */
static herr_t each_object(hid_t at, const char *name, const H5O_info_t *info, void *count) {
  (void)at, (void)name, (void)info;
  ++*(int *)count;
  return 0;
}

/* Makes calls on attributes and links in their older and rarer forms. */
void case_more_links(void) {
  static const char outside[] = "\0b.h5\0/x"; /* no flags, file, object */
  hid_t file, space = MUST(H5Screate(H5S_SCALAR));
  struct dataset data = start(&file);
  int count = 0;
  hid_t made =
      META(H5Acreate2(data.id, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT), ATTR_CREATES);
  META(H5Aclose(made), ATTR_OTHER);
  META(H5Aiterate1(data.id, NULL, each_old_attribute, &count), ATTR_OTHER);
  META(H5Aiterate_by_name(file, "d", BY_NAME, NULL, each_attribute, &count, H5P_DEFAULT),
       ATTR_OTHER);
  META(H5Glink2(file, "d", H5L_TYPE_HARD, file, "e"), LINK_CREATES);
  META(H5Gmove2(file, "e", file, "f"), LINK_CREATES);
  META(H5Lcreate_ud(file, "u", H5L_TYPE_EXTERNAL, outside, sizeof(outside), H5P_DEFAULT,
                    H5P_DEFAULT),
       LINK_CREATES);
  META(H5Literate_by_name(file, "/", BY_NAME, NULL, each_link, &count, H5P_DEFAULT), LINK_OTHER);
  META(H5Lvisit_by_name(file, "/", BY_NAME, each_link, &count, H5P_DEFAULT), LINK_OTHER);
  MUST(H5Sclose(space));
  end(file, &data, count);
}

/* Makes calls on groups and objects in their older and rarer forms. */
void case_more_objects(void) {
  hid_t file;
  struct dataset data = start(&file);
  H5O_info_t info;
  int count = 0;
  hid_t group = META(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), GROUP_CREATES);
  META(H5Oflush(group), OBJECT_OTHER);
  printf("flushed\ta.h5\n");
  META(H5Orefresh(group), OBJECT_OTHER);
  META(H5Gclose(group), GROUP_OTHER);
  MUST(H5Oflush(data.id));
  say_dataset("flush", &data);
#if NUMBERLESS
  META(H5Oget_info(data.id, &info), OBJECT_OTHER);
  META(H5Oget_info_by_idx(file, "/", BY_NAME, 0, &info, H5P_DEFAULT), OBJECT_OTHER);
  META(H5Oget_info_by_name(file, "d", &info, H5P_DEFAULT), OBJECT_OTHER);
  META(H5Ovisit(file, BY_NAME, each_object, &count), OBJECT_OTHER);
  META(H5Ovisit_by_name(file, "/", BY_NAME, each_object, &count, H5P_DEFAULT), OBJECT_OTHER);
#endif
  META(H5Oget_info_by_idx1(file, "/", BY_NAME, 0, &info, H5P_DEFAULT), OBJECT_OTHER);
  META(H5Oget_info_by_idx2(file, "/", BY_NAME, 0, &info, H5O_INFO_BASIC, H5P_DEFAULT),
       OBJECT_OTHER);
  META(H5Oget_info_by_name2(file, "d", &info, H5O_INFO_BASIC, H5P_DEFAULT), OBJECT_OTHER);
  META(H5Ovisit2(file, BY_NAME, each_object, &count, H5O_INFO_BASIC), OBJECT_OTHER);
  META(H5Ovisit_by_name1(file, "/", BY_NAME, each_object, &count, H5P_DEFAULT), OBJECT_OTHER);
  META(H5Ovisit_by_name2(file, "/", BY_NAME, each_object, &count, H5O_INFO_BASIC, H5P_DEFAULT),
       OBJECT_OTHER);
  end(file, &data, count);
}
