import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-page.js";
import { openChat } from "./support/chat.js";
import { StubServer } from "./support/stub-server.js";

const WAITING = {
  approvalId: "a1",
  toolName: "delete_files",
  status: "waiting",
  params: { folder: "drafts", pattern: "*.old" },
  updateTime: 5,
};

describeInBrowser("approvals on the agent page", () => {
  async function open(user?: { readonly canWrite: boolean }) {
    const stub = await StubServer.start(user && { user });
    stub.add({ taskId: "t", title: "Clean up", status: "waiting" });
    stub.emit("t", "approval", WAITING);
    const chat = await openChat(stub.url, { taskId: "t" });
    const card = chat.page.getByRole("region", { name: "Approval of delete_files" });
    await card.getByText("*.old").waitFor();
    return { stub, chat, card };
  }

  test("a call shows its parameters, and runs after it is allowed", async () => {
    const { stub, chat, card } = await open();
    expect(await chat.page.title()).toBe("(1) Clean up – Agent");
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await expect
      .poll(() => stub.sent("answerApproval"))
      .toEqual([{ taskId: "t", approvalId: "a1", decision: "approve" }]);
    stub.emit("t", "approval", { ...WAITING, status: "approved", decidedBy: "Grace" });
    await card.getByText("was allowed by Grace").waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
    expect(chat.complaints).toEqual([]);
  });

  test("a call is denied with a reason", async () => {
    const { stub, card } = await open();
    await card.getByRole("button", { name: "Deny…" }).click();
    await card.getByRole("textbox", { name: "Reason" }).fill("Keep the drafts.");
    await card.getByRole("button", { name: "Deny", exact: true }).click();
    await expect
      .poll(() => stub.sent("answerApproval"))
      .toEqual([{ taskId: "t", approvalId: "a1", decision: "deny", reason: "Keep the drafts." }]);
    stub.emit("t", "approval", { ...WAITING, status: "denied", reason: "Keep the drafts." });
    await card.getByText("was denied").waitFor();
    await card.getByText("“Keep the drafts.”").waitFor();
  });

  test("the focus moves to the reason, back to the button, and to the decision", async () => {
    const { stub, chat, card } = await open();
    const focused = chat.page.locator(":focus");
    const deny = card.getByRole("button", { name: "Deny…" });
    const reason = card.getByRole("textbox", { name: "Reason" });
    await deny.press("Enter");
    await reason.and(focused).waitFor();
    await chat.page.keyboard.type("Keep");
    await card.getByRole("button", { name: "Back" }).press("Enter");
    await deny.and(focused).waitFor();
    await deny.press("Enter");
    await reason.and(focused).waitFor();
    expect(await reason.inputValue()).toBe("Keep");
    await reason.press("Enter");
    await expect.poll(() => stub.sent("answerApproval").length).toBe(1);
    stub.emit("t", "approval", { ...WAITING, status: "denied", reason: "Keep" });
    await card.getByRole("heading", { name: "delete_files was denied" }).and(focused).waitFor();
  });

  test("a decision of another client leaves the focus where it is", async () => {
    const { stub, chat, card } = await open();
    await chat.box.fill("I write");
    stub.emit("t", "approval", { ...WAITING, status: "approved", decidedBy: "Ada" });
    await card.getByText("was allowed by Ada").waitFor();
    await chat.box.and(chat.page.locator(":focus")).waitFor();
  });

  test("a tool is always allowed in the conversation", async () => {
    const { stub, card } = await open();
    await card.getByRole("button", { name: "Always allow in this conversation" }).click();
    await expect.poll(() => stub.sent("answerApproval")).toMatchObject([{ decision: "always" }]);
    stub.emit("t", "approval", { ...WAITING, status: "approved", always: true });
    await card.getByText("was always allowed").waitFor();
  });

  test("the decision of another client replaces the buttons, and a message cancels the call", async () => {
    const { stub, chat, card } = await open();
    const other = await openChat(stub.url, { taskId: "t" });
    await other.page.getByRole("button", { name: "Deny…" }).click();
    await other.page.getByRole("button", { name: "Deny", exact: true }).click();
    await expect.poll(() => stub.sent("answerApproval").length).toBe(1);
    stub.emit("t", "approval", { ...WAITING, status: "denied", decidedBy: "Ada" });
    await card.getByText("was denied by Ada").waitFor();
    stub.emit("t", "approval", { ...WAITING, approvalId: "a2", updateTime: 6 });
    stub.end("t", "approval");
    await chat.button("Deny…").waitFor();
    await chat.say("Never mind");
    stub.emit("t", "approval", { ...WAITING, approvalId: "a2", updateTime: 6, status: "cancelled" });
    await chat.log.getByText("was not decided").waitFor();
  });

  test("a call of a subtask is decided in the subtask", async () => {
    const { stub, chat } = await open();
    stub.add({ taskId: "sub", parentTaskId: "t" });
    stub.emit("t", "approval", {
      ...WAITING,
      approvalId: "a3",
      subtaskId: "sub",
      toolName: "send_mail",
      updateTime: 7,
    });
    const card = chat.page.getByRole("region", { name: "Approval of send_mail" });
    await card.getByRole("link", { name: "Open the subtask" }).waitFor();
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await expect
      .poll(() => stub.sent("answerApproval"))
      .toEqual([{ taskId: "sub", approvalId: "a3", decision: "approve" }]);
  });

  test("a user who can only watch sees the call without buttons, and cannot write", async () => {
    const { chat, card } = await open({ canWrite: false });
    await card.getByText("Another user decides about this call.").waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
    await chat.page.getByText("You can read this conversation, but you cannot write messages.").waitFor();
    await chat.page.getByText("Read only").waitFor();
    expect(await chat.box.count()).toBe(0);
    expect(await chat.button("New conversation").count()).toBe(0);
    expect(await chat.button(/^Actions for/).count()).toBe(0);
  });
});
