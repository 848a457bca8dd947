# Shells and tools: words.sh CASE [cured].  A tool takes the place of the shell, as a user starts it.
set -e
case $1 in
  echo-each)
    if [ "$2" = cured ]; then
      for i in $(seq 4000); do printf -v all '%sline %d\n' "$all" "$i"; done
      printf %s "$all" > log
    else
      exec > log
      for i in $(seq 4000); do echo "line $i"; done
    fi ;;
  dd-small)
    if [ "$2" = cured ]; then exec dd if=input of=copy bs=1M status=none; fi
    exec dd if=input of=copy bs=512 status=none ;;
  tar-many) exec tar cf all.tar many ;;
  copy-many) exec cp -r many copy ;;
  remove-many) exec rm -r many ;;
  find-many) exec find many -size +100k ;;
  pack-and-remove)
    tar cf all.tar many
    rm -r many ;;
esac
