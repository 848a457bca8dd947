! The Fortran library does the reading and writing here, not the program.
program serial
  implicit none
  integer :: i, numbers(100)
  open (10, file='formatted.dat')
  do i = 1, 100
    write (10, *) i
  end do
  rewind (10)
  read (10, *) numbers
  close (10)
  open (11, file='raw.dat', access='stream', form='unformatted')
  write (11) numbers
  close (11)
  print *, sum(numbers)
end program
