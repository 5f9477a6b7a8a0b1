import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTenon, tenonInProcess } from "../../../tests/support/program.js";

const env = { MCP_AUTH_SECRET_KEY: "x".repeat(32) };

describe("with --json, standard output contains only JSON", () => {
  // The module `calculator.mjs` prints text when it is loaded.
  test.each<[readonly string[], string]>([
    [["list", "calculator.mjs"], "tools"],
    [["call", "calculator.mjs", "add", "a=1", "b=2"], "content"],
    [["tokens", "calculator.mjs"], "total"],
    [["doctor", "calculator.mjs"], "findings"],
    [["install", "cursor", "calculator.mjs", "--file", "no/mcp.json", "--dry-run", "--force"], "action"],
    [["uninstall", "cursor", "calculator", "--file", "no/mcp.json", "--dry-run"], "action"],
    [["publish", "calculator.mjs", "--dry-run"], "problems"],
    [["token", "--scope", "a"], "claims"],
  ])("%j", async (args, member) => {
    for (const flags of [["--json"], ["--output", "json"]]) {
      const { stdout } = await tenonInProcess([...args, ...flags], { env });
      expect(JSON.parse(stdout)).toHaveProperty(member);
    }
  });

  test.each<[readonly string[]]>([[["--json"]], [["--output", "json"]], [["--json", "--workers", "1"]]])(
    "run --port 0 %j prints the address when the server is ready",
    async (flags) => {
      const child = startTenon(["run", "calculator.mjs", "--port", "0", ...flags]);
      onTestFinished(() => void child.kill("SIGKILL"));
      child.stderr.resume();
      const lines: string[] = [];
      const output = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
      await once(output, "line");
      const { url, port } = JSON.parse(lines[0] ?? "") as { readonly url: string; readonly port: number };
      expect(url).toBe(`http://127.0.0.1:${port}/mcp`);
      const { code } = await tenonInProcess(["call", url, "add", "a=1", "b=2"]);
      child.kill("SIGINT");
      const [ended] = (await once(child, "close")) as [number | null];
      expect({ code, ended, lines: lines.length }).toEqual({ code: 0, ended: 0, lines: 1 });
    },
  );
});

describe("a hostile server's text", () => {
  /** CSI of 8 bits, an override of the text direction, a line separator, DEL, and a real name around them. */
  const TEXT = "pay\u009b2J\u202eeviL\u2028\u2066\u007f\u0085\u200f";
  const HIDDEN = /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u2028\u2029]/u;
  const TOOL = {
    name: TEXT,
    title: TEXT,
    description: TEXT,
    inputSchema: {
      type: "object",
      properties: { [TEXT]: { type: TEXT, description: TEXT, default: TEXT, enum: [TEXT] } },
    },
    annotations: { title: TEXT, readOnlyHint: true },
  };
  const RESULTS: Readonly<Record<string, unknown>> = {
    "server/discover": {
      capabilities: { tools: {}, prompts: {}, resources: {} },
      instructions: TEXT,
      _meta: { "io.modelcontextprotocol/serverInfo": { name: TEXT, version: TEXT } },
    },
    "tools/list": { tools: [TOOL] },
    "prompts/list": {
      prompts: [{ name: TEXT, description: TEXT, arguments: [{ name: TEXT, description: TEXT }] }],
    },
    "resources/list": { resources: [{ uri: TEXT, name: TEXT, description: TEXT, mimeType: TEXT }] },
    "resources/templates/list": { resourceTemplates: [{ uriTemplate: TEXT, name: TEXT, description: TEXT }] },
    "tools/call": {
      content: [
        { type: "text", text: TEXT },
        { type: TEXT, mimeType: TEXT },
        { type: "resource_link", uri: TEXT, name: TEXT },
      ],
      structuredContent: { [TEXT]: TEXT },
    },
    "prompts/get": { messages: [{ role: TEXT, content: { type: "text", text: TEXT } }] },
    "resources/read": { contents: [{ uri: TEXT, mimeType: TEXT, text: TEXT }] },
  };

  test.each<[readonly string[]]>([
    [["list"]],
    [["tokens"]],
    [["doctor"]],
    [["call", "-", TEXT]],
    [["prompt", "-", TEXT]],
    [["read", "-", TEXT]],
    [["call", "-", "unknown"]],
  ])("of %j is printed without control characters, and as the same JSON", async ([command = "", ...rest]) => {
    const http = createServer((request, response) => {
      void (async () => {
        const { id, method } = (await readJsonOf(request)) as { id: unknown; method: string };
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result: RESULTS[method] ?? {} }));
      })();
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    onTestFinished(() => void http.close());
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const words = rest[0] === "-" ? [url, ...rest.slice(1)] : [url];
    for (const flags of [[], ["--json"]]) {
      const { stdout, stderr } = await tenonInProcess([command, ...words, ...flags]);
      // `read` writes the contents of a resource to a file as they are.
      if (command !== "read" || flags.length > 0) expect(stdout).not.toMatch(HIDDEN);
      expect(stderr).not.toMatch(HIDDEN);
      if (
        flags.length > 0 &&
        stdout !== "" &&
        rest[1] !== "unknown" &&
        command !== "tokens" &&
        command !== "doctor"
      )
        expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(TEXT));
    }
  });
});

async function readJsonOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return JSON.parse(Buffer.concat(chunks).toString());
}
