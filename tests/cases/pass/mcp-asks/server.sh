# A server of MCP of both eras that asks back: a size, a message of a model, and the directories.
id_of() { id=${line#*\"id\":}; id=${id%%,*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
# What it asks has an id of its own, which is also one of the client's.
ask() { echo "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"$1\",\"params\":$2}"; IFS= read -r reply; }
text() { answer "{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
quoted() { printf %s "$1" | sed 's/.*"\(result\|error\|inputResponses\)"/\1/; s/[\\"{}]//g'; }
form='{"message":"Which size?","requestedSchema":{"type":"object","properties":{"size":{"type":"integer"},"color":{"type":"string","default":"red"}}}}'
while IFS= read -r line; do
  id_of
  case $line in
    *'"method":"server/discover"'*)
      if [ "$1" = modern ]; then answer '{"supportedVersions":["2026-07-28"]}'; else answer '{}'; fi
      ;;
    *'"method":"initialize"'*) offered=$line; answer '{"protocolVersion":"2025-11-25"}' ;;
    *'"method":"notifications/initialized"'*) ;;
    *'"method":"resources/read"'*) answer '{"contents":[{"uri":"file:///a","text":"first"},{"uri":"file:///b","blob":"AAAA"},{"uri":"file:///c","text":"last"}]}' ;;
    *'"method":"prompts/get"'*'"name":"Ada"'*) answer '{"messages":[{"role":"user","content":{"type":"text","text":"Greet Ada"}},{"role":"assistant","content":{"type":"text","text":"Hello"}}]}' ;;
    *'"inputResponses"'*'"requestState":"s-1"'*) text "$(quoted "$line")" ;;
    *'"name":"size"'*)
      if [ "$1" = modern ]; then
        answer "{\"resultType\":\"input_required\",\"requestState\":\"s-1\",\"inputRequests\":{\"size\":{\"method\":\"elicitation/create\",\"params\":$form}}}"
      else
        ask elicitation/create "$form"; text "$(quoted "$reply")"
      fi
      ;;
    *'"name":"model"'*) ask sampling/createMessage '{"messages":[]}'; text "$(quoted "$reply")" ;;
    *'"name":"directories"'*) ask roots/list '{}'; text "$(quoted "$reply")" ;;
    *'"name":"else"'*) ask tasks/list '{}'; text "$(quoted "$reply")" ;;
    *'"name":"offered"'*) text "$(printf %s "$offered" | sed 's/.*"capabilities":\(.*\),"clientInfo.*/\1/; s/"//g')" ;;
    *'"name":"slow"'*)
      echo '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":0.5}}'
      text done
      ;;
  esac
done
