# A server of MCP whose tools are those of the shop, as they are before and after a change.
id_of() { id=${line#*\"id\":}; id=${id%%,*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*) id_of; answer '{"protocolVersion":"2025-11-25"}' ;;
    *'"method":"notifications/'*) ;;
    *'"method":"tools/list"'*)
      id_of
      answer '{"tools":[{"name":"search","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","maximum":10}},"required":["query","shop"],"additionalProperties":false}},{"name":"close","inputSchema":{"type":"object"}}]}'
      ;;
    *) id_of; answer '{"content":[{"type":"text","text":"done"}]}' ;;
  esac
done
