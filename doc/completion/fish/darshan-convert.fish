# Made by ./dev describe.
complete -c darshan-convert -l compression -x -a 'zlib bzip2 none' -d 'zlib [default], bzip2 (not for PyDarshan\'s wheel) or none'
complete -c darshan-convert -l bzip2 -d 'the same as --compression bzip2'
complete -c darshan-convert -l obfuscate -d 'anonymize: replace file names, command line, hosts, user and job id by hashes, as 3.5.0 does'
complete -c darshan-convert -l obfuscate_names -d 'replace only these, as 3.5.0 does'
complete -c darshan-convert -l obfuscate_exe -d 'replace only these, as 3.5.0 does'
complete -c darshan-convert -l obfuscate_uid -d 'replace only these, as 3.5.0 does'
complete -c darshan-convert -l obfuscate_jobid -d 'replace only these, as 3.5.0 does'
complete -c darshan-convert -l key -x -d 'key of the hashes: logs with the same key have the same hashes'
complete -c darshan-convert -l key-file -r -F -d 'the key is the first line of FILE'
complete -c darshan-convert -l file -x -d 'copy only the records with this id, of all modules'
complete -c darshan-convert -l annotate -x -d 'add TEXT to the metadata: key=value, several separated by tabs'
complete -c darshan-convert -l reset-md -d 'do not copy the metadata of LOG'
complete -c darshan-convert -l no-annex -d 'do not copy the modules that other readers do not know'
complete -c darshan-convert -l version
complete -c darshan-convert -l help
complete -c darshan-convert -s o -r -F
