# A server of MCP that violates its own schemas.
id_of() { id=${line#*\"id\":}; id=${id%%,*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
price='{"name":"price","inputSchema":{"type":"object","properties":{"item":{"type":"string"},"count":{"type":"integer","minimum":1}},"required":["item"]},"outputSchema":{"type":"object","properties":{"euros":{"type":"number"}},"required":["euros"]}}'
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*) id_of; answer '{"protocolVersion":"2025-11-25"}' ;;
    *'"method":"tools/list"'*)
      id_of
      case $1 in
        invalid) answer '{"tools":[{"name":"price","inputSchema":{"type":"object","properties":{"item":{"type":"text"}}},"outputSchema":{"minItems":-1}}]}' ;;
        refuses) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}" ;;
        *) answer "{\"tools\":[$price]}" ;;
      esac
      ;;
    *'"item":"shoes"'*) id_of; answer '{"content":[],"structuredContent":{"euros":"9.50"}}' ;;
    *'"method":"notifications/'*) ;;
    *) id_of; answer '{"content":[{"type":"text","text":"{\"euros\":1}"}]}' ;;
  esac
done
