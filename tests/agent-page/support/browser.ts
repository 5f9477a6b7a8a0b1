/**
 * @fileoverview The agent page in a browser, with the actions of a user.
 * @module tests/agent-page/support/browser
 */
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { CHROMIUM_FLAGS, findChromium } from "../../support/chromium.js";

/** Timeout of each action, for a busy machine. */
const PATIENCE_MS = 60_000;

/** Options of tests with several actions, so that an action that fails is reported before the test times out. */
export const PATIENT = { timeout: 180_000 };

/** Window of a phone. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 780 },
  isMobile: true,
  hasTouch: true,
};

const SCREENSHOTS = process.env["AGENT_SCREENSHOTS"] ?? join(tmpdir(), "tenon-agent-page");

/** Browser of the tests. Its path is absent if there is none. */
export const found = await findChromium();
if (found.path === undefined) {
  process.stderr.write(`Skipped the agent page in a real browser: ${found.reason}\n`);
}

/** Elements that are wider than the window, if the page scrolls horizontally. */
const OVERFLOW = `[document.documentElement, ...document.querySelectorAll(".a-scroller")]
  .every((element) => element.scrollWidth <= element.clientWidth)
  ? []
  : [...document.querySelectorAll("body *")]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.tagName + " " + element.className)`;

/** Waits until the page is painted. */
const NEXT_FRAME =
  "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))";

/** Starts the browser that the tests of a file share. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: found.path ?? "", args: [...CHROMIUM_FLAGS] });
}

/** Options of `openChat`. */
export interface OpenOptions extends BrowserContextOptions {
  /** Task to show. */
  readonly taskId?: string;
}

/** Opens the page in a window of its own, which closes when the test ends. */
export async function openChat(
  browser: Browser,
  url: string,
  { taskId = "", ...options }: OpenOptions = {},
): Promise<Chat> {
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 860 },
    permissions: ["clipboard-read", "clipboard-write"],
    reducedMotion: "reduce",
    ...options,
  });
  onTestFinished(() => context.close());
  const chat = new Chat(await context.newPage());
  await chat.page.goto(`${url}#/${taskId}`);
  return chat;
}

/** The page with the actions of a user. */
export class Chat {
  readonly page: Page;
  /** Errors, warnings, and dialogs that the browser reported. */
  readonly complaints: string[] = [];
  /** URLs of all requests. */
  readonly requests: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error.stack)));
    page.on("dialog", (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => this.requests.push(request.url()));
  }

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

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: typeof name === "string" });
  }

  /** Goes to a conversation, or to a new one. */
  async go(taskId = ""): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(`#/${taskId}`)}`);
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

  /** Selects the color scheme of the system, and waits until the page has it. */
  async selectScheme(colorScheme: "light" | "dark"): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    const query = `matchMedia("(prefers-color-scheme: ${colorScheme})").matches`;
    await expect.poll(() => this.page.evaluate<boolean>(query)).toBe(true);
    await this.page.evaluate(NEXT_FRAME);
  }

  /** Elements that make the page scroll horizontally. */
  overflow(): Promise<readonly string[]> {
    return this.page.evaluate(OVERFLOW);
  }

  /** Text of the clipboard. */
  clipboard(): Promise<string> {
    return this.page.evaluate("navigator.clipboard.readText()");
  }

  /** Takes screenshots in both color schemes. */
  async screenshots(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    for (const scheme of ["dark", "light"] as const) {
      await this.selectScheme(scheme);
      const path = join(SCREENSHOTS, `${name}-${scheme}.png`);
      await this.page.screenshot({ path, animations: "disabled" });
    }
  }
}
