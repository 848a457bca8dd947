# This part is the same in every installation; the values above are those of this one.
proc ModulesHelp {} {
    global about
    puts stderr $about
}
module-whatis $summary
conflict darshan darshan-runtime darshan-util

# Unloading the module restores an earlier value; before Modules 5.1 it removes the variable.
proc put {name value} {
    if {[info commands pushenv] ne {}} { pushenv $name $value } else { setenv $name $value }
}

prepend-path PATH $bin
# Only extends MANPATH: if it is not set, man searches next to the folders of PATH.
if {[info exists env(MANPATH)] && $env(MANPATH) ne {}} { prepend-path MANPATH $manual }
# Appends, because a sanitizer must stay first.
if {$preload ne {}} { append-path LD_PRELOAD $preload }
if {$nonmpi ne {}} { put DARSHAN_ENABLE_NONMPI $nonmpi }
if {$logs ne {}} { put DARSHAN_LOGPATH $logs }
if {$config ne {}} { put DARSHAN_CONFIG_PATH $config }
