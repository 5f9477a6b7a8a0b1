/**
 * @fileoverview Starts the mail server on a free localhost port, together with an authorization server and a mail
 * service.
 * @module examples/mail/main
 */
import { serve } from "tenon/node";
import { startMailExample } from "./start.js";

const { server, close } = await startMailExample({
  debug: () => undefined,
  info: console.log,
  warn: console.warn,
  error: console.error,
});
const port = Number(process.env["PORT"] ?? 0);
const running = await serve(server, { transport: { type: "http", port } });

console.log(`Tenon's mail server is ready: ${running.url}

Call the message-list tool. The first call returns a sign-in URL. Open the URL in a browser, then call the tool again:
  curl -s ${running.url} -H 'content-type: application/json' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"message-list","arguments":{}}}'

Press Ctrl+C to stop.`);

await running.closed;
await close();
