! languages FOLDER: what languages.c does, with mpif.h, with the module mpi
! (-DMODULE_MPI) or with the module mpi_f08 (-DMODULE_F08).
#if defined(MODULE_F08)
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#else
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#endif

program languages
#if defined(MODULE_F08)
  use mpi_f08
#elif defined(MODULE_MPI)
  use mpi
#endif
  implicit none
#if !defined(MODULE_F08) && !defined(MODULE_MPI)
  include 'mpif.h'
#endif
  integer, parameter :: numbers = 1000
  integer, asynchronous :: values(numbers)
  integer :: rank, ierr
  integer(kind=MPI_OFFSET_KIND) :: mine
  character(len=1024) :: folder, name
  HANDLE(MPI_Info) :: info
  HANDLE(MPI_File) :: fh
  HANDLE(MPI_Datatype) :: pairs
  values = 0
  call get_command_argument(1, folder)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  mine = 5000 * rank
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, 'cb_nodes', '1', ierr)
  name = trim(folder) // '/shared'
  call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, info, fh, ierr)
  call MPI_File_set_view(fh, 64_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', &
                         MPI_INFO_NULL, ierr)
  call transfers()
  call MPI_File_close(fh, ierr)
  write (name, '(a,a,i0)') trim(folder), '/own-', rank
  call MPI_Type_vector(30, 2, 4, MPI_INTEGER, pairs, ierr)
  call MPI_Type_commit(pairs, ierr)
  call MPI_File_open(MPI_COMM_SELF, trim(name), MPI_MODE_CREATE + MPI_MODE_WRONLY, &
                     MPI_INFO_NULL, fh, ierr)
  call MPI_File_set_size(fh, 100_MPI_OFFSET_KIND, ierr)
  call MPI_File_write_at(fh, 0_MPI_OFFSET_KIND, values, 2 + rank, pairs, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(fh, ierr)
  call MPI_Type_free(pairs, ierr)
  call MPI_Info_free(info, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine transfers()
    HANDLE(MPI_Request) :: request
    STATUS(status)
    call MPI_File_write_at(fh, mine, values, numbers, MPI_INTEGER, status, ierr)
    call MPI_File_write_at_all(fh, mine, values, 300, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call MPI_File_seek(fh, mine, MPI_SEEK_SET, ierr)
    call MPI_File_write(fh, values, 20, MPI_INTEGER, status, ierr)
    call MPI_File_read_all(fh, values, 10, MPI_INTEGER, status, ierr)
    call MPI_File_iwrite_at(fh, mine, values, 7, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_File_iread_at(fh, mine, values, 9, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_File_read_at_all_begin(fh, mine, values, 11, MPI_INTEGER, ierr)
    call MPI_File_read_at_all_end(fh, values, status, ierr)
    call MPI_File_write_ordered(fh, values, 2, MPI_INTEGER, status, ierr)
    call MPI_File_sync(fh, ierr)
  end subroutine transfers
end program languages
