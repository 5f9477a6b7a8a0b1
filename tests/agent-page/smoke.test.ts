import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../examples/agent/server.js";
import { serveAgentPage } from "../../packages/agent/src/page/index.js";
import { describeInBrowser } from "../support/browser-page.js";
import { openChat } from "./support/chat.js";
import { createStage } from "./support/stage.js";

describeInBrowser("the agent page", () => {
  test("sends a message, shows the call of a tool and the response, and keeps them over a reload", async () => {
    const storagePath = mkdtempSync(join(tmpdir(), "tenon-agent-page-"));
    const { model } = createStage({});
    const { url, close } = await serveAgentPage(createAgent({ model, storagePath }), { port: 0 });
    onTestFinished(async () => {
      await close();
      rmSync(storagePath, { recursive: true, force: true });
    });
    const chat = await openChat(url);
    await chat.say("What is 6 * 7?");
    await chat.sees("6 * 7 = 42.");
    await chat.rests();
    await chat.page.getByRole("region", { name: /^Tool calculate: Done/ }).waitFor();
    await chat.page.reload();
    await chat.sees("6 * 7 = 42.");
    await chat.list.getByRole("link", { name: "What is 6 * 7?" }).waitFor();
    expect(await chat.overflow()).toEqual([]);
    expect(chat.foreignRequests(new URL(url).origin)).toEqual([]);
    expect(chat.complaints).toEqual([]);
  });
});
