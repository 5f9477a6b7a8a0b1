import { expect, test } from "vitest";
import { createTool } from "../../src/grouped/index.js";

// Without a schema nothing was validated, so arbitrary fields reached the handler.
test.each([
  ["without middleware", false],
  ["with middleware", true],
])("F55, F59: an action without a schema receives no fields, %s", async (_what, layered) => {
  const seen: unknown[] = [];
  const builder = createTool("t").action({ name: "a", handler: (_ctx, args) => void seen.push(args) });
  if (layered) builder.use((_ctx, _args, next) => next());
  await builder.execute(undefined, { action: "a", isAdmin: true, where: { $gt: "" } });
  const [flat] = builder.getCallableTools("flat");
  await flat?.execute(undefined, { isAdmin: true });
  expect(seen).toEqual([{}, {}]);
});
