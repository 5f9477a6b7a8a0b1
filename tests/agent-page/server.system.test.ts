import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../examples/agent/server.js";
import type { ModelPort } from "../../packages/agent/src/models/model-port.js";
import { createScriptedModel } from "../../packages/agent/src/models/scripted-model.js";
import { serveAgentPage } from "../../packages/agent/src/page/index.js";
import { describeInBrowser } from "../support/browser-page.js";
import { type Chat, openChat } from "./support/chat.js";
import { IMAGE } from "./support/sample-task.js";
import { createStage, PAUSE } from "./support/stage.js";

const ANSWERS = {
  "Tell me": `The first half of it,${PAUSE} and the second half.`,
  "Continue where you left off.": `I continue.${PAUSE} Now it is complete.`,
  "Note it": `<write_note><title>Oak joints</title><text>${"Mark the shoulders with a knife. ".repeat(5)}${PAUSE}
Try it dry, then glue.</text></write_note>`,
  Wait: "<count_down><from>60</from><interval>5000</interval></count_down>",
};

/** Agent that can be stopped and started again with its conversations. */
async function start(model: ModelPort, options: Parameters<typeof serveAgentPage>[1] = {}) {
  const storagePath = mkdtempSync(join(tmpdir(), "tenon-agent-page-"));
  let running = await serveAgentPage(createAgent({ model, storagePath }), { port: 0, ...options });
  const { url, address } = running;
  onTestFinished(async () => {
    await running.close();
    rmSync(storagePath, { recursive: true, force: true });
  });
  return {
    url,
    stop: () => running.close(),
    async restart() {
      running = await serveAgentPage(createAgent({ model, storagePath }), { ...options, port: address.port });
    },
  };
}

/** Returns the ID of the task that a page shows. */
function taskOf(chat: Chat): string {
  return new URL(chat.page.url()).hash.slice(2);
}

/** Returns the texts of the conversation, without times and actions. */
async function textsOf(chat: Chat): Promise<readonly string[]> {
  const parts = chat.log.locator(".a-user__text, .a-response > .t-markdown, .a-tool__name, .a-notice");
  return parts.allInnerTexts();
}

