#!/usr/bin/env bash
# Lists, as CSV, what a restored database lacks: entries of the ledger, or events of the audit trail.
#   list-lost.sh ledger RESTORED WHOLE > lost-entries.csv
#   list-lost.sh audit RESTORED WHOLE > lost-events.csv
#
# RESTORED  the database at the point; nothing may have written into it since the restore
# WHOLE     the whole history: the archive restored to its end, or the old server, if it still runs
#
# Both are connection strings, such as 'host=/backup/point port=5433 user=postgres dbname=gateway'. The user must be
# a superuser, because row-level security hides the rows from everybody else. Needs psql on PATH.
set -euo pipefail

fail() {
  echo "$1" >&2
  exit 1
}

[ $# -eq 3 ] || fail "usage: $0 ledger|audit RESTORED WHOLE"

# The numbers of a ledger and of an audit trail have no gaps. So what is lost of each is what follows the last
# number in the restored database. Times would not tell: an entry gets its time before its transaction ends.
case $1 in
ledger)
  heads='SELECT account_id, environment, last_seq, last_hash FROM account.balance'
  entries='account.ledger_entry e LEFT JOIN head h USING (account_id, environment)'
  head_entries='head h LEFT JOIN account.ledger_entry e
    ON (e.account_id, e.environment, e.seq) = (h.account_id, h.environment, h.last_seq)'
  columns='e.account_id, e.environment, e.seq, e.kind, e.credits, e.ref AS reference, e.created_at'
  ;;
audit)
  heads="SELECT coalesce(account_id, ''), environment, last_seq, last_hash FROM usage.audit_chain"
  entries="usage.audit_event e LEFT JOIN head h ON e.chain = h.account_id || '/' || h.environment"
  head_entries="head h LEFT JOIN usage.audit_event e
    ON (e.chain, e.seq) = (h.account_id || '/' || h.environment, h.last_seq)"
  columns='e.account_id, e.environment, e.seq, e.action, e.resource_id, e.actor_id, e.request_id, e.occurred_at'
  ;;
*) fail "usage: $0 ledger|audit RESTORED WHOLE" ;;
esac

# If row-level security would hide rows, PostgreSQL now fails instead of returning a part.
export PGOPTIONS='-c row_security=off -c timezone=UTC -c client_min_messages=warning'

ask() {
  psql -XAtq -v ON_ERROR_STOP=1 -d "$@"
}

file=$(mktemp)
trap 'rm -f "$file"' EXIT
ask "$2" -c "COPY ($heads) TO STDOUT (FORMAT csv, FORCE_QUOTE *)" >"$file"
ask "$3" -c 'CREATE TEMP TABLE head (account_id text COLLATE "C", environment text, last_seq bigint, last_hash bytea)' \
  -c '\copy head FROM pstdin (FORMAT csv)' \
  -c 'ANALYZE head' \
  -c "DO \$\$ BEGIN
    IF EXISTS (SELECT FROM $head_entries WHERE h.last_seq > 0 AND e.hash IS DISTINCT FROM h.last_hash) THEN
      RAISE EXCEPTION 'RESTORED has entries that WHOLE lacks: it was written into, or the two are exchanged.';
    END IF;
  END \$\$" \
  -c "COPY (SELECT $columns FROM $entries WHERE e.seq > coalesce(h.last_seq, 0)
    ORDER BY e.account_id, e.environment, e.seq) TO STDOUT (FORMAT csv, HEADER)" <"$file"
