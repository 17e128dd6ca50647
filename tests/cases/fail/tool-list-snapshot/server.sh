# A server of MCP whose tool has another argument than in the snapshot, and which has one tool more.
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}' ;;
    *'"method":"tools/list"'*)
      echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"search","inputSchema":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}},{"name":"close","inputSchema":{"type":"object"}}]}}'
      ;;
  esac
done
