# A server of MCP: a tool that works, one that takes everything, one that fails inside without arguments, and one that is destructive.
id_of() { id=${line#*\"id\":}; id=${id%%,*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
tool() { echo "{\"name\":\"$1\",\"description\":\"$2\",\"inputSchema\":{\"type\":\"object\"$3}$4,\"annotations\":{\"destructiveHint\":${5-false}}}"; }
amount=',"properties":{"amount":{"type":"integer"}},"required":["amount"]'
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*) id_of; answer '{"protocolVersion":"2025-11-25"}' ;;
    *'"method":"notifications/'*) ;;
    *'"method":"tools/list"'*)
      id_of
      answer "{\"tools\":[$(tool good "Works" && echo , && tool pay "Takes everything" "$amount" && echo , && tool strict "Needs an object" && echo , && tool wipe "Deletes" "" "" true)]}" | tr -d '\n'
      echo
      ;;
    *'"name":"strict"'*'"arguments":null'* | *'"arguments":null'*'"name":"strict"'*)
      id_of
      echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32603,\"message\":\"cannot read properties of null\"}}"
      ;;
    *'"name":"ananke_unknown_tool"'*) id_of; echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32602,\"message\":\"Unknown tool\"}}" ;;
    *) id_of; answer '{"content":[{"type":"text","text":"done"}]}' ;;
  esac
done
