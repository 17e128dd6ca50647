#!/no/such/interpreter -x
echo {}
