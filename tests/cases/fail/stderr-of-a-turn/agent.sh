# Answers the first run, and fails in the second; stderr has words of both.
answer() { echo "{\"type\":\"$1\",\"threadId\":\"t\",\"runId\":\"r\"$2}"; }
read -r line
echo "of the first turn" >&2
answer RUN_STARTED
echo '{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}'
echo '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hello"}'
echo '{"type":"TEXT_MESSAGE_END","messageId":"m"}'
answer RUN_FINISHED
read -r line
answer RUN_STARTED
echo 'Traceback (most recent call last):' >&2
echo '  File "agent.py", line 24, in answer' >&2
echo "KeyError: 'content'" >&2
echo '{"type":"RUN_ERROR","message":"KeyError: '"'content'"'"}'
read -r line
