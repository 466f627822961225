#!/bin/sh
# Each of the questions in tests/compile/questions is answered within two clicks of docs/README.md.
# Numbers in docs/how-sonde-is-tested.md are those of its commands, within a tenth.
# Stages: gcc
command -v python3 >/dev/null 2>&1 || { echo "python3 is not installed"; exit 77; }
exec python3 "$SRC/tests/lib/questions.py" "$SRC"
