/* Cases for opening and closing files and their datasets. */
#include "facts.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Describes a dataset of eight integers. */
static struct dataset small(const char *file, const char *name) {
  return (struct dataset){
      .file = file, .name = name, .type = H5T_NATIVE_INT, .dims = 1, .length = {8}};
}

/* Creates, flushes, closes and opens a file again. */
void case_files(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = small("a.h5", "/d");
  dataset_create(&data, file);
  MUST(H5Fflush(file, H5F_SCOPE_LOCAL));
  say_file("flush", "a.h5");
  MUST(H5Fflush(data.id, H5F_SCOPE_GLOBAL)); /* any object of the file works */
  say_file("flush", "a.h5");
  dataset_close(&data);
  file_close(file, "a.h5");
  for (int i = 0; i < 3; i++)
    file_close(file_open("a.h5"), "a.h5");
}

/* Opens an open file again by H5Freopen, and closes the first id before the second. */
void case_reopened_file(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = small("a.h5", "/d");
  dataset_create(&data, file);
  hid_t again = MUST(H5Freopen(file));
  say_file("open", "a.h5");
  file_close(file, "a.h5");
  MUST(H5Fflush(again, H5F_SCOPE_LOCAL));
  say_file("flush", "a.h5");
  dataset_write(&data, &EVERYTHING);
  dataset_close(&data);
  file_close(again, "a.h5");
}

/* Closes no object, so that HDF5 closes all of them after main, when the counts must still be
 * complete. */
void case_file_open_at_exit(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = small("a.h5", "/d");
  dataset_create(&data, file);
  dataset_write(&data, &EVERYTHING);
  file_create("b.h5");
}

/* Closes a file while its dataset is open, and uses the dataset while another file is open. */
void case_dataset_outlives_file(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = small("a.h5", "/d");
  dataset_create(&data, file);
  dataset_write(&data, &EVERYTHING);
  file_close(file, "a.h5");
  hid_t other = file_create("b.h5");
  struct dataset second = small("b.h5", "/d");
  dataset_create(&second, other);
  dataset_read(&data, &EVERYTHING);
  dataset_write(&second, &EVERYTHING);
  dataset_close(&data);
  dataset_close(&second);
  file_close(other, "b.h5");
}

/* Opens files again after H5close(), which makes the library use the same ids again; each file must
 * have its own counts. */
void case_ids_again(void) {
  const char *names[] = {"a.h5", "b.h5", "c.h5"};
  hid_t first_file = 0, first_data = 0;
  for (int i = 0; i < 3; i++) {
    hid_t file = file_create(names[i]);
    struct dataset data = small(names[i], "/d");
    dataset_create(&data, file);
    for (int writes = 0; writes <= i; writes++)
      dataset_write(&data, &EVERYTHING);
    if (i == 0) first_file = file, first_data = data.id;
    if (file != first_file || data.id != first_data) {
      fprintf(stderr, "the library does not use ids again\n");
      MUST(-1);
    }
    if (i == 0) { /* H5close closes the others */
      dataset_close(&data);
      file_close(file, names[i]);
    }
    MUST(H5close());
    MUST(H5open());
  }
}

/* Forks; the child uses objects that its parent opened, and each process prints the facts of its
 * own calls. */
void case_forked(void) {
  hid_t file = file_create("a.h5");
  struct dataset data = small("a.h5", "/d");
  dataset_create(&data, file);
  dataset_write(&data, &EVERYTHING);
  MUST(H5Fflush(file, H5F_SCOPE_LOCAL));
  say_file("flush", "a.h5");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 3; i++)
      dataset_read(&data, &EVERYTHING);
    hid_t other = file_create("b.h5");
    struct dataset own = small("b.h5", "/d");
    dataset_create(&own, other);
    dataset_write(&own, &EVERYTHING);
    dataset_close(&own);
    file_close(other, "b.h5");
    fflush(stdout);
    _exit(0);
  }
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) MUST(-1);
  dataset_close(&data);
  file_close(file, "a.h5");
}

/* Has 40 files with a dataset each open at the same time. */
void case_many_files(void) {
  static char names[40][16];
  hid_t files[40];
  struct dataset data[40];
  for (int i = 0; i < 40; i++) {
    snprintf(names[i], sizeof(names[i]), "%d.h5", i);
    files[i] = file_create(names[i]);
    data[i] = small(names[i], "/d");
    dataset_create(&data[i], files[i]);
  }
  for (int i = 39; i >= 0; i--) {
    for (int writes = 0; writes < i % 4; writes++)
      dataset_write(&data[i], &EVERYTHING);
    dataset_close(&data[i]);
    file_close(files[i], names[i]);
  }
}

/* Makes calls that fail: they are not counted. Prints the sizes of the library's error stack, which
 * the runtime must not change. */
void case_failures(void) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t file = file_create("a.h5");
  struct dataset data = small("a.h5", "/d");
  dataset_create(&data, file);
  if (H5Fopen("missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT) >= 0) MUST(-1);
  printf("note\terrors of H5Fopen: %d\n", (int)H5Eget_num(H5E_DEFAULT));
  if (H5Dopen2(file, "missing", H5P_DEFAULT) >= 0) MUST(-1);
  printf("note\terrors of H5Dopen2: %d\n", (int)H5Eget_num(H5E_DEFAULT));
  int values[8] = {0};
  hid_t wrong = data.id + 77;
  if (H5Dread(wrong, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) MUST(-1);
  printf("note\terrors of H5Dread: %d\n", (int)H5Eget_num(H5E_DEFAULT));
  if (H5Dwrite(data.id, -1, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) MUST(-1);
  printf("note\terrors of H5Dwrite: %d\n", (int)H5Eget_num(H5E_DEFAULT));
  if (H5Dclose(wrong) >= 0 || H5Fclose(wrong) >= 0) MUST(-1);
  if (H5Aopen(data.id, "missing", H5P_DEFAULT) >= 0) MUST(-1);
  if (H5Gopen2(file, "missing", H5P_DEFAULT) >= 0) MUST(-1);
  if (H5Fflush(wrong, H5F_SCOPE_LOCAL) >= 0) MUST(-1);
  dataset_close(&data);
  file_close(file, "a.h5");
}

/* Opens one file under several names, which must have one record: names are normalized. A symbolic
 * link to it has a record of its own. */
void case_relative_names(void) {
  file_close(file_create("./a.h5"), "./a.h5");
  file_close(file_open(".//./a.h5"), ".//./a.h5");
  char folder[4096], name[4200];
  if (!getcwd(folder, sizeof(folder))) MUST(-1);
  snprintf(name, sizeof(name), "%s/a.h5", folder);
  hid_t file = file_open(name);
  file_close(file, name);
  if (symlink("a.h5", "b.h5") != 0) MUST(-1);
  file_close(file_open("b.h5"), "b.h5");
}
