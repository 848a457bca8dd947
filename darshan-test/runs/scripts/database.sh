# A database is made, filled, used by two clients, and stopped; {1}: where its programs are.
set -e
export PGDATA=$PWD/data PGHOST=$PWD PGUSER=tester
"$1/initdb" -A trust -U tester --no-locale -E UTF8 >made
"$1/pg_ctl" -w -s -l server.log \
  -o "-c listen_addresses= -c unix_socket_directories=$PWD -c autovacuum=off" start
"$1/createdb" bench
"$1/pgbench" -q -i -s 1 bench 2>filled
"$1/pgbench" -n -c 2 -j 2 -t 50 bench >used 2>&1
"$1/psql" -At -c 'select count(*) from pgbench_history' bench
"$1/pg_ctl" -w -s stop
