#!/bin/sh
# 100,000 cases.
awk 'BEGIN { printf "["; for (i = 1; i < 100000; i++) printf "{\"input\": \"%d\"},", i; print "{}]" }'
