#!/bin/sh
# What is no variable belongs on stderr.
echo "seeding $1" >&2
cat <<END
{"CART": {"items": [{"sku": "MUG-1", "left": 7}]}, "TOTAL": 89.5, "PAID": true, "WORDS": "two mugs"}
END
