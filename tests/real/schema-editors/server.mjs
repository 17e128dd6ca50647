// yaml-language-server, which most editors use for YAML, started and spoken to in the language server protocol.
import { spawn } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** Starts the server with the schemas of a folder. */
export async function start(schemas) {
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
  let documents = 0;

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

  /** Opens a text as a new file of a kind (`test`, `config`). What is reported comes when the schema is known. */
  const show = (kind, text) => {
    documents += 1;
    const name = kind === "test" ? `${documents}.test.yaml` : `${documents}/ananke.config.yaml`;
    const uri = pathToFileURL(join(here, "files", name)).href;
    const problems = new Promise((found) => diagnostics.set(uri, found));
    send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "yaml", version: 1, text } },
    });
    return { uri, problems };
  };
  const open = async (kind, text) => {
    const { uri, problems } = show(kind, text);
    return { uri, problems: await problems };
  };
  const close = (uri) => send({ method: "textDocument/didClose", params: { textDocument: { uri } } });

  const snippetSupport = { completionItem: { snippetSupport: true } };
  await ask("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(here).href,
    capabilities: {
      workspace: { configuration: true },
      textDocument: { completion: snippetSupport, hover: {} },
    },
  });
  send({ method: "initialized", params: {} });
  send({ method: "workspace/didChangeConfiguration", params: { settings } });
  return { ask, open, show, close, stop: () => server.kill() };
}

/** Waits until a server knows the schemas. */
export async function warm(server) {
  for (const kind of ["test", "config"]) {
    let found = [];
    while (found.length === 0) {
      const { uri, problems } = server.show(kind, "nothing: 1\n");
      found = await problems;
      server.close(uri);
    }
  }
}
