import type { RequestListener } from "node:http";
import { expect, test, vi } from "vitest";
import { defineServer } from "../../../src/core/define-server.js";
import { toNodeHandler } from "../../../src/transport/node/index.js";
import { listen } from "../../../../../tests/support/http-faces.js";
import { modernCall } from "../../../../../tests/support/http-messages.js";

const server = defineServer({ name: "head", version: "1.0.0" })
  .tool("report", {
    handler: async (_args, call) => {
      await call.progress(1);
      return "done";
    },
  })
  .build();

test("the headers of a stream and its first event are one write", async () => {
  const handler = toNodeHandler(server);
  const writes: string[] = [];
  const watched: RequestListener = (request, response) => {
    const { write } = request.socket;
    vi.spyOn(request.socket, "write").mockImplementation((...args: unknown[]) => {
      writes.push(String(args[0]));
      return write.apply(request.socket, args as Parameters<typeof write>);
    });
    handler(request, response);
  };
  const port = await listen(watched);
  const response = await fetch(
    `http://127.0.0.1:${port}/mcp`,
    modernCall("report", {}, { meta: { progressToken: 1 } }),
  );
  expect(await response.text()).toContain("done");
  expect(writes[0]).toMatch(/^HTTP\/1\.1 200 [\s\S]*notifications\/progress/);
});
