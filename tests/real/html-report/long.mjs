// Writes a project into the folder that is its argument: a test of 200 turns, and two with 500 calls in a turn. The first
// two fail at their end, the third because no call of many is the right one.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const say = 'do: [{ delay_ms: 40 }, { call: { tool: find_parcel, args: { parcel: "P" }, result: found } }, { say: "It is on its way." }]';
const calls = Array.from({ length: 500 }, (_, index) => `        - call: { tool: count_shelf, args: { shelf: ${index + 1} }, result: { pieces: ${index % 7} }, delay_ms: 5 }`);
writeFileSync(
  join(folder, "ananke.config.yaml"),
  `version: "1.4"
target:
  type: scripted
  rules:
    - when: { user: "count" }
      do:
${calls.join("\n")}
        - call: { tool: drop_shelf, result: ok }
    - when: { user: "parcel-200" }
      do: [{ call: { tool: lose_parcel, args: { parcel: 200 }, result: lost } }, { say: "It is lost." }]
    - ${say}
`,
);
const turns = Array.from({ length: 200 }, (_, index) => `  - user: "Where is parcel-${index + 1}?"`);
writeFileSync(
  join(folder, "turns.test.yaml"),
  `version: "1.4"\nname: many turns\nturns:\n${turns.join("\n")}\nassert: { tools: { forbid: [lose_parcel] } }\n`,
);
writeFileSync(
  join(folder, "calls.test.yaml"),
  'version: "1.4"\nname: many calls\nturns: [{ user: "count" }]\nassert: { tools: { forbid: [drop_shelf] } }\n',
);
writeFileSync(
  join(folder, "candidates.test.yaml"),
  'version: "1.4"\nname: many candidates\nturns: [{ user: "count" }]\nassert: { tools: { require: [{ name: count_shelf, args: { shelf: 250, pieces: 9 } }] } }\n',
);
