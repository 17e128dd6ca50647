# Says whether the last message names a receipt that is in the ledger, for receipt-by-script.test.yaml.
output=$(sed -n 's/^{"output":"\([^"]*\)".*/\1/p')
for receipt in $LEDGER; do
  case $output in *"$receipt"*) echo true && exit ;; esac
done
echo '{"pass": false, "message": "no receipt of the ledger is named"}'
