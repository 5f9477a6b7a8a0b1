/**
 * @fileoverview The transport contract's server. Tool calls trigger all its actions, because the server runs in a
 * separate process on some transports.
 * @module tests/support/contract/transport-server
 */
import { EventEmitter, once } from "node:events";
import { z } from "zod";
import { type Call, defineServer, form, McpError, type Server } from "tenon";

/** URI of a resource that supports subscriptions. */
export const NEWS = "contract://news";

/** Creates an independent contract server. */
export function createContractServer(): Server {
  const aborted: string[] = [];
  const noticed = new EventEmitter();
  const server = defineServer({
    name: "contract",
    version: "1.2.3",
    instructions: "Call what you like.",
    pageSize: 5,
    state: { keys: [new Uint8Array(32).fill(7)] },
  })
    .tool("echo", { description: "Returns its input", input: TEXT, handler: ({ text }) => text })
    .tool("add", {
      title: "Adder",
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
      handler: ({ a, b }) => ({ sum: a + b }),
    })
    .tool("squares", {
      input: z.object({ upTo: z.number() }),
      output: z.array(z.number()),
      handler: ({ upTo }) => Array.from({ length: upTo }, (_, index) => (index + 1) ** 2),
    })
    .tool("refuse", {
      input: NOTHING,
      handler: () => {
        throw new McpError("NOT_FOUND", "Not found");
      },
    })
    .tool("crash", {
      input: NOTHING,
      handler: () => {
        throw new Error("an internal secret");
      },
    })
    .tool("count", {
      input: NOTHING,
      handler: async (_, call) => {
        await call.progress(1, 3, "one");
        await call.progress(2, 3, "two");
        await call.progress(2, 3, "two again");
        await call.progress(3, 3);
        return "counted";
      },
    })
    .tool("chatter", {
      input: NOTHING,
      handler: async (_, call) => {
        await call.log("debug", "a detail");
        await call.log("info", { step: "a step" }, "steps");
        await call.log("warning", "a doubt ✓");
        await call.log("error", "a fault");
        return "said";
      },
    })
    .tool("ask", {
      input: z.object({ message: z.string().default("Who are you?") }),
      handler: async ({ message }, call) => describe(await call.input("name", nameForm(message))),
    })
    .tool("think", { input: NOTHING, handler: async (_, call) => JSON.stringify(await think(call)) })
    .tool("places", {
      input: NOTHING,
      handler: async (_, call) => (await call.roots("places")).map(({ uri }) => uri).join(" "),
    })
    .tool("ask_all", {
      input: NOTHING,
      handler: async (_, call) => {
        const [answer, thought, roots] = await Promise.all([
          call.input("name", nameForm("Who are you?")),
          think(call),
          call.roots("places"),
        ]);
        return `${describe(answer)}, ${thought.model}, ${roots.length}`;
      },
    })
    .tool("wait", {
      input: TEXT,
      handler: async ({ text }, call) => {
        const over = new Promise<never>((_, reject) => {
          call.signal.addEventListener("abort", () => {
            aborted.push(text);
            noticed.emit("aborted");
            reject(call.signal.reason);
          });
        });
        await call.progress(0);
        return over;
      },
    })
    .tool("aborted", {
      input: z.object({ count: z.number() }),
      deadlineMs: 5_000,
      handler: async ({ count }) => {
        while (aborted.length < count) await once(noticed, "aborted");
        return aborted.join(" ");
      },
    })
    .tool("grow", {
      input: NOTHING,
      handler: () => {
        server.update((editor) =>
          editor
            .tool("grown", { input: NOTHING, handler: () => "here I am" })
            .resource("grown", { uri: "contract://grown", handler: () => "grown" })
            .prompt("grown", { handler: () => "grown" }),
        );
        return "grown";
      },
    })
    .tool("touch", {
      input: z.object({ uri: z.string() }),
      handler: ({ uri }) => {
        void server.resourceUpdated(uri);
        return "touched";
      },
    })
    .tool("end_subscriptions", {
      input: NOTHING,
      handler: () => {
        server.close();
        return "ended";
      },
    })
    .resource("news", { uri: NEWS, title: "News", mimeType: "text/plain", handler: () => "Nothing new ✓" })
    .resource("dot", {
      uri: "contract://dot",
      mimeType: "image/png",
      cache: { ttlMs: 5_000, cacheScope: "public" },
      handler: () => new Uint8Array([137, 80, 78, 71, 255, 0]),
    })
    .resourceTemplate("weather", {
      uriTemplate: "contract://weather/{city}{?unit}",
      complete: { city: (typed) => CITIES.filter((city) => city.startsWith(typed)) },
      handler: ({ city, unit }) => `${city}: 21 ${unit ?? "C"}`,
    })
    .prompt("pack", {
      description: "What to pack",
      arguments: z.object({ city: z.string(), days: z.string().optional() }),
      complete: { city: (typed) => CITIES.filter((city) => city.startsWith(typed)) },
      handler: ({ city, days }) => `What do I pack for ${days ?? "some"} days in ${city}?`,
    })
    .prompt("plain", { handler: () => "Say something." })
    .build();
  return server;
}

const NOTHING = z.object({});
const TEXT = z.object({ text: z.string().max(1_000) });
const CITIES = ["Riga", "Rome", "Oslo"];

function nameForm(message: string) {
  return form({ message, schema: z.object({ name: z.string() }) });
}

function think(call: Call) {
  return call.sample("thought", {
    messages: [{ role: "user", content: { type: "text", text: "Think" } }],
    maxTokens: 10,
  });
}

function describe(
  answer: { action: "accept"; content: { name: string } } | { action: "decline" | "cancel" },
): string {
  return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
}
