import { expect, test } from "vitest";
import { describeInBrowser, PHONE } from "../support/browser-page.js";
import { openChat } from "./support/chat.js";
import { addApproval, addConversation, addTasks } from "./support/sample-task.js";
import { StubServer } from "./support/stub-server.js";

describeInBrowser("screens of the agent page", () => {
  async function start() {
    const suggestions = ["Which joint should I use?", "Write a note about oak", "Translate a manual"];
    const stub = await StubServer.start({ page: { title: "Workshop agent", suggestions } });
    addTasks(stub);
    addConversation(stub);
    return stub;
  }

  test("nothing is wider than a wide window", async () => {
    const stub = await start();
    const chat = await openChat(stub.url);
    await chat.button("Write a note about oak").waitFor();
    await chat.screenshots("wide-empty");
    await chat.go("joints");
    await chat.log.getByText("Permission").or(chat.log.getByText("was denied by Ada")).waitFor();
    expect(await chat.overflow()).toEqual([]);
    await chat.screenshots("wide-end");
    addApproval(stub);
    await chat.button("Deny…").waitFor();
    await chat.screenshots("wide-approval");
    await chat.page.locator(".a-scroller").evaluate((element: { scrollTop: number }) => {
      element.scrollTop = 0;
    });
    await chat.log.getByText("Strength and effort").waitFor();
    await chat.screenshots("wide-start");
    expect(await chat.overflow()).toEqual([]);
    expect(chat.complaints).toEqual([]);
  });

  test("on a phone, nothing is wider than the screen, and the list is a drawer", async () => {
    const stub = await start();
    stub.emit("joints", "message", {
      message: `${"wide".repeat(100)}\n\n| ${"a | ".repeat(20)}\n| ${"- | ".repeat(20)}\n\n\`\`\`\n${"x".repeat(300)}\n\`\`\``,
    });
    const chat = await openChat(stub.url, { ...PHONE, taskId: "joints" });
    await chat.log.getByText("widewide").waitFor();
    expect(await chat.overflow()).toEqual([]);
    addApproval(stub);
    await chat.button("Deny…").waitFor();
    await chat.screenshots("phone-approval");
    await chat.page.locator(".a-scroller").evaluate((element: { scrollTop: number }) => {
      element.scrollTop = 0;
    });
    await chat.log.getByText("Strength and effort").waitFor();
    await chat.screenshots("phone-start");
    const side = chat.page.locator("#sidebar");
    expect(await side.getAttribute("inert")).not.toBeNull();
    await chat.button("Conversations").click();
    await chat.list.getByRole("link", { name: "Price list" }).waitFor();
    expect(await side.getAttribute("inert")).toBeNull();
    await chat.screenshots("phone-list");
    await chat.page.keyboard.press("Escape");
    await expect.poll(() => side.getAttribute("inert")).not.toBeNull();
    await chat.button("Conversations").click();
    await chat.list.getByRole("link", { name: "Price list" }).click();
    await chat.page.getByRole("heading", { name: "Price list" }).waitFor();
    await expect.poll(() => side.getAttribute("inert")).not.toBeNull();
    expect(await chat.overflow()).toEqual([]);
    expect(chat.complaints).toEqual([]);
  });

  test("the theme follows the system until the user selects one, which a reload keeps", async () => {
    const stub = await start();
    const chat = await openChat(stub.url, { colorScheme: "dark" });
    const background = () => chat.page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    await chat.box.waitFor();
    expect(await background()).toBe("rgb(27, 29, 30)");
    await chat.button("Theme: system. Change it").click();
    await expect.poll(background).toBe("rgb(255, 255, 255)");
    await chat.page.reload();
    await chat.button("Theme: light. Change it").waitFor();
    expect(await background()).toBe("rgb(255, 255, 255)");
    await chat.button("Theme: light. Change it").click();
    await expect.poll(background).toBe("rgb(27, 29, 30)");
  });
});
