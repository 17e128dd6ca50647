// Serves AG-UI 1.0 with the protocol's own encoder: one path a scene, named as the test that is told it.
//
// Every request is held against the protocol's own schema, and every event that a scene makes too, so that a scene
// cannot be wrong by accident; what is wrong on purpose is written as raw bytes (see scenes/quirks.mjs). The answer
// depends on nothing but the path and the request. `GET /unsent` tells the event types that nobody has asked for yet.
//
// It binds a free port on the loopback interface, prints its address as the first line of its standard output, and ends
// when its standard input is closed or on SIGTERM.

import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { EventType } from "@ag-ui/core";
import { EventSchemas, RunAgentInputSchema } from "@ag-ui/core/schemas";
import { EventEncoder } from "@ag-ui/encoder";
import { RECITE, recital } from "./events.mjs";
import { answers } from "./scenes/answers.mjs";
import { clock } from "./scenes/clock.mjs";
import { history } from "./scenes/history.mjs";
import { others } from "./scenes/others.mjs";
import { quirks } from "./scenes/quirks.mjs";
import { runs } from "./scenes/runs.mjs";
import { state } from "./scenes/state.mjs";
import { text } from "./scenes/text.mjs";
import { tools } from "./scenes/tools.mjs";

const scenes = { ...text, ...tools, ...state, ...history, ...runs, ...others, ...clock, ...quirks };
const unsent = new Set(Object.values(EventType));

/** Writes what a scene makes: events in the protocol's own encoding, raw text and bytes as they are. */
async function play(scene, input, accept, response) {
  const encoder = new EventEncoder({ accept });
  response.writeHead(200, { "content-type": encoder.getContentType(), "cache-control": "no-cache" });
  for await (const item of scene(input)) {
    if (response.destroyed) return;
    if (item.wait !== undefined) {
      await sleep(item.wait);
    } else if (item.cut) {
      response.destroy();
      return;
    } else {
      const bytes = item.raw ?? encoded(encoder, item);
      if (!response.write(bytes)) await once(response, "drain");
    }
  }
  response.end();
}

function encoded(encoder, event) {
  EventSchemas.parse(event);
  unsent.delete(event.type);
  return encoder.getContentType() === "text/event-stream" ? encoder.encodeSSE(event) : encoder.encodeBinary(event);
}

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function refuse(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

async function handle(request, response) {
  const name = decodeURIComponent(new URL(request.url, "http://localhost").pathname.slice(1));
  if (request.method === "GET" && name === "unsent") return refuse(response, 200, [...unsent]);
  if (request.method !== "POST") return refuse(response, 405, { error: "a run is a POST" });
  if (answers[name]) return answers[name](request, response);
  const scene = scenes[name];
  if (!scene) return refuse(response, 404, { error: `there is no scene '${name}'` });
  const parsed = RunAgentInputSchema.safeParse(JSON.parse(await body(request)));
  if (!parsed.success) return refuse(response, 422, parsed.error.issues);
  const input = parsed.data;
  const last = input.messages.at(-1);
  await play(last?.content === RECITE ? recital : scene, input, request.headers.accept, response);
}

const server = createServer((request, response) => {
  handle(request, response).catch((failure) => {
    console.error(failure);
    if (response.headersSent) response.destroy();
    else refuse(response, 500, { error: String(failure) });
  });
});

function end() {
  server.close();
  server.closeAllConnections();
  process.exit(0);
}

process.on("SIGTERM", end);
process.stdin.on("end", end).resume();
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
