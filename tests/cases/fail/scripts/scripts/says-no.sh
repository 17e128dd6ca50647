#!/bin/sh
printf '%s\n' '{"pass": false, "message": "the receipt has no number\n\nwanted: R-\nfound:  nothing"}'
