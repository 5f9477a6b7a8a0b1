import type { RequestListener } from "node:http";
import { expect, type MockInstance, test, vi } from "vitest";
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
  const writes: MockInstance[] = [];
  const watched: RequestListener = (request, response) => {
    writes.push(vi.spyOn(request.socket, "write"));
    handler(request, response);
  };
  const port = await listen(watched);
  const response = await fetch(
    `http://127.0.0.1:${port}/mcp`,
    modernCall("report", {}, { meta: { progressToken: 1 } }),
  );
  expect(await response.text()).toContain("done");
  // Node adds the length of the first chunk to the headers only if it sends both together.
  expect(writes[0]?.mock.calls[0]?.[0]).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n[0-9a-f]+(?:\r\n)?$/);
});
