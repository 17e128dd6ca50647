// Answers that are no stream of events at all.

import { EventEncoder } from "@ag-ui/encoder";
import { run, says } from "../events.mjs";

const reply = (status, type, text) => (_request, response) => {
  response.writeHead(status, { "content-type": type });
  response.end(text);
};

export const answers = {
  "a login page": reply(200, "text/html", "<!doctype html><title>Sign in</title>"),
  "an empty answer": reply(200, "text/event-stream", ""),
  "an answer in JSON": reply(200, "application/json", '[{"type":"RUN_STARTED"}]'),
  "an overloaded server": reply(503, "application/json", '{"error":"come back later"}'),

  "an agent that has moved"(_request, response) {
    response.writeHead(301, { location: "/a%20plain%20answer" });
    response.end();
  },

  // The protocol's other encoding, which the client did not ask for.
  "the binary form"(_request, response) {
    const encoder = new EventEncoder({ accept: "*/*" });
    response.writeHead(200, { "content-type": encoder.getContentType() });
    for (const event of run({ threadId: "t", runId: "r" }, says("m1", "Hi.")))
      response.write(encoder.encodeBinary(event));
    response.end();
  },
};
