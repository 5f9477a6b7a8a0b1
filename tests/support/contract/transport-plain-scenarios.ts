/**
 * @fileoverview Scenarios for simple requests and responses, run over every transport.
 * @module tests/support/contract/transport-plain-scenarios
 */
import { expect } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import type { TransportClient } from "./transport-client.js";
import {
  errorOf,
  errorOrResult,
  inResult,
  type Scenario,
  scenario,
  SERVER_INFO,
  textResult,
} from "./transport-scenario.js";

/** Fetches a list page by page. */
async function pagesOf(client: TransportClient, method: string): Promise<readonly JsonObject[]> {
  const pages: JsonObject[] = [];
  let cursor: unknown;
  do {
    const page = await client.request(method, cursor === undefined ? {} : { cursor });
    pages.push(page);
    cursor = page["nextCursor"];
  } while (cursor !== undefined);
  return pages;
}

/** Returns the names on each page. */
function namesOn(pages: readonly JsonObject[], key: string): readonly unknown[] {
  return pages.map((page) => (page[key] as readonly JsonObject[]).map(({ name }) => name));
}

/** Scenarios for simple requests and responses. */
export const PLAIN_SCENARIOS: readonly Scenario[] = [
  scenario(
    "the initialize or discover result describes the server",
    async ({ greeting }) => greeting,
    (greeting, { stateless, completionsCapability, revision }) => {
      const listChanged = { listChanged: true };
      expect(greeting["capabilities"]).toEqual({
        tools: listChanged,
        resources: { ...listChanged, subscribe: true },
        prompts: listChanged,
        logging: {},
        ...(completionsCapability ? { completions: {} } : {}),
      });
      expect(greeting["instructions"]).toBe("Call what you like.");
      if (stateless) expect(greeting["supportedVersions"]).toEqual([revision]);
      else expect(greeting).toMatchObject({ protocolVersion: revision, serverInfo: SERVER_INFO });
    },
  ),
  scenario(
    "ping receives a response in revisions that support it",
    (client) => errorOrResult(client.request("ping")),
    (seen, { stateless }) => {
      expect(seen).toEqual(stateless ? { code: -32601, message: "Method not found: ping" } : {});
    },
  ),
  scenario(
    "tools are listed in pages and in order",
    (client) => pagesOf(client, "tools/list"),
    (pages) => {
      expect(namesOn(pages, "tools")).toEqual([
        ["echo", "add", "squares", "refuse", "crash"],
        ["count", "chatter", "ask", "think", "places"],
        ["ask_all", "wait", "aborted", "grow", "touch"],
        ["end_subscriptions"],
      ]);
    },
  ),
  scenario(
    "resources, templates, and prompts are listed",
    async (client) => ({
      resources: await pagesOf(client, "resources/list"),
      templates: await pagesOf(client, "resources/templates/list"),
      prompts: await pagesOf(client, "prompts/list"),
    }),
    ({ resources, templates, prompts }) => {
      expect(namesOn(resources, "resources")).toEqual([["news", "dot"]]);
      expect(namesOn(templates, "resourceTemplates")).toEqual([["weather"]]);
      expect(namesOn(prompts, "prompts")).toEqual([["pack", "plain"]]);
    },
  ),
  scenario(
    "an unknown cursor is rejected",
    (client) => errorOf(client.request("tools/list", { cursor: "nowhere" })),
    (error) =>
      expect(error).toEqual({
        code: -32602,
        message: "The cursor is invalid or outdated. Request the first page again.",
      }),
  ),
  scenario(
    "a tool returns any text unchanged",
    (client) => client.call("echo", { text: 'Grüße, 世界 🌍\n"\u2028"' }),
    (seen, traits) => expect(seen).toEqual(textResult('Grüße, 世界 🌍\n"\u2028"', traits)),
  ),
  scenario(
    "a tool returns structured content in revisions that support it",
    (client) => client.call("add", { a: 2, b: 3 }),
    (seen, traits) => {
      const structure = traits.structuredOutput ? { structuredContent: { sum: 5 } } : {};
      expect(seen).toEqual(textResult('{"sum":5}', traits, structure));
    },
  ),
  scenario(
    "structured content that is an array is wrapped in revisions that allow only objects",
    (client) => client.call("squares", { upTo: 3 }),
    (seen, { structuredOutput, anyOutputType }) => {
      const [bare, wrapped] = [[1, 4, 9], { result: [1, 4, 9] }];
      expect(seen["structuredContent"]).toEqual(
        structuredOutput ? (anyOutputType ? bare : wrapped) : undefined,
      );
    },
  ),
  scenario(
    "an McpError thrown by a tool is an error result",
    (client) => client.call("refuse"),
    (seen, traits) => expect(seen).toEqual(textResult("Not found", traits, { isError: true })),
  ),
  scenario(
    "any other error thrown by a tool is not disclosed",
    (client) => client.call("crash"),
    (seen, traits) => expect(seen).toEqual(textResult("Tool crash failed", traits, { isError: true })),
  ),
  scenario(
    "invalid arguments are reported to the model",
    (client) => client.call("add", { a: "two" }),
    (seen) => {
      expect(seen).toMatchObject({ isError: true, content: [{ text: /^Validation failed: a: .*; b: / }] });
    },
  ),
  scenario(
    "an unknown tool is an error response",
    (client) => errorOf(client.request("tools/call", { name: "nothing", arguments: {} })),
    (error, { stateless }) => {
      expect(error).toEqual({ code: stateless ? -32602 : -32601, message: "Unknown tool: nothing" });
    },
  ),
  scenario(
    "an unknown method is an error response",
    (client) => errorOf(client.request("tools/guess")),
    (error) => expect(error).toEqual({ code: -32601, message: "Method not found: tools/guess" }),
  ),
  scenario(
    "text resources, binary resources, and template resources are read",
    async (client) => ({
      text: await client.request("resources/read", { uri: "contract://news" }),
      bytes: await client.request("resources/read", { uri: "contract://dot" }),
      family: await client.request("resources/read", { uri: "contract://weather/New%20York?unit=F" }),
    }),
    ({ text, bytes, family }, { cacheHints }) => {
      expect(text["contents"]).toEqual([
        { uri: "contract://news", mimeType: "text/plain", text: "Nothing new ✓" },
      ]);
      expect(bytes["contents"]).toEqual([{ uri: "contract://dot", mimeType: "image/png", blob: "iVBOR/8A" }]);
      expect(family["contents"]).toEqual([
        { uri: "contract://weather/New%20York?unit=F", text: "New York: 21 F" },
      ]);
      const { ttlMs, cacheScope } = bytes;
      const kept = cacheHints ? { ttlMs: 5_000, cacheScope: "public" } : {};
      expect({ ttlMs, cacheScope }).toEqual({ ttlMs: undefined, cacheScope: undefined, ...kept });
    },
  ),
  scenario(
    "an unknown resource is an error response",
    (client) => errorOf(client.request("resources/read", { uri: "contract://nowhere" })),
    (error, { stateless }) => {
      expect(error).toMatchObject({
        code: stateless ? -32602 : -32002,
        data: { uri: "contract://nowhere" },
      });
    },
  ),
  scenario(
    "a prompt accepts arguments and rejects a request without the required ones",
    async (client) => ({
      got: await client.request("prompts/get", { name: "pack", arguments: { city: "Riga" } }),
      missed: await errorOf(client.request("prompts/get", { name: "pack", arguments: {} })),
      unknown: await errorOf(client.request("prompts/get", { name: "nothing" })),
    }),
    ({ got, missed, unknown }, traits) => {
      expect(got).toEqual({
        ...inResult(traits),
        messages: [
          { role: "user", content: { type: "text", text: "What do I pack for some days in Riga?" } },
        ],
      });
      expect(missed).toMatchObject({ code: -32602 });
      expect(unknown).toMatchObject({ code: -32602 });
    },
  ),
  scenario(
    "prompt arguments and template variables are completed",
    async (client) => ({
      prompt: await client.request("completion/complete", {
        ref: { type: "ref/prompt", name: "pack" },
        argument: { name: "city", value: "R" },
      }),
      family: await client.request("completion/complete", {
        ref: { type: "ref/resource", uri: "contract://weather/{city}{?unit}" },
        argument: { name: "city", value: "Os" },
      }),
    }),
    ({ prompt, family }) => {
      expect(prompt["completion"]).toMatchObject({ values: ["Riga", "Rome"] });
      expect(family["completion"]).toMatchObject({ values: ["Oslo"] });
    },
  ),
];
