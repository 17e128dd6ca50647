# A server of MCP. The order of its tools, keys and required arguments is not that of the snapshot, which has no meaning.
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}' ;;
    *'"method":"tools/list"'*)
      echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"search","inputSchema":{"type":["null","object"],"required":["shop","query"],"properties":{"query":{"type":"string"}}}},{"name":"close","description":"Closes the shop","annotations":{"destructiveHint":true,"title":"Close"},"inputSchema":{"type":"object"}}]}}'
      ;;
  esac
done
