#!/bin/sh
# Replaces a calendar: gets a call to `read_calendar` as JSON, and answers that Tuesday is free if it was asked about.
case $(cat) in
  *tuesday*) echo '{"result": {"free": ["tuesday"]}}' ;;
  *) echo '{"error": "no day is free"}' ;;
esac
