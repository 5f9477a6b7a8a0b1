import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-page.js";
import { openChat } from "./support/chat.js";
import { addTasks } from "./support/sample-task.js";
import { StubServer } from "./support/stub-server.js";

describeInBrowser("the list of conversations", () => {
  async function open(taskId = "") {
    const stub = await StubServer.start();
    addTasks(stub);
    const chat = await openChat(stub.url, { taskId });
    await chat.list.getByRole("link", { name: "Joints for an oak table" }).waitFor();
    return { stub, chat };
  }

  test("conversations are grouped by day, and a click opens one", async () => {
    const { stub, chat } = await open();
    stub.emit("task-1", "message", { message: "Prices" });
    expect(await chat.list.getByRole("heading").allTextContents()).toEqual([
      "Today",
      "Yesterday",
      "Previous 7 days",
    ]);
    await chat.list.getByRole("link", { name: "Price list" }).click();
    await chat.sees("Prices");
    expect(await chat.list.locator("[aria-current=page]").textContent()).toBe(
      "Price list for the spring fair",
    );
    expect(chat.complaints).toEqual([]);
  });

  test("a conversation is renamed, in the list and in the title", async () => {
    const { stub, chat } = await open("joints");
    await chat.act("Joints for an oak table", "Rename");
    const title = chat.page.getByRole("textbox", { name: "Title" });
    expect(await title.inputValue()).toBe("Joints for an oak table");
    await title.fill("  Table joints ");
    await title.press("Enter");
    await chat.page.getByRole("heading", { name: "Table joints" }).waitFor();
    await chat.list.getByRole("link", { name: "Table joints" }).waitFor();
    expect(stub.sent("renameTask")).toEqual([{ taskId: "joints", title: "Table joints" }]);
  });

  test("a conversation is deleted only after a confirmation", async () => {
    const { stub, chat } = await open("joints");
    await chat.act("Joints for an oak table", "Delete");
    const dialog = chat.page.getByRole("dialog", { name: "Delete the conversation?" });
    await dialog.getByText("Joints for an oak table").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(stub.sent("deleteTask")).toEqual([]);
    await chat.act("Joints for an oak table", "Delete");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await chat.list.getByRole("link", { name: "Joints" }).waitFor({ state: "detached" });
    expect(stub.tasks.has("joints")).toBe(false);
    await chat.page.getByRole("heading", { name: "How can I help?" }).waitFor();
    expect(chat.page.url()).toBe(`${stub.url}#/`);
  });

  test("a conversation that someone else deletes is explained", async () => {
    const { stub, chat } = await open("joints");
    await chat.box.waitFor();
    await chat.page.getByRole("heading", { name: "Joints for an oak table" }).waitFor();
    stub.tasks.delete("joints");
    stub.broadcast({ type: "taskRemoved", data: { taskId: "joints", reason: "deleted" } });
    await chat.page.getByText("The conversation was deleted.").waitFor();
    // A message would create the conversation again.
    await chat.box.waitFor({ state: "detached" });
    expect(await chat.page.locator("input[type=file]").count()).toBe(0);
    await chat.go("never-existed");
    await chat.page.getByText('Task "never-existed" does not exist.').waitFor();
    await chat.box.waitFor({ state: "detached" });
    await chat.page.getByRole("main").getByRole("button", { name: "New conversation" }).click();
    await chat.page.getByRole("heading", { name: "How can I help?" }).waitFor();
    await chat.box.and(chat.page.locator(":focus")).waitFor();
    expect(stub.sent("userSendMessage")).toEqual([]);
  });

  test("a search shows matching conversations, and Escape ends it", async () => {
    const { stub, chat } = await open();
    const search = chat.page.getByRole("textbox", { name: "Search conversations" });
    await search.fill("glue");
    await chat.list.getByRole("link", { name: "Price list" }).waitFor({ state: "detached" });
    expect(await chat.list.getByRole("link").allTextContents()).toEqual(["Why is my glue joint weak?"]);
    expect(stub.sent("listTasks").at(-1)).toMatchObject({ search: "glue" });
    await search.fill("nothing like this");
    await chat.page.getByText("No conversation contains these words.").waitFor();
    await search.press("Escape");
    await chat.list.getByRole("link", { name: "Price list" }).waitFor();
  });

  test("more conversations are loaded on demand", async () => {
    const stub = await StubServer.start();
    for (let index = 0; index < 230; index++) {
      const updatedAt = new Date(Date.now() - index * 60_000).toISOString();
      stub.add({ taskId: `t${index}`, title: `Conversation ${index}`, updatedAt });
    }
    const chat = await openChat(stub.url);
    const more = chat.button("Show more");
    await more.waitFor();
    for (let clicks = 0; clicks < 10 && (await more.count()) > 0; clicks++) {
      await more.click();
      await expect.poll(() => chat.page.locator(".a-list__more[aria-disabled]").count()).toBe(0);
    }
    expect(await chat.list.getByRole("link").count()).toBe(230);
    const titles = await chat.list.getByRole("link").allTextContents();
    expect(new Set(titles).size).toBe(230);
  });
});
