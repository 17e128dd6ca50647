// Sessions with models of the Messages API and with backends of `useChat`, which `ananke mock` serves.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

import { ANY } from "ananke-test/testing";
import { opened, ownProgram, project } from "./helpers.js";

// Requests of `useChat` declare no tools: the server knows those that the client executes.
const DESK = `version: "1.4"
target:
  type: scripted
  client_tools: [{ name: confirm }]
  rules:
    - when: { user: "Cancel" }
      do:
        - call: { tool: confirm, args: { order: O-7 } }
        - say: "It is cancelled."
    - when: { user: "again", turn: 2 }
      do: [{ say: "That was your second question." }]
`;

/** The address of a scripted agent, which ends with its test. */
async function desk(t) {
  const config = `${project(t, { "ananke.config.yaml": DESK })}/ananke.config.yaml`;
  const served = spawn(ownProgram(), ["mock", "--speed", "max", "--config", config], { stdio: ["ignore", "pipe", "ignore"] });
  t.after(async () => {
    served.kill();
    await once(served, "close");
  });
  const [line] = await once(served.stdout, "data");
  return String(line).trim();
}

const parameters = { type: "object", properties: { order: { type: "string" } }, required: ["order"] };

for (const [type, path, keys] of [
  ["anthropic", "", { model: "m" }],
  ["ai-sdk", "/api/chat", {}],
]) {
  test(`${type}: two turns with a tool of the client`, async (t) => {
    const asked = [];
    const confirm = { description: "Asks the user.", parameters, execute: ({ order }) => (asked.push(order), { confirmed: true }) };
    const target = { type, endpoint: `${await desk(t)}${path}`, ...keys };
    const session = await opened(t, { target, tools: { confirm } });
    const run = await session.run("Cancel O-7");
    run.expect.nextEvent().isFunctionCall("confirm", { order: "O-7" });
    run.expect.nextEvent().isFunctionCallOutput({ confirmed: true }, false);
    run.expect.nextEvent().isMessage("assistant");
    run.expect.noMoreEvents();
    await run.check("tools: { require: [{ name: confirm, count: 1, result: { confirmed: true } }] }");
    await assert.rejects(run.check({ tools: { forbid: ["confirm"] } }), { name: "AssertionError", message: /`confirm` was called, which is forbidden/ });
    // A server of these protocols has nothing but the request, so it counts the turns in it.
    const again = await session.run("And again?");
    await again.check({ text: { equals: "That was your second question." }, tools: { max_calls: 0 } });
    assert.deepEqual(asked, ["O-7"]);
  });

  test(`${type}: a tool that throws`, async (t) => {
    const execute = ({ order }) => {
      throw new Error(`no user to ask about ${order}`);
    };
    const target = { type, endpoint: `${await desk(t)}${path}`, ...keys };
    const session = await opened(t, { target, tools: { confirm: { parameters, execute } } });
    const run = await session.run("Cancel O-7");
    run.expect.containsFunctionCallOutput(ANY, true);
    await run.check({ tools: { require: [{ name: "confirm", is_error: true, result_match: "no user to ask about O-7" }] } });
  });
}
