import { expect, test } from "vitest";
import { defineServer } from "../../src/index.js";

test("an update can reorder and replace drafts, and clients are notified of those lists only", () => {
  const server = defineServer({ name: "order", version: "1" })
    .tool("a", { handler: () => "a" })
    .tool("b", { handler: () => "b" })
    .prompt("p", { handler: () => "p" })
    .build();
  const heard: unknown[] = [];
  server.onChange((change) => heard.push(change));
  server.update((editor) => editor.replace({ tools: editor.plan.tools.toReversed() }));
  expect(server.describe().tools.map(({ definition }) => definition.name)).toEqual(["b", "a"]);
  server.update((editor) =>
    editor.replace({ tools: editor.plan.tools.slice(1), resources: [], templates: [] }),
  );
  expect(server.describe().tools.map(({ definition }) => definition.name)).toEqual(["a"]);
  expect(heard).toEqual([{ kind: "tools" }, { kind: "tools" }]);
  server.update((editor) => editor.replace({ prompts: [] }));
  expect(heard.at(-1)).toEqual({ kind: "prompts" });
});
