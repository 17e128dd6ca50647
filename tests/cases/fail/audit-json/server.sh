# A server of MCP with a tool for everything that an audit finds.
id_of() { id=${line#*\"id\":}; id=${id%%,*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
tool() { echo "{\"name\":\"$1\",\"description\":\"$2\",\"inputSchema\":{\"type\":\"object\"$3}$4,\"annotations\":{\"destructiveHint\":${5-false}}}"; }
amount=',"properties":{"amount":{"type":"integer","minimum":1}},"required":["amount"]'
tools() {
  tool good "Works"; echo ,
  tool pay "Takes everything" "$amount" ',"outputSchema":{"type":"object","required":["paid"]}'; echo ,
  tool crashes "Ends"; echo ,
  tool hangs "Never answers"; echo ,
  tool fails "Says nothing about it"; echo ,
  tool traces "Shows its inside"; echo ,
  tool prints "Prints to stdout"; echo ,
  tool shapeless "Has a result of another shape"; echo ,
  tool refuses "Refuses every request"; echo ,
  tool wipe "Deletes everything" "" "" true; echo ,
  tool good "Has the name of another"; echo ,
  tool "two words" ""; echo ,
  echo '{"name":"bare","description":"Has no schema","annotations":{"readOnlyHint":true}},{"description":"Has no name","inputSchema":{"type":"string"}},'
  tool broken "Has an invalid schema" ',"properties":{"a":{"type":"text"}}'
}
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*) id_of; answer '{"protocolVersion":"2025-11-25"}' ;;
    *'"method":"notifications/'*) ;;
    *'"method":"tools/list"'*)
      id_of
      if [ -f listed ]; then answer '{"tools":[]}'; else answer "{\"tools\":[$(tools | tr -d '\n')]}"; fi
      touch listed
      ;;
    *'"name":"crashes"'*) echo "out of memory" >&2; exit 3 ;;
    *'"name":"hangs"'*) ;;
    *'"name":"fails"'*) id_of; answer '{"content":[],"isError":true}' ;;
    *'"name":"traces"'*) id_of; answer '{"content":[{"type":"text","text":"Traceback (most recent call last)"}],"isError":true}' ;;
    *'"name":"prints"'*) id_of; echo "here I am"; answer '{"content":[]}' ;;
    *'"name":"shapeless"'*) id_of; answer '{"content":"done"}' ;;
    *'"name":"refuses"'*) id_of; echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32603,\"message\":\"Internal error\"}}" ;;
    *'"name":"wipe"'*) touch wiped; id_of; answer '{"content":[]}' ;;
    *) id_of; answer '{"content":[{"type":"text","text":"done"}]}' ;;
  esac
done
