# Starts and stops the servers and workers of a measurement. Sourced by run.sh and recipes.sh from the
# root of the project, with $ontrail set; a run has its files in the folder $run.

figures=$PWD/tests/scale/figures.py
conf=$PWD/deploy/redis/ontrail.conf

need() {
  command -v "$1" > /dev/null || { echo "$1 is not installed; $2" >&2; exit 2; }
}
need redis-server "install Redis 5 or newer"
need python3 "install Python 3.10 or newer"
need "$ontrail" "run cargo build --release, or set ONTRAIL"
ontrail=$(realpath "$(command -v "$ontrail")")

work=$(mktemp -d "${TMPDIR:-/tmp}/ontrail-scale.XXXXXX")
crawlers=()
servers=()

# Ends processes in good order and waits for them.
end() {
  local process
  for process in "$@"; do kill -INT "$process" 2> /dev/null || true; done
  for process in "$@"; do wait "$process" 2> /dev/null || true; done
}
# Workers come first: at their end they need the servers.
stop_all() {
  end "${crawlers[@]}"
  end "${servers[@]}"
  crawlers=()
  servers=()
}
clean_up() {
  stop_all
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# Waits until a command succeeds, for at most as many seconds.
wait_for() {
  local most=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ "$SECONDS" -lt "$most" ] || { echo "gave up waiting for: $*" >&2; exit 1; }
    sleep 0.2
  done
}

# Starts a server whose output goes to a file.
start() {
  "${@:2}" > "$1" 2>&1 &
  servers+=($!)
}

start_redis() {
  port=$(python3 "$figures" free-port)
  mkdir -p "$run/redis"
  start "$run/redis.log" redis-server "$conf" --bind 127.0.0.1 --port "$port" --dir "$run/redis"
  wait_for 20 python3 "$figures" ping "$port"
}
