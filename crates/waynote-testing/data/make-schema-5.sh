#!/usr/bin/env bash
# Makes schema-5.db, schema-5.notes.json and schema-5.answers.txt with a program of schema 5: see README.md.
# Usage: make-schema-5.sh WAYNOTE   (needs sqlite3)
set -euo pipefail
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/home/work"
cd "$work/home/work"
git init -q .
store=$work/notes.db
file=$work/home/notes.json
minute=0

# Runs the program; each call is a minute after the one before.
w() {
  minute=$((minute + 1))
  at "$(date -u -d "2026-05-17 08:00 UTC + $minute minutes" +%FT%TZ)" "$@"
}
at() {
  local now=$1
  shift
  timeout 20 env -i PATH="$PATH" HOME="$work/home" WAYNOTE_STORE="$store" WAYNOTE_NOW="$now" PROGRAM="$program" "${extra[@]}" \
    "$program" "$@"
}
extra=(NOTHING=)

# What happens before the first change of a note: an event at position 0.
agent() { printf '#!/bin/sh\ncat >/dev/null\n%s\n' "$2" >"$work/$1"; chmod +x "$work/$1"; }
agent quiet true
agent asks '"$PROGRAM" log blocked "Which database is the right one?" '
agent notes '"$PROGRAM" log add "The API allows 100 requests a minute" --type stuck '
agent solves '"$PROGRAM" log add "Wait a minute after each 100" --type learning --resolves "100 requests" '
agent ends '"$PROGRAM" log complete "All orders are imported" '
agent dies 'kill -9 $PPID'
agent fails 'echo "error: quota exceeded" >&2; exit 7'
w loop --session empty --iterations 2 --stall 0 --retries 0 -- "$work/quiet"
# The clock goes back, and another session has its turn in between.
at 2026-05-17T05:00:00Z loop --session other --iterations 1 -- "$work/quiet"
at 2026-05-17T04:00:00Z loop --session empty --iterations 3 --stall 0 --retries 0 -- "$work/quiet"

# Places, kept in sync with a file that is edited by hand.
w place write --at '~' 'Home: be brief.'
extra=(ZRB_LLM_NOTE_FILE="$file")
w place write --at '~/shop' 'Rust workspace.'
w place write --at '~/shop' 'Rust workspace; prices are in cents.'
printf '{"~/shop": "Edited by hand: prices are integers.", "~/blog": "Only in the file: Hugo.", "~": "Home: be brief."}' >"$file"
touch -d '2026-05-17 08:30 UTC' "$file"
minute=40
w place write --at '~/docs' 'Written after the edit.'
w place delete --at '~/docs'
w place write --at '~/tools' 'A secret tool is called quagmire.'
printf '{"~": "Home: be brief.", "~/blog": "Only in the file: Hugo.", "~/shop": "Edited again, not taken in yet.", "~/tools": "A secret tool is called quagmire."}' >"$file"
touch -d '2026-05-17 08:50 UTC' "$file"
extra=(NOTHING=)
minute=60

# Keys: pins, deletes, undo, redo, restore, guards, repeats of a text.
w key save build 'make all' --at '~/shop'
w key save staging-db 'postgres://staging.internal/shop, read-only'
w key save release-steps $'1. Bump the version.\n2. Tag on main.\n' --pin
w key save release-steps $'1. Bump the version.\n2. Tag.\n3. Push.\n'
w undo
w redo
w undo
w restore 'agent:default#release-steps@2'
w key pin staging-db
w key unpin staging-db
w key save gone 'this will be deleted'
w key delete gone
w key save back 'this is deleted and comes back'
w key delete back
w undo
w --agent second --author agent:second key save same 'make all'
w --author agent:default key save empty '' --allow-empty

# A session: types, repeats, iterations, resolved and open again.
w --session s --iteration 1 log add 'needs --no-cache' --type learning
w --session s --iteration 1 log add 'the port is taken' --type stuck
w --session s --iteration 3 --author agent:x log add 'the port is taken' --type stuck
w --session s log add 'the port is taken' --type stuck
w --session s --iteration 4 log add 'use port 0' --type tip --resolves 'port is taken'
w --session s --iteration 5 log add 'tests hang' --type stuck
w --session s --iteration 6 log add 'set a time limit' --type decision --resolves 'tests hang'
w --session s --iteration 7 log add 'tests hang' --type stuck

# Loops: blocked, answered, noted, resolved, completed, failed, killed.
minute=120
w loop --session nightly --iterations 4 -- "$work/asks" || [ $? = 4 ]
minute=130
w loop --session nightly --iterations 4 --answer 'The one called orders' --stall 0 --retries 0 -- "$work/notes"
minute=140
w loop --session nightly --iterations 1 --stall 0 --retries 0 -- "$work/solves"
minute=150
w loop --session nightly --iterations 1 -- "$work/ends"
w loop --session failed --retries 1 --retry-wait 0s -- "$work/fails" || [ $? = 5 ]
w loop --session killed -- "$work/dies" || true

