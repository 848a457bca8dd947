! The same calls as in C reach the library through its Fortran half.
program parallel
  use mpi
  implicit none
  integer :: error, rank, file, numbers(16), total
  integer(kind=MPI_OFFSET_KIND) :: place
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  numbers = rank + 1
  call MPI_File_open(MPI_COMM_WORLD, 'shared.dat', MPI_MODE_CREATE + MPI_MODE_RDWR, &
                     MPI_INFO_NULL, file, error)
  place = rank * 64
  call MPI_File_write_at_all(file, place, numbers, 16, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  call MPI_File_read_at(file, place, numbers, 16, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  call MPI_File_close(file, error)
  call MPI_Allreduce(numbers, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) then
    open (10, file='fortran.dat')
    write (10, *) total
    close (10)
    print *, total
  end if
  call MPI_Finalize(error)
end program
