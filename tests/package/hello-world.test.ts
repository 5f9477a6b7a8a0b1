import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { isOffline, startRegistry } from "../../tools/local-registry.js";
import { packPackages } from "../../tools/packed-packages.js";
import { runBounded } from "../../tools/process.js";
import { installedPackages } from "../support/installed-packages.js";

/** The README's example. */
const HELLO_WORLD = `
import { defineServer } from "tenon";
import { serve } from "tenon/node";
import { z } from "zod";

const server = defineServer({ name: "hello", version: "1.0.0" }).tool("greet", {
  description: "Greets somebody",
  input: z.object({ name: z.string() }),
  handler: ({ name }) => \`Hello, \${name}!\`,
});

await serve(server);
`;

/** Generous timeout, because a slow registry is not a defect in the packages. */
const INSTALL_MS = 180_000;
const MAX_PACKAGES = 5;

const folder = mkdtempSync(join(tmpdir(), "tenon-hello-"));
afterAll(() => rmSync(folder, { recursive: true }));

test(
  "a hello-world project installs at most five packages and runs",
  { timeout: INSTALL_MS + 30_000 },
  async (ctx) => {
    const registry = await startRegistry(await packPackages(["tenon"]));
    onTestFinished(() => registry.close());
    writeFileSync(join(folder, "package.json"), '{"name":"hello","version":"1.0.0","type":"module"}');
    writeFileSync(join(folder, "main.js"), HELLO_WORLD);
    const install = [
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--fetch-retries=1",
      "tenon",
      "zod",
    ];
    const options = { cwd: folder, timeoutMs: INSTALL_MS, env: registry.env };
    const { ok, output } = await runBounded("npm", install, options);
    if (!ok && isOffline(output)) {
      process.stderr.write("Skipped the hello-world project: could not reach the npm registry.\n");
      ctx.skip("Could not reach the npm registry.");
    }
    expect(ok, output).toBe(true);
    const packages = installedPackages(folder);
    expect(packages).toEqual(["@standard-schema/spec", "@toon-format/toon", "tenon", "zod"]);
    expect(packages.length, packages.join(", ")).toBeLessThanOrEqual(MAX_PACKAGES);

    const { replies, code } = await talk([
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "greet", arguments: { name: "Ada" } } },
    ]);
    expect(replies).toMatchObject([
      { id: 1, result: { protocolVersion: "2025-11-25", serverInfo: { name: "hello", version: "1.0.0" } } },
      { id: 2, result: { content: [{ type: "text", text: "Hello, Ada!" }] } },
    ]);
    expect(code).toBe(0);
  },
);

/** Sends messages to the program, waits until it exits, and returns its responses. */
async function talk(messages: readonly JsonObject[]) {
  const child = spawn(process.execPath, ["main.js"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const patience = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const exit = once(child, "exit");
  const replies: unknown[] = [];
  const requests = messages.filter(({ id }) => id !== undefined).length;
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  for await (const text of createInterface({ input: child.stdout })) {
    replies.push(JSON.parse(text));
    if (replies.length === requests) child.stdin.end();
  }
  const [code] = await exit;
  clearTimeout(patience);
  return { replies, code: code as number | null };
}
