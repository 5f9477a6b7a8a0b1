import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { nodeBinary, type NodeMajor } from "../../tools/nodes/binary.js";
import { runBounded } from "../../tools/process.js";
import { ROOT } from "../../tools/source-files.js";

/** Timeout for the first run, which may have to install the binaries. */
const TIMEOUT_MS = 300_000;

const SMOKE = fileURLToPath(new URL("../../tools/nodes/smoke.mjs", import.meta.url));

const RUN_MS = 100_000;

const structuredContent = { greeting: "Hello, Tenon!" };
const content = [{ type: "text", text: '{"greeting":"Hello, Tenon!"}' }];
const serverInfo = { name: "smoke", version: "1.0.0" };

test.for<NodeMajor>([22, 24])(
  "Node.js %i runs the built package in memory, over stdio, and over HTTP",
  { timeout: TIMEOUT_MS },
  async (major, ctx) => {
    const binary = await nodeBinary(major);
    if (typeof binary !== "string") {
      process.stderr.write(`Skipped Node ${major}: ${binary.reason}\n`);
      ctx.skip(binary.reason);
      return;
    }
    const options = { cwd: ROOT, timeoutMs: RUN_MS };
    const { ok, output } = await runBounded(binary, [SMOKE], options);
    expect(ok, output).toBe(true);
    expect(JSON.parse(output)).toEqual({
      version: expect.stringMatching(new RegExp(`^${major}\\.`)),
      memory: structuredContent,
      stdio: {
        opened: {
          jsonrpc: "2.0",
          id: 1,
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: { listChanged: true }, logging: {} },
            serverInfo,
          },
        },
        called: { jsonrpc: "2.0", id: 2, result: { content, structuredContent } },
        code: 0,
      },
      http: {
        legacy: { jsonrpc: "2.0", id: 2, result: { content, structuredContent } },
        modern: {
          jsonrpc: "2.0",
          id: 3,
          result: {
            resultType: "complete",
            _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
            content,
            structuredContent,
          },
        },
      },
    });
  },
);
