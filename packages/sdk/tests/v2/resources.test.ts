/**
 * @fileoverview Resources, templates, and completions of variables behave as in the official SDK, version 2.
 * @module tests/sdk/v2/resources
 */
import { ResourceTemplate as OfficialTemplate } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { answersOf, type Behavior, compare, ERAS, plain, type Register } from "../support/v2/both-sides.js";

const read =
  (uri: string): Behavior["ask"] =>
  async ({ client }) =>
    client.readResource({ uri });
const contents = (uri: string, value: string) => ({ contents: [{ uri, text: value }] });

const fixed: Register = (server) =>
  server.registerResource(
    "readme",
    "docs://readme",
    {
      title: "Read me",
      description: "Text",
      mimeType: "text/plain",
      size: 3,
      annotations: { priority: 1 },
      _meta: { a: 1 },
    },
    (uri) => contents(uri.href, "Hello"),
  );

const template: Register = (server, sdk) =>
  server.registerResource(
    "note",
    new sdk.ResourceTemplate("notes://{owner}/{id}", {
      list: (ctx) => ({ resources: [{ uri: "notes://me/1", name: `one ${ctx.mcpReq.method}` }] }),
      complete: {
        id: (value, context) =>
          ["1", "2", context?.arguments?.["owner"] ?? "none"].filter((id) => id.startsWith(value)),
      },
    }),
    { title: "Note", mimeType: "text/markdown", description: "A note" },
    (uri, { owner, id }) => contents(uri.href, `${String(owner)} ${String(id)}`),
  );

describe("resources", () => {
  compare([
    {
      title: "lists resources",
      register: fixed,
      ask: async ({ client }) => client.listResources(),
      shows: { answer: { resources: [{ name: "readme", size: 3 }] } },
    },
    {
      title: "lists the resources of templates",
      register: template,
      ask: async ({ client }) => client.listResources(),
      shows: { answer: { resources: [{ name: "one resources/list", title: "Note" }] } },
    },
    {
      title: "lists templates",
      register: template,
      ask: async ({ client }) => client.listResourceTemplates(),
      shows: { answer: { resourceTemplates: [{ uriTemplate: "notes://{owner}/{id}" }] } },
    },
    {
      title: "reads a resource",
      register: fixed,
      ask: read("docs://readme"),
      shows: { answer: contents("docs://readme", "Hello") },
    },
    {
      title: "reads a resource of a template",
      register: template,
      ask: read("notes://ann/7"),
      shows: { answer: { contents: [{ text: "ann 7" }] } },
    },
    {
      title: "prefers a resource to a template",
      register: (server, sdk) => {
        template(server, sdk);
        server.registerResource("own", "notes://ann/7", {}, (uri) => contents(uri.href, "fixed"));
      },
      ask: read("notes://ann/7"),
      shows: { answer: { contents: [{ text: "fixed" }] } },
    },
    {
      title: "rejects unknown resources",
      register: fixed,
      ask: read("docs://nope"),
      shows: {
        refused: { code: -32602, message: "Resource not found: docs://nope", data: { uri: "docs://nope" } },
      },
    },
    {
      title: "rejects invalid URIs",
      register: fixed,
      ask: read("not a uri"),
      shows: { refused: { code: -32602, data: { reason: "invalid_uri" } } },
    },
    {
      title: "rejects disabled resources",
      register: (server) =>
        server.registerResource("off", "a://off", {}, () => contents("a://off", "")).disable(),
      ask: read("a://off"),
      shows: { refused: { code: -32602, message: "Resource a://off disabled" } },
    },
    {
      title: "rejects resources of disabled templates",
      register: (server, sdk) =>
        server
          .registerResource("off", new sdk.ResourceTemplate("off://{a}", { list: undefined }), {}, (uri) =>
            contents(uri.href, ""),
          )
          .disable(),
      ask: read("off://x"),
      shows: { refused: { code: -32602, message: "Resource template off://{a} disabled" } },
    },
    {
      title: "sends the error of a callback",
      register: (server) =>
        server.registerResource("f", "a://f", {}, () => {
          throw new Error("no disk");
        }),
      ask: read("a://f"),
      shows: { refused: { code: -32603, message: "no disk" } },
    },
    {
      title: "sends code, message, and data of a ProtocolError",
      register: (server, sdk) =>
        server.registerResource("f", "a://f", {}, () => {
          throw new sdk.ProtocolError(-32050, "special", { why: "x" });
        }),
      ask: read("a://f"),
      shows: { refused: { code: -32050, message: "special", data: { why: "x" } } },
    },
    {
      title: "sends ResourceNotFoundError",
      register: (server, sdk) =>
        server.registerResource("f", new sdk.ResourceTemplate("a://{x}", { list: undefined }), {}, (uri) => {
          throw new sdk.ResourceNotFoundError(uri.href);
        }),
      ask: read("a://f"),
      shows: { refused: { code: -32602, message: "Resource not found: a://f" } },
    },
    {
      title: "replaces the code -32002",
      register: (server, sdk) =>
        server.registerResource("f", "a://f", {}, () => {
          throw new sdk.ProtocolError(-32002, "gone", { uri: "a://f" });
        }),
      ask: read("a://f"),
      shows: { refused: { code: -32602, message: "gone" } },
    },
    {
      title: "sends blobs and metadata",
      register: (server) =>
        server.registerResource("b", "a://b", {}, () => ({
          contents: [{ uri: "a://b", blob: "AA==", mimeType: "x/y", _meta: { a: 1 } }],
          _meta: { b: 2 },
        })),
      ask: read("a://b"),
      shows: { answer: { contents: [{ blob: "AA==" }] } },
    },
    {
      title: "is unknown without resources",
      register: () => undefined,
      ask: async ({ client }) => client.request({ method: "resources/list" }),
      shows: { refused: {} },
    },
    {
      title: "passes ctx to a callback",
      register: (server) =>
        server.registerResource("c", "a://c", {}, (uri, ctx) =>
          contents(uri.href, JSON.stringify([ctx.mcpReq.method, ctx.mcpReq._meta ?? null])),
        ),
      ask: async ({ client }) => client.readResource({ uri: "a://c", _meta: { k: 1 } }),
      shows: { answer: { contents: [{ text: '["resources/read",{"k":1}]' }] } },
    },
  ]);

  test.each(ERAS)("%s: official templates work in our server", async (era) => {
    const register: Register = (server) =>
      server.registerResource(
        "t",
        new OfficialTemplate("t://{+path}", { list: undefined }),
        {},
        (uri, variables) => contents(uri.href, JSON.stringify(variables)),
      );
    const [wanted, given] = await answersOf(register, read("t://a/b"), { era });
    expect(wanted).toMatchObject({ answer: { contents: [{ text: '{"path":"a/b"}' }] } });
    expect(plain(given)).toEqual(plain(wanted));
  });
});

