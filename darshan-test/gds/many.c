/* Registers one file NUMBER times, and then reads by each of these handles. Usage: many NUMBER. */
#include "gds.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  static gpu_file_t handles[1 << 13];
  char byte;
  int number = argc > 1 ? atoi(argv[1]) : 0, fd = open("many.dat", O_RDWR | O_CREAT, 0600);
  gpu_descr_t descr = {.type = GPU_FILE_OPAQUE_FD, .handle = {.fd = fd}};
  if (number > 1 << 13 || pwrite(fd, "x", 1, 0) != 1) return 1;
  for (int i = 0; i < number; i++)
    if (cuFileHandleRegister(&handles[i], &descr).err != GPU_FILE_SUCCESS) return 1;
  for (int i = 0; i < number; i++)
    if (cuFileRead(handles[i], &byte, 1, 0, 0) != 1) return 1;
  return 0;
}
