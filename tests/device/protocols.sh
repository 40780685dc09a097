#!/usr/bin/env bash
# Characterizes a real GPU by the paper's own procedures at their shortest (about six minutes), and
# once as a user who may not read everything: run on a machine with one, as root, from the
# repository's root, with the release folder built elsewhere. Profiles stay in $OUT (or ./out).
set -u
out=${OUT:-./out}
mkdir -p "$out"
tw=${TRUEWATT:-build/release/bin/truewatt}
export XDG_DATA_HOME=$out/data

other=$(mktemp -d)
chmod 777 "$other"
install -m 755 "$tw" "$other/command"
XDG_DATA_HOME=$other setpriv --reuid=65534 --regid=65534 --clear-groups \
  "$other/command" characterize --scopes --budget 30 --json "$other/profile.json" 2>&1 |
  tee "$out/unprivileged.txt"
echo "unprivileged: exit ${PIPESTATUS[0]}"
cp "$other/profile.json" "$out/profile-unprivileged.json"

"$tw" characterize --protocol yang --repetitions 1 -q --json "$out/profile-yang.json" \
  --out "$out/yang.db" 2>&1 | tee "$out/profile-yang.txt"
echo "yang: exit ${PIPESTATUS[0]}"
python3 - "$out" <<'PY'
import json, os, sys
for name in ("profile-unprivileged.json", "profile-yang.json"):
    path = os.path.join(sys.argv[1], name)
    if not os.path.exists(path):
        print(name, "was not written")
        continue
    profile = json.load(open(path))
    print(name, "%.0f s" % profile["duration_s"])
    for source in [*profile["sources"], *(s for host in profile.get("host", []) for s in host["sources"])]:
        shown = {k: source[k] and source[k]["value"] for k in
                 ("update_period_s", "averaging_window_s", "time_constant_s", "delay_s", "rise_time_s")}
        print("  ", source["source"], source["scope"], source["response"], shown, source["reasons"], source.get("protocol_values"))
PY
