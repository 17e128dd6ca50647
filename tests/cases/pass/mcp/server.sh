# A server of MCP: a shop with a tool that searches, one that fails and one that is not there.
id_of() { id=${line#*\"id\":}; id=${id%%,*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
text() { answer "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]$2}"; }
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*)
      id_of
      echo "Shop is open"
      # Its own requests count their ids by themselves.
      echo '{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
      IFS= read -r reply
      case $reply in *'"roots":[]'*) ;; *) exit 4 ;; esac
      answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}'
      ;;
    *'"method":"notifications/initialized"'*)
      echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
      ;;
    *'"cursor":"2"'*) id_of; answer '{"tools":[{"name":"close","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/list"'*)
      id_of
      answer '{"tools":[{"name":"search","inputSchema":{"type":"object"}}],"nextCursor":"2"}'
      ;;
    *'"name":"search"'*'"query":"shoes"'*)
      id_of
      text "2 pairs" ',"structuredContent":{"hits":2,"first":"s-1"}'
      ;;
    *'"name":"search"'*) id_of; text "nothing like it" ;;
    *'"name":"close"'*) id_of; text "closing needs a key" ',"isError":true' ;;
    *) id_of; echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32602,\"message\":\"Unknown tool\"}}" ;;
  esac
done
