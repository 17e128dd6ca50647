#!/bin/sh
grep -qv '"output":""' && echo '{"pass": true}' || echo false
