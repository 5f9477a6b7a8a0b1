/**
 * @fileoverview Starts the basic server on localhost.
 * @module examples/basic/main
 */
import { createBasicHttpServer } from "./http.js";

const http = createBasicHttpServer();
const port = Number(process.env["PORT"] ?? 3000);

http.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EADDRINUSE" || process.env["PORT"] !== undefined) {
    console.error(`Could not listen on port ${port}: ${error.message}`);
    process.exit(1);
  }
  http.listen(0, "127.0.0.1"); // the default port is in use, so use any free port
});

http.on("listening", () => {
  const address = http.address();
  const base = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : port}`;
  console.log(`Tenon's basic server is ready.

  public endpoint    ${base}/mcp
  private endpoint   ${base}/private/mcp   (Authorization: Bearer demo-YOURNAME)

Try it:
  curl -s ${base}/mcp -H 'content-type: application/json' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}'

Press Ctrl+C to stop.`);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    http.close(() => console.log("Stopped."));
    http.closeIdleConnections();
  });
}

http.listen(port, "127.0.0.1");
