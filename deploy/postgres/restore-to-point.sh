#!/usr/bin/env bash
# Restores PostgreSQL as it was at one instant, from a base backup and the WAL archive, into a new folder.
#   restore-to-point.sh BASE_BACKUP ARCHIVE POINT FOLDER [PORT]
#   restore-to-point.sh /backup/base/2026-11-21 /backup/wal '2026-11-21 14:03:00+00' /backup/point 5433
#
# POINT   the last instant to keep, with its time zone; or "end", for everything that the archive has
# FOLDER  the data folder to create; the log of the server is FOLDER.log
# PORT    the port of the restored server, 5433 by default
#
# Run it as the user of the server, not as root, with the programs of the server's version on PATH.
# Variables: PGUSER (postgres), LISTEN_ADDRESSES (127.0.0.1), and TIMELINE (latest), the timeline to follow after
# an earlier restore. The script does not change the base backup or the archive, and the restored server does not
# archive. The server runs until `pg_ctl stop -D FOLDER`.
set -euo pipefail

fail() {
  echo "$1" >&2
  exit 1
}

[ $# -eq 4 ] || [ $# -eq 5 ] || fail "usage: $0 BASE_BACKUP ARCHIVE POINT FOLDER [PORT]"
base=$(realpath -m "$1")
archive=$(realpath -m "$2")
point=$3
folder=$(realpath -m "$4")
port=${5:-5433}
export PGUSER=${PGUSER:-postgres}

[ -f "$base/backup_label" ] || fail "$base is not a base backup: it has no file backup_label."
[ -d "$archive" ] || fail "$archive is not a folder."
[ ! -e "$folder" ] || fail "$folder exists. Name a folder that does not."
# Without a zone, PostgreSQL would take the time for one of its own zone.
if [ "$point" = end ]; then
  target=
elif [[ $point =~ :[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$ ]]; then
  target=$point
else
  fail "The point needs a time and a time zone, such as '2026-11-21 14:03:00+00'."
fi
[ "$(id -u)" -ne 0 ] || fail 'PostgreSQL does not run as root. Run this as the user of the server.'

settings=(
  "port=$port"
  "listen_addresses=${LISTEN_ADDRESSES-127.0.0.1}"
  # Only the owner of the folder can enter it.
  "unix_socket_directories=$folder"
  "restore_command=cp \"$archive/%f\" \"%p\""
  "recovery_target_timeline=${TIMELINE:-latest}"
  # Without a target, the server is promoted at the end of the archive.
  "recovery_target_time=$target"
  recovery_target_action=promote
  # The server then answers only after its promotion, and may have a smaller max_connections than the old one.
  hot_standby=off
  # Otherwise a drill would write its own history into the archive of production.
  archive_mode=off
)
options=()
for setting in "${settings[@]}"; do options+=(-c "$setting"); done

now() {
  date +%s.%N
}

# report NAME BYTES FROM TO
report() {
  awk -v name="$1" -v bytes="$2" -v from="$3" -v to="$4" 'BEGIN {
    printf "%s: %.0f bytes in %.1f s", name, bytes, to - from
    if (bytes > 0) printf ", %.1f s per GB", (to - from) / bytes * 1e9
    print ""
  }'
}

began=$(now)
cp -a "$base" "$folder"
# A backup of a standby has this file, and would go on waiting for more.
rm -f "$folder/standby.signal"
touch "$folder/recovery.signal"
copied=$(now)

give_up() {
  tail -n 20 "$folder.log" >&2
  fail "The server has not reached the point. Its log is $folder.log."
}

pg_ctl start --silent --wait --timeout=604800 -D "$folder" -l "$folder.log" \
  -o "$(printf '%q ' "${options[@]}")" >/dev/null || give_up
# pg_ctl waits for the begin of the replay only. The server ends if the archive does not reach the point.
until pg_isready -q -h "$folder" -p "$port" -d postgres; do
  pg_ctl status -D "$folder" >/dev/null || give_up
  sleep 0.1
done
promoted=$(now)

copied_bytes=$(du -sb "$base" | cut -f 1)
first=$(sed -n 's/^START WAL LOCATION: \([^ ]*\) .*/\1/p' "$base/backup_label")
row=$(psql -XAtq -h "$folder" -p "$port" -d postgres -c "
  SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '$first'), pg_last_xact_replay_timestamp()")
IFS='|' read -r wal_bytes last_change <<<"$row"

report copied "$copied_bytes" "$began" "$copied"
report replayed "$wal_bytes" "$copied" "$promoted"
report restored "$((copied_bytes + wal_bytes))" "$began" "$promoted"
echo "last_change: ${last_change:-none since the base backup}"
echo "connect: psql -h $folder -p $port -U $PGUSER"
echo "stop: pg_ctl stop -D $folder"
