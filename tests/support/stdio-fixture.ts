/**
 * @fileoverview A stdio server for tests that communicate over pipes. It never calls `process.exit`, so it exits only
 * when nothing keeps the event loop alive.
 * @module tests/support/stdio-fixture
 */
import { z } from "zod";
import { defineServer, form } from "tenon";
import { serveStdio } from "../../packages/tenon/src/transport/stdio/serve-stdio.js";

const note = (text: string) => void process.stderr.write(`${text}\n`);
const NOTHING = z.object({});
const NAME = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });

const server = defineServer({
  name: "fixture",
  version: "1.0.0",
  log: ({ event }) => note(`log: ${event}`),
})
  .tool("echo", {
    description: "Returns its input",
    input: z.object({ text: z.string() }),
    handler: ({ text }) => text,
  })
  .tool("work", {
    input: NOTHING,
    handler: async (_, call) => {
      await call.progress(1, 2, "half");
      await call.log("info", { step: "✓ half-way" });
      await call.progress(2, 2);
      return "worked";
    },
  })
  .tool("wait", {
    input: NOTHING,
    handler: (_, call) =>
      new Promise<string>((_resolve, reject) => {
        const busy = setInterval(() => {}, 1_000);
        note("wait: began");
        call.signal.addEventListener("abort", () => {
          clearInterval(busy);
          note("wait: aborted");
          reject(call.signal.reason);
        });
      }),
  })
  .tool("greet", {
    input: NOTHING,
    handler: async (_, call) => {
      const answer = await call.input("name", NAME);
      return answer.action === "accept" ? `Hello, ${answer.content.name}` : `You said ${answer.action}`;
    },
  })
  .tool("poem", {
    input: NOTHING,
    handler: async (_, call) => {
      const { content } = await call.sample("poem", {
        messages: [{ role: "user", content: { type: "text", text: "A haiku" } }],
        maxTokens: 50,
      });
      return JSON.stringify(content);
    },
  })
  .tool("grow", {
    input: z.object({ name: z.string() }),
    handler: ({ name }) => {
      server.update((editor) => editor.tool(name, { input: NOTHING, handler: () => name }));
      return "grown";
    },
  })
  .tool("fail", {
    input: NOTHING,
    handler: () => {
      throw new Error("not for the client");
    },
  })
  .build();

const transport = serveStdio(server, {
  input: process.stdin,
  output: process.stdout,
  limits: { maxBytes: 100_000 },
  onError: (error) => note(`transport: ${(error as NodeJS.ErrnoException).code}`),
});
note("ready");
await transport.closed;
note("closed");
