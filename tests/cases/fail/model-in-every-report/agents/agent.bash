# An agent of AG-UI on stdin and stdout, with one tool. Its own code asks a model over chat completions, and goes on until the model
# has no more calls.
url="${OPENAI_BASE_URL:?}"
address="${url#http://}"
base="/${address#*/}"
address="${address%%/*}"
tools='[{"type":"function","function":{"name":"charge_card","description":"Charges the card","parameters":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]}}}]'
messages='{"role":"system","content":"Never charge twice."}'

# ask: prints the body of the model's answer to the conversation so far.
ask() {
    local body="{\"model\":\"gpt-5\",\"temperature\":0,\"messages\":[$messages],\"tools\":$tools}"
    exec 3<>"/dev/tcp/${address%:*}/${address##*:}"
    printf 'POST %s/chat/completions HTTP/1.0\r\nhost: %s\r\nauthorization: Bearer %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s' \
        "$base" "$address" "$OPENAI_API_KEY" "${#body}" "$body" >&3
    sed -e '1,/^\r$/d' <&3
    exec 3>&-
}

# field NAME: the text under this key of the JSON on stdin, as it is escaped.
field() {
    sed -n "s/.*\"$1\":\"\(\([^\"\\\\]\|\\\\.\)*\)\".*/\1/p"
}

# event JSON: adds an event. Events are printed when the model has answered, so that the order of the two is always the same.
event() {
    events="$events$1"$'\n'
}

# flush: prints the events so far.
flush() {
    printf '%s' "$events"
    events=""
}

while IFS= read -r input; do
    run="${input#*\"runId\":\"}"; run="${run%%\"*}"
    thread="${input#*\"threadId\":\"}"; thread="${thread%%\"*}"
    ids="\"threadId\":\"$thread\",\"runId\":\"$run\""
    user="$(printf '%s' "$input" | field content)"
    messages="$messages,{\"role\":\"user\",\"content\":\"$user\"}"
    event "{\"type\":\"RUN_STARTED\",$ids}"
    while :; do
        answer="$(ask)"
        flush
        id="$(printf '%s' "$answer" | sed -n 's/.*"tool_calls":\[{"id":"\([^"]*\)".*/\1/p')"
        [ -n "$id" ] || break
        arguments="$(printf '%s' "$answer" | field arguments)"
        result="{\\\"status\\\":\\\"${CARD:-charged}\\\"}"
        event "{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"$id\",\"toolCallName\":\"charge_card\"}"
        event "{\"type\":\"TOOL_CALL_ARGS\",\"toolCallId\":\"$id\",\"delta\":\"$arguments\"}"
        event "{\"type\":\"TOOL_CALL_END\",\"toolCallId\":\"$id\"}"
        event "{\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"m-$id\",\"toolCallId\":\"$id\",\"content\":\"$result\"}"
        messages="$messages,{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"$id\",\"type\":\"function\",\"function\":{\"name\":\"charge_card\",\"arguments\":\"$arguments\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"$id\",\"content\":\"$result\"}"
    done
    text="$(printf '%s' "$answer" | field content)"
    [ -n "$text" ] || text="Sorry, something went wrong."
    messages="$messages,{\"role\":\"assistant\",\"content\":\"$text\"}"
    event '{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}'
    event "{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"$text\"}"
    event '{"type":"TEXT_MESSAGE_END","messageId":"m"}'
    event "{\"type\":\"RUN_FINISHED\",$ids}"
    flush
done
