// Writes a project of three tests into a folder, of which one passes on its second attempt. Argument: the folder.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const agent = `
import { existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { threadId, runId, messages } = JSON.parse(line);
  const asked = messages.at(-1).content;
  const isSecond = existsSync("second");
  if (asked === "sometimes") writeFileSync("second", "");
  const delta = asked === "always" || (asked === "sometimes" && isSecond) ? "yes" : "no";
  const events = [
    { type: "RUN_STARTED", threadId, runId },
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "assistant", delta },
    { type: "RUN_FINISHED", threadId, runId },
  ];
  console.log(events.map((event) => JSON.stringify(event)).join("\\n"));
}
`;
const test = (name) => `  - { name: ${name}, turns: [{ user: ${name} }], assert: { text: { contains: "yes" } } }`;
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "agent.mjs"), agent.trimStart());
writeFileSync(join(folder, "ananke.config.yaml"), 'version: "1.4"\ntarget: { type: command, cmd: [node, agent.mjs] }\n');
writeFileSync(join(folder, "a.test.yaml"), ['version: "1.4"', "tests:", ...["always", "sometimes", "never"].map(test), ""].join("\n"));
