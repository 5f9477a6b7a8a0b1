import { describe, expect, test } from "vitest";
import { findActions, toToolItems, uniqueKey } from "../../../page/state/tools/tool-item.js";
import { annotationsOf, countFindings } from "../../../page/state/tools/tool-facts.js";
import { actionId, buildToolTree, expandedIds, findPrefixes } from "../../../page/state/tools/tool-tree.js";
import { server, tool } from "../../support/page-app/samples.js";

const grouped = {
  type: "object",
  properties: { action: { type: "string", enum: ["read", "write"] }, path: { type: "string" } },
  required: ["action"],
};

describe("toToolItems", () => {
  test("tools without a name or with the same name have their own keys", () => {
    const items = toToolItems(server({ tools: [tool("a"), tool("a"), tool(""), tool(5), tool("a#2")] }));
    expect(items.map(({ key }) => key)).toEqual(["a", "a#2", "#2", "#3", "a#2#2"]);
    expect(items.map(({ label }) => label)).toEqual(["a", "a", "(no name)", "(no name)", "a#2"]);
  });

  test("labels are safe for one line, and names are exact", () => {
    const name = "a\u202eb\nc\u0000";
    const [item] = toToolItems(server({ tools: [tool(name)] }));
    expect(item?.name).toBe(name);
    expect(item?.label).toBe("ab c");
  });

  test("marks what the last reload has changed", () => {
    const changes = [
      { sign: "+", noun: "tool", name: "a" },
      { sign: "~", noun: "tool", name: "b" },
      { sign: "+", noun: "prompt", name: "c" },
    ] as const;
    const items = toToolItems(server({ tools: [tool("a"), tool("b"), tool("c")], changes }));
    expect(items.map(({ change }) => change)).toEqual(["+", "~", undefined]);
  });

  test("reads the title of older servers", () => {
    const entry = { ...tool("a"), definition: { name: "a", annotations: { title: "Old title" } } };
    expect(toToolItems(server({ tools: [entry] }))[0]?.title).toBe("Old title");
  });

  test("1,000 tools are prepared and searched in a moment", () => {
    const tools = Array.from({ length: 1_000 }, (_, at) => tool(`group${at % 50}_tool${at}`));
    const items = toToolItems(server({ tools }));
    const start = performance.now();
    const nodes = buildToolTree(items, { query: "tool99" });
    expect(performance.now() - start).toBeLessThan(1_000);
    expect(nodes.flatMap(({ children = [] }) => children).length).toBe(11);
  });
});

test("uniqueKey counts up", () => {
  expect(uniqueKey("a", new Set(["a", "a#2"]))).toBe("a#3");
});

describe("findActions", () => {
  test("finds the actions of a grouped tool", () => {
    expect(findActions(grouped)).toEqual({ argument: "action", names: ["read", "write"] });
  });

  test.each([
    [undefined],
    [{ type: "object" }],
    [{ ...grouped, required: [] }],
    [{ ...grouped, properties: { action: { enum: ["only"] } } }],
    [{ ...grouped, properties: { action: { enum: ["a", 1] } } }],
    [{ ...grouped, properties: { action: { type: "string" } } }],
  ])("%j has no actions", (schema) => {
    expect(findActions(schema)).toBeUndefined();
  });
});

describe("findPrefixes", () => {
  test("a short list has no groups", () => {
    expect(findPrefixes(["a_1", "a_2", "a_3", "b_1"]).size).toBe(0);
  });

  test("at least three names with the same prefix form a group", () => {
    const names = [
      "user_get",
      "user_set",
      "user_del",
      "file.read",
      "file.write",
      "ping",
      "x_1",
      "x_2",
      "x_3",
    ];
    const prefixes = findPrefixes(names);
    expect(prefixes.get("user_get")).toBe("user_");
    expect(prefixes.get("x_3")).toBe("x_");
    expect(prefixes.has("file.read")).toBe(false);
    expect(prefixes.has("ping")).toBe(false);
  });

  test("a prefix of all names is skipped", () => {
    const names = ["get", "set", "del"].flatMap((verb) =>
      ["user", "file", "note"].map((noun) => `app_${noun}_${verb}`),
    );
    expect(findPrefixes(names).get("app_file_set")).toBe("app_file_");
  });

  test("separators alone are not a prefix", () => {
    const names = Array.from({ length: 12 }, (_, at) => "_".repeat(at + 1));
    expect(findPrefixes(names).size).toBe(0);
  });
});

describe("buildToolTree", () => {
  const items = toToolItems(
    server({
      tools: [
        ...["a", "b", "c", "d", "e", "f", "g"].map((name) => tool(`user_${name}`)),
        tool("ping", { tokens: undefined }),
        tool("files", { schema: grouped }),
      ],
    }),
  );

  test("groups tools by prefix, and shows the actions of grouped tools", () => {
    const nodes = buildToolTree(items, { query: "" });
    expect(nodes.map(({ label, children }) => [label, children?.length])).toEqual([
      ["user_", 7],
      ["ping", undefined],
      ["files", 2],
    ]);
    expect(nodes[0]?.data).toEqual({ kind: "group", prefix: "user_", count: 7, tokens: 70 });
    expect(nodes[0]?.children?.[0]?.label).toBe("a");
    expect(nodes[2]?.children?.[1]?.id).toBe(actionId("files", "write"));
  });

  test("the search looks at actions too, and keeps the groups", () => {
    expect(buildToolTree(items, { query: "write" }).map(({ label }) => label)).toEqual(["files"]);
    expect(
      buildToolTree(items, { query: "USER e" }).map(({ label, children }) => [label, children?.length]),
    ).toEqual([["user_", 7]]);
    expect(buildToolTree(items, { query: "user_e" })[0]?.children?.map(({ label }) => label)).toEqual(["e"]);
    expect(buildToolTree(items, { query: "nothing" })).toEqual([]);
  });

  test("a view shows its own tools and tokens", () => {
    const view = {
      id: "v",
      title: "one per action",
      toolCount: 2,
      tokens: 30,
      tools: { ping: 5, files_read: 25 },
    };
    const nodes = buildToolTree(items, { query: "", view });
    expect(nodes.map(({ data }) => [data.kind, "tokens" in data ? data.tokens : undefined])).toEqual([
      ["tool", 5],
      ["other", 25],
    ]);
  });

  test("groups are open at first, and grouped tools are closed", () => {
    const nodes = buildToolTree(items, { query: "" });
    expect([...expandedIds(nodes, {}, false)]).toEqual(["group:user_"]);
    expect([...expandedIds(nodes, { "group:user_": false, "tool:files": true }, false)]).toEqual([
      "tool:files",
    ]);
    expect([...expandedIds(nodes, { "group:user_": false }, true)]).toEqual(["group:user_"]);
  });
});

test("annotations are explained in words", () => {
  const definition = { annotations: { readOnlyHint: true, destructiveHint: "yes", openWorldHint: false } };
  expect(annotationsOf(definition).map(({ label }) => label)).toEqual(["Read-only", "Closed world"]);
  expect(annotationsOf({})).toEqual([]);
});

test("only errors and warnings need a badge", () => {
  const finding = (severity: "error" | "warning" | "info") => ({
    rule: "r",
    severity,
    place: "p",
    message: "m",
  });
  expect(countFindings([finding("info")])).toBeUndefined();
  expect(countFindings([finding("info"), finding("warning")])).toEqual({ worst: "warning", count: 2 });
  expect(countFindings([finding("warning"), finding("error")])).toEqual({ worst: "error", count: 2 });
});
