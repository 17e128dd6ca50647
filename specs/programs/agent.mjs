// An agent that is a program: reads a run per line, and prints its events, one per line.
import { createInterface } from "node:readline";

const print = (event) => console.log(JSON.stringify(event));
console.log(); // It has started: from here on the time of the first turn counts.
for await (const line of createInterface({ input: process.stdin })) {
  const { threadId, runId, messages } = JSON.parse(line);
  print({ type: "RUN_STARTED", threadId, runId });
  const delta = `You said: ${messages.at(-1).content}`;
  print({ type: "TEXT_MESSAGE_CHUNK", messageId: runId, role: "assistant", delta });
  print({ type: "RUN_FINISHED", threadId, runId });
}
