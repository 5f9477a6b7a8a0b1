/**
 * @fileoverview The development page in a browser, with the actions of a user.
 * @module tests/dev-page/support/browser
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

const SCREENSHOTS = process.env["DEV_PAGE_SCREENSHOTS"] ?? join(tmpdir(), "tenon-dev-page");

/** Browser of the tests. Its path is absent if there is none. */
export const found = await findChromium();
if (found.path === undefined) {
  process.stderr.write(`Skipped the development page in a real browser: ${found.reason}\n`);
}

/** Elements that are wider than the window, if the page scrolls horizontally. */
const OVERFLOW = `document.documentElement.scrollWidth <= innerWidth
  ? []
  : [...document.querySelectorAll("body *")]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.tagName + " " + element.className)`;

/** Waits until the page is painted. */
const NEXT_FRAME =
  "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))";

/** Starts the browser that the tests of a file share. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: found.path ?? "", args: [...CHROMIUM_FLAGS] });
}

/** Options of `openPage`. */
export interface OpenOptions extends BrowserContextOptions {
  /** Place on the page, such as `#/calls`. */
  readonly hash?: string;
  /** False if the page is not expected to connect. @default true */
  readonly isReady?: boolean;
}

/** Opens the page in a window of its own, which closes when the test ends. */
export async function openPage(
  browser: Browser,
  url: string,
  { hash = "", isReady = true, ...options }: OpenOptions = {},
): Promise<DevPage> {
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
    reducedMotion: "reduce",
    ...options,
  });
  onTestFinished(() => context.close());
  const dev = new DevPage(await context.newPage());
  await dev.page.goto(`${url}${hash}`);
  if (isReady) await dev.ready();
  return dev;
}

/** The page with the actions of a user. */
export class DevPage {
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

  /** Waits until the page is connected in both eras, or in those that the server has. */
  async ready(): Promise<void> {
    await this.page
      .locator(".p-top__state .t-badge[data-tone=success]")
      .first()
      .waitFor({ state: "attached" });
  }

  /** Goes to an area through the navigation. */
  async area(title: string): Promise<void> {
    await this.page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: title }).click();
    await this.page.getByRole("main", { name: title }).waitFor();
  }

  /** Goes to a place by its hash. */
  async go(hash: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** Opens a tool. */
  async tool(name: string): Promise<void> {
    await this.go(`#/tools/${name}`);
    await this.page.getByRole("form", { name: `Call ${name}` }).waitFor();
  }

  /** Opens a tool without arguments, and calls it. */
  async call(name: string): Promise<void> {
    await this.tool(name);
    await this.button("Call tool").click();
  }

  /** Result of the tool that is open. */
  get result(): Locator {
    return this.page.locator(".p-call__result");
  }

  /** Selects the era of the next calls. */
  async selectEra(era: "Modern" | "Legacy"): Promise<void> {
    await this.page
      .getByRole("group", { name: "Era of the next call" })
      .getByText(era, { exact: true })
      .click();
  }

  /** Selects the color scheme of the system, and waits until the page has it. */
  async selectScheme(colorScheme: "light" | "dark"): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    const query = `matchMedia("(prefers-color-scheme: ${colorScheme})").matches`;
    await expect.poll(() => this.page.evaluate<boolean>(query)).toBe(true);
    await this.page.evaluate(NEXT_FRAME);
  }

  /** Text of the clipboard. */
  clipboard(): Promise<string> {
    return this.page.evaluate("navigator.clipboard.readText()");
  }

  /** Elements that make the page scroll horizontally. */
  overflow(): Promise<readonly string[]> {
    return this.page.evaluate(OVERFLOW);
  }

  /** Takes a screenshot. */
  async screenshot(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: "disabled" });
  }
}
