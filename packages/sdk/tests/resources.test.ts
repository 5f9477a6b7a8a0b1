import { ResourceTemplate as OfficialTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { ResourceTemplate } from "../src/server/registrations/resources.js";
import {
  answersOf,
  bothSides,
  connectSide,
  ours,
  type Register,
  settle,
  type Side,
  theirs,
} from "./support/both-sides.js";

const read =
  (uri: string) =>
  ({ client }: Side) =>
    client.readResource({ uri });
const list = ({ client }: Side) => client.listResources();
const templates = ({ client }: Side) => client.listResourceTemplates();
const suggest =
  (uri: string, name: string, value: string, context?: Record<string, string>) =>
  ({ client }: Side) =>
    client.complete({
      ref: { type: "ref/resource", uri },
      argument: { name, value },
      ...(context === undefined ? {} : { context: { arguments: context } }),
    });

const fixed: Register = (server) => {
  server.registerResource(
    "readme",
    "docs://readme",
    { title: "Read me", description: "What to know", mimeType: "text/markdown" },
    (uri) => ({ contents: [{ uri: uri.href, text: "# Hello" }] }),
  );
  server.resource("plain", "docs://plain", (uri) => ({ contents: [{ uri: uri.href, blob: "AA==" }] }));
  server.resource("told", "docs://told", { description: "told" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "a" }],
    _meta: { "example.com/a": 1 },
  }));
};

const notes: Register = (server) => {
  server.registerResource(
    "note",
    new OfficialTemplate("notes://{owner}/{id}", {
      list: () => ({
        resources: [
          { uri: "notes://ada/1", name: "one" },
          { uri: "notes://ada/2", name: "two", description: "of its own" },
        ],
      }),
      complete: {
        owner: (value) => ["ada", "alan", "grace"].filter((name) => name.startsWith(value)),
        id: (_value, context) => (context?.arguments?.["owner"] === "ada" ? ["1", "2"] : []),
      },
    }),
    { description: "A note", mimeType: "text/plain" },
    (uri, { owner, id }) => ({ contents: [{ uri: uri.href, text: `${String(owner)}/${String(id)}` }] }),
  );
  server.resource("path", new OfficialTemplate("files:///{+path}", { list: undefined }), (uri, { path }) => ({
    contents: [{ uri: uri.href, text: String(path) }],
  }));
};

const everything: Register = (server) => [fixed(server), notes(server)];

const failing: Register = (server) => {
  server.registerResource("plain", "fail://plain", {}, () => {
    throw new Error("the shelf broke");
  });
  server.registerResource("sdk", "fail://sdk", {}, () => {
    throw new McpError(ErrorCode.InvalidRequest, "not now", { retry: 5 });
  });
  server.registerResource("coded", "fail://coded", {}, async () => {
    throw Object.assign(new Error("teapot"), { code: -32018, data: { cup: 1 } });
  });
};

const hidden: Register = (server) => {
  fixed(server);
  server.registerResource("off", "docs://off", {}, () => ({ contents: [] })).disable();
  server.registerResource("gone", "docs://gone", {}, () => ({ contents: [] })).remove();
  const moved = server.registerResource("old", "docs://old", {}, () => ({ contents: [] }));
  moved.update({ uri: "docs://new", name: "new", metadata: { description: "moved" } });
  moved.update({ callback: (uri) => ({ contents: [{ uri: uri.href, text: "moved" }] }) });
};

const many: Register = (server) =>
  server.registerResource(
    "many",
    new OfficialTemplate("many://{n}", {
      list: undefined,
      complete: { n: () => Array.from({ length: 150 }, (_, n) => String(n)) },
    }),
    {},
    (uri) => ({ contents: [{ uri: uri.href, text: "" }] }),
  );

const namesakes: Register = (server) => {
  server.registerResource("same", "docs://a", {}, (uri) => ({ contents: [{ uri: uri.href, text: "a" }] }));
  server.registerResource("same", "docs://b", {}, (uri) => ({ contents: [{ uri: uri.href, text: "b" }] }));
};

