// Asks yaml-language-server, which editors use, what it completes, explains and reports in ananke's files.
//
//   node lsp.mjs PAGE SCHEMAS [update]
//
// The table of PAGE says what is asked where (`▮` is the cursor, `⏎` a new line) and what is answered. With `update` the
// answers are written.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [page, schemas, update] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const server = spawn(
  process.execPath,
  [join(here, "node_modules/yaml-language-server/bin/yaml-language-server"), "--stdio"],
  { stdio: ["pipe", "pipe", "ignore"] },
);

const url = (name) => pathToFileURL(resolve(schemas, name)).href;
const settings = {
  yaml: {
    completion: true,
    hover: true,
    validate: true,
    schemaStore: { enable: false },
    schemas: { [url("test.schema.json")]: "*.test.yaml", [url("config.schema.json")]: "ananke.config.yaml" },
  },
};

const waiting = new Map();
const diagnostics = new Map();
let buffer = Buffer.alloc(0);
let last = 0;

const send = (message) => {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
};
const ask = (method, params) =>
  new Promise((answer) => {
    last += 1;
    waiting.set(last, answer);
    send({ id: last, method, params });
  });

const take = (message) => {
  if (message.method === "workspace/configuration") {
    send({ id: message.id, result: message.params.items.map(({ section }) => settings[section] ?? {}) });
  } else if (message.method === "textDocument/publishDiagnostics") {
    diagnostics.get(message.params.uri)?.(message.params.diagnostics);
  } else if (message.method !== undefined && message.id !== undefined) {
    send({ id: message.id, result: null });
  } else if (waiting.has(message.id)) {
    waiting.get(message.id)(message.result);
    waiting.delete(message.id);
  }
};

server.stdout.on("data", (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const end = buffer.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1]);
    if (buffer.length < end + 4 + length) return;
    const text = buffer.subarray(end + 4, end + 4 + length).toString();
    buffer = buffer.subarray(end + 4 + length);
    take(JSON.parse(text));
  }
});

const HEADS = { test: 'version: "1.3"\nname: a\n', config: 'version: "1.3"\n' };
const cell = (text) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
let number = 0;

async function answer(asked, file, written) {
  number += 1;
  const marked = HEADS[file] + written.replaceAll("⏎", "\n");
  const at = marked.indexOf("▮");
  const text = marked.replace("▮", "") + "\n";
  const before = (at < 0 ? text : marked.slice(0, at)).split("\n");
  const position = { line: before.length - 1, character: before.at(-1).length };
  const name = file === "test" ? `${number}.test.yaml` : `${number}/ananke.config.yaml`;
  const uri = pathToFileURL(join(here, "files", name)).href;
  const reported = new Promise((found) => diagnostics.set(uri, found));
  send({
    method: "textDocument/didOpen",
    params: { textDocument: { uri, languageId: "yaml", version: 1, text } },
  });
  // What is reported comes when the schema is known.
  const problems = await reported;
  const params = { textDocument: { uri }, position };
  if (asked === "hover") {
    const hover = await ask("textDocument/hover", params);
    const lines = (hover?.contents?.value ?? "nothing").split("\n").filter((line) => !line.startsWith("#"));
    return cell(lines.join(" ").replaceAll("\\", "").split(/(?<=\.) /)[0].replace(/Source: .*/, ""));
  }
  if (asked === "complete") {
    const found = await ask("textDocument/completion", params);
    const labels = (found?.items ?? found ?? []).map(({ label }) => label);
    const shown = labels.slice(0, 8).map((label) => `\`${label}\``).join(", ");
    return cell(labels.length > 8 ? `${shown} and ${labels.length - 8} more` : shown || "nothing");
  }
  return cell(problems.map(({ message }) => message.split("\n")[0]).join("; ") || "nothing");
}

await ask("initialize", {
  processId: process.pid,
  rootUri: pathToFileURL(here).href,
  capabilities: { workspace: { configuration: true }, textDocument: { completion: {}, hover: {} } },
});
send({ method: "initialized", params: {} });
send({ method: "workspace/didChangeConfiguration", params: { settings } });

const lines = readFileSync(page, "utf8").split("\n");
let wrong = 0;
let count = 0;
for (const [index, line] of lines.entries()) {
  const row = /^\| (hover|complete|report) \| (test|config) \| `(.*?)` \| (.*?) ?\|$/.exec(line);
  if (row === null) continue;
  const [, asked, file, written, expected] = row;
  const found = await answer(asked, file, written);
  count += 1;
  lines[index] = `| ${asked} | ${file} | \`${written}\` | ${found} |`;
  if (found === "nothing" || (found !== expected && update !== "update")) {
    wrong += 1;
    console.log(`${asked} ${written}\n  expected ${expected}\n  found    ${found}`);
  }
}
if (update === "update") writeFileSync(page, lines.join("\n"));
console.log(`${count} places, ${wrong} wrong`);
server.kill();
process.exit(wrong === 0 && count >= 40 ? 0 : 1);
