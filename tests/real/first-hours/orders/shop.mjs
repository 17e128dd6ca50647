// The agent of a shop over AG-UI: it finds an order, refunds it, and says goodbye. It makes a mistake with some numbers of orders, six in
// all; `node shop.mjs mended` makes none. It binds PORT on the loopback interface.

import { createServer } from "node:http";
import { randomUUID } from "node:crypto";

const isMended = process.argv[2] === "mended";

createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  let body = "";
  for await (const piece of request) body += piece;
  const { threadId, runId, messages } = JSON.parse(body);
  const said = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const number = Number(said[0].match(/O-(\d+)/)?.[1] ?? 0);
  const order = `O-${number}`;
  const isBroken = (first, last) => !isMended && number >= first && number <= last;
  if (isBroken(1, 3)) return response.writeHead(503, { "content-type": "text/plain" }).end("the shop is overloaded");
  response.writeHead(200, { "content-type": "text/event-stream" });
  const emit = (type, event) => response.write(`data: ${JSON.stringify({ type, ...event })}\n\n`);
  const call = (tool, args, result) => {
    const toolCallId = randomUUID();
    emit("TOOL_CALL_START", { toolCallId, toolCallName: tool });
    emit("TOOL_CALL_ARGS", { toolCallId, delta: JSON.stringify(args) });
    emit("TOOL_CALL_END", { toolCallId });
    emit("TOOL_CALL_RESULT", { toolCallId, messageId: randomUUID(), content: JSON.stringify(result) });
  };
  const say = (delta) => emit("TEXT_MESSAGE_CHUNK", { messageId: randomUUID(), role: "assistant", delta });
  emit("RUN_STARTED", { threadId, runId });
  if (isBroken(4, 5)) return;
  if (said.length === 1) {
    const amount = number + 0.5;
    call("find_order", { order }, { order, amount, status: "sent" });
    say(`Order ${order} is sent: ${amount} EUR.`);
  } else if (said.length === 2) {
    const amount = isBroken(10, 19) ? number : number + 0.5;
    if (isBroken(30, 34)) call("delete_order", { order }, { ok: true });
    if (!isBroken(35, 39)) call("check_policy", { order }, { refundable: true });
    call("refund", { order, amount }, { ok: true });
    if (isBroken(35, 39)) call("check_policy", { order }, { refundable: true });
    if (isBroken(20, 29)) call("refund", { order, amount }, { ok: true });
    say(`Refunded ${amount} EUR.`);
  } else {
    say(`You are welcome. Order ${order} is closed.`);
  }
  emit("RUN_FINISHED", { threadId, runId });
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
