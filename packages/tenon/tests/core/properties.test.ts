import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer, type Server } from "../../src/index.js";
import { REVISIONS, type Revision, TRAITS } from "../../src/protocol/index.js";
import { createClient } from "../../src/testing/index.js";
import { exchangeOf, handle, modernRequest, request } from "../../../../tests/support/requests.js";

/** Definitions of a generated server. */
const name = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 20 });
const text = fc.string({ unit: "grapheme", maxLength: 20 });
const described = {
  title: fc.option(text, { nil: undefined }),
  description: fc.option(text, { nil: undefined }),
};
const shape = fc.constantFrom(
  undefined,
  z.object({}),
  z.object({ a: z.string(), b: z.number().optional() }),
  z.object({ list: z.array(z.object({ x: z.boolean() })) }),
);
const output = fc.constantFrom(undefined, z.object({ n: z.number() }), z.array(z.string()), z.string());
const serverPlan = fc.record({
  pageSize: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  instructions: fc.option(text, { nil: undefined }),
  tools: fc.uniqueArray(fc.record({ name, ...described, input: shape, output }), {
    selector: (tool) => tool.name,
    maxLength: 8,
  }),
  resources: fc.uniqueArray(fc.record({ name, ...described }), { selector: (one) => one.name, maxLength: 5 }),
  prompts: fc.uniqueArray(fc.record({ name, ...described }), { selector: (one) => one.name, maxLength: 5 }),
});
type ServerPlan = typeof serverPlan extends fc.Arbitrary<infer Plan> ? Plan : never;

function buildServer(plan: ServerPlan): Server {
  const { pageSize, instructions, tools, resources, prompts } = plan;
  const builder = defineServer(
    defined({ name: "generated", version: "1", pageSize, instructions }) as { name: string; version: string },
  );
  for (const { name: tool, ...spec } of tools)
    builder.tool(tool, { ...(defined(spec) as typeof spec), handler: () => "x" as never } as never);
  for (const [index, { name: resource, ...spec }] of resources.entries()) {
    builder.resource(resource, { ...defined(spec), uri: `doc://${index}`, handler: () => "x" });
  }
  for (const { name: prompt, ...spec } of prompts)
    builder.prompt(prompt, { ...defined(spec), handler: () => "x" });
  return builder.build();
}

function defined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

const ask = async (
  server: Server,
  revision: Revision,
  method: string,
  params: Record<string, unknown> = {},
) =>
  TRAITS[revision].era === "modern"
    ? handle(server, modernRequest(method, params), exchangeOf({ era: "modern" }))
    : handle(server, request(method, params), exchangeOf({ era: "legacy", revision }));

describe("for any server", () => {
  test("cached bytes equal a fresh serialization in every revision", async () => {
    await fc.assert(
      fc.asyncProperty(serverPlan, fc.constantFrom(...REVISIONS), async (plan, revision) => {
        const [one, other] = [buildServer(plan), buildServer(plan)];
        for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
          const cached = (await ask(one, revision, method)).parts();
          const fresh = (await ask(other, revision, method)).parts();
          expect(cached.payload).not.toBe(fresh.payload);
          expect(cached.payload).toEqual(fresh.payload);
          const written = new TextDecoder().decode(cached.payload as Uint8Array);
          expect(JSON.stringify(JSON.parse(written))).toBe(written);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("a list's pages contain the definitions in order", async () => {
    await fc.assert(
      fc.asyncProperty(serverPlan, fc.constantFrom(...REVISIONS), async (plan, revision) => {
        const client = await createClient(buildServer(plan), { revision });
        expect((await client.listTools()).map((tool) => tool.name)).toEqual(
          plan.tools.map((tool) => tool.name),
        );
        expect((await client.listResources()).map((one) => one.name)).toEqual(
          plan.resources.map((one) => one.name),
        );
        const prompts = await client.listPrompts();
        expect(prompts.map((one) => one.name)).toEqual(plan.prompts.map((one) => one.name));
        expect(prompts.map((one) => one.description)).toEqual(plan.prompts.map((one) => one.description));
        await client.close();
      }),
      { numRuns: 100 },
    );
  });

  test("a serialized response parses to the same response", async () => {
    const server = defineServer({ name: "a", version: "1" })
      .tool("echo", { input: z.looseObject({}), handler: (args) => JSON.stringify(args) })
      .build();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger()),
        fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
        async (id, args) => {
          const response = await handle(server, {
            jsonrpc: "2.0",
            id,
            method: "tools/call",
            params: { name: "echo", arguments: args },
          });
          const reply = response.intoJsonRpc();
          expect(reply).toEqual(JSON.parse(new TextDecoder().decode(response.toBytes())));
          expect(JSON.stringify(reply?.id)).toBe(JSON.stringify(id));
          const { prefix, payload, suffix } = response.parts();
          expect(`${prefix}${payload as string}${suffix}`).toBe(response.toText());
        },
      ),
      { numRuns: 300 },
    );
  });
});