# Forgotten: a whole note with a text that a place says too, one revision, an entry.
minute=200
w key save token 'the passphrase is xyzzy-plugh'
w place write --at '~/vault' 'the passphrase is xyzzy-plugh'
w --author warden forget 'agent:default#token' --everywhere --yes
w key save half 'the first half is abracadabra'
w key save half 'the second half stays'
w forget 'agent:default#half' --revision 1 --yes
w --session s --iteration 8 log add 'forget me: hocus-pocus' --type tip
w --session s --iteration 9 log add 'after the forgotten one' --type tip
entry=$(at 2026-05-17T12:00:00Z --json --session s log list | grep -o '"session:s#[^"]*"' | tail -2 | head -1 | tr -d '"')
w forget "$entry" --yes

# Imports, and enough of them for sealed segments of the search index.
minute=220
{
  printf '{"~/imported/0": "first"'
  for number in $(seq 1 216); do
    printf ', "~/imported/%d": "Build %d: port %d."' "$number" "$number" $((8000 + number))
  done
  printf '}'
} >"$work/many.json"
touch -d '2026-05-17 07:00 UTC' "$work/many.json"
w import zrb "$work/many.json"
printf '%s\n' '{"type":"entity","name":"Alice","entityType":"person","observations":["likes tea","works on search"]}' \
  '{"type":"entity","name":"Bob","entityType":"person","observations":["writes the parser"]}' >"$work/memory.jsonl"
w import server-memory "$work/memory.jsonl"
printf 'Run the tests before each commit.\n' >"$work/home/work/AGENTS.md"
w import agents-md
w key save last 'The tail of the index: zebra crossing.'
w place delete --at '~/imported/7'

# One file, without the names of this machine.
sqlite3 "$store" "
UPDATE waynote_file_mark SET file = '/home/u/notes.json';
UPDATE waynote_event SET event = json_set(event, '\$.holder.host', 'builder', '\$.holder.boot', 'boot-1',
    '\$.holder.pid', 100 + number, '\$.holder.start', 1, '\$.directory', '/home/u/work')
WHERE json_extract(event, '\$.event') = 'loop_started';
VACUUM;
PRAGMA wal_checkpoint(TRUNCATE);" >/dev/null
w verify
if grep -a -q -e "\"host\":\"$(hostname)\"" -e "$work" "$store"; then
  echo "a name of this machine is in the store" >&2
  exit 1
fi
sqlite3 "$store" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp "$store" "$here/schema-5.db"
chmod 644 "$here/schema-5.db"
cp "$file" "$here/schema-5.notes.json"

# What this program answers about it: a line with the command, and a line with its answer as compact JSON.
ask() {
  printf '$ waynote'
  printf ' %q' --json "$@"
  printf '\n'
  env -i PATH="$PATH" HOME="$work/home" WAYNOTE_STORE="$store" WAYNOTE_NOW=2026-05-17T14:00:00Z "$program" --json "$@" \
    >"$work/answer" 2>"$work/refusal" || cp "$work/refusal" "$work/answer"
  sqlite3 :memory: "SELECT json(replace(CAST(readfile('$work/answer') AS TEXT), '$store', 'STORE'))"
}
{
  for command in 'place list' 'key list' '--agent second key list' 'key list --at ~/shop' 'place all --at ~/shop/api' \
    'log sessions' 'search port' 'search xyzzy' 'search passphrase' 'search hand' 'search zebra' 'search --history port' 'search --history deleted' \
    'search 8017 --kind place --limit 3' 'verify'; do
    # shellcheck disable=SC2086
    ask $command
  done
  for session in s nightly empty other failed killed; do
    ask --session "$session" log list
    ask --session "$session" log show
  done
  sqlite3 "$store" "
    SELECT DISTINCT s.kind || ':' || s.name || iif(j.key = '', '', '#' || j.key)
    FROM waynote_journal j JOIN waynote_scope s ON s.id = j.scope
    WHERE s.name NOT LIKE '~/imported/%' OR s.name IN ('~/imported/0', '~/imported/7') ORDER BY 1" | while read -r note; do
    ask history "$note" </dev/null
  done
  for time in 08:20 08:35 08:45 09:10 10:00 11:00 11:35 13:00; do
    ask --session s context --at '~/shop/api' --budget 0 --as-of "2026-05-17T$time:00Z"
    ask show place:~/shop --as-of "2026-05-17T$time:00Z"
  done
  for position in 1 3 8 20 30 36 45 60; do
    ask --session s context --at '~/shop/api' --budget 0 --as-of "$position"
    ask --session nightly context --at '~/shop/api' --budget 0 --as-of "$position"
  done
  ask --session nightly --iteration 9 context --at '~/shop' --explain
} >"$here/schema-5.answers.txt"
ls -l "$here"
