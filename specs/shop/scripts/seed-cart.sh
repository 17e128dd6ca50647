#!/usr/bin/env bash
# A hook of seeded-cart.test.yaml: prepares a cart and says what is in it. What it prints to stdout must be one
# JSON object, whose keys become variables of the test; everything else goes to stderr. ananke hands on what is known
# so far as ANANKE_VAR_<NAME>.
set -euo pipefail

echo "seeding a cart for ${ANANKE_VAR_TEST_NAME:-no test}" >&2
cat <<END
{
  "CART_ID": "cart-${CART_SIZE:-2}",
  "CART": { "items": [{ "sku": "MUG-1", "count": ${CART_SIZE:-2} }], "total": 80 }
}
END
