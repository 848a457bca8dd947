#include "undo-driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "durable.h"

/* Later versions of HDF5 have a header for drivers, and a version in the class. */
#if H5_VERSION_GE(1, 13, 2)
#include <H5FDdevelop.h>
#endif

/* The driver's information in an access property list. */
struct access {
  struct undo *undo;
};

/* A file that the driver has opened. */
struct driver_file {
  H5FD_t common; /* HDF5 expects it first */
  struct undo *undo;
  int fd;
  dev_t device;
  ino_t inode;
  haddr_t end_of_addresses, end_of_file;
};

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access_list, haddr_t limit) {
  const struct access *access = H5Pget_driver_info(access_list);
  struct driver_file *file = calloc(1, sizeof *file);
  struct stat status;
  (void)limit;
  if (!access || !file) return free(file), NULL;
  file->fd = open(name, (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (file->fd < 0 || fstat(file->fd, &status)) {
    if (file->fd >= 0) close(file->fd);
    free(file);
    return NULL;
  }
  file->undo = access->undo;
  file->device = status.st_dev;
  file->inode = status.st_ino;
  file->end_of_file = (haddr_t)status.st_size;
  return &file->common;
}

static herr_t driver_close(H5FD_t *common) {
  struct driver_file *file = (struct driver_file *)common;
  int status = close(file->fd);
  free(file);
  return status;
}

static int driver_cmp(const H5FD_t *a, const H5FD_t *b) {
  const struct driver_file *one = (const void *)a, *two = (const void *)b;
  if (one->device != two->device) return one->device < two->device ? -1 : 1;
  return one->inode == two->inode ? 0 : one->inode < two->inode ? -1 : 1;
}

/* Sets the flags to those of HDF5's own driver, so that both lay out a file in the same way.
 * Returns 0. */
static herr_t driver_query(const H5FD_t *common, unsigned long *flags) {
  (void)common;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *common, H5FD_mem_t type) {
  (void)type;
  return ((const struct driver_file *)common)->end_of_addresses;
}

static herr_t driver_set_eoa(H5FD_t *common, H5FD_mem_t type, haddr_t address) {
  (void)type;
  ((struct driver_file *)common)->end_of_addresses = address;
  return 0;
}

static haddr_t driver_get_eof(const H5FD_t *common, H5FD_mem_t type) {
  (void)type;
  return ((const struct driver_file *)common)->end_of_file;
}

/* Reads `size` bytes at `address`; bytes after the end of the file are zeros, as HDF5 expects.
 * Returns 0, or -1 on failure. */
static herr_t driver_read(H5FD_t *common, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t size, void *buffer) {
  struct driver_file *file = (struct driver_file *)common;
  char *at = buffer;
  (void)type, (void)transfer;
  while (size > 0) {
    ssize_t got = pread(file->fd, at, size, (off_t)address);
    if (got < 0 && errno != EINTR) return -1;
    if (got == 0) {
      while (size-- > 0)
        *at++ = 0;
      return 0;
    }
    if (got < 0) continue;
    at += got;
    size -= (size_t)got;
    address += (haddr_t)got;
  }
  return 0;
}

/* Saves the old bytes in the journal, then writes. Returns 0, or -1 on failure. */
static herr_t driver_write(H5FD_t *common, H5FD_mem_t type, hid_t transfer, haddr_t address,
                           size_t size, const void *buffer) {
  struct driver_file *file = (struct driver_file *)common;
  (void)type, (void)transfer;
  if (undo_save(file->undo, (off_t)address, size)) return -1;
  if (write_all(file->fd, buffer, size, (off_t)address)) return -1;
  if (address + size > file->end_of_file) file->end_of_file = address + size;
  return 0;
}

/* Gives the file the length that HDF5 wants, after saving the bytes behind it. Returns 0, or -1 on
 * failure. */
static herr_t driver_truncate(H5FD_t *common, hid_t transfer, hbool_t closing) {
  struct driver_file *file = (struct driver_file *)common;
  haddr_t end = file->end_of_addresses;
  (void)transfer, (void)closing;
  if (end == file->end_of_file) return 0;
  if (end < file->end_of_file &&
      undo_save(file->undo, (off_t)end, (size_t)(file->end_of_file - end)))
    return -1;
  if (ftruncate(file->fd, (off_t)end)) return -1;
  file->end_of_file = end;
  return 0;
}

/* Locks the file with flock, as HDF5's own drivers do, so that other HDF5 programs do not open a
 * file that is being written. write: exclusively. Returns 0, also if the file system has no locks,
 * or -1. */
static herr_t driver_lock(H5FD_t *common, hbool_t write) {
  int status = flock(((struct driver_file *)common)->fd, (write ? LOCK_EX : LOCK_SH) | LOCK_NB);
  return status && errno != ENOSYS ? -1 : 0;
}

static herr_t driver_unlock(H5FD_t *common) {
  int status = flock(((struct driver_file *)common)->fd, LOCK_UN);
  return status && errno != ENOSYS ? -1 : 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = 600, /* from the range that HDF5 reserves for private drivers */
#endif
    .name = "undo",
    .maxaddr = ((haddr_t)1 << 62) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(struct access),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_cmp,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .lock = driver_lock,
    .unlock = driver_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t undo_driver_access(struct undo *undo) {
  const struct access access = {undo};
  hid_t driver_id = H5FDregister(&driver), list = H5Pcreate(H5P_FILE_ACCESS);
  if (driver_id < 0 || list < 0 || H5Pset_driver(list, driver_id, &access) < 0) return -1;
  H5FDunregister(driver_id);
  return list;
}
