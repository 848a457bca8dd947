# Made by ./dev describe.
complete -c darshan-convert -l compression -x -a 'zlib bzip2 none' -d 'zlib [default], bzip2 (not for PyDarshan\'s wheel) or none'
complete -c darshan-convert -l bzip2 -d 'the same as --compression bzip2'
complete -c darshan-convert -l obfuscate -d 'hide names, command line, hosts, user and job id behind hashes, as 3.5.0 does'
complete -c darshan-convert -l obfuscate_names -d 'only one of them, or some, as 3.5.0 does'
complete -c darshan-convert -l obfuscate_exe -d 'only one of them, or some, as 3.5.0 does'
complete -c darshan-convert -l obfuscate_uid -d 'only one of them, or some, as 3.5.0 does'
complete -c darshan-convert -l obfuscate_jobid -d 'only one of them, or some, as 3.5.0 does'
complete -c darshan-convert -l key -x -d 'the same key hides the same alike'
complete -c darshan-convert -l key-file -r -F -d 'the key is the first line of FILE'
complete -c darshan-convert -l file -x -d 'only the records with this id, of all modules'
complete -c darshan-convert -l annotate -x -d 'add TEXT to the metadata'
complete -c darshan-convert -l reset-md -d 'leave the old metadata out'
complete -c darshan-convert -l no-annex -d 'leave out the modules that other readers do not know'
complete -c darshan-convert -l version
complete -c darshan-convert -l help
complete -c darshan-convert -s o -r -F
