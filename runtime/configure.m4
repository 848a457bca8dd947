# The options of 3.5.0's configure that scripts pass: those that change this build, and
# those that need not, each with a line that says why.  doc/configure.md has the table.

# What is given has to be text that a C string, a makefile and a sed script can hold.
AC_DEFUN([DARSHAN_PLAIN], [AS_CASE(["$1"],
  [''], [AC_MSG_ERROR([$2: the value is missing])],
  [*[[\"\\\|\&\$\`\#\']]* | *"$as_nl"*],
    [AC_MSG_ERROR([$2: none of " ' \ | & $ ` @%:@ and no newline can be in it])])])

# DARSHAN_FOLDER(VARIABLE, OPTION): an absolute path, blanks allowed.
AC_DEFUN([DARSHAN_FOLDER], [DARSHAN_PLAIN([$$1], [$2])
AS_CASE([$$1], [/*], [], [yes], [AC_MSG_ERROR([$2=DIR: the value is missing])],
  [AC_MSG_ERROR([$2=$$1: not an absolute path])])])

# DARSHAN_NUMBER(VARIABLE, OPTION, MOST): from 1 on.
AC_DEFUN([DARSHAN_NUMBER], [AS_CASE([$$1],
  [*[[!0-9]]* | '' | 0* | ???????????*], [AC_MSG_ERROR([$2=$$1: not a number from 1 to $3])])
AS_IF([test "$$1" -gt $3], [AC_MSG_ERROR([$2=$$1: not a number from 1 to $3])])])

# DARSHAN_VARIABLES(VARIABLE, OPTION): names of environment variables, commas between them.
AC_DEFUN([DARSHAN_VARIABLES], [AS_CASE([$$1],
  ['' | yes], [AC_MSG_ERROR([$2: the value is missing])],
  [*[[!A-Za-z0-9_,]]* | ,* | *, | *,,* | [[0-9]]* | *,[[0-9]]*],
    [AC_MSG_ERROR([$2=$$1: not a name of an environment variable])])])
AC_DEFUN([DARSHAN_VARIABLE], [DARSHAN_VARIABLES([$1], [$2])
AS_CASE([$$1], [*,*], [AC_MSG_ERROR([$2=$$1: more than one name])])])

# DARSHAN_NOT_NEEDED(OPTION, VARIABLE, WHY): whatever its value.
AC_DEFUN([DARSHAN_NOT_NEEDED],
  [AS_IF([test -n "$$2"], [AC_MSG_NOTICE([$1: $3])])])

AC_DEFUN([DARSHAN_WHERE_LOGS_GO], [
AC_ARG_WITH([log-path],
  [AS_HELP_STRING([--with-log-path=DIR],
    [folder for logs, with a folder for each day, when DARSHAN_LOGPATH is not set
     @<:@$HOME/darshan-logs, without days@:>@])],
  [AS_IF([test "x$withval" = xno], [with_log_path=""],
    [DARSHAN_FOLDER([withval], [--with-log-path])])], [with_log_path=""])
AC_ARG_WITH([log-path-by-env],
  [AS_HELP_STRING([--with-log-path-by-env=NAMES],
    [environment variables, with commas between them: the first that is set is the folder for
     logs, without days, when DARSHAN_LOGPATH is not set @<:@none@:>@])],
  [AS_IF([test "x$withval" = xno], [with_log_path_by_env=""],
    [DARSHAN_VARIABLES([withval], [--with-log-path-by-env])])], [with_log_path_by_env=""])
AC_ARG_WITH([jobid-env],
  [AS_HELP_STRING([--with-jobid-env=NAME],
    [environment variable that holds the job id; NONE: the process id is taken
     @<:@SLURM_JOB_ID@:>@])],
  [AS_IF([test "x$withval" = xno], [with_jobid_env=NONE],
    [DARSHAN_VARIABLE([withval], [--with-jobid-env])])], [with_jobid_env=SLURM_JOB_ID])
AC_ARG_WITH([username-env],
  [AS_HELP_STRING([--with-username-env=NAME],
    [environment variable that holds the name of the user, looked at before LOGNAME @<:@none@:>@])],
  [AS_IF([test "x$withval" = xno], [with_username_env=""],
    [DARSHAN_VARIABLE([withval], [--with-username-env])])], [with_username_env=""])
AC_ARG_WITH([log-hints],
  [AS_HELP_STRING([--with-log-hints=HINTS],
    [default of DARSHAN_LOGHINTS, "key=value;key=value" @<:@none@:>@])],
  [AS_CASE(["$withval"], [no], [with_log_hints=""],
    [yes], [AC_MSG_ERROR([--with-log-hints: the value is missing])],
    [DARSHAN_PLAIN([$withval], [--with-log-hints])])], [with_log_hints=""])
AC_ARG_WITH([off-file],
  [AS_HELP_STRING([--with-off-file=FILE],
    [where this file exists no process is watched @<:@SYSCONFDIR/darshan/off, without --sysconfdir
     /etc/darshan/off@:>@])],
  [DARSHAN_FOLDER([withval], [--with-off-file])], [with_off_file=""])
AS_IF([test -z "$with_off_file"],
  [AS_CASE(["$sysconfdir"],
    ['${prefix}/etc'], [with_off_file=/etc/darshan/off],
    [with_off_file=`prefix=$prefix; eval echo "$sysconfdir"`/darshan/off])])
# Beside it lies what deployment scripts give to the runtime as its configuration file.
config_file=`AS_DIRNAME(["$with_off_file"])`/darshan.conf
AC_SUBST([config_file])
AC_ARG_ENABLE([group-readable-logs],
  [AS_HELP_STRING([--enable-group-readable-logs], [logs get mode 0440 instead of 0400])])
AS_IF([test "x$enable_group_readable_logs" = xyes],
  [group_readable_logs=yes log_mode=0440], [group_readable_logs=no log_mode=0400])
AC_DEFINE_UNQUOTED([DARSHAN_DEFAULT_LOG_PATH], ["$with_log_path"], [Folder for logs; empty: below HOME])
AC_DEFINE_UNQUOTED([DARSHAN_LOG_PATH_VARIABLES], ["$with_log_path_by_env"],
  [Variables, by commas: the first that is set is the folder for logs])
AC_DEFINE_UNQUOTED([DARSHAN_OFF_FILE], ["$with_off_file"], [Where it exists nothing is watched])
AC_DEFINE_UNQUOTED([DARSHAN_JOBID_VARIABLE], ["$with_jobid_env"], [Variable that holds the job id])
AC_DEFINE_UNQUOTED([DARSHAN_USER_VARIABLE], ["$with_username_env"],
  [Variable that holds the user's name, before LOGNAME; empty: none])
AC_DEFINE_UNQUOTED([DARSHAN_LOG_HINTS], ["$with_log_hints"], [Hints that the metadata tell])
AC_DEFINE_UNQUOTED([DARSHAN_LOG_MODE], [$log_mode], [Permissions of a finished log])
log_path_by_env=${with_log_path_by_env:-DARSHAN_LOGPATH}
username_env=${with_username_env:-LOGNAME}
AC_SUBST([log_path_by_env])
AC_SUBST([username_env])
AC_SUBST([with_log_path])
AC_SUBST([with_jobid_env])
AC_SUBST([with_log_hints])
AC_SUBST([group_readable_logs])
])

AC_DEFUN([DARSHAN_MEMORY], [
AC_ARG_WITH([mem-align],
  [AS_HELP_STRING([--with-mem-align=BYTES], [default of DARSHAN_MEMALIGN @<:@8@:>@])],
  [DARSHAN_NUMBER([withval], [--with-mem-align], [1073741824])], [with_mem_align=8])
AC_ARG_WITH([mod-mem],
  [AS_HELP_STRING([--with-mod-mem=MIB],
    [default of DARSHAN_MODMEM, and of the memory of each kind of traces @<:@64; traces 2@:>@])],
  [DARSHAN_NUMBER([withval], [--with-mod-mem], [1048576])
   dxt_kib=`expr "$withval" '*' 1024`], [with_mod_mem=64 dxt_kib=2048])
AC_ARG_WITH([name-mem],
  [AS_HELP_STRING([--with-name-mem=MIB], [default of DARSHAN_NAMEMEM @<:@16@:>@])],
  [DARSHAN_NUMBER([withval], [--with-name-mem], [1048576])], [with_name_mem=16])
AC_DEFINE_UNQUOTED([DARSHAN_DEFAULT_MEM_ALIGNMENT], [$with_mem_align], [Bytes])
AC_DEFINE_UNQUOTED([DARSHAN_DEFAULT_MODMEM], [$with_mod_mem], [MiB of records])
AC_DEFINE_UNQUOTED([DARSHAN_DEFAULT_NAMEMEM], [$with_name_mem], [MiB of names])
AC_DEFINE_UNQUOTED([DARSHAN_DEFAULT_DXT_KIB], [$dxt_kib], [KiB of each kind of traces])
AC_SUBST([with_mem_align])
AC_SUBST([with_mod_mem])
AC_SUBST([with_name_mem])
])

# DARSHAN_MODULE(NAME, MODULES, WHAT): recorded unless it is disabled.
AC_DEFUN([DARSHAN_MODULE], [
AC_ARG_ENABLE([$1-mod],
  [AS_HELP_STRING([--disable-$1-mod], [$3 never recorded, whatever DARSHAN_MOD_ENABLE says])],
  [AS_CASE([$enableval], [yes | /*], [enable_$1_mod=yes], [no], [without_modules="$without_modules $2"],
    [AC_MSG_ERROR([--enable-$1-mod=$enableval: yes or no])])], [enable_$1_mod=yes])
AC_SUBST([enable_$1_mod])])

# DARSHAN_ABSENT(NAME, WHY): no build records it.
AC_DEFUN([DARSHAN_ABSENT], [
AC_ARG_ENABLE([$1-mod], [AS_HELP_STRING([--enable-$1-mod], [never recorded: $2])],
  [AS_IF([test "x$enableval" != xno], [AC_MSG_WARN([--enable-$1-mod: never recorded: $2])])])])

# MPI's communication: asked for when a program runs, unless a build always records it.
AC_DEFUN([DARSHAN_TALK], [
AC_ARG_ENABLE([apmpi-mod],
  [AS_HELP_STRING([--enable-apmpi-mod], [communication of MPI is recorded unless a setting says no;
    --disable-apmpi-mod: never @<:@where DARSHAN_MOD_ENABLE=APMPI asks for it@:>@])],
  [AS_CASE([$enableval], [yes], [apmpi_by_default=1],
    [no], [apmpi_by_default=0 without_modules="$without_modules APMPI"],
    [AC_MSG_ERROR([--enable-apmpi-mod=$enableval: yes or no])])], [enable_apmpi_mod=yes apmpi_by_default=0])
AC_ARG_ENABLE([apmpi-coll-sync],
  [AS_HELP_STRING([--enable-apmpi-coll-sync], [default of DARSHAN_APMPI_COLL_SYNC @<:@no@:>@])],
  [AS_CASE([$enableval], [yes], [apmpi_meets=1], [no], [apmpi_meets=0],
    [AC_MSG_ERROR([--enable-apmpi-coll-sync=$enableval: yes or no])])],
  [enable_apmpi_coll_sync=no apmpi_meets=0])
AC_DEFINE_UNQUOTED([DARSHAN_APMPI_BY_DEFAULT], [$apmpi_by_default], [1: recorded unless switched off])
AC_DEFINE_UNQUOTED([DARSHAN_APMPI_MEETS], [$apmpi_meets], [1: ranks meet before collectives])
AC_SUBST([enable_apmpi_mod])
AC_SUBST([enable_apmpi_coll_sync])
])

AC_DEFUN([DARSHAN_MODULES], [
without_modules=
DARSHAN_MODULE([posix], [POSIX POSIX_EXT], [POSIX calls are])
DARSHAN_MODULE([stdio], [STDIO STDIO_EXT], [STDIO calls are])
DARSHAN_MODULE([mpiio], [MPIIO MPIIO_EXT], [MPI-IO calls are])
DARSHAN_MODULE([hdf5], [H5F H5D H5_META], [HDF5 calls are])
DARSHAN_MODULE([pnetcdf], [PNETCDF_FILE PNETCDF_VAR], [PnetCDF calls are])
DARSHAN_MODULE([lustre], [LUSTRE], [how Lustre stripes files is])
DARSHAN_MODULE([dxt], [DXT_POSIX DXT_MPIIO], [traces are])
DARSHAN_MODULE([heatmap], [HEATMAP], [heat maps are])
DARSHAN_MODULE([daos], [DFS DAOS], [calls of DAOS and its file system are])
DARSHAN_TALK
DARSHAN_ABSENT([bgq], [the machines are gone])
DARSHAN_ABSENT([mdhim], [the library is gone])
DARSHAN_ABSENT([ldms], [nothing is sent while a program runs; darshan watch shows it])
DARSHAN_ABSENT([apxc], [the counters of Cray's XC network need its libraries])
DARSHAN_ABSENT([null], [it is an example for developers, as --enable-template])
modules_without=
for darshan_module in $without_modules; do
  modules_without="$modules_without X($darshan_module)"
done
AC_DEFINE_UNQUOTED([DARSHAN_MODULES_WITHOUT(X)], [$modules_without],
  [X(SYMBOL) of each module that this build never records])
])

# DARSHAN_FOUND_LATER(LIBRARY): darshan-config tells the folder, nothing else uses it.
AC_DEFUN([DARSHAN_FOUND_LATER], [
AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=DIR],
  [not needed: the library that a program brings is found when it runs])],
  [AC_MSG_NOTICE([--with-$1: not needed, the library that a program brings is found when it runs])
   AS_CASE([$withval], [yes | no], [with_$1=""], [DARSHAN_FOLDER([withval], [--with-$1])])],
  [with_$1=""])
AC_SUBST([with_$1])])

# What this tree does not choose when it is built.
AC_DEFUN([DARSHAN_CHOSEN_AT_START], [
AC_ARG_WITH([mpi], [AS_HELP_STRING([--without-mpi],
  [not needed: nothing is linked with an MPI, and each is recognized when it runs])])
DARSHAN_NOT_NEEDED([--with-mpi], [with_mpi],
  [not needed, nothing is linked with an MPI, and each is recognized when it runs])
DARSHAN_FOUND_LATER([hdf5])
DARSHAN_FOUND_LATER([pnetcdf])
DARSHAN_FOUND_LATER([daos])
AC_ARG_WITH([ldms], [AS_HELP_STRING([--with-ldms=DIR], [of no use: see --enable-ldms-mod])])
DARSHAN_NOT_NEEDED([--with-ldms], [with_ldms], [of no use, nothing is sent to LDMS])
AC_ARG_WITH([papi], [AS_HELP_STRING([--with-papi=DIR], [of no use: see --enable-apxc-mod])])
DARSHAN_NOT_NEEDED([--with-papi], [with_papi], [of no use, network counters are not recorded])
AC_ARG_ENABLE([mmap-logs], [AS_HELP_STRING([--disable-mmap-logs],
  [of no effect: records always lie in a journal, which is what a crash leaves])])
DARSHAN_NOT_NEEDED([--enable-mmap-logs], [enable_mmap_logs],
  [of no effect, records always lie in a journal, which is what a crash leaves])
AC_ARG_ENABLE([cuserid], [AS_HELP_STRING([--disable-cuserid], [not needed: it is never called])])
DARSHAN_NOT_NEEDED([--disable-cuserid], [enable_cuserid], [not needed, cuserid is never called])
AC_ARG_ENABLE([exit-wrapper], [AS_HELP_STRING([--disable-exit-wrapper],
  [of no effect: without it programs that call _exit would leave no log])])
DARSHAN_NOT_NEEDED([--disable-exit-wrapper], [enable_exit_wrapper],
  [of no effect, without it programs that call _exit would leave no log])
AC_ARG_ENABLE([ld-preload], [AS_HELP_STRING([--disable-ld-preload],
  [of no effect: what programs are linked with is made of the library for preloading])])
DARSHAN_NOT_NEEDED([--disable-ld-preload], [enable_ld_preload],
  [of no effect, what programs are linked with is made of the library for preloading])
AC_ARG_ENABLE([rdtscp], [AS_HELP_STRING([--enable-rdtscp],
  [not needed: the clock is chosen when a program starts])])
DARSHAN_NOT_NEEDED([--enable-rdtscp], [enable_rdtscp],
  [not needed, the clock is chosen when a program starts])
AC_ARG_ENABLE([stress-test], [AS_HELP_STRING([--enable-stress-test],
  [not needed: ./check and ./dev full are the tests])])
DARSHAN_NOT_NEEDED([--enable-stress-test], [enable_stress_test],
  [not needed, ./check and ./dev full are the tests])
AC_ARG_ENABLE([pydarshan], [AS_HELP_STRING([--enable-pydarshan],
  [not needed: PyDarshan from PyPI reads with our library; darshan_report is always installed])])
DARSHAN_NOT_NEEDED([--enable-pydarshan], [enable_pydarshan],
  [not needed, PyDarshan from PyPI reads with our library; darshan_report is always installed])
AC_ARG_ENABLE([darshan-runtime], [AS_HELP_STRING([--disable-darshan-runtime],
  [of no effect: darshan run and stat need it])])
DARSHAN_NOT_NEEDED([--disable-darshan-runtime], [enable_darshan_runtime],
  [of no effect, darshan run and stat need the runtime])
AC_ARG_ENABLE([darshan-util], [AS_HELP_STRING([--disable-darshan-util],
  [of no effect: the runtime has its logs of many processes made by darshan-merge])])
DARSHAN_NOT_NEEDED([--disable-darshan-util], [enable_darshan_util],
  [of no effect, the runtime has its logs of many processes made by darshan-merge])
AC_ARG_ENABLE([shared], [AS_HELP_STRING([--enable-shared], [not needed: always made])])
DARSHAN_NOT_NEEDED([--enable-shared], [enable_shared], [of no effect, shared libraries are always made])
AC_ARG_ENABLE([static], [AS_HELP_STRING([--enable-static],
  [not needed: the runtime is always made for static programs, too])])
DARSHAN_NOT_NEEDED([--enable-static], [enable_static],
  [of no effect, the runtime is always made for static programs, too])
])

# DARSHAN_LIBRARY(NAME, HEADER): where a library that everything here is linked with lies.
AC_DEFUN([DARSHAN_LIBRARY], [
AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=DIR], [folder with include/$2 and lib @<:@the compiler's own@:>@])],
  [AS_CASE([$withval], [yes], [with_$1=""], [no], [AC_MSG_ERROR([--without-$1: logs cannot be read without it])],
    [DARSHAN_FOLDER([withval], [--with-$1])
     AS_IF([test -r "$withval/include/$2"], [],
       [AC_MSG_ERROR([--with-$1=$withval: there is no include/$2 in it])])
     # Compilers are called by configure with words that blanks part, and quotes would not join.
     AS_CASE([$withval], [*[[!A-Za-z0-9_./,:=@%+~-]]*],
       [AC_MSG_ERROR([--with-$1=$withval: the name has characters that configure cannot hand on])])
     CPPFLAGS="$CPPFLAGS -I$withval/include"
     for darshan_lib in lib lib64; do
       AS_IF([test -d "$withval/$darshan_lib"], [LDFLAGS="$LDFLAGS -L$withval/$darshan_lib"])
     done])], [with_$1=""])
AC_SUBST([with_$1])])

# Which glibc is enough for what is built.
AC_DEFUN([DARSHAN_GLIBC], [
AC_ARG_WITH([glibc],
  [AS_HELP_STRING([--with-glibc=2.28],
    [what is built works with this glibc, too, and holds zlib, bzip2 and libdeflate: to be
     carried to other machines @<:@with the one that is here, and newer ones@:>@])],
  [], [with_glibc=no])
AS_CASE([$with_glibc], [no|2.28], [],
  [AC_MSG_ERROR([--with-glibc=$with_glibc: there is 2.28 only])])
])
