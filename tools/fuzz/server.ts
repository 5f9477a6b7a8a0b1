/**
 * @fileoverview Server process that receives the frames: `node server.mjs stdio|http|websocket [FOLDER]`. Prints its
 * URL, except over stdio.
 * @module tools/fuzz/server
 */
import { listen, toNodeHandler } from "tenon/node";
import { serveStdio } from "tenon/stdio";
import { AgentServerBuilder, defineMessage } from "@tenon/agent";
import { z } from "zod";
import { createFuzzServer, SECRET } from "./fuzz-server.js";

const [mode, folder = "."] = process.argv.slice(2);
// The end of its input ends the process, so that it does not outlive a run that was killed.
if (mode !== "stdio") process.stdin.resume().on("end", () => process.exit());
if (mode === "stdio") await serveStdio(createFuzzServer()).closed;
else if (mode === "http") {
  const { port, server } = await listen(toNodeHandler(createFuzzServer("silent")), { port: 0 });
  // On a busy machine, the client can pause for seconds. The server must not close its connection in the meantime.
  Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
} else {
  const { url } = await createAgent().start({ port: 0 });
  process.stdout.write(`${url}\n`);
}

function createAgent() {
  const key = z.union([z.string(), z.number()]);
  return new AgentServerBuilder()
    .storagePath(folder)
    .registerMessage(
      defineMessage({
        type: "echo",
        dataSchema: z.object({ id: key, text: z.string() }),
        handler: (data, reply) => reply({ type: "echo", data }),
      }),
    )
    .registerMessage(defineMessage({ type: "quiet", dataSchema: z.looseObject({}), handler: () => {} }))
    .registerMessage(
      defineMessage({
        type: "broken",
        dataSchema: z.object({}),
        handler: () => {
          throw new Error(SECRET);
        },
      }),
    )
    .build();
}
