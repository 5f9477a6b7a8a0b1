import { expect, test } from "vitest";
import { runModule } from "../../../../tests/support/run-module.js";

// Zod first tries a schema synchronously and drops the promise of an asynchronous refinement. If that promise
// rejects, the rejection is unhandled and Node.js ends the process.
test("an asynchronous refinement that rejects fails the call, and the server keeps running", () => {
  const { code, stdout, stderr } = runModule(`
    import { z } from "zod";
    import { defineServer } from "tenon";
    const server = defineServer({ name: "a", version: "1.0.0" })
      .tool("greet", {
        input: z.object({ name: z.string().refine(async () => { throw new Error("database is down"); }) }),
        handler: ({ name }) => name,
      })
      .build();
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "greet", arguments: { name: "a" } } };
    const { result } = (await server.handle(call, undefined)).intoJsonRpc();
    await new Promise((resolve) => setTimeout(resolve, 20));
    console.log(JSON.stringify(result));
  `);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    content: [{ type: "text", text: "Tool greet failed" }],
    isError: true,
  });
});
