! The same as "collectives" of waits.c, in each of Fortran's forms: waits FOLDER.
program waits
#if defined(MODULE_F08)
  use mpi_f08
  implicit none
#elif defined(MODULE_MPI)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: rank, size, ierror, value
  double precision :: begun, took
  character(len=1024) :: folder
  character(len=16) :: number
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  took = 0
  call late()
  begun = MPI_Wtime()
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  took = took + MPI_Wtime() - begun
  value = rank
  call late()
  begun = MPI_Wtime()
  call MPI_Bcast(value, 1, MPI_INTEGER, size - 1, MPI_COMM_WORLD, ierror)
  took = took + MPI_Wtime() - begun
  call get_command_argument(1, folder)
  write (number, '(i0)') rank
  open (10, file=trim(folder)//'/took.'//trim(number))
  write (10, '(f0.9, a)') took, ' 1'
  close (10)
  call MPI_Finalize(ierror)
contains
  subroutine late()
    double precision :: from
    from = MPI_Wtime()
    do while (rank == size - 1 .and. MPI_Wtime() - from < 0.05d0)
    end do
  end subroutine
end program
