# shellcheck shell=bash
# What the scripts `measure` share, which source this file; they have FOLDER in $out, FOLDER/kept in $kept and beadwork in
# $program. Each part is a function of its name.

# Whether a part that ended with this status ends all of it; scripts may define it anew. Signals, as of Ctrl-C, do.
ends_all() { [ "$1" -ge 128 ]; }

# Runs parts one after another and exits with the status of the last that failed, or 0: run_parts PART ...
run_parts() {
    local part status worst=0
    for part in "$@"; do
        # A part that fails ends at its first failure, and does not take the others with it. Within `if part` or `part || …` bash
        # would ignore `set -e` in all that the part does, so its status is taken from a subshell that stands alone.
        set +e
        ( set -e; "$part" )
        status=$?
        set -e
        [ "$status" -eq 0 ] || { worst=$status; echo "$part ended with $status" >&2; }
        if ends_all "$status"; then exit "$status"; fi
    done
    exit "$worst"
}

# Keeps answers and plots of those runs that there are: keep_answers NAME ...
keep_answers() {
    local name file
    for name in "$@"; do
        [ -e "$out/$name/run.json" ] || continue
        mkdir -p "$kept/$name"
        # A run that has no rows yet has no answer.
        "$program" plot "$out/$name" > "$kept/$name/summary.txt" || { rm -r "${kept:?}/$name"; continue; }
        for file in summary.json run.json resolved.toml log.txt answers.csv unfolding.csv peaks.csv indentation.csv force-deformation.csv members.csv plots; do
            if [ -e "$out/$name/$file" ]; then cp -R "$out/$name/$file" "$kept/$name"; fi
        done
    done
}
