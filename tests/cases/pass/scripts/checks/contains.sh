# Says yes where the request holds $1, and the output $ALSO.
request=$(cat)
case $request in
  *'"output":"'"$ALSO"*"$1"*) echo true ;;
  *) echo "{\"pass\": false, \"message\": \"$1 is not there\"}" ;;
esac
