#!/bin/sh
# Counts the attempts of the test named first in a file of its own.
count=$(cat "$1.count" 2>/dev/null || echo 0)
count=$((count + 1))
echo "$count" > "$1.count"
echo "{ \"ATTEMPT\": $count }"
