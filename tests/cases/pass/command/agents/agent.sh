turn=0
while IFS= read -r line; do
  turn=$((turn + 1))
  run=${line#*\"runId\":\"}; run=${run%%\"*}
  thread=${line#*\"threadId\":\"}; thread=${thread%%\"*}
  ids="\"threadId\":\"$thread\",\"runId\":\"$run\""
  echo "{\"type\":\"RUN_STARTED\",$ids}"
  echo "{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c-$turn\",\"toolCallName\":\"look_up\"}"
  echo "{\"type\":\"TOOL_CALL_END\",\"toolCallId\":\"c-$turn\"}"
  echo "{\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"t-$turn\",\"toolCallId\":\"c-$turn\",\"content\":\"42\"}"
  echo "{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m-$turn\",\"role\":\"assistant\",\"delta\":\"$GREETING for the ${turn}. time\"}"
  echo "{\"type\":\"RUN_FINISHED\",$ids}"
done
echo "bye"
