# From a linker's map, the ranges of code that come from the objects named in `files`: "FROM TO" in hexadecimal.
# A section is a line, or two where its name is long.
function number(hex,    i, value) {
    value = 0
    for (i = 3; i <= length(hex); i++) value = 16 * value + index("0123456789abcdef", tolower(substr(hex, i, 1))) - 1
    return value
}
BEGIN {
    n = split(files, names, " ")
    for (i = 1; i <= n; i++) wanted[names[i] ".o"] = 1
}
/^ \.text[^ ]*$/ { is_next = 1; next }
/^ \.text[^ ]* +0x/ { is_next = 1; sub(/^ \.text[^ ]*/, "") }
is_next {
    is_next = 0
    if ($1 !~ /^0x/ || $2 !~ /^0x/ || $2 == "0x0") next
    file = $3
    sub(/.*\//, "", file)
    if (file in wanted) printf "%x %x\n", number($1), number($1) + number($2)
}
