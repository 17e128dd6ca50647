#!/bin/sh
# Accepts an answer that names the receipt which the rule expects.
request=$(cat)
expected=$(printf '%s' "$request" | sed -n 's/.*"expected":"\([^"]*\)".*/\1/p')
case "$request" in
*"\"output\":\"That is receipt $expected "*) echo true ;;
*) echo false ;;
esac
