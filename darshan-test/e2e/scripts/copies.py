"""Copies files by calls of the kernel, maps files, makes temporary files, and starts child
processes by vfork."""

import mmap
import os
import shutil
import subprocess
import tempfile

shutil.copyfile("big", "one")
shutil.copytree(".", "all", ignore=shutil.ignore_patterns("all"))
with open("one", "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
    memory[5:8] = b"abc"
    memory.flush()
with tempfile.TemporaryFile() as temporary:
    temporary.write(b"x" * 12345)
    temporary.seek(0)
    print(len(temporary.read()))
source, target = os.open("one", os.O_RDONLY), os.open("two", os.O_CREAT | os.O_RDWR, 0o644)
while os.copy_file_range(source, target, 1 << 20):
    pass
os.preadv(target, [bytearray(100), bytearray(50)], 7)
os.pwritev(target, [b"12", b"345"], os.lseek(target, 0, os.SEEK_END))
os.ftruncate(target, 1 << 20)
os.fsync(target)
os.fdatasync(target)
print(os.fstat(target).st_size, os.stat("one").st_size)
with open("listed", "w") as file:
    subprocess.run(["ls", "all"], stdout=file, check=True)
print(subprocess.run(["cat", "listed"], capture_output=True, check=True).stdout)
os.rename("two", "renamed")
os.unlink("one")
