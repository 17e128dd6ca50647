# A server of MCP that answers `server/discover` in the way that its argument names.
id_of() { id=${line#*\"id\":}; id=${id%%,*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
refuse() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":$1}"; }
while IFS= read -r line; do
  id_of
  case $1$line in
    modern*'"method":"server/discover"'*) answer '{"resultType":"complete","supportedVersions":["2026-07-28"]}' ;;
    refuses*'"method":"server/discover"'*) refuse '{"code":-32601,"message":"Method not found"}' ;;
    empty*'"method":"server/discover"'*) answer '{}' ;;
    exits*'"method":"server/discover"'*) exit 1 ;;
    # The answer comes when `initialize` has been refused.
    late*'"method":"server/discover"'*) late=$id ;;
    ignores*'"method":"server/discover"'*) ;;
    late*'"method":"initialize"'*)
      refuse '{"code":-32022,"message":"this connection serves 2026-07-28","data":{"supported":["2026-07-28"]}}'
      id=$late
      answer '{"resultType":"complete","supportedVersions":["2026-07-28"]}'
      ;;
    *'"method":"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{}}' ;;
    *'"method":"notifications/initialized"'*) initialized=1 ;;
    modern*'io.modelcontextprotocol/protocolVersion":"2026-07-28"'* | late*'io.modelcontextprotocol/protocolVersion":"2026-07-28"'*)
      answer '{"content":[{"type":"text","text":"modern"}]}'
      ;;
    *) [ "$initialized" = 1 ] && answer '{"content":[{"type":"text","text":"legacy"}]}' ;;
  esac
done
