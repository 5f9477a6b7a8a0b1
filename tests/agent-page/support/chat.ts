/**
 * @fileoverview The agent page in a browser, with the actions of a user.
 * @module tests/agent-page/support/chat
 */
import type { BrowserContextOptions, Locator } from "playwright-core";
import { BrowserPage, openWindow } from "../../support/browser-page.js";

/** Shows everything, because the audit skips content that the browser does not lay out. */
const SHOW_ALL = `for (const item of document.querySelectorAll(".a-item, .a-row")) item.style.contentVisibility = "visible";
  for (const hidden of document.querySelectorAll(".a-hover, .a-row__menu")) hidden.style.opacity = "1"; undefined`;

/** Options of `openChat`. */
export interface OpenOptions extends BrowserContextOptions {
  /** Task to show. */
  readonly taskId?: string;
}

/** Opens the page in a window of its own, which closes when the test ends. */
export async function openChat(url: string, { taskId = "", ...options }: OpenOptions = {}): Promise<Chat> {
  const chat = new Chat(await openWindow({ viewport: { width: 1_280, height: 860 }, ...options }));
  await chat.page.goto(`${url}#/${taskId}`);
  return chat;
}

/** The page with the actions of a user. */
export class Chat extends BrowserPage {
  /** Input for messages. */
  get box(): Locator {
    return this.page.getByRole("textbox", { name: "Message", exact: true });
  }

  /** Messages of the conversation. */
  get log(): Locator {
    return this.page.getByRole("log", { name: "Messages" });
  }

  /** List of conversations. */
  get list(): Locator {
    return this.page.getByRole("navigation", { name: "Conversations" });
  }

  /** Goes to a conversation, or to a new one. */
  async go(taskId = ""): Promise<void> {
    await this.goTo(`#/${taskId}`);
  }

  /** Writes and sends a message, and waits until it is shown as stored. */
  async say(text: string): Promise<void> {
    const stored = this.page.locator(".a-user:not([data-delivery])");
    const before = await stored.count();
    await this.box.fill(text);
    await this.button("Send").and(this.page.locator(":enabled")).waitFor();
    await this.box.press("Enter");
    await stored.nth(before).waitFor();
  }

  /** Waits for a text in the conversation. */
  async sees(text: string | RegExp): Promise<void> {
    await this.log.getByText(text).last().waitFor();
  }

  /** Waits until the agent is idle. */
  async rests(): Promise<void> {
    await this.button("Send").waitFor();
  }

  /** Opens the menu of a conversation, and selects an action. */
  async act(title: string, action: string): Promise<void> {
    const row = this.list.getByRole("listitem").filter({ hasText: title });
    await row.hover();
    await row.getByRole("button").click();
    await this.page.getByRole("menuitem", { name: action }).and(this.page.locator(":visible")).click();
  }

  override async audit(rules?: object): Promise<readonly string[]> {
    await this.page.evaluate(SHOW_ALL);
    return super.audit(rules);
  }
}
