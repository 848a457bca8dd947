# What follows is the same for every installation; the values above are its own.
proc ModulesHelp {} {
    global about
    puts stderr $about
}
module-whatis $summary
conflict darshan darshan-runtime darshan-util

# A value that was there before comes back; before Modules 5.1 it is gone afterwards.
proc put {name value} {
    if {[info commands pushenv] ne {}} { pushenv $name $value } else { setenv $name $value }
}

prepend-path PATH $bin
# Where it is not set man looks beside the folders of PATH, and would look nowhere else.
if {[info exists env(MANPATH)] && $env(MANPATH) ne {}} { prepend-path MANPATH $manual }
# Last, so that what has to be first (a sanitizer) stays first.
if {$preload ne {}} { append-path LD_PRELOAD $preload }
if {$nonmpi ne {}} { put DARSHAN_ENABLE_NONMPI $nonmpi }
if {$logs ne {}} { put DARSHAN_LOGPATH $logs }
if {$config ne {}} { put DARSHAN_CONFIG_PATH $config }
