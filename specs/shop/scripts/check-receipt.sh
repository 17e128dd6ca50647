#!/bin/sh
# Says whether the answer names the receipt that the tool has read. Real checks parse the JSON; for a pattern the shell is
# enough.
request=$(cat)
receipt=$(printf '%s' "$request" | sed -n 's/.*"result":{"receipt":"\(R-[0-9]*\)".*/\1/p')
case $request in
  *'"output":"'*"receipt $receipt "*) echo true ;;
  *) echo "{\"pass\": false, \"message\": \"the answer does not name the receipt $receipt\"}" ;;
esac
