import { expect, test } from "vitest";
import { createTool } from "../../src/grouped/index.js";

// If the last of two actions with the same key took precedence, the list would contain both, and one handler would be
// lost silently.
test("F16, F64: a duplicate key is rejected immediately, and the first action stays", async () => {
  const builder = createTool("users").action({ name: "list", handler: () => "first" });
  expect(() => builder.action({ name: "list", handler: () => "second" })).toThrow(
    new Error('Action "list" is already registered on builder "users". Names must be unique.'),
  );
  expect(builder.getActionNames()).toEqual(["list"]);
  expect(await builder.execute(undefined, { action: "list" })).toEqual({
    content: [{ type: "text", text: "first" }],
  });
});

test("F65: a duplicate key in a group that is opened twice is rejected", () => {
  const builder = createTool("platform").group("users", (g) => g.action({ name: "list", handler: () => 1 }));
  expect(() => builder.group("users", (g) => g.action({ name: "list", handler: () => 2 }))).toThrow(
    new Error('Action "users.list" is already registered on builder "platform". Names must be unique.'),
  );
});
