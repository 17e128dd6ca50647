// The conversations that each official client of Node has, and the facts that it reports: one JSON object on standard output.
//
// A wire is a conversation by an API with its official client: `begin`, `user`, `result`, `ask`, which gives an answer, and
// `structured`, which gives the answer that the client parses by SCHEMA. steps.py has the same steps.

import assert from "node:assert/strict";

export const SCHEMA = {
  type: "object",
  properties: { paid: { type: "boolean" }, amount: { type: "number" } },
  required: ["paid", "amount"],
  additionalProperties: false,
};
export const PARAMETERS = {
  type: "object",
  properties: { amount: { type: "number" } },
  required: ["amount"],
  additionalProperties: false,
};
export const TOOL = { name: "charge_card", description: "Charges the card of the user." };
const CHARGED = '{"status": "charged"}';

// The tool and the arguments of each call, whose ids differ.
function callsOf(answer) {
  assert.equal(new Set(answer.calls.map((call) => call.id)).size, answer.calls.length);
  return answer.calls.map((call) => [call.tool, call.args]);
}

// Asks for each answer of scripts/clients.yaml.
async function converse(wire) {
  const facts = {};
  wire.begin();
  wire.user("Pay my cart.");
  let asked = await wire.ask();
  wire.result(asked.calls[0].id, CHARGED);
  let answer = await wire.ask();
  facts.round = { calls: callsOf(asked), ends: [asked.end, answer.end], text: answer.text };

  wire.begin();
  wire.user("Is my cart paid?");
  facts.structured = await wire.structured();

  wire.begin();
  wire.user("Pay both parts of my cart.");
  asked = await wire.ask();
  const { reasoning, text, end, usage } = asked;
  facts.parallel = { reasoning, text, calls: callsOf(asked), end, usage };
  for (const call of asked.calls) wire.result(call.id, CHARGED);
  facts.after = (await wire.ask()).text;

  for (const name of ["length", "refusal", "filter"]) {
    wire.begin();
    wire.user("Pay my cart.");
    answer = await wire.ask({ tools: false });
    facts[name] = { text: answer.text, end: answer.end };
  }
  return facts;
}

// Asks once more than there are answers. The client must not try again, and its error must say what is wrong.
async function miss(wire) {
  wire.begin();
  wire.user("Pay my cart.");
  await wire.ask();
  try {
    await wire.ask();
  } catch (error) {
    return { error: error.constructor.name, message: error.message };
  }
  return { error: null };
}

// `CLIENT WIRE…` for each API as documents and as streams, `CLIENT miss WIRE` for a miss
export async function main(wires) {
  const names = process.argv.slice(2);
  let facts = {};
  if (names[0] === "miss") {
    facts = await miss(new wires[names[1]](false));
  } else {
    for (const name of names) {
      facts[`${name}, whole`] = await converse(new wires[name](false));
      facts[`${name}, streamed`] = await converse(new wires[name](true));
    }
  }
  console.log(JSON.stringify(facts));
}
