#include "editor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Returns the HDF5 type in memory of a command's values; HDF5 converts them to the attribute's
 * type. -1 for an unknown kind. */
static hid_t memory_type(enum number_kind kind) {
  switch (kind) {
  case SIGNED:
    return H5T_NATIVE_INT64;
  case UNSIGNED:
    return H5T_NATIVE_UINT64;
  case REAL:
    return H5T_NATIVE_DOUBLE;
  }
  return -1;
}

/* Returns the HDF5 type of an attribute. */
static hid_t file_type(enum type_index type) {
  switch (type) {
#define TYPE(name, kind, bits)                                                                     \
  case INDEX_##name:                                                                               \
    return name;
#include "types.def"
#undef TYPE
  case TYPE_COUNT:
    break;
  }
  return -1;
}

/* Stores a mistake at the place of a command. Returns -1. */
__attribute__((format(printf, 3, 4))) static int
wrong(struct mistake *mistake, const struct command *command, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(mistake->text, sizeof mistake->text, format, arguments);
  va_end(arguments);
  mistake->line = command->line;
  mistake->column = command->column;
  return -1;
}

/* Returns whether two commands create the same attribute. a_object: the open object of the
 * first. */
static int same_attribute(hid_t a_object, const struct command *a, hid_t file,
                          const struct command *b) {
  if (strcmp(a->name, b->name)) return 0;
  H5O_info_t one, two;
  hid_t b_object = H5Oopen(file, b->object, H5P_DEFAULT);
  int same =
      H5Oget_info(a_object, &one) >= 0 && H5Oget_info(b_object, &two) >= 0 && one.addr == two.addr;
  H5Oclose(b_object);
  return same;
}

/* Checks whether a command can be executed, assuming that the previous commands, from `first` on,
 * are executed before. Returns 0, or -1 with the mistake. */
static int check_one(hid_t file, const struct command *first, const struct command *command,
                     struct mistake *mistake) {
  hid_t object = H5Oopen(file, command->object, H5P_DEFAULT);
  if (object < 0) return wrong(mistake, command, "the file has no object %.120s", command->object);
  int status = 0;
  if (H5Aexists(object, command->name) != 0)
    status = wrong(mistake, command, "%.80s has an attribute %.80s already", command->object,
                   command->name);
  for (const struct command *other = first; !status && other < command; other++)
    if (same_attribute(object, command, file, other))
      status = wrong(mistake, command, "line %zu creates this attribute, too", other->line);
  if (!status && command->count * number_types[command->type].bits / 8 > 64000)
    status = wrong(mistake, command, "an attribute holds at most 64,000 bytes");
  H5Oclose(object);
  return status;
}

int editor_check(const char *path, const struct commands *commands, struct mistake *mistake) {
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  int status = 0;
  if (file < 0) return -2;
  for (size_t i = 0; !status && i < commands->count; i++)
    status = check_one(file, commands->items, &commands->items[i], mistake);
  H5Fclose(file);
  return status;
}

/* Executes a command. Returns 0, or a negative number on failure. */
static int create(hid_t file, const struct command *command) {
  hsize_t dims[MAX_RANK];
  for (int i = 0; i < command->rank; i++)
    dims[i] = command->dims[i];
  hid_t object = H5Oopen(file, command->object, H5P_DEFAULT);
  hid_t space = command->rank ? H5Screate_simple(command->rank, dims, NULL) : H5Screate(H5S_SCALAR);
  hid_t attribute =
      H5Acreate2(object, command->name, file_type(command->type), space, H5P_DEFAULT, H5P_DEFAULT);
  hid_t memory = memory_type(number_types[command->type].kind);
  herr_t status = attribute < 0 ? -1 : H5Awrite(attribute, memory, command->values);
  if (attribute >= 0 && H5Aclose(attribute) < 0) status = -1;
  if (space >= 0) H5Sclose(space);
  if (object >= 0) H5Oclose(object);
  return status < 0 ? -1 : 0;
}

long editor_execute(const char *path, hid_t access, const struct command *items, size_t count) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
  if (file < 0) return -1;
  size_t done = 0;
  while (done < count && !create(file, &items[done]))
    done++;
  return H5Fclose(file) < 0 ? -1 : (long)done;
}
