/**
 * @fileoverview Server process that is attacked: `node server.ts serve|fetch|stdio short|defaults`.
 * @module tools/attack/memory/server
 */
import { createAdaptorServer } from "@hono/node-server";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineServer } from "tenon";
import { toFetch } from "tenon/fetch";
import { serve } from "tenon/node";
import { z } from "zod";

/** Results that cannot be serialized, or whose JSON is not a tool result. */
const HOSTILE_RESULTS: Readonly<Record<string, () => unknown>> = {
  undefinedJson: () => ({ toJSON: () => undefined, content: [] }),
  textJson: () => ({ toJSON: () => "text", content: [], _: 1 }),
  throwingJson: () => ({
    toJSON() {
      throw new Error("toJSON");
    },
    content: [],
  }),
  throwingGetter: () => ({
    get content(): never {
      throw new Error("getter");
    },
  }),
  proxy: () =>
    new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("ownKeys");
        },
        getPrototypeOf() {
          throw new Error("getPrototypeOf");
        },
      },
    ),
  bigint: () => ({ content: [{ type: "text", text: "x", big: 1n }] }),
  late: () => Promise.resolve({ toJSON: () => undefined, content: [{ type: "text", text: "x" }] }),
};

const [mode, limits] = process.argv.slice(2);

/** Default limits, or a shorter write timeout, so that the memory attacks do not wait half a minute. */
const LIMITS = limits === "defaults" ? {} : { writeTimeoutMs: 2_000 };

/** Names of the hostile results. */
const names = Object.keys(HOSTILE_RESULTS);

let running = 0;
let accepted = 0;
let countConnections = (): Promise<number> => Promise.resolve(0);

const server = defineServer({ name: "attacked", version: "1.0.0" })
  .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
  .tool("large", { input: z.object({ length: z.int() }), handler: ({ length }) => "x".repeat(length) })
  .tool("streamed", {
    input: z.object({ length: z.int() }),
    handler: async ({ length }, call) => {
      await call.log("info", "first");
      return "x".repeat(length);
    },
  })
  .tool("hang", {
    input: z.looseObject({}),
    handler: (_, call) => {
      running++;
      return new Promise<string>((resolve) => {
        call.signal.addEventListener("abort", () => {
          running--;
          resolve("aborted");
        });
      });
    },
  })
  .tool("running", { handler: () => String(running) })
  .tool("accepted", { handler: () => String(accepted) })
  .tool("connections", { handler: async () => String(await countConnections()) })
  .tool("numbers", {
    input: z.object({
      list: z.array(z.number()).optional(),
      map: z.record(z.string(), z.number()).optional(),
    }),
    handler: ({ list }) => String(list?.length),
  })
  .tool("hostile", {
    input: z.object({ kind: z.enum(names) }),
    handler: ({ kind }) => HOSTILE_RESULTS[kind]?.() as never, // deliberately a result that the types do not allow
  })
  .build();

if (mode === "stdio") await serve(server);
else if (mode === "fetch") {
  const http = createAdaptorServer({ fetch: toFetch(server, LIMITS) }) as HttpServer; // always this type without TLS
  http.listen(0, "127.0.0.1", () => {
    const { port } = http.address() as AddressInfo; // listening on a port
    announce(http, `http://127.0.0.1:${port}/mcp`);
  });
} else {
  const { url, httpServer } = await serve(server, { ...LIMITS, transport: { type: "http", port: 0 } });
  announce(httpServer, url);
}

function announce(http: HttpServer | undefined, url: string | undefined): void {
  http?.on("connection", () => accepted++);
  countConnections = () =>
    new Promise((resolve) => {
      http?.getConnections((_, count) => resolve(count));
    });
  process.stdout.write(`${url}\n`);
}
