#!/bin/sh
# Prints a variable of $1 bytes.
printf '{"LARGE": "'
head -c "$1" /dev/zero | tr '\0' x
printf '"}'
