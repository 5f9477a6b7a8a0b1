import { expect, test } from "vitest";
import { renderGuide } from "../../scripts/agent-messages.js";

test("the guide's message table matches the schemas", async () => {
  const { is, shouldBe } = await renderGuide();
  expect(is).toBe(shouldBe);
  expect(is).toContain("| `userSendMessage`");
});
