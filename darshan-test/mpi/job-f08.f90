! Every rank writes 8 * (rank + 1) bytes to a file of its own, with the module mpi_f08.
program job
  use mpi_f08
  implicit none
  integer :: rank, size, ierr, unit
  character(len=1024) :: folder, name
  call get_command_argument(1, folder)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  write (name, '(a,a,i0)') trim(folder), '/own-', rank
  open (newunit=unit, file=name, form='unformatted', access='stream', status='replace')
  write (unit) spread(1.0d0, 1, rank + 1)
  close (unit)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  print '(a,i0,a,i0)', 'rank ', rank, ' of ', size
end program job
