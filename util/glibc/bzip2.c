/* Stubs of libbz2's functions, which are never called. The reader's shared libraries are linked
 * with these stubs, so that they need libbz2 under its usual name, not under Debian's name
 * libbz2.so.1.0. The programs contain libbz2's static library, which cannot be linked into a shared
 * library. */
int BZ2_bzDecompressInit(void);
int BZ2_bzDecompress(void);
int BZ2_bzDecompressEnd(void);

int BZ2_bzDecompressInit(void) {
  return 0;
}

int BZ2_bzDecompress(void) {
  return 0;
}

int BZ2_bzDecompressEnd(void) {
  return 0;
}
