# Made by ./dev describe: what bash proposes behind darshan and its programs.

# What a command of darshan stands for.
_darshan_name() {
  case $1 in
@names@
    *) echo "darshan-$1" ;;
  esac
}

_darshan_options() {
  case $1 in
@options@
  esac
}

# What stands behind an option: file, folder, other; nothing if it has no value.
_darshan_value() {
  case "$1 $2" in
@values@
  esac
}

# Words where there are few: NAME OPTION PLACE, behind an option; NAME PLACE, without one.
_darshan_few() {
  case "$1" in
@few@
  esac
}

# Those for the word that is typed.
_darshan_few_here() {
  local i last="" behind=0 place=1
  for ((i = $2; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -?*) last=${COMP_WORDS[i]} behind=0 ;;
      *)
        ((++behind))
        if [ -z "$last" ] || [ $behind -gt 1 ] || [ -z "$(_darshan_value "$1" "$last")" ]; then
          ((++place))
        fi
        ;;
    esac
  done
  if [ -n "$last" ]; then _darshan_few "$1 $last $((behind + 1))"; fi
  _darshan_few "$1 $place"
}

# Index of the program that run or stat start, or of the word that is typed.
_darshan_program() {
  local i
  for ((i = $2; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --) ((i++)) && break ;;
      -*) [ -z "$(_darshan_value "$1" "${COMP_WORDS[i]}")" ] || ((i++)) ;;
      *) break ;;
    esac
  done
  echo "$i"
}

_darshan_words() { mapfile -t COMPREPLY < <(compgen "$@" -- "$word"); }

_darshan() {
  local name=${1##*/} word=${COMP_WORDS[COMP_CWORD]} first=1 program few
  COMPREPLY=()
  if [ "$name" = darshan ] && [ "$COMP_CWORD" -gt 1 ]; then
    if [ "${COMP_WORDS[1]}" = help ]; then
      _darshan_words -W '@commands@'
      return
    fi
    name=$(_darshan_name "${COMP_WORDS[1]}")
    first=2
  fi
  case $name in
    darshan)
      _darshan_words -W '@commands@ @front@'
      return
      ;;
    @programs@)
      program=$(_darshan_program "$name" "$first")
      if [ "$program" -lt "$COMP_CWORD" ]; then
        if declare -F _command_offset >/dev/null; then _command_offset "$program"; fi
        return
      fi
      ;;
  esac
  few=$(_darshan_few_here "$name" "$first")
  if [ -n "$few" ] && [ "${word#-}" = "$word" ]; then
    _darshan_words -W "$few"
    return
  fi
  case $(_darshan_value "$name" "${COMP_WORDS[COMP_CWORD - 1]}") in
    folder)
      compopt -o filenames
      _darshan_words -d
      ;;
    other) compopt +o default +o bashdefault ;;
    file) ;;
    *)
      case $word in
        -*) _darshan_words -W "$(_darshan_options "$name")" ;;
        *)
          case $name in
            @programs@)
              compopt -o filenames
              _darshan_words -c
              ;;
          esac
          ;;
      esac
      ;;
  esac
}
complete -o bashdefault -o default -F _darshan @all@
