# Made by ./dev describe.
complete -c darshan-config -l static -d 'first of all, where the program is a static one (-static-pie needs it): what shared libraries need is left out'
complete -c darshan-config -l pre-ld-flags -d 'what comes before the program\'s own objects and libraries'
complete -c darshan-config -l post-ld-flags -d 'what comes after them'
complete -c darshan-config -l dyn-ld-flags -d 'enough for a program all of whose libraries are shared'
complete -c darshan-config -l mpich-profile -d 'text of a file NAME.conf for MPICH\'s mpicc -profile=NAME'
complete -c darshan-config -l preload -d 'the library for LD_PRELOAD'
complete -c darshan-config -l libs -d 'the same as --dyn-ld-flags: not for a static program'
complete -c darshan-config -l log-path -d 'the folder for logs that was chosen when this was built'
complete -c darshan-config -l modulefile -d 'an environment module of this installation, for Modules or Lmod: its commands alone'
complete -c darshan-config -n '__fish_contains_opt modulefile; and not __fish_seen_subcommand_from tcl lua' -a 'tcl lua'
complete -c darshan-config -n '__fish_contains_opt modulefile; and not __fish_seen_subcommand_from tools jobs all' -a 'tools jobs all'
complete -c darshan-config -l all -d 'every fact below, one a line'
complete -c darshan-config -l version
complete -c darshan-config -l help
complete -c darshan-config -l cc
complete -c darshan-config -l log-path-by-env
complete -c darshan-config -l jobid-env
complete -c darshan-config -l username-env
complete -c darshan-config -l mem-align
complete -c darshan-config -l mod-mem
complete -c darshan-config -l name-mem
complete -c darshan-config -l log-hints
complete -c darshan-config -l ld-preload
complete -c darshan-config -l cuserid
complete -c darshan-config -l group-readable-logs
complete -c darshan-config -l mmap-logs
complete -c darshan-config -l exit-wrapper
complete -c darshan-config -l rdtscp
complete -c darshan-config -l null-mod
complete -c darshan-config -l posix-mod
complete -c darshan-config -l stdio-mod
complete -c darshan-config -l dxt-mod
complete -c darshan-config -l heatmap-mod
complete -c darshan-config -l mpiio-mod
complete -c darshan-config -l apmpi-mod
complete -c darshan-config -l apmpi-coll-sync
complete -c darshan-config -l hdf5-mod
complete -c darshan-config -l pnetcdf-mod
complete -c darshan-config -l daos-mod
complete -c darshan-config -l bgq-mod
complete -c darshan-config -l lustre-mod
complete -c darshan-config -l mdhim-mod
complete -c darshan-config -l ldms-mod
complete -c darshan-config -l zlib-path
complete -c darshan-config -l hdf5-path
complete -c darshan-config -l pnetcdf-path
complete -c darshan-config -l daos-path
complete -c darshan-config -l ldms-path