describeInBrowser("the agent page with the real server", () => {
  test("a response streams in, and a reload restores it, both while it streams and afterward", async () => {
    const stage = createStage(ANSWERS);
    const { url } = await start(stage.model);
    const chat = await openChat(url);
    await chat.say("Tell me");
    await chat.sees("The first half of it,");
    await chat.page.reload();
    await chat.sees("The first half of it,");
    await chat.button("Stop").waitFor();
    stage.proceed();
    await chat.sees("The first half of it, and the second half.");
    await chat.rests();
    const texts = await textsOf(chat);
    await chat.page.reload();
    await chat.sees("and the second half.");
    expect(await textsOf(chat)).toEqual(texts);
    expect(await chat.page.title()).toBe("Tell me – Agent");
    expect(chat.complaints).toEqual([]);
  });

  test("a tool card fills while the model writes, and two clients see the same", async () => {
    const stage = createStage(ANSWERS);
    const { url } = await start(stage.model);
    const chat = await openChat(url);
    await chat.say("Note it");
    const card = chat.page.getByRole("region", { name: /^Tool write_note/ });
    await card.getByText("Mark the shoulders").last().waitFor();
    expect(await card.textContent()).not.toContain("then glue");
    const other = await openChat(url, { taskId: taskOf(chat) });
    await other.log.getByText("write_note").waitFor();
    stage.proceed();
    await chat.sees('Saved "Oak joints". Ask me to list the notes to see all of them.');
    await other.sees('Saved "Oak joints". Ask me to list the notes to see all of them.');
    await chat.rests();
    await other.rests();
    expect(await textsOf(other)).toEqual(await textsOf(chat));
    expect([...chat.complaints, ...other.complaints]).toEqual([]);
  });

  test("Escape stops a tool at once, both clients see it, and either can resume", async () => {
    const stage = createStage(ANSWERS);
    const { url } = await start(stage.model);
    const chat = await openChat(url);
    await chat.say("Wait");
    await chat.log.getByText("60…").waitFor();
    const other = await openChat(url, { taskId: taskOf(chat) });
    await other.log.getByText("60…").waitFor();
    await other.box.press("Escape");
    for (const client of [chat, other]) {
      await client.page.getByRole("region", { name: "Tool count_down: Stopped" }).waitFor();
      await client.button("Resume").waitFor();
    }
    await chat.say("Tell me");
    await other.sees("The first half of it,");
    await chat.button("Stop").click();
    await other.button("Resume").click();
    await chat.sees("I continue.");
    stage.proceed();
    for (const client of [chat, other]) {
      await client.sees("I continue. Now it is complete.");
      await client.rests();
    }
    expect(await textsOf(other)).toEqual(await textsOf(chat));
  });

  test("a call waits for approval across a restart of the server, and runs after it", async () => {
    const agent = await start(createStage({}).model);
    const chat = await openChat(agent.url);
    await chat.say("Write a note about oak");
    await chat.sees('Saved "oak".');
    await chat.rests();
    await chat.say("Delete the note about oak");
    const card = chat.page.getByRole("region", { name: "Approval of delete_note" });
    await card.getByRole("button", { name: "Allow", exact: true }).waitFor();
    await chat.rests();
    await agent.stop();
    await chat.page.getByText("The connection to the server is lost.").waitFor();
    await agent.restart();
    await chat.page.getByText("The connection to the server is lost.").waitFor({ state: "hidden" });
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await card.getByText("was allowed").waitFor();
    // The notes are kept in memory, so the restarted server has none.
    await chat.page.getByRole("region", { name: "Tool delete_note: Failed" }).waitFor();
    await chat.rests();
    await chat.say("Delete the note about oak");
    const second = card.last();
    await second.getByRole("button", { name: "Deny…" }).click();
    await second.getByRole("textbox", { name: "Reason" }).fill("Keep it");
    await second.getByRole("button", { name: "Deny", exact: true }).click();
    await second.getByText("was denied").waitFor();
    await second.getByText("“Keep it”").waitFor();
    await chat.page.getByRole("region", { name: "Tool delete_note: Denied" }).waitFor();
    await chat.rests();
  });

  test("subtasks are listed, and link to their conversations and back", async () => {
    const { url } = await start(createStage({}).model);
    const chat = await openChat(url);
    await chat.say("Do it in parts");
    const parts = chat.page.getByRole("region", { name: "Subtasks" });
    await parts.getByText("Done").nth(2).waitFor();
    await chat.rests();
    await parts.getByRole("link", { name: "Write a note about mortises" }).click();
    await chat.log.getByText("write_note").waitFor();
    await chat.page.getByRole("link", { name: "Back to the main task" }).click();
    await parts.waitFor();
    await chat.page.reload();
    await parts.getByText("Done").nth(2).waitFor();
    expect(chat.complaints).toEqual([]);
  });

  test("files go to the model and come back from it, and survive a restart", async () => {
    const files: unknown[] = [];
    const model = createScriptedModel(({ messages }) => {
      files.push(messages.findLast(({ role }) => role === "user"));
      return ["Here it is.", { file: { mediaType: "image/png", data: IMAGE } }];
    });
    const agent = await start(model);
    const chat = await openChat(agent.url);
    await chat.page
      .locator("input[type=file]")
      .setInputFiles({ name: "sketch.png", mimeType: "image/png", buffer: Buffer.from(IMAGE, "base64") });
    await chat.page.getByRole("list", { name: "Attached files" }).waitFor();
    await chat.say("Copy this");
    await chat.log.getByRole("img", { name: "image.png" }).waitFor();
    expect(JSON.stringify(files)).toContain(IMAGE);
    await agent.stop();
    await agent.restart();
    await chat.page.reload();
    await chat.log.getByRole("img", { name: "sketch.png" }).waitFor();
    await chat.log.getByRole("img", { name: "image.png" }).waitFor();
  });

  test("conversations are found, renamed, and deleted", async () => {
    const agent = await start(createStage({}).model);
    const chat = await openChat(agent.url);
    await chat.say("What is 6 * 7?");
    await chat.sees("6 * 7 = 42.");
    await chat.rests();
    await chat.button("New conversation").click();
    await chat.page.getByRole("heading", { name: "How can I help?" }).waitFor();
    await chat.say("Ask me a question");
    await chat.button("Ash").click();
    await chat.sees("I will use Ash");
    await chat.rests();
    const search = chat.page.getByRole("textbox", { name: "Search conversations" });
    await search.fill("ash");
    await chat.list.getByRole("link", { name: "What is 6" }).waitFor({ state: "detached" });
    await chat.list.locator("mark").getByText("Ash").waitFor();
    await search.fill("");
    await chat.act("What is 6 * 7?", "Rename");
    await chat.page.getByRole("textbox", { name: "Title" }).fill("A product");
    await chat.page.getByRole("button", { name: "Rename", exact: true }).click();
    await chat.list.getByRole("link", { name: "A product" }).waitFor();
    await chat.act("Ask me a question", "Delete");
    await chat.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await chat.list.getByRole("link", { name: "Ask me a question" }).waitFor({ state: "detached" });
    await chat.page.reload();
    await chat.list.getByRole("link", { name: "A product" }).waitFor();
    expect(await chat.list.getByRole("link").count()).toBe(1);
  });

  test("users sign in, and see only their own conversations", async () => {
    const users = {
      identify: (token: string) => (token.startsWith("token-of-") ? { id: token.slice(9) } : undefined),
    };
    const { url } = await start(createStage({}).model, { users });
    const signIn = async (token: string) => {
      const chat = await openChat(url);
      await chat.page.getByLabel("Token").fill(token);
      await chat.button("Sign in").click();
      return chat;
    };
    const ada = await signIn("token-of-ada");
    await ada.say("What is 6 * 7?");
    await ada.sees("6 * 7 = 42.");
    const grace = await signIn("token-of-grace");
    await grace.page.getByText("Your conversations appear here.").waitFor();
    await grace.go(taskOf(ada));
    await grace.page.getByText("This conversation cannot be shown").waitFor();
    expect(await grace.page.textContent("body")).not.toContain("6 * 7");
    const stranger = await signIn("wrong");
    await stranger.page.getByText("The server does not accept this token.").waitFor();
  });
});
