import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { runBounded } from "../../tools/process.js";
import { ROOT } from "../support/source-files.js";

/** Exports without a type of their own: the compiler must be able to name what it infers through an entry point. */
const CONSUMER = `
import { connect, McpServer, ResourceTemplate, toServerSource } from "@tenon/sdk";
import { defineServer, Server } from "tenon";
import { toFetch } from "tenon/fetch";
import { createTool, success, ToolRegistry } from "tenon/grouped";
import { toServer } from "tenon/host";
import { serve } from "tenon/node";
import { createClient } from "tenon/testing";
import { z } from "zod";

export const builder = defineServer<{ user: string }>({ name: "a", version: "1" });
export const built = defineServer({ name: "a", version: "1" })
  .tool("greet", { input: z.object({ name: z.string() }), handler: ({ name }) => name })
  .build();
export const plain = Server.builder().serverInfo("a", "1").build();
export const typed: Server = plain;
export const view = built.view({});
export const description = built.describe();
export const response = built.handle({ jsonrpc: "2.0", id: 1, method: "ping" }, undefined);
export const hosted = toServer(built);
export const handler = toFetch(built);
export const running = () => serve(built, { transport: { type: "http", port: 0 } });
export const client = () => createClient(built);

export const tool = createTool("notes").action({
  name: "add",
  schema: z.object({ text: z.string() }),
  handler: async (_ctx: unknown, { text }) => success(text),
});
export const registry = new ToolRegistry();

export const mcp = new McpServer({ name: "a", version: "1" });
export const registered = mcp.registerTool("x", { inputSchema: { a: z.string() } }, ({ a }) => ({
  content: [{ type: "text", text: a }],
}));
export const template = new ResourceTemplate("a://{b}", { list: undefined });
export const mcpBuilt = mcp.build();
export const mcpView = mcpBuilt.view({});
export const mcpServer = mcp.server;
export const mcpClient = () => createClient(mcp);
export const source = toServerSource({ mcpServer: mcp });
export const connected = (transport: Parameters<typeof connect>[1]) => connect(mcpBuilt, transport);
`;

const FOLDER = `${ROOT}/.tmp/declarations`;

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

test("R6: a project that emits declarations can export what the packages return", async () => {
  mkdirSync(FOLDER, { recursive: true });
  const config = {
    extends: "../../tsconfig.base.json",
    compilerOptions: {
      declaration: true,
      emitDeclarationOnly: true,
      noEmit: false,
      skipLibCheck: false,
      rootDir: ".",
    },
    include: ["*.ts"],
    exclude: ["*.d.ts"],
  };
  writeFileSync(`${FOLDER}/tsconfig.json`, JSON.stringify(config));
  writeFileSync(`${FOLDER}/consumer.ts`, CONSUMER);
  const { output } = await runBounded(`${ROOT}/node_modules/.bin/tsc`, ["-p", FOLDER], {
    cwd: ROOT,
    timeoutMs: 120_000,
  });
  expect(output).toBe("");
  expect(readFileSync(`${FOLDER}/consumer.d.ts`, "utf8")).toContain("export declare const plain: Server<");
}, 150_000);
