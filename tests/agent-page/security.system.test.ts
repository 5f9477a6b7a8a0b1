import { expect, test } from "vitest";
import { describeInBrowser, NO_ATTACKS } from "../support/browser-page.js";
import { openChat } from "./support/chat.js";
import { StubServer } from "./support/stub-server.js";

const IMG = `<img src=x onerror="window.owned='html'">`;
const HOSTILE = `${IMG} <script>window.owned='script'</script> <svg onload="window.owned='svg'"></svg>

[one](javascript:window.owned='link') [two](data:text/html,<script>window.owned=1</script>) [three](/relative)
![picture](https://attacker.example/pixel.png) ![inline](data:image/svg+xml,<svg/>)
<a href="javascript:window.owned='a'">four</a> [good](https://example.com/ok)

<iframe src="https://attacker.example"></iframe><style>body{display:none}</style>`;

const INERT = { ...NO_ATTACKS, scripts: ["app.js"] };

describeInBrowser("hostile content on the agent page", () => {
  test("stays text in every kind of message", async () => {
    const stub = await StubServer.start({ page: { title: IMG, greeting: IMG, suggestions: [IMG] } });
    stub.add({ taskId: "t", title: IMG });
    const emit = (type: string, data: Readonly<Record<string, unknown>>) => stub.emit("t", type, data);
    emit("userSendMessage", { message: HOSTILE });
    emit("message", { message: HOSTILE });
    emit("think", { message: HOSTILE });
    emit("completionResult", { message: HOSTILE });
    emit("compaction", { summary: HOSTILE });
    emit("error", { message: HOSTILE });
    emit("alert", { message: HOSTILE, severity: "warning" });
    emit("tool", {
      toolName: IMG,
      params: { [IMG]: HOSTILE, __proto__: { owned: 1 } },
      message: HOSTILE,
      toolResult: HOSTILE,
      error: HOSTILE,
      status: "failed",
    });
    emit("tool", { toolName: "assignTasks", params: { tasklist: [IMG] }, message: "", status: "done" });
    emit("assignTaskUpdated", { index: 0, taskId: "sub", parentTaskId: "t", taskStatus: IMG });
    emit("file", { mediaType: "image/svg+xml", data: "PHN2Zy8+", name: IMG });
    emit("file", { mediaType: "text/html", data: "PHNjcmlwdD4=", name: "a.html" });
    emit("file", { mediaType: "image/png", data: "not base64!", name: "b.png" });
    emit("approval", { approvalId: IMG, toolName: IMG, status: "waiting", params: { [IMG]: HOSTILE } });
    emit("approval", { approvalId: "2", toolName: IMG, status: "denied", reason: IMG, decidedBy: IMG });
    emit("askFollowupQuestion", { question: HOSTILE, suggestOptions: [IMG, "javascript:1"] });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.page.getByRole("group", { name: "Suggested answers" }).waitFor();
    for (const summary of await chat.log.locator("summary, .a-tool__head").all()) await summary.click();
    await chat.log.getByText("window.owned='html'").first().waitFor();
    expect(await chat.attacks()).toEqual(INERT);
    const picture = chat.log.getByRole("link", { name: "picture" }).first();
    expect(await picture.getAttribute("href")).toBe("https://attacker.example/pixel.png");
    expect(await chat.log.locator("a[href*=attacker]:not([rel='noopener noreferrer'])").count()).toBe(0);
    await chat.go();
    await chat.button(IMG).waitFor();
    expect(await chat.attacks()).toEqual(INERT);
    expect(chat.foreignRequests(new URL(stub.url).origin)).toEqual([]);
    expect(chat.complaints).toEqual([]);
  });

  test("a hash that is not a task opens nothing", async () => {
    const stub = await StubServer.start();
    const chat = await openChat(stub.url);
    await chat.box.waitFor();
    await chat.page.evaluate(`location.hash = "#/../x?y=<script>"`);
    await chat.page.getByRole("heading", { name: "How can I help?" }).waitFor();
    expect(stub.sent("loadTask")).toEqual([]);
  });

  test("text that streams for a long time does not block the page", async () => {
    const stub = await StubServer.start();
    stub.add({ taskId: "t", status: "streaming" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.button("Stop").waitFor();
    const piece = "- item with **bold** and `code`\n".repeat(8);
    for (let count = 0; count < 400; count++)
      stub.emit("t", "message", { message: piece, partial: true, updateTime: 9 });
    await chat.box.fill("The page responds");
    await chat.button("Stop").click();
    await expect.poll(() => stub.sent("interrupt").length).toBe(1);
  });
});

describeInBrowser("sign-in on the agent page", () => {
  const TOKEN = "a-secret-token-of-ada";

  async function open() {
    const stub = await StubServer.start({
      token: TOKEN,
      user: { userId: "ada@example.com" },
      page: { needsToken: true, title: "Workshop" },
    });
    stub.add({ taskId: "t", title: "Private" });
    const chat = await openChat(stub.url);
    return { stub, chat, token: chat.page.getByLabel("Token") };
  }

  const stored =
    "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, location.href])";

  test("the token is the first message, and is in no URL and no storage", async () => {
    const { stub, chat, token } = await open();
    await token.fill("wrong");
    await chat.button("Sign in").click();
    await chat.page.getByText("The server does not accept this token.").waitFor();
    await token.fill(TOKEN);
    await chat.button("Sign in").click();
    await chat.page.getByRole("link", { name: "Private" }).waitFor();
    await chat.page.getByText("ada@example.com").waitFor();
    expect(stub.received[0]).toEqual({ type: "authenticate", data: { token: "wrong" } });
    expect(stub.sent("authenticate").at(-1)).toEqual({ token: TOKEN });
    expect(await chat.page.evaluate<string>(stored)).not.toContain(TOKEN);
    expect(chat.requests.join("\n")).not.toContain(TOKEN);
    await chat.page.reload();
    await token.waitFor();
    expect(chat.complaints).toEqual([]);
  });

  test("the token is kept for the tab if the user wants it, until the user signs out", async () => {
    const { chat, token } = await open();
    await token.fill(TOKEN);
    await chat.page.getByLabel("Remember it until this tab is closed").check();
    await chat.button("Sign in").click();
    await chat.page.getByRole("link", { name: "Private" }).waitFor();
    await chat.page.reload();
    await chat.page.getByRole("link", { name: "Private" }).waitFor();
    await chat.button("Sign out").click();
    await token.waitFor();
    expect(await chat.page.evaluate<string>(stored)).not.toContain(TOKEN);
    expect(await chat.page.getByText("Private").count()).toBe(0);
    await chat.page.reload();
    await token.waitFor();
  });

  test("a sign-out removes the drafts and leaves the conversation", async () => {
    const { stub, chat, token } = await open();
    const signIn = async () => {
      await token.fill(TOKEN);
      await chat.button("Sign in").click();
    };
    await signIn();
    await chat.box.fill("A private plan");
    await chat.page.getByRole("link", { name: "Private" }).click();
    await expect.poll(() => chat.box.inputValue()).toBe("");
    await chat.box.fill("A private answer");
    expect(await chat.page.evaluate<string>(stored)).toContain("A private answer");
    await chat.button("Sign out").click();
    await token.waitFor();
    expect(await chat.page.evaluate<string>(stored)).not.toContain("private");
    expect(await chat.page.evaluate<string>(stored)).not.toContain("ada");
    expect(chat.page.url()).toBe(`${stub.url}#/`);
    await signIn();
    await chat.box.waitFor();
    expect(await chat.box.inputValue()).toBe("");
    await chat.page.getByRole("link", { name: "Private" }).click();
    await chat.page.getByRole("heading", { name: "Private" }).waitFor();
    expect(await chat.box.inputValue()).toBe("");
    expect(chat.complaints).toEqual([]);
  });

  test("another user in the same tab does not see what the last one has entered", async () => {
    const stub = await StubServer.start({ user: { userId: "ada" } });
    stub.add({ taskId: "t", title: "Private" });
    stub.emit("t", "message", { message: "For Ada only" });
    const chat = await openChat(stub.url, { taskId: "t" });
    await chat.sees("For Ada only");
    await chat.box.fill("A private plan");
    stub.user = { userId: "grace" };
    stub.tasks.clear();
    await stub.stop();
    await chat.page.getByText("The connection to the server is lost.").waitFor();
    await stub.start();
    await chat.page.getByText("grace").waitFor();
    await chat.page.getByRole("heading", { name: "How can I help?" }).waitFor();
    expect(await chat.box.inputValue()).toBe("");
    expect(await chat.page.evaluate<string>(stored)).not.toContain("private");
    expect(await chat.page.textContent("body")).not.toMatch(/Private|For Ada only/);
    expect(chat.page.url()).toBe(`${stub.url}#/`);
  });

  test("the page says that it connects, until the server accepts the connection", async () => {
    const stub = await StubServer.start({ token: TOKEN });
    const chat = await openChat(stub.url);
    await chat.page.getByRole("status").getByText("Connecting…").waitFor();
    expect(await chat.page.getByLabel("Token").count()).toBe(0);
    expect(await chat.box.count()).toBe(0);
  });

  test("a visitor without a cookie sees the form, although the server still waits", async () => {
    const stub = await StubServer.start({ token: TOKEN, page: { hasUsers: true } });
    const chat = await openChat(stub.url);
    const token = chat.page.getByLabel("Token");
    await token.waitFor();
    expect(stub.received).toEqual([]);
    await token.fill(TOKEN);
    await chat.button("Sign in").click();
    await chat.box.waitFor();
    expect(chat.complaints).toEqual([]);
  });

  test("a link to the sign-in of the application replaces the form", async () => {
    const stub = await StubServer.start({ token: TOKEN, page: { signInUrl: "/login?next=%2F" } });
    const chat = await openChat(stub.url);
    const link = chat.page.getByRole("link", { name: "Sign in" });
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe("/login?next=%2F");
    expect(await chat.page.getByLabel("Token").count()).toBe(0);
    await link.click();
    await chat.page.waitForURL(`${stub.url}login?next=%2F`);
  });
});
