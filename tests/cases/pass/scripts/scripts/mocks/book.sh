#!/bin/sh
# The first call is refused, the second is not.
case $(cat) in
  *'"number":1'*) echo '{"error": "monday is taken"}' ;;
  *) echo '{"result": {"day": "tuesday"}}' ;;
esac