const SAME: readonly (readonly [string, Register, (side: Side) => Promise<unknown>])[] = [
  ["a list of resources", fixed, list],
  ["a list with a template's resources", everything, list],
  ["a list of templates", everything, templates],
  ["a list without disabled, removed, or moved resources", hidden, list],
  ["a list with two resources that have the same name", namesakes, list],
  ["a read of one of two resources with the same name", namesakes, read("docs://b")],
  ["a read of text", fixed, read("docs://readme")],
  ["a read of bytes", fixed, read("docs://plain")],
  ["a read with metadata", fixed, read("docs://told")],
  ["a read of a template's resource", everything, read("notes://ada/7")],
  ["a read of a URI with escapes", everything, read("notes://ada/a%20b")],
  ["a read of a URI that must be escaped", everything, read("notes://ada/m\u00fcsli")],
  ["a read of a URI with a path variable", everything, read("files:///a/b/c.txt")],
  ["a read of an unknown URI", fixed, read("docs://nothing")],
  ["a read of an invalid URI", fixed, read("no uri")],
  ["a read of a disabled resource", hidden, read("docs://off")],
  ["a read of a removed resource", hidden, read("docs://gone")],
  ["a read of a moved resource", hidden, read("docs://new")],
  ["a read of a moved resource's old URI", hidden, read("docs://old")],
  ["a read that fails", failing, read("fail://plain")],
  ["a read that fails with an SDK error", failing, read("fail://sdk")],
  ["a read that fails with its own error code", failing, read("fail://coded")],
  ["suggestions", notes, suggest("notes://{owner}/{id}", "owner", "a")],
  [
    "suggestions that depend on a different variable",
    notes,
    suggest("notes://{owner}/{id}", "id", "", { owner: "ada" }),
  ],
  ["more suggestions than the limit", many, suggest("many://{n}", "n", "")],
  ["suggestions for an unknown template", notes, suggest("nothing://{a}", "a", "")],
];

describe("resources, compared with the official server", () => {
  test.each(SAME)("%s is the same", async (_title, register, ask) => {
    const [wanted, given] = await answersOf(register, ask);
    expect(given).toEqual(wanted);
  });

  test("T6: our template class works like the official one", async () => {
    const { client } = await connectSide(ours(), (server) =>
      server.registerResource(
        "note",
        new ResourceTemplate("notes://{owner}/{id}", {
          list: (extra) => ({ resources: [{ uri: `notes://${String(extra.requestId)}/1`, name: "one" }] }),
          complete: { owner: () => ["ada"] },
        }) as never,
        {},
        ((uri: URL, { owner, id }: Record<string, string>) => ({
          contents: [{ uri: uri.href, text: `${owner} ${id}` }],
        })) as never,
      ),
    );
    expect(await client.listResources()).toEqual({ resources: [{ uri: "notes://1/1", name: "one" }] });
    expect(await client.readResource({ uri: "notes://ada/a%20b" })).toEqual({
      contents: [{ uri: "notes://ada/a%20b", text: "ada a%20b" }],
    });
  });

  const refused: readonly (readonly [string, Register])[] = [
    ["a duplicate URI", (server) => [fixed(server), fixed(server)]],
    ["a duplicate template", (server) => [notes(server), notes(server)]],
  ];
  test.each(refused)("%s is rejected with the same text", (_title, register) => {
    for (const server of [theirs(), ours()]) {
      expect(() => register(server)).toThrow(
        /^Resource (docs:\/\/readme|template note) is already registered$/,
      );
    }
  });

  test("adding and removing a resource notifies the client in the same way", async () => {
    const told = await Promise.all(
      (await bothSides(everything)).map(async ({ server, client, heard }) => {
        const late = server.registerResource("late", "docs://late", {}, () => ({ contents: [] }));
        late.disable();
        late.enable();
        await settle();
        const during = (await client.listResources()).resources.map(({ uri }) => uri);
        late.remove();
        server.sendResourceListChanged();
        await settle();
        return { during, heard: heard.map(({ method }) => method) };
      }),
    );
    expect(told[1]).toEqual(told[0]);
    expect(told[1]?.heard).toHaveLength(5);
  });
});
