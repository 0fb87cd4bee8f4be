# Sourced by the benchmarks: timing in turn, medians, ratios.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rounds=${ROUNDS:-5}

sql() { psql -XqAt -v ON_ERROR_STOP=1 "$@"; }

# Times one statement within its session, after one run that warms it; in microseconds.
time_sql() { # NAME STATEMENT [SETTINGS]
	sql ${3:+-c "$3"} -c "$2" -c '\timing on' -c "$2" >"$scratch/out.$1"
	sed -n 's/^Time: \([0-9]*\)\.\([0-9]*\) ms.*/\1\2/p' "$scratch/out.$1" >>"$scratch/time.$1"
	sed -i '/^Time:/d' "$scratch/out.$1"
}

# Times a command.
time_command() { # NAME COMMAND...
	local name=$1 from to
	shift
	from=$(date +%s%N)
	"$@" >"$scratch/out.$name"
	to=$(date +%s%N)
	echo $(((to - from) / 1000)) >>"$scratch/time.$name"
}

median() { sort -n "$scratch/time.$1" | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }'; }

report() { # NAME FLOOR BAR
	awk -v name="$1" -v a="$(median "$1")" -v b="$(median "$2")" -v bar="$3" \
		'BEGIN { printf "%-32s %9.1f ms   ratio %.3f   bar %s\n", name, a / 1000, a / b, bar }'
}

# Two statements must have given the same rows.
agree() { # NAME NAME
	cmp -s "$scratch/out.$1" "$scratch/out.$2" || { echo "$1 and $2 disagree" >&2; exit 1; }
}
