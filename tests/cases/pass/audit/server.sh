# A server of MCP that an audit has nothing to say about.
id_of() { id=${line#*\"id\":}; id=${id%%,*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
refuse() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32602,\"message\":\"$1\"}}"; }
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*) id_of; answer '{"protocolVersion":"2025-11-25"}' ;;
    *'"method":"notifications/'*) ;;
    *'"method":"tools/list"'*)
      id_of
      answer '{"tools":[{"name":"price","description":"The price of an item","inputSchema":{"type":"object","properties":{"item":{"enum":["shoes","hats"]}},"required":["item"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"euros":{"type":"number"}},"required":["euros"]},"annotations":{"readOnlyHint":true}},{"name":"wipe","description":"Deletes everything","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}]}'
      ;;
    *'"name":"wipe"'*) exit 9 ;;
    *ananke_unknown*) id_of; refuse "unknown" ;;
    *'"arguments":{"item":"shoes"}'*|*'"arguments":{"item":"hats"}'*) id_of; answer '{"content":[],"structuredContent":{"euros":9.5}}' ;;
    *) id_of; answer '{"content":[{"type":"text","text":"there is no such item"}],"isError":true}' ;;
  esac
done