describe("completions of template variables", () => {
  const complete =
    (uri: string, name: string, extra: object = {}): Behavior["ask"] =>
    async ({ client }) =>
      client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value: "" }, ...extra });
  compare([
    {
      title: "suggests values",
      register: template,
      ask: complete("notes://{owner}/{id}", "id"),
      shows: { answer: { completion: { values: ["1", "2", "none"], total: 3, hasMore: false } } },
    },
    {
      title: "passes other arguments",
      register: template,
      ask: complete("notes://{owner}/{id}", "id", { context: { arguments: { owner: "ann" } } }),
      shows: { answer: { completion: { values: ["1", "2", "ann"] } } },
    },
    {
      title: "are empty for other variables",
      register: template,
      ask: complete("notes://{owner}/{id}", "owner"),
      shows: { answer: { completion: { values: [], hasMore: false } } },
    },
    {
      title: "are empty for fixed resources",
      register: (server, sdk) => {
        template(server, sdk);
        fixed(server, sdk);
      },
      ask: complete("docs://readme", "x"),
      shows: { answer: { completion: { values: [] } } },
    },
    {
      title: "reject unknown templates",
      register: template,
      ask: complete("x://{y}", "y"),
      shows: { refused: { code: -32602, message: "Resource template x://{y} not found" } },
    },
    {
      title: "are limited to 100 values",
      register: (server, sdk) =>
        server.registerResource(
          "m",
          new sdk.ResourceTemplate("m://{a}", {
            list: undefined,
            complete: { a: () => Array.from({ length: 150 }, (_, n) => `v${n}`) },
          }),
          {},
          (uri) => contents(uri.href, ""),
        ),
      ask: complete("m://{a}", "a"),
      shows: { answer: { completion: { total: 150, hasMore: true } } },
    },
  ]);
});
