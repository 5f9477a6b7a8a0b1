/**
 * @fileoverview The lower bound over HTTP: one fixed response, without zod.
 * @module bench/hello/http/bare
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const text = '{"jsonrpc":"2.0","id":0,"result":{}}';
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": text.length });
    response.end(text);
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
