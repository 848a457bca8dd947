! languages FOLDER: calls of each kind, with mpif.h, with the module mpi (-DMODULE_MPI) or with
! the module mpi_f08 (-DMODULE_F08).  test_languages.py knows how many.
#if defined(MODULE_F08)
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#else
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
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
  integer, asynchronous :: values(1000), others(4000)
  integer :: rank, ranks, right, left, ierr, i
  integer :: counts(16), places(16)
  values = 1
  others = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call messages()
  call collectives()
  call MPI_Finalize(ierr)
contains
  subroutine messages()
    HANDLE(MPI_Request) :: requests(2)
    STATUS(status)
    STATUSES(several, 2)
    logical :: done
    call MPI_Sendrecv(values, 10, MPI_INTEGER, right, 1, others, 10, MPI_INTEGER, left, 1, &
                      MPI_COMM_WORLD, status, ierr)
    call MPI_Isend(values, 100, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Probe(left, 1, MPI_COMM_WORLD, status, ierr)
    call MPI_Iprobe(left, 1, MPI_COMM_WORLD, done, status, ierr)
    call MPI_Recv(others, 100, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Irecv(others, 50, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Issend(values, 50, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, several, ierr)
    call MPI_Irecv(others, 50, MPI_INTEGER, MPI_PROC_NULL, 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Test(requests(1), done, MPI_STATUS_IGNORE, ierr)
  end subroutine messages

  subroutine collectives()
    HANDLE(MPI_Request) :: request
    do i = 1, ranks
      counts(i) = i
      places(i) = 20 * (i - 1)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Bcast(values, 1000, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call MPI_Reduce(values, others, 10, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, others, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, others, 7, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call MPI_Gatherv(values, rank + 1, MPI_INTEGER, others, counts, places, MPI_INTEGER, 0, &
                     MPI_COMM_WORLD, ierr)
    call MPI_Alltoall(values, 3, MPI_INTEGER, others, 3, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call MPI_Iallreduce(values, others, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  end subroutine collectives
end program languages
