! Fortran's files: lines CASE [cured].
program lines
  implicit none
  character(len=40) :: name, mode
  logical :: cured
  call get_command_argument(1, name)
  call get_command_argument(2, mode)
  cured = mode == 'cured'
  select case (name)
  case ('open-per-step'); call open_per_step
  case ('flush-per-line'); call flush_per_line
  case ('inquire-each'); call inquire_each
  case ('rewind-each'); call rewind_each
  case ('stream-values'); call stream_values
  case ('restart-by-value'); call restart_by_value
  case ('text-checkpoint'); call text_checkpoint
  case ('text-output'); call text_output
  case ('list-directed'); call list_directed
  case ('unformatted-array'); call unformatted_array
  case ('fields-computed'); call fields_computed
  case default; error stop 2
  end select
contains
  subroutine open_per_step
    integer :: i
    if (cured) open (10, file='log', position='append')
    do i = 1, 400
      if (.not. cured) open (10, file='log', position='append')  ! blame: open-per-step
      write (10, *) i, i*0.5
      if (.not. cured) close (10)
    end do
  end subroutine

  subroutine flush_per_line
    integer :: i
    open (10, file='log')
    do i = 1, 3000
      write (10, *) i, i*0.5
      if (.not. cured) flush (10)  ! blame: flush-per-line
    end do
    close (10)
  end subroutine

  ! Is there a file that says stop?
  subroutine inquire_each
    integer :: i
    logical :: there
    do i = 1, merge(3, 1500, cured)
      inquire (file='stop', exist=there)  ! blame: inquire-each
      if (there) exit
    end do
  end subroutine

  subroutine rewind_each
    integer :: i, unit
    character(len=1048576), save :: block
    open (newunit=unit, file='input', access='stream', form='unformatted')
    do i = 1, merge(8, 400, cured)
      if (mod(i, 8) == 1) rewind (unit)
      read (unit) block  ! blame: rewind-each
    end do
  end subroutine

  ! A statement for each value of a state that is saved four times.
  subroutine restart_by_value
    real(8), save :: field(2000, 600) = 1
    character(len=20) :: name
    integer :: step, i, j
    do step = 1, 4
      field = field*1.01d0
      write (name, '(a,i0,a)') 'restart', step, '.bin'
      open (10, file=name, form='unformatted', access='stream')
      if (cured) then
        write (10) field
      else
        do j = 1, 600
          do i = 1, 2000
            write (10) field(i, j)
          end do
        end do
      end if
      close (10)
    end do
  end subroutine

  ! A state that is written as text, a whole array with each statement, and read back.
  subroutine text_checkpoint
    real(8), save :: field(250, 250) = 1
    integer :: step
    do step = 1, 16
      field = field*1.01d0 + 1/3d0
      if (cured) then
        open (10, file='chk', form='unformatted', access='stream', status='replace')
        write (10) field
        rewind (10)
        read (10) field
      else
        open (10, file='chk', status='replace')
        write (10, *) field
        rewind (10)
        read (10, *) field
      end if
      close (10)
    end do
  end subroutine

  ! Results that are written as text, a whole array with each statement.
  subroutine text_output
    real(8), save :: field(500, 201) = 1/3d0
    character(len=20) :: name
    integer :: step
    do step = 1, 12
      field = field*1.01d0
      write (name, '(a,i0)') 'result', step
      if (cured) then
        open (10, file=name, form='unformatted', access='stream')
        write (10) field
      else
        open (10, file=name)
        write (10, *) field
      end if
      close (10)
    end do
  end subroutine

  ! A position for each value defeats the buffer.
  subroutine stream_values
    integer :: i
    double precision :: values(3000)
    values = 1
    open (10, file='values', access='stream', form='unformatted')
    if (cured) then
      write (10) values
    else
      do i = 1, 3000
        write (10, pos=mod(i*769, 3000)*4096 + 1) values(i)
        flush (10)
      end do
    end if
    close (10)
  end subroutine

  subroutine list_directed
    integer :: i
    open (10, file='table')
    do i = 1, 300000
      write (10, '(i8)') i
    end do
  end subroutine

  subroutine unformatted_array
    double precision, allocatable :: values(:)
    allocate (values(8388608))
    values = 1
    open (10, file='values', form='unformatted')
    write (10) values
    close (10)
  end subroutine

  ! Computes a field, and writes it as a record of direct access: 60 times.
  subroutine fields_computed
    double precision, allocatable :: field(:, :)
    integer :: day, i, j, length
    allocate (field(720, 500))
    inquire (iolength=length) field
    open (10, file='fields', access='direct', recl=length)
    do day = 1, 60
      do j = 1, 500
        do i = 1, 720
          field(i, j) = sin(0.01d0 * i * day) + cos(0.02d0 * j)
        end do
      end do
      write (10, rec=day) field
    end do
    close (10)
  end subroutine
end program
