import { expect, test } from "vitest";
import { describeInBrowser, PHONE } from "../support/browser-page.js";
import { openChat } from "./support/chat.js";
import { addApproval, addConversation, addTasks } from "./support/sample-task.js";
import { StubServer } from "./support/stub-server.js";

describeInBrowser("accessibility of the agent page", () => {
  async function open(page: object = {}) {
    const stub = await StubServer.start({ page: { title: "Workshop agent", ...page } });
    addTasks(stub);
    addConversation(stub);
    addApproval(stub);
    return stub;
  }

  test("axe finds no violations, light and dark", async () => {
    const stub = await open({ suggestions: ["Compare joints", "Write a note"] });
    const chat = await openChat(stub.url);
    const check = (name: string) => chat.check(name);
    await chat.button("Compare joints").waitFor();
    await check("empty conversation");
    await chat.go("joints");
    await chat.button("Deny…").waitFor();
    await check("conversation");
    for (const closed of await chat.log.locator("summary, .a-tool__head").all()) await closed.click();
    await chat.button("Deny…").click();
    await check("open cards");
    stub.emit("joints", "approval", {
      approvalId: "a1",
      toolName: "delete_files",
      status: "approved",
      decidedBy: "Ada",
      updateTime: 77,
    });
    stub.emit("joints", "askFollowupQuestion", { question: "Which wood?", suggestOptions: ["Oak", "Ash"] });
    stub.emit("joints", "tool", {
      toolName: "delete_files",
      message: "",
      error: "Not allowed",
      status: "denied",
    });
    stub.end("joints", "error");
    await chat.page.getByText("The run ended with an error.").waitFor();
    await check("question and error");
    stub.emit("joints", "message", { message: "Still **writing**", partial: true });
    await chat.button("Stop").waitFor();
    await check("running");
    await chat.act("Price list", "Rename");
    await chat.page.getByRole("dialog").waitFor();
    await check("rename");
    await chat.page.keyboard.press("Escape");
    await chat.act("Price list", "Delete");
    await chat.page.getByRole("dialog").waitFor();
    await check("delete");
    await chat.page.keyboard.press("Escape");
    await stub.stop();
    await chat.page.getByText("The connection to the server is lost.").waitFor();
    await check("lost connection");
    await chat.expectAccessible("main");
  });

  test("axe finds no violations on a phone and in the sign-in", async () => {
    const stub = await open();
    const chat = await openChat(stub.url, { ...PHONE, taskId: "joints" });
    await chat.button("Deny…").waitFor();
    expect(await chat.audit()).toEqual([]);
    await chat.button("Conversations").click();
    await chat.button("Close the list").waitFor();
    expect(await chat.audit()).toEqual([]);
    const closed = await open({ needsToken: true });
    const form = await openChat(closed.url);
    await form.page.getByLabel("Token").waitFor();
    expect(await form.audit()).toEqual([]);
    // The stub waits for a token that the page does not have.
    const linked = await StubServer.start({ token: "a-secret-token", page: { signInUrl: "/login" } });
    const link = await openChat(linked.url);
    await link.page.getByRole("link", { name: "Sign in" }).waitFor();
    expect(await link.audit()).toEqual([]);
  });

  test("everything can be reached with the keyboard, in the order of the page", async () => {
    const stub = await open({ suggestions: ["Compare joints"] });
    const chat = await openChat(stub.url);
    await chat.list.getByRole("link").first().waitFor();
    await chat.page.evaluate("document.querySelector('.t-skip').focus()");
    const focused = () =>
      chat.page.evaluate<string>(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent",
      );
    const order = [await focused()];
    for (let count = 0; count < 4; count++) {
      await chat.page.keyboard.press("Tab");
      order.push(await focused());
    }
    expect(order).toEqual([
      "Skip to the conversation",
      "New conversation",
      "Search conversations",
      "Joints for an oak table",
      "Actions for Joints for an oak table",
    ]);
    await chat.page.evaluate("document.querySelector('.t-skip').focus()");
    await chat.page.keyboard.press("Enter");
    expect(await focused()).toBe("Conversation");
    await chat.page.keyboard.press("Tab");
    expect(await focused()).toBe("Compare joints");
    await chat.page.keyboard.press("Tab");
    expect(await focused()).toBe("Message");
  });

  test("the drawer keeps the focus while it is open, and does not take it when it is closed", async () => {
    const stub = await open();
    const viewport = { width: 390, height: 780 };
    const chat = await openChat(stub.url, { viewport, taskId: "joints" });
    const focused = chat.page.locator(":focus");
    const menu = chat.page.locator("#menu");
    const body = chat.page.locator(".a-body");
    const state = async () => [await menu.getAttribute("aria-expanded"), await body.getAttribute("inert")];
    await chat.box.and(focused).waitFor();
    expect(await state()).toEqual(["false", null]);
    expect(await menu.getAttribute("aria-controls")).toBe("sidebar");
    await menu.press("Enter");
    await chat.button("Close the list").and(focused).waitFor();
    expect(await state()).toEqual(["true", ""]);
    await chat.page.keyboard.press("Escape");
    await menu.and(focused).waitFor();
    expect(await state()).toEqual(["false", null]);
    await menu.press("Enter");
    await chat.button("Close the list").and(focused).waitFor();
    await chat.button("New conversation").press("Enter");
    await chat.box.and(focused).waitFor();
    // The place does not change, but the drawer closes, and the user wants to write.
    await menu.press("Enter");
    await chat.button("Close the list").and(focused).waitFor();
    await chat.button("New conversation").press("Enter");
    await chat.box.and(focused).waitFor();
    await menu.press("Enter");
    await chat.button("Close the list").and(focused).waitFor();
    await chat.list.getByRole("link", { name: "Price list" }).press("Enter");
    await chat.page.getByRole("heading", { name: "Price list" }).waitFor();
    // The user wants to read, so the focus does not open the keyboard of a phone.
    await menu.and(focused).waitFor();
    expect(await state()).toEqual(["false", null]);
    expect(chat.complaints).toEqual([]);
  });

  test("a screen reader hears results once, and not every piece of a text", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    const chat = await openChat(stub.url, { taskId: "t" });
    const region = chat.page.locator("p[role=status].t-hidden");
    await chat.log.waitFor();
    await chat.page.evaluate(`{
      window.heard = [];
      const region = document.querySelector("p[role=status].t-hidden");
      new MutationObserver(() => region.textContent && window.heard.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
    }`);
    await chat.say("Go");
    for (const message of ["One ", "two ", "three"]) {
      stub.emit("t", "message", { message, partial: true, updateTime: 50 });
      await chat.sees(message.trim());
    }
    stub.emit("t", "message", { message: "One two three", updateTime: 50 });
    stub.end("t");
    await region.getByText("Response: One two three").waitFor();
    expect(await chat.page.evaluate("window.heard")).toEqual([
      "The agent is working.",
      "Response: One two three",
    ]);
    expect(await chat.log.getAttribute("aria-live")).toBe("off");
  });
});
