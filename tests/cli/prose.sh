#!/bin/sh
# scripts/prose finds each kind of dialect, and nothing in plain English.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
prose=$SRC/scripts/prose

# finds WORDS TEXT: the rule with these words, for this text of a header.
finds() {
    printf '%s\n' "$2" >case.h
    "$prose" case.h >out 2>err
    [ $? = 1 ] && grep -qF "$1" out && [ "$(wc -l <out)" = 1 ]
    result=$?
    report $result "found: $1"
    [ $result = 0 ] || sed 's/^/# /' out err
}

finds '"answers"' '/* The worker answers with a number. */'
finds '"Nobody"' '/* Nobody waits here. */'
finds '"of its own"' '/* A process of its own. */'
finds '"is no c"' '/* A string is no condition. */'
finds '"folder"' '/* The folder of the store. */'
finds '"goes on"' 'static const char *m = "the search goes on without it";'
finds '"claim"' 'static const char *m = "the claim did not hold here";'
finds 'begin with the noun' '/* What it brought lately. */'
finds '26 words in a sentence' '/* One two three four five six seven eight nine ten one two three four five six seven eight nine ten
 * one two three four five six. */'
finds 'does not begin with a verb' '/* The number of cases. */
int cases(void);'
finds 'above 120 columns' "/* $(printf '%0118d' 0) */"

cat >case.h <<'END'
/* Returns the number of cases, or -1 if none ran. The Größe counts as one word, and a URL//x as part of one. */
int cases(void);
/* Frees the list. The caller owns its elements. */
void release(void *list);
static const char *message = "the store cannot be written; give --no-store", *label = "text", *json = "{text: %s, place: %s}";
END
"$prose" case.h >out 2>err
result=$?
report $result "plain English passes"
[ $result = 0 ] || sed 's/^/# /' out err
"$prose" --sample 2 --seed 7 case.h >one && "$prose" --sample 2 --seed 7 case.h >two && cmp -s one two && [ "$(grep -c 'case.h' one)" = 2 ]
report $? "a sample is drawn by its seed"
echo "1..$n"
