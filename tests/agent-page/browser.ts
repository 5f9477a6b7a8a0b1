import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { startAgent } from "../../examples/agent/server.js";
import { CHROMIUM_FLAGS } from "../support/chromium.js";
import type { Stage } from "./stage.js";

/** Generous timeout, for a busy machine. */
const PATIENCE_MS = 60_000;

const SCREENSHOTS = process.env["AGENT_SCREENSHOTS"] ?? join(tmpdir(), "tenon-agent-page");

/** Starts the browser that the tests of a file share. */
export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
}

/** Agent that can be stopped and restarted with its conversations. */
export interface TestAgent {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** Starts the example with a different model. The example stops when the test ends. */
export async function startTestAgent({ model }: Stage): Promise<TestAgent> {
  const storagePath = mkdtempSync(join(tmpdir(), "tenon-agent-page-"));
  let running = await startAgent({ model, storagePath, port: 0 });
  const { url } = running;
  onTestFinished(async () => {
    await running.close();
    rmSync(storagePath, { recursive: true, force: true });
  });
  return {
    url,
    stop: () => running.close(),
    async restart() {
      running = await startAgent({ model, storagePath, port: Number(new URL(url).port) });
    },
  };
}

/** The page in a separate window, with the actions of a user. */
export class Chat {
  readonly page: Page;
  /** Errors that the browser reported. */
  readonly complaints: string[] = [];

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
  }

  get box(): Locator {
    return this.page.getByRole("textbox", { name: "Message" });
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** Returns the text of the conversation. */
  async said(): Promise<string> {
    return this.page.locator("#items").innerText();
  }

  async connected(): Promise<void> {
    await this.page.locator("#connection[data-state=open]").waitFor();
  }

  /** Writes and sends a message, and waits until it is acknowledged. */
  async say(text: string): Promise<void> {
    const safe = this.page.locator(".user:not(.pending)");
    const before = await safe.count();
    await this.box.fill(text);
    await this.box.press("Enter");
    await safe.nth(before).waitFor();
  }

  /** Waits for a text on the page. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.locator("#items").getByText(text).last().waitFor();
  }

  /** Waits until the agent is idle. */
  async rests(): Promise<void> {
    await this.button("Send").waitFor();
  }

  /** Takes screenshots of the light and the dark theme. */
  async screenshots(name: string): Promise<void> {
    for (const colorScheme of ["dark", "light"] as const) {
      await this.page.emulateMedia({ colorScheme });
      await this.screenshot(`${name}-${colorScheme}`);
    }
  }

  async screenshot(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: "disabled" });
  }
}

/** Opens the page. */
export async function openChat(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Chat> {
  const context = await browser.newContext({ viewport: { width: 1_200, height: 800 }, ...options });
  onTestFinished(() => context.close());
  const chat = new Chat(await context.newPage());
  await chat.page.goto(url);
  await chat.connected();
  return chat;
}
