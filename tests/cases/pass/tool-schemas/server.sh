# A server of MCP whose tool `price` has schemas for its arguments and its results.
id_of() { id=${line#*\"id\":}; id=${id%%,*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*) id_of; answer '{"protocolVersion":"2025-11-25"}' ;;
    *'"method":"tools/list"'*)
      id_of
      answer '{"tools":[{"name":"price","inputSchema":{"type":"object","properties":{"item":{"type":"string"}},"required":["item"]},"outputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"euros":{"type":"number"}},"required":["euros"]}},{"name":"close","inputSchema":{"type":"object"}}]}'
      ;;
    *'"name":"price"'*'"item":"shoes"'*) id_of; answer '{"content":[],"structuredContent":{"euros":9.5}}' ;;
    *'"name":"price"'*) id_of; answer '{"content":[{"type":"text","text":"there is no such item"}],"isError":true}' ;;
    *'"name":"close"'*) id_of; answer '{"content":[{"type":"text","text":"closed"}]}' ;;
  esac
done
