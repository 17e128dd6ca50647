// Serves a route that is written as Next.js has it, a function from a Request to a Response, over HTTP.
//
//     node serve.mjs ROUTE PATH
//
// It binds a free port on the loopback interface, prints its address, and ends when its standard input is closed.

import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const [, , file, path] = process.argv;
const route = await import(pathToFileURL(file));

async function respond(request, response) {
  const handler = request.url === `/${path}` ? route[request.method] : undefined;
  if (handler === undefined) {
    response.writeHead(request.url === `/${path}` ? 405 : 404).end();
    return;
  }
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const url = `http://${request.headers.host}${request.url}`;
  const answered = await handler(new Request(url, { method: request.method, headers: request.headers, body: Buffer.concat(chunks) }));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  for await (const chunk of answered.body ?? []) {
    response.write(chunk);
  }
  response.end();
}

const server = createServer((request, response) => {
  respond(request, response).catch((error) => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on("end", () => process.exit(0)).resume();
