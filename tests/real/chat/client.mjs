// The official client, without a page: the transport of `useChat`, and its reader of messages.
//
//     node client.mjs URL            talks to an agent of specs/desk, and prints the messages of the assistant as JSON lines

import { DefaultChatTransport, readUIMessageStream } from "ai";

const transport = new DefaultChatTransport({ api: `${process.argv[2]}/api/chat` });
const chat = "chat-of-the-client";
const messages = [];

/** Sends the chat, and reads the message of the assistant, which goes on if it is the last one. */
async function turn() {
  const last = messages.at(-1);
  const goesOn = last.role === "assistant" ? structuredClone(last) : undefined;
  const messageId = goesOn?.id;
  const stream = await transport.sendMessages({ chatId: chat, messages, trigger: "submit-message", messageId, abortSignal: undefined });
  let message;
  const failed = [];
  for await (const read of readUIMessageStream({ stream, message: goesOn, onError: (error) => failed.push(String(error)) })) {
    message = read;
  }
  if (goesOn !== undefined) {
    messages.pop();
  }
  messages.push(message);
  console.log(JSON.stringify({ parts: message.parts.map(part), failed }));
  return message;
}

function say(text) {
  messages.push({ id: `user-${messages.length}`, role: "user", parts: [{ type: "text", text }] });
}

/** What a part says. */
function part({ type, text, state, input, output, errorText }) {
  return { type, text, state, input, output, errorText };
}

/** The part of the last call of a tool. */
function last(message, tool) {
  return message.parts.findLast(({ type }) => type === `tool-${tool}`);
}

say("Where is my order?");
await turn();
say("Cancel it");
const asks = await turn();
Object.assign(last(asks, "confirm"), { state: "output-available", output: "yes" });
await turn();
say("Delete all");
const waits = await turn();
const approved = last(waits, "delete_all");
Object.assign(approved, { state: "approval-responded", approval: { ...approved.approval, approved: true } });
await turn();
