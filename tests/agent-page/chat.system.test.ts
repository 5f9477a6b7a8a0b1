import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-page.js";
import { openChat } from "./support/chat.js";
import { MARKDOWN } from "./support/sample-task.js";
import { StubServer } from "./support/stub-server.js";

describeInBrowser("a conversation on the agent page", () => {
  test("a suggestion starts a conversation, and the response streams in as Markdown", async () => {
    const stub = await StubServer.start({ page: { title: "Workshop", suggestions: ["Compare joints"] } });
    const chat = await openChat(stub.url);
    await chat.page.getByRole("heading", { name: "How can I help?" }).waitFor();
    await chat.button("Compare joints").click();
    await chat.sees("Compare joints");
    const [{ taskId = "" } = {}] = stub.sent("userSendMessage") as { taskId?: string }[];
    expect(chat.page.url()).toBe(`${stub.url}#/${taskId}`);
    await chat.button("Stop").waitFor();
    const half = MARKDOWN.length / 2;
    const time = stub.emit(taskId, "message", { message: MARKDOWN.slice(0, half), partial: true });
    await chat.log.getByRole("table").waitFor();
    stub.emit(taskId, "message", { message: MARKDOWN.slice(half), partial: true, updateTime: time });
    await chat.log.getByText("createJoint").waitFor();
    stub.emit(taskId, "message", { message: MARKDOWN, updateTime: time });
    stub.end(taskId);
    await chat.rests();
    const response = chat.log.getByRole("article", { name: "Response" });
    expect(await response.getByRole("cell").count()).toBe(9);
    expect(await response.locator("ol > li > ul > li").count()).toBe(2);
    const link = response.getByRole("link", { name: "the guide" });
    expect(await link.getAttribute("href")).toBe("https://example.com/guide");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await response.getByRole("button", { name: "Copy code" }).click();
    expect(await chat.clipboard()).toContain("await joint.glue();");
    expect(await chat.page.title()).toBe("Compare joints – Workshop");
    expect(chat.complaints).toEqual([]);
  });

  test("thinking is closed, and a tool card shows its parameters, progress, and result", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t", status: "streaming" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.button("Stop").waitFor();
    stub.emit("t", "think", { message: "Better to write it down." });
    const thought = chat.log.getByText("Better to write it down.");
    await chat.log.getByText("Thought").click();
    await thought.waitFor();
    await chat.log.getByText("Thought").click();
    await thought.waitFor({ state: "hidden" });
    const text = "Mark the shoulders with a knife. ".repeat(6);
    const call = { toolName: "write_note", message: "", updateTime: 7 };
    stub.emit("t", "tool", { ...call, params: { title: "Oak", text }, partial: true, status: "writing" });
    const card = chat.page.getByRole("region", { name: /^Tool write_note/ });
    // A long call is open while the model writes it.
    await card.getByText("Mark the shoulders").last().waitFor();
    stub.emit("t", "tool", {
      ...call,
      params: { title: "Oak", text },
      partial: true,
      status: "running",
      message: "60%",
    });
    await card.getByText("60%").waitFor();
    await chat.page.getByRole("region", { name: "Tool write_note: Running" }).waitFor();
    stub.emit("t", "tool", {
      ...call,
      params: { title: "Oak", text },
      status: "done",
      message: 'Saved "Oak"',
      toolResult: { words: 36 },
    });
    await chat.page.getByRole("region", { name: "Tool write_note: Done" }).waitFor();
    await card.getByRole("button", { name: /write_note/ }).click();
    await card.getByText('"words": 36').waitFor();
    stub.emit("t", "tool", {
      toolName: "calculate",
      message: "",
      error: "Division by zero",
      status: "failed",
    });
    await chat.page
      .getByRole("region", { name: "Tool calculate: Failed" })
      .getByText("Division by zero")
      .waitFor();
    const denied = {
      toolName: "delete_note",
      message: "Not allowed",
      error: "Not allowed",
      status: "denied",
    };
    stub.emit("t", "tool", denied);
    const rejected = chat.page.getByRole("region", { name: "Tool delete_note: Denied" });
    await rejected.getByText("Denied", { exact: true }).waitFor();
    await rejected.getByText("Not allowed").waitFor();
    expect(chat.complaints).toEqual([]);
  });

  test("Escape stops a run, except if it closes something else, and the run can be resumed", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t", status: "streaming" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.button("Stop").waitFor();
    await chat.page.getByRole("textbox", { name: "Search conversations" }).fill("x");
    await chat.page.keyboard.press("Escape");
    await chat.act("t", "Rename");
    await chat.page.getByRole("dialog").waitFor();
    await chat.page.keyboard.press("Escape");
    await chat.page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(stub.sent("interrupt")).toEqual([]);
    await chat.box.press("Escape");
    await chat.page.getByText("The run was stopped.").waitFor();
    await chat.sees("Stopped by the user");
    expect(stub.sent("interrupt")).toEqual([{ taskId: "t" }]);
    await chat.button("Resume").click();
    await chat.button("Stop").waitFor();
    expect(stub.sent("resume")).toEqual([{ taskId: "t" }]);
    expect(chat.complaints).toEqual([]);
  });

  test.each([
    ["error", "The run ended with an error.", "Resume"],
    ["length", "The response reached its maximum length.", "Resume"],
    ["budget", "The run reached its limit of tokens.", "Resume"],
    ["filtered", "The provider’s content filter ended the response.", "Send again"],
  ])("after the end %s, the page offers the next step", async (reason, text, action) => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    stub.emit("t", "userSendMessage", { message: "Go on" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.sees("Go on");
    stub.end("t", reason);
    await chat.page.getByText(text).waitFor();
    await chat.button(action).click();
    const type = action === "Resume" ? "resume" : "userSendMessage";
    await expect.poll(() => stub.sent(type).length).toBe(1);
    if (action === "Send again") expect(stub.sent(type)[0]).toMatchObject({ message: "Go on", taskId: "t" });
  });

  test("the last message can be sent again after a response", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    stub.emit("t", "userSendMessage", { message: "Roll the dice" });
    stub.emit("t", "message", { message: "Three" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.button("Send the last message again").click();
    await expect.poll(() => stub.sent("userSendMessage").length).toBe(1);
    expect(stub.sent("userSendMessage")[0]).toMatchObject({ message: "Roll the dice" });
  });

  test("a click on a suggestion answers a question, and the suggestions disappear", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    stub.emit("t", "askFollowupQuestion", { question: "Which wood?", suggestOptions: ["Oak", "Ash"] });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.page.getByRole("group", { name: "Suggested answers" }).waitFor();
    expect(await chat.box.getAttribute("placeholder")).toBe("Write your answer…");
    await chat.button("Ash").click();
    await chat.button("Ash").waitFor({ state: "detached" });
    expect(stub.sent("userSendMessage")[0]).toMatchObject({ message: "Ash", taskId: "t" });
  });

  test("subtasks link to their conversations, and those link back", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t", title: "Main" });
    stub.add({ taskId: "sub", parentTaskId: "t" });
    stub.emit("t", "tool", {
      toolName: "assignTasks",
      params: { tasklist: ["Write a note"] },
      message: "1",
      status: "done",
    });
    stub.emit("t", "assignTaskUpdated", {
      index: 0,
      taskId: "sub",
      parentTaskId: "t",
      taskStatus: "completed",
    });
    stub.emit("sub", "message", { message: "I am a part" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.page.getByRole("region", { name: "Subtasks" }).getByText("Done").waitFor();
    await chat.page.getByRole("link", { name: "Write a note" }).click();
    await chat.sees("I am a part");
    await chat.page.getByRole("link", { name: "Back to the main task" }).click();
    await chat.page.getByRole("heading", { name: "Main" }).waitFor();
  });

  test("tokens are shown for responses and the conversation, with the length of the context", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t", status: "streaming" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.button("Stop").waitFor();
    stub.emit("t", "message", { message: "Short" });
    await chat.sees("Short");
    stub.broadcast({
      type: "usage",
      data: {
        taskId: "t",
        response: { inputTokens: 1_200, outputTokens: 34 },
        run: { inputTokens: 2_400, outputTokens: 70 },
        task: { inputTokens: 9_000, outputTokens: 500, reasoningTokens: 90 },
        contextTokens: 1_234,
        contextWindow: 10_000,
      },
    });
    stub.end("t");
    await chat.log.getByText("1.2k tokens in, 34 out").waitFor();
    await chat.button("12% of the context").click();
    const dialog = chat.page.getByRole("dialog", { name: "Tokens" });
    await dialog.getByText("1,234 of 10,000").waitFor();
    await dialog.getByText("9,000").waitFor();
    await dialog.getByText("2,400").waitFor();
  });

  test("a summary of earlier messages can be read", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    stub.emit("t", "compaction", { summary: "They build **a table**." });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.log.getByText("Earlier messages were summarized for the model").click();
    await chat.log.getByText("a table").waitFor();
  });

  test("each conversation has its own draft, which a reload keeps", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.box.fill("two\nlines");
    await chat.button("New conversation").click();
    await expect.poll(() => chat.box.inputValue()).toBe("");
    await chat.box.pressSequentially("one");
    await chat.box.press("Shift+Enter");
    await chat.box.pressSequentially("more");
    expect(await chat.box.inputValue()).toBe("one\nmore");
    await chat.page.goBack();
    await expect.poll(() => chat.box.inputValue()).toBe("two\nlines");
    await chat.page.reload();
    await expect.poll(() => chat.box.inputValue()).toBe("two\nlines");
    await chat.box.press("Enter");
    await expect.poll(() => stub.sent("userSendMessage").length).toBe(1);
    await expect.poll(() => chat.box.inputValue()).toBe("");
  });

  test("a lost connection loses neither the conversation nor the draft", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    stub.emit("t", "message", { message: "Before" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.sees("Before");
    await chat.box.fill("Typed");
    await stub.stop();
    await chat.page.getByText("The connection to the server is lost.").waitFor();
    await chat.box.press("Enter");
    expect(await chat.box.inputValue()).toBe("Typed");
    stub.emit("t", "message", { message: "Meanwhile" });
    await stub.start();
    await chat.sees("Meanwhile");
    await chat.page.getByText("The connection to the server is lost.").waitFor({ state: "hidden" });
    await chat.box.press("Enter");
    await chat.sees("Typed");
    expect(chat.complaints.filter((text) => !/WebSocket connection to/.test(text))).toEqual([]);
  });

  test("scrolling up stops the page from following the end", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t", status: "streaming" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.button("Stop").waitFor();
    const scroller = chat.page.locator(".a-scroller");
    const top = () => scroller.evaluate((element: { readonly scrollTop: number }) => element.scrollTop);
    const lines = "A line of text.\n\n".repeat(100);
    const time = stub.emit("t", "message", { message: lines, partial: true });
    await expect.poll(top).toBeGreaterThan(1_000);
    await scroller.hover();
    await chat.page.mouse.wheel(0, -100_000);
    await chat.button("Latest").waitFor();
    await expect.poll(top).toBe(0);
    stub.emit("t", "message", { message: `${lines}The end.`, updateTime: time });
    await chat.log.getByText("The end.").waitFor({ state: "attached" });
    expect(await top()).toBe(0);
    await chat.button("Latest").click();
    await chat.button("Latest").waitFor({ state: "hidden" });
    expect(await top()).toBeGreaterThan(1_000);
  });

  test("a very long conversation opens fast, and earlier messages follow on demand", async () => {
    const stub = await StubServer.start();
    const { messages } = stub.add({ taskId: "t" });
    for (let index = 0; index < 2_000; index++) {
      const data = { taskId: "t", updateTime: index };
      messages.push({ type: "userSendMessage", data: { ...data, message: `Question ${index}` } });
      messages.push({ type: "message", data: { ...data, message: `Answer **${index}**\n\n- one\n- two` } });
    }
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.sees("Question 1999");
    expect(await chat.page.locator(".a-item").count()).toBe(80);
    await chat.button("Show earlier messages (3,920)").click();
    await expect.poll(() => chat.page.locator(".a-item").count()).toBe(160);
    await chat.box.fill("Still fast");
    expect(await chat.box.inputValue()).toBe("Still fast");
  });
});
