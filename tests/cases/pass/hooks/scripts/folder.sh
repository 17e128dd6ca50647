#!/bin/sh
printf '{"WORDS": "in %s"}' "$(basename "$PWD")"
