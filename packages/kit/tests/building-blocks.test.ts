import express from "express";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "tenon";
import * as kit from "../src/index.js";
import { readSourceFiles } from "../../../tools/source-files.js";
import { listenOn } from "./support/mounted-apps.js";

const files = readSourceFiles()
  .filter(({ path }) => path.startsWith("kit/"))
  .map((file) => ({ ...file, code: withoutComments(file.text) }));

/** Returns the source lines that match a pattern. */
function linesWith(pattern: RegExp): readonly string[] {
  return files.flatMap(({ path, code }) =>
    code
      .split("\n")
      .filter((one) => pattern.test(one))
      .map((one) => `${path}: ${one.trim()}`),
  );
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(?<!:)\/\/.*$/gm, "");
}

describe("Z1: building blocks, not a framework", () => {
  test("source files are found", () => {
    expect(files.length).toBeGreaterThan(5);
  });

  test("exports are functions only", () => {
    const values = Object.entries(kit).map(([name, value]) => [name, typeof value] as const);
    expect(values.filter(([, type]) => type !== "function")).toEqual([]);
    const classes = Object.values(kit).filter((value) => /^class\b/.test(String(value)));
    expect(classes).toEqual([]);
    expect(values.map(([name]) => name)).toEqual(expect.arrayContaining(["parseConfig", "setupHttpServer"]));
  });

  test("does not use base classes, inheritance, containers, plugins, or middleware chains", () => {
    expect(linesWith(/\bclass\b.*\bextends\b|\babstract\b|\bsuper\b/)).toEqual([]);
    expect(linesWith(/\b(container|inject|plugin|middleware|compose)\w*\b/i)).toEqual([]);
    const upstairs = files.flatMap(({ files: targets }) =>
      targets.filter((target) => /^(grouped|model|app|agent|oauth)\//.test(target)),
    );
    expect(upstairs).toEqual([]);
  });

  test("functions have at most three parameters", () => {
    for (const [name, value] of Object.entries(kit)) expect(value.length, name).toBeLessThanOrEqual(3);
  });
});

describe("Z2: explicit inputs", () => {
  test("reads no globals", () => {
    const globals =
      /(?<!\.)\b(process|globalThis|console|setTimeout|setInterval|fetch|crypto|navigator)\b(?!["'`:])|Date\.now|new Date\(|Math\.random|import\.meta/;
    expect(linesWith(globals)).toEqual([]);
    const unimported = files.filter(
      ({ code }) => /\bBuffer\b/.test(code) && !code.includes('import { Buffer } from "node:buffer"'),
    );
    expect(unimported.map(({ path }) => path)).toEqual([]);
    const readers = files.filter(({ code }) => /\bserveStdio\b/.test(code)).map(({ path }) => path);
    expect(readers).toEqual(["kit/serving/setup.ts"]);
  });
});

describe("Z39: exclusions", () => {
  test("modules have no mutable state", () => {
    const state = /^(export )?(let|var)\b|^(export )?const \w+[^=]*= (new |\[\]|\{\})/;
    expect(linesWith(state)).toEqual([]);
    // A constant list must be declared as read-only.
    expect(linesWith(/^(export )?const \w+(?!.*(readonly|as const)).*= \[/)).toEqual([]);
  });

  test("setups are independent of each other", async () => {
    const made: string[] = [];
    const setUp = (name: string) =>
      kit.setupHttpServer({
        serverFactory: () => {
          made.push(name);
          return defineServer({ name, version: "1.0.0" });
        },
        app: express(),
        port: 0,
      });
    const [first, second] = [await setUp("first"), await setUp("second")];
    await first.close(0);
    expect([first.httpServer.listening, second.httpServer.listening]).toEqual([false, true]);
    await second.close(0);
    expect(made).toEqual(["first", "second"]);
  });

  test("authentication is off unless the application enables it", async () => {
    const mcpServer = defineServer({ name: "open", version: "1.0.0" }).tool("hello", {
      input: z.object({}),
      handler: (_, call) => String(call.auth?.principal),
    });
    const router = kit.createHttpMcpRouter({ mcpServer });
    const { origin, close } = await listenOn(router);
    const response = await fetch(origin, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: "Bearer whatever",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "hello",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "hello",
          arguments: {},
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    expect(await response.json()).toMatchObject({ result: { content: [{ text: "undefined" }] } });
    await router.close(0);
    await close();
    expect(linesWith(/oauth/i)).toEqual([]);
  });

  test("each call sets up exactly one transport", () => {
    const { transport } = kit.parseConfig([], {});
    expect(transport).toEqual({ type: "stdio" });
    const setup = files.find(({ path }) => path === "kit/serving/setup.ts")?.code ?? "";
    const bodies = setup.split(/^export async function /m).slice(1);
    for (const body of bodies) expect(/\blisten\(/.test(body) && /\bserveStdio\(/.test(body)).toBe(false);
    expect(bodies).toHaveLength(5);
  });
});

// OAuth adapters and file serving have their own entry points.
test("Z40: provides one function per purpose", () => {
  expect(Object.keys(kit)).toEqual(
    expect.arrayContaining([
      // configuration and transports
      "createHttpMcpRouter",
      "parseConfig",
      "setupHttpServer",
      "setupStdioServer",
      "setupStdioTransport",
      // errors
      "createHttpError",
      "handleToolError",
      "toErrorBranch",
      "toMcpError",
      // responses
      "buildAuthResponse",
      "checkOutputNaming",
      "jsonResult",
      "outputVocabulary",
      "paged",
      "toColumnar",
      "toShape",
      // modules
      "createExtra",
      "definePromptModule",
      "defineResourceModule",
      "defineToolModule",
      "registerPrompts",
      "registerResources",
      "registerTools",
    ]),
  );
});
