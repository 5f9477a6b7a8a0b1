import express from "express";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "tenon";
import * as kit from "../src/index.js";
import { readSourceFiles } from "../../../tests/support/source-files.js";
import { listenOn } from "./mounted-apps.js";

const files = readSourceFiles()
  .filter(({ path }) => path.startsWith("kit/"))
  .map((file) => ({ ...file, code: withoutComments(file.text) }));

/** Lines of the code that have something in them. */
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
  test("there is something to look at", () => {
    expect(files.length).toBeGreaterThan(5);
  });

  test("all that can be imported is functions", () => {
    const values = Object.entries(kit).map(([name, value]) => [name, typeof value] as const);
    expect(values.filter(([, type]) => type !== "function")).toEqual([]);
    const classes = Object.values(kit).filter((value) => /^class\b/.test(String(value)));
    expect(classes).toEqual([]);
    expect(values.map(([name]) => name)).toEqual(expect.arrayContaining(["parseConfig", "setupHttpServer"]));
  });

  test("no base class, no inheritance, no container, no plugins, no chain of middleware", () => {
    expect(linesWith(/\bclass\b.*\bextends\b|\babstract\b|\bsuper\b/)).toEqual([]);
    expect(linesWith(/\b(container|inject|plugin|middleware|compose)\w*\b/i)).toEqual([]);
    const upstairs = files.flatMap(({ files: targets }) =>
      targets.filter((target) => /^(grouped|model|app|agent|oauth)\//.test(target)),
    );
    expect(upstairs).toEqual([]);
  });

  test("each takes what it needs as parameters, three at most", () => {
    for (const [name, value] of Object.entries(kit)) expect(value.length, name).toBeLessThanOrEqual(3);
  });
});

describe("Z2: explicit, not implicit", () => {
  test("no global of the process is read: streams come from the one place that does", () => {
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

describe("Z39: what it does not do", () => {
  test("nothing is kept between calls: no module has anything that can change", () => {
    const state = /^(export )?(let|var)\b|^(export )?const \w+[^=]*= (new |\[\]|\{\})/;
    expect(linesWith(state)).toEqual([]);
    // A constant that is a list says that nobody may add to it.
    expect(linesWith(/^(export )?const \w+(?!.*(readonly|as const)).*= \[/)).toEqual([]);
  });

  test("one setup knows nothing of another", async () => {
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

  test("nobody is asked who they are, unless the application asks", async () => {
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

  test("exactly one transport is set up by each call", () => {
    const { transport } = kit.parseConfig([], {});
    expect(transport).toEqual({ type: "stdio" });
    const setup = files.find(({ path }) => path === "kit/serving/setup.ts")?.code ?? "";
    const bodies = setup.split(/^export async function /m).slice(1);
    for (const body of bodies) expect(/\blisten\(/.test(body) && /\bserveStdio\(/.test(body)).toBe(false);
    expect(bodies).toHaveLength(3);
  });
});

// OAuth adapters and file serving come with their own parts.
test("Z40: what it provides: each block is one function, for one purpose", () => {
  expect(Object.keys(kit)).toEqual(
    expect.arrayContaining([
      // configuration and transports
      "configHelp",
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
      "toToolSource",
    ]),
  );
});
