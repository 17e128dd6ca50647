// Asks yaml-language-server what it completes, inserts, explains and reports in ananke's files.
//
//   node table.mjs PAGE SCHEMAS [update]
//
// The table of PAGE says what is asked where (`▮` is the cursor, `⏎` a new line) and what is answered. With `update` the
// answers are written.
import { readFileSync, writeFileSync } from "node:fs";

import { withoutStops } from "./language.mjs";
import { start } from "./server.mjs";

const [page, schemas, update] = process.argv.slice(2);
const server = await start(schemas);

const HEADS = { test: 'version: "1.4"\nname: a\n', config: 'version: "1.4"\n' };
const cell = (text) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
async function answer(asked, file, written, choice) {
  const marked = HEADS[file] + written.replaceAll("⏎", "\n");
  const at = marked.indexOf("▮");
  const text = marked.replace("▮", "") + "\n";
  const before = (at < 0 ? text : marked.slice(0, at)).split("\n");
  const position = { line: before.length - 1, character: before.at(-1).length };
  const { uri, problems } = await server.open(file, text);
  const params = { textDocument: { uri }, position };
  if (asked === "hover") {
    const hover = await server.ask("textDocument/hover", params);
    const lines = (hover?.contents?.value ?? "nothing").split("\n").filter((line) => !line.startsWith("#"));
    return cell(lines.join(" ").replaceAll("\\", "").split(/(?<=\.) /)[0].replace(/Source: .*/, ""));
  }
  if (asked === "complete" || asked === "insert") {
    const found = await server.ask("textDocument/completion", params);
    const items = found?.items ?? found ?? [];
    if (asked === "complete") {
      const labels = items.map(({ label }) => label);
      const shown = labels.slice(0, 8).map((label) => `\`${label}\``).join(", ");
      return cell(labels.length > 8 ? `${shown} and ${labels.length - 8} more` : shown || "nothing");
    }
    const item = items.find(({ label }) => label === choice);
    if (item === undefined) return "nothing";
    const { range, newText } = item.textEdit;
    const lines = text.split("\n");
    const line = lines[range.start.line];
    // As editors do, lines after the first are indented like the line of the cursor.
    const inserted = withoutStops(newText, "").replaceAll("\n", `\n${/^ */.exec(line)[0]}`);
    lines[range.start.line] = line.slice(0, range.start.character) + inserted + line.slice(range.end.character);
    const { problems: wrong } = await server.open(file, lines.join("\n"));
    if (wrong.length > 0) return cell(`${inserted} is wrong: ${wrong[0].message}`);
    return cell(`\`${inserted.trim().replaceAll("\n", "⏎")}\``);
  }
  return cell(problems.map(({ message }) => message.split("\n")[0]).join("; ") || "nothing");
}

const lines = readFileSync(page, "utf8").split("\n");
let wrong = 0;
let count = 0;
for (const [index, line] of lines.entries()) {
  const row = /^\| (hover|complete|insert|report)( `.*?`)? \| (test|config) \| `(.*?)` \| (.*?) ?\|$/.exec(line);
  if (row === null) continue;
  const [, asked, choice = "", file, written, expected] = row;
  const found = await answer(asked, file, written, choice.slice(2, -1));
  count += 1;
  lines[index] = `| ${asked}${choice} | ${file} | \`${written}\` | ${found} |`;
  if (found === "nothing" || found.includes(" is wrong: ") || (found !== expected && update !== "update")) {
    wrong += 1;
    console.log(`${asked} ${written}\n  expected ${expected}\n  found    ${found}`);
  }
}
if (update === "update") writeFileSync(page, lines.join("\n"));
console.log(`${count} places, ${wrong} wrong`);
server.stop();
process.exit(wrong === 0 && count >= 40 ? 0 : 1);
