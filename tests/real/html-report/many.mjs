// Writes a project of 10,000 tests into the folder that is its argument: 100 files of 100 rows, every tenth file failing.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
mkdirSync(join(folder, "specs"), { recursive: true });
writeFileSync(
  join(folder, "ananke.config.yaml"),
  `version: "1.4"
target:
  type: scripted
  agentId: shop
  assert: { timing: { max_idle_ms: 2000 } }
  rules:
    - do:
        - call: { tool: find_order, args: { order: "O-7", fields: [sum, state, items] }, result: { order: "O-7", state: paid, sum: 89.5 }, delay_ms: 300 }
        - delay_ms: 150
        - call: { tool: refund, args: { order: "O-7", sum: 89.5 }, result: { status: refunded }, delay_ms: 700 }
        - say: "Your order is found, and your money is on its way back to the card that you paid with."
`,
);
for (let file = 1; file <= 100; file += 1) {
  const name = String(file).padStart(3, "0");
  const rule = file % 10 === 0 ? "forbid: [refund]" : "require: [{ name: find_order }, { name: refund }]";
  const rows = Array.from({ length: 100 }, (_, row) => `  - { id: "row-${row + 1}", order: "O-${row + 1}" }`);
  writeFileSync(
    join(folder, "specs", `refund-${name}.test.yaml`),
    `version: "1.4"
name: an order is refunded, part ${file}
tags: [refunds, "group ${file % 7}"]
cases:
${rows.join("\n")}
turns:
  - user: "Refund the order \${order}, please"
    assert: { tools: { ${rule} } }
`,
  );
}
