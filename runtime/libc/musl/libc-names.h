/* Undefines the macros of musl's headers that replace names like open64 by open: a wrapper needs
 * the name of its row as a symbol, because programs that were linked with musl before 1.2.4 use
 * it. */
#ifndef DARSHAN_LIBC_NAMES_H
#define DARSHAN_LIBC_NAMES_H

#undef aio_cancel64
#undef aio_error64
#undef aio_fsync64
#undef aio_read64
#undef aio_return64
#undef aio_suspend64
#undef aio_write64
#undef alphasort64
#undef creat64
#undef fallocate64
#undef fgetpos64
#undef fopen64
#undef freopen64
#undef fseeko64
#undef fsetpos64
#undef fstat64
#undef fstatat64
#undef fstatfs64
#undef fstatvfs64
#undef ftello64
#undef ftruncate64
#undef ftw64
#undef getdents64
#undef glob64
#undef globfree64
#undef lio_listio64
#undef lockf64
#undef lseek64
#undef lstat64
#undef mkostemp64
#undef mkostemps64
#undef mkstemp64
#undef mkstemps64
#undef mmap64
#undef nftw64
#undef open64
#undef openat64
#undef posix_fadvise64
#undef posix_fallocate64
#undef pread64
#undef preadv64
#undef pwrite64
#undef pwritev64
#undef readdir64
#undef scandir64
#undef sendfile64
#undef tmpfile64
#undef truncate64
#undef versionsort64
#undef stat64
#undef statfs64
#undef statvfs64

#endif
