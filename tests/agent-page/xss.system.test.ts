import { expect, test } from "vitest";
import {
  HTML_PAYLOADS,
  JSON_PAYLOADS,
  MARKDOWN_PAYLOADS,
  MEDIA_PAYLOADS,
  PAGE_PAYLOADS,
  URL_PAYLOADS,
} from "../../tools/attack/corpora/page-payloads.js";
import { describeInBrowser, expectLivePayloads, NO_ATTACKS } from "../support/browser-page.js";
import { type Chat, openChat } from "./support/chat.js";
import { StubServer } from "./support/stub-server.js";

const INERT = { ...NO_ATTACKS, scripts: ["app.js"] };

/** Last payload of a list. A page that shows it has rendered everything before it. */
const END = "The end of the corpus";

async function expectInert(chat: Chat, stub: StubServer): Promise<void> {
  const earlier = chat.button(/^Show earlier messages/);
  while ((await earlier.count()) > 0) await earlier.click();
  // Folded parts are rendered only when they are open.
  await chat.page.evaluate(
    `document.querySelectorAll("summary, .a-tool__head").forEach((element) => element.click())`,
  );
  await chat.settle();
  expect(await chat.attacks()).toEqual(INERT);
  expect(chat.foreignRequests(new URL(stub.url).origin)).toEqual([]);
  expect(chat.complaints).toEqual([]);
}

/** Kinds of messages, and their data for a payload. */
const PLACES: Readonly<Record<string, (payload: string) => Readonly<Record<string, unknown>>>> = {
  userSendMessage: (message) => ({ message }),
  message: (message) => ({ message }),
  think: (message) => ({ message }),
  completionResult: (message) => ({ message }),
  compaction: (summary) => ({ summary }),
  error: (message) => ({ message }),
  alert: (message) => ({ message, severity: message }),
  tool: (text) => ({
    toolName: text,
    params: { [text]: text, list: [text, { [text]: text }] },
    message: text,
    toolResult: { [text]: text, text },
    error: text,
    status: "failed",
  }),
  approval: (text) => ({
    approvalId: text,
    toolName: text,
    params: { [text]: text },
    status: "denied",
    reason: text,
    decidedBy: text,
    subtaskId: text,
  }),
  askFollowupQuestion: (question) => ({ question, suggestOptions: [question, question] }),
  file: (name) => ({ name, mediaType: "text/plain", data: "eA==" }),
};

describeInBrowser("a corpus of hostile texts on the agent page", () => {
  test("runs in a page without protection", async () => {
    await expectLivePayloads(HTML_PAYLOADS);
  });

  test.each(Object.entries(PLACES))("is inert as %s", async (type, toData) => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    for (const payload of PAGE_PAYLOADS) stub.emit("t", type, toData(payload));
    stub.emit("t", "message", { message: END });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.sees(END);
    await expectInert(chat, stub);
    expect(await chat.log.locator(".a-item").count()).toBeGreaterThan(PAGE_PAYLOADS.length);
  });

  test("is inert while it streams in small pieces", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t", status: "streaming" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.button("Stop").waitFor();
    for (const [index, payload] of MARKDOWN_PAYLOADS.entries()) {
      for (let at = 0; at < payload.length; at += 7) {
        const message = payload.slice(at, at + 7);
        stub.emit("t", "message", { message, partial: true, updateTime: index + 1 });
      }
      stub.emit("t", "message", { message: payload, updateTime: index + 1 });
    }
    stub.emit("t", "message", { message: END });
    await chat.sees(END);
    await expectInert(chat, stub);
  });

  test("is inert in JSON results and parameters, and does not change prototypes", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    for (const json of JSON_PAYLOADS) {
      const value: unknown = JSON.parse(json);
      stub.emit("t", "tool", { toolName: "x", params: { json, value }, toolResult: value, status: "done" });
      stub.emit("t", "tool", { toolName: "x", params: {}, toolResult: json, message: json, status: "done" });
      stub.emit("t", "approval", { approvalId: json, toolName: "x", params: value, status: "waiting" });
    }
    stub.emit("t", "message", { message: END });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.sees(END);
    await expectInert(chat, stub);
    expect(await chat.page.evaluate(`({}).owned ?? null`)).toBeNull();
  });

  test("is inert in files and subtasks", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t" });
    for (const file of MEDIA_PAYLOADS) {
      stub.emit("t", "file", { ...file, name: HTML_PAYLOADS[4] });
      stub.emit("t", "userSendMessage", { message: "A file", files: [{ ...file, name: "x.svg" }] });
    }
    stub.emit("t", "tool", {
      toolName: "assignTasks",
      params: { tasklist: PAGE_PAYLOADS },
      message: "",
      status: "done",
    });
    for (const [index, taskId] of [...URL_PAYLOADS, ...HTML_PAYLOADS].entries())
      stub.emit("t", "assignTaskUpdated", { index, taskId, parentTaskId: "t", taskStatus: taskId });
    stub.emit("t", "message", { message: END });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.sees(END);
    // A picture that browsers decode, but whose data is not a picture, is shown as a file.
    await expect.poll(() => chat.log.locator("figure img").count()).toBe(0);
    await expectInert(chat, stub);
  });

  test("is inert in the list, in the search, and in the names of users and the page", async () => {
    const [html = ""] = HTML_PAYLOADS;
    const all = [...HTML_PAYLOADS, ...URL_PAYLOADS];
    const stub = await StubServer.start({
      user: { userId: html },
      page: { title: html, greeting: html, suggestions: all.slice(0, 8) },
    });
    for (const [index, title] of all.entries()) stub.add({ taskId: `${index} ${title}`, title });
    const chat = await openChat(stub.url);
    await chat.list.getByRole("listitem").nth(40).waitFor();
    await expectInert(chat, stub);
    await chat.page.getByRole("textbox", { name: "Search conversations" }).fill("script");
    await expect.poll(() => stub.sent("listTasks").some(({ search }) => search === "script")).toBe(true);
    await expectInert(chat, stub);
    for (const title of all) stub.broadcast({ type: "taskRenamed", data: { taskId: `0 ${all[0]}`, title } });
    for (const message of all) stub.broadcast({ type: "error", data: { message } });
    for (const type of all) stub.broadcast({ type, data: { message: type } });
    await expectInert(chat, stub);
  });

  test("is inert in the address", async () => {
    const stub = await StubServer.start();
    const chat = await openChat(stub.url);
    for (const payload of [...HTML_PAYLOADS, ...URL_PAYLOADS]) {
      await chat.goTo(`#/${payload}`);
      await chat.goTo(`#/${encodeURIComponent(payload)}`);
    }
    await expectInert(chat, stub);
  });

  test("meets a policy that blocks scripts, styles, and requests of other origins", async () => {
    const stub = await StubServer.start();
    const chat = await openChat(stub.url);
    await chat.box.waitFor();
    const policy = (await fetch(stub.url)).headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'"])
      expect(policy.split("; ")).toContain(part);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    await chat.expectPolicy();
  });
});
