/**
 * @fileoverview A server with every feature that the page uses.
 * @module tests/cli/support/page/shop
 */
import { defineServer, form } from "tenon";
import { tasks } from "tenon/tasks";
import { z } from "zod";

/** Creates the server. */
export function createShop() {
  return defineServer({ name: "shop", version: "1.0.0", instructions: "Sells pizza." })
    .extension(tasks({ progressIntervalMs: 0 }))
    .tool("add", {
      description: "Adds two numbers",
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      handler: ({ a, b }) => ({ sum: a + b }),
    })
    .tool("steps", {
      description: "Reports progress",
      handler: async (_args, call) => {
        await call.progress(1, 2, "mixing");
        await call.log("info", "mixed");
        await call.progress(2, 2, "baking");
        return "done";
      },
    })
    .tool("fail", {
      description: "Fails",
      handler: () => ({ isError: true, content: [{ type: "text" as const, text: "The oven is cold." }] }),
    })
    .tool("wait", {
      description: "Waits until it is cancelled",
      handler: (_args, call) =>
        new Promise<string>((_resolve, reject) =>
          call.signal.addEventListener("abort", () => reject(call.signal.reason)),
        ),
    })
    .tool("order", {
      description: "Asks for the address",
      handler: async (_args, call) => {
        const answer = await call.input(
          "where",
          form({ message: "Where to?", schema: z.object({ street: z.string() }) }),
        );
        return answer.action === "accept" ? `to ${answer.content.street}` : `not ordered (${answer.action})`;
      },
    })
    .tool("slogan", {
      description: "Asks a model",
      handler: async (_args, call) => {
        const { content } = await call.sample("slogan", {
          messages: [{ role: "user", content: { type: "text", text: "A slogan" } }],
          maxTokens: 10,
        });
        return JSON.stringify(content);
      },
    })
    .tool("folders", {
      description: "Lists the roots",
      handler: async (_args, call) => (await call.roots("roots")).map(({ uri }) => uri).join(),
    })
    .tool("regional", {
      description: "Has an argument that is sent in a header",
      input: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
      handler: ({ region }) => `in ${region}`,
    })
    .tool("render", {
      description: "Runs as a task",
      task: "optional",
      handler: async (_args, call) => {
        const answer = await call.input(
          "paper",
          form({ message: "Which paper?", schema: z.object({ paper: z.string() }) }),
        );
        return answer.action === "accept" ? `on ${answer.content.paper}` : "not rendered";
      },
    })
    .resource("menu", { uri: "shop://menu", mimeType: "text/plain", handler: () => "margherita" })
    .resourceTemplate("pizza", { uriTemplate: "shop://pizza/{kind}", handler: ({ kind }) => `The ${kind}` })
    .prompt("review", {
      description: "Reviews a pizza",
      arguments: z.object({ kind: z.string() }),
      complete: {
        kind: (value) => ["margherita", "marinara", "funghi"].filter((one) => one.startsWith(value)),
      },
      handler: ({ kind }) => `Review the ${kind}.`,
    })
    .build();
}
