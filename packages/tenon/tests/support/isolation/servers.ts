/**
 * @fileoverview Servers with tools that need scopes, and clients with other credentials, for tests of isolation.
 * @module tests/tenon/support/isolation/servers
 */
import type { JsonObject } from "@tenon/internal/json";
import { z } from "zod";
import { createMemoryStore, idempotency, type SharedStore } from "tenon/stores";
import { form } from "../../../src/core/call/forms.js";
import { defineServer } from "../../../src/core/define-server.js";
import type { ServerOptions } from "../../../src/core/definitions/options.js";
import type { HttpOptions } from "../../../src/transport/http/options.js";
import { tasks, type TasksOptions } from "../../../src/tasks/index.js";
import { modernPost } from "../../../../../tests/support/http-messages.js";
import { type Endpoint, read } from "../../../../../tests/support/http-faces.js";
import { CAPABILITIES, createGate } from "../tasks/task-client.js";

/** Reads the caller from headers, as a proxy would set them. */
export const authenticate: NonNullable<HttpOptions<unknown>["authenticate"]> = ({ header }) => {
  const principal = header("x-user");
  const scopes = header("x-scopes") ?? "";
  if (typeof principal !== "string") return {};
  return { auth: { principal, scopes: scopes.split(" ").filter((scope) => scope !== "") } };
};

/** Returns the headers of a caller. */
export const as = (user: string, ...scopes: readonly string[]) => ({
  "x-user": user,
  "x-scopes": scopes.join(" "),
});

const NAME = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });

/** Options for `createServer`. */
export interface IsolatedOptions {
  readonly name?: string;
  readonly server?: Partial<ServerOptions>;
  readonly tasks?: TasksOptions;
  readonly store?: SharedStore;
  /** Scopes of the tool `secret`. */
  readonly scopes?: readonly string[];
  /** False for a version without the tool `secret`. */
  readonly hasSecret?: boolean;
}

/** Creates a server with the tools `echo`, `ask`, `slow`, and `secret`. */
export function createServer(options: IsolatedOptions = {}) {
  const { name = "first", scopes = ["admin"], store = createMemoryStore() } = options;
  const gate = createGate();
  const info = { name, version: "1.0.0", log: () => undefined };
  const base = defineServer({ ...info, ...options.server })
    .extension(tasks({ pollIntervalMs: 5, ...options.tasks }))
    .use(idempotency({ store }))
    .tool("echo", {
      task: "optional",
      input: z.object({ text: z.string() }),
      handler: ({ text }) => text,
    })
    .tool("ask", {
      task: "optional",
      handler: async (_args, call) => {
        const answer = await call.input("name", NAME);
        return `${name}: ${answer.action}`;
      },
    })
    .tool("slow", {
      scopes: ["admin"],
      handler: async (_args, call) => {
        await call.log("info", "started");
        await gate.promise;
        return "42 from the slow tool";
      },
    });
  base
    .resource("news", { uri: "test://news", handler: () => "none" })
    .resource("vault", { uri: "test://vault", scopes: ["admin"], handler: () => "42" });
  // A builder collects the definitions of all calls.
  if (options.hasSecret ?? true)
    base.tool("secret", { task: "optional", scopes: [...scopes], handler: () => "42" });
  return { server: base.build(), release: gate.open };
}

/** Sends a stateless request and returns the status and the body. */
export async function send(
  endpoint: Endpoint,
  headers: Readonly<Record<string, string>>,
  method: string,
  params: JsonObject,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const { taskId } = params;
  const name = typeof taskId === "string" ? { "mcp-name": taskId } : {};
  const request = modernPost(method, params, {
    capabilities: CAPABILITIES,
    headers: { ...headers, ...name },
  });
  return read(await endpoint.fetch(request));
}

/** Calls a tool and returns the ID of its task. */
export async function createTask(
  endpoint: Endpoint,
  headers: Readonly<Record<string, string>>,
  name: string,
  args: JsonObject = {},
): Promise<string> {
  const { body } = await send(endpoint, headers, "tools/call", { name, arguments: args });
  const { taskId } = (body["result"] ?? {}) as { readonly taskId?: string };
  if (taskId === undefined) throw new Error(`Expected a task; got ${JSON.stringify(body)}`);
  return taskId;
}
