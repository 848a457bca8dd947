# Scripts that wait for files: waits.sh CASE [cured].
set -e
make() {
  sort input > "sorted$1"
  touch "ready$1"
}
case $1 in
  made-in-background)
    for i in 1 2 3; do
      make "$i" &
      if [ "$2" = cured ]; then wait $!
      else
        until [ -e "ready$i" ]; do  # blame: made-in-background
          sleep 0.4
        done
      fi
    done ;;
  made-outside)  # by a process that is not recorded
    env -i PATH="$PATH" sh -c 'for i in 1 2 3; do sort input > "ready$i"; sleep 0.3; done' &
    for i in 1 2 3; do
      while [ ! -e "ready$i" ]; do sleep 0.4; done
    done
    wait ;;
  work-until-stopped)  # a stop file is looked for before each step, and the steps work
    for i in $(seq 8); do
      [ -e stop ] && break
      awk 'BEGIN { for (i = 0; i < 600000; i++) sum += i * i; print sum }'
    done > results ;;
  watch-beside)  # a monitor looks often, and the work takes much longer
    until [ -e stop ]; do sleep 0.02; done &
    awk 'BEGIN { for (i = 0; i < 9000000; i++) sum += i * i; print sum }' > results
    touch stop
    wait ;;
  restarted)  # what is there already is left out, and each item waits for a service
    for i in 1 2 3 4; do
      if [ -e "item$i" ]; then continue; fi
      sleep 0.2
      echo "$i" > "item$i"
    done ;;
esac
