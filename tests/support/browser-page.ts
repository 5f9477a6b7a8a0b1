/**
 * @fileoverview Pages in a browser. All test files of a worker share one browser, and each page has a window of its own.
 * @module tests/support/browser-page
 */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { describe, expect, onTestFinished } from "vitest";
import { findChromium, launchSharedBrowser } from "./chromium.js";

/** Timeout of each action, for a busy machine. */
const PATIENCE_MS = 60_000;

/** Timeout of tests with many actions, so that an action that fails is reported before the test times out. */
const TEST_MS = 240_000;

/** Window of a phone. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 780 },
  isMobile: true,
  hasTouch: true,
};

const SCREENSHOTS = process.env["PAGE_SCREENSHOTS"] ?? join(tmpdir(), "tenon-pages");

const found = await findChromium();
if (found.path === undefined) process.stderr.write(`Skipped the pages in a real browser: ${found.reason}\n`);

/** Describes tests that require a browser. They are skipped if there is none. */
export function describeInBrowser(title: string, tests: () => void): void {
  describe.skipIf(found.path === undefined)(title, { timeout: TEST_MS }, tests);
}

/** Opens a window without a page, which closes when the test ends. */
export async function openWindow(options: BrowserContextOptions = {}): Promise<Page> {
  const browser = await launchSharedBrowser(found.path ?? "");
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
    reducedMotion: "reduce",
    ...options,
  });
  onTestFinished(() => context.close());
  return context.newPage();
}

/**
 * Expects that payloads run code or request something in a page without protection. Otherwise, a test that finds them
 * inert would prove nothing.
 */
export async function expectLivePayloads(payloads: readonly string[]): Promise<void> {
  const context = (await openWindow()).context();
  let live = 0;
  for (const payload of payloads) {
    const page = await context.newPage();
    let requests = 0;
    await page.route(/attacker\.example/, (route) => {
      requests++;
      return route.abort();
    });
    await page.setContent(`<!doctype html><body>${payload}`, { waitUntil: "commit" });
    await page.waitForTimeout(20);
    const isOwned = await page.evaluate<boolean>(`window.owned === 1`).catch(() => false);
    if (isOwned || requests > 0) live++;
    await page.close();
  }
  // Some of them need a click, or a place other than the body.
  expect(live / payloads.length).toBeGreaterThan(0.5);
}

/** Elements that are wider than the window, if the page or its scroller scrolls horizontally. */
const OVERFLOW = `[document.documentElement, ...document.querySelectorAll(".a-scroller")]
  .every((element) => element.scrollWidth <= element.clientWidth)
  ? []
  : [...document.querySelectorAll("body *")]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.tagName + " " + element.className)`;

/** Waits until the page is painted. */
const NEXT_FRAME =
  "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))";

/** Signs of code that has run, and of content that could run code or load something. */
const ATTACKS = `({
  owned: window.owned ?? null,
  elements: [...document.querySelectorAll("iframe, object, embed, svg[onload], [onerror], [onload], [onclick], base, form[action]")]
    .map((element) => element.outerHTML.slice(0, 200)),
  scripts: [...document.scripts].map((script) => script.getAttribute("src")),
  styles: document.querySelectorAll("style").length,
  links: [...document.querySelectorAll("a")].map((link) => link.href)
    .filter((href) => !/^(?:https?:|mailto:|$)/i.test(href)),
  images: [...document.images].map((image) => image.src)
    .filter((src) => !/^(?:data:image\\/(?:png|jpeg|gif|webp|avif);|blob:)/.test(src)),
})`;

/** Tries what an attacker would try after a bug in the page, and returns the parts of the policy that blocked it. */
const POLICY_PROBE = `(async () => {
  const blocked = new Set();
  document.addEventListener("securitypolicyviolation", (event) => blocked.add(event.effectiveDirective));
  const add = (name, attributes) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    document.body.append(element);
  };
  add("style", {});
  document.body.lastChild.append("body { color: red }");
  add("img", { src: "https://attacker.example/x.png" });
  const link = document.createElement("script");
  try { link.src = "https://attacker.example/x.js"; } catch { blocked.add("script-src-elem"); }
  document.body.append(link);
  try { add("button", { onclick: "window.owned=1" }); } catch { blocked.add("script-src-attr"); }
  if (document.body.lastChild instanceof HTMLButtonElement) document.body.lastChild.click();
  await fetch("https://attacker.example/").catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 100));
  return [...blocked].filter((name) => !name.startsWith("require-trusted-types"));
})()`;

/** `BrowserPage.attacks` of a page whose content is inert, except for its own script. */
export const NO_ATTACKS = { owned: null, elements: [], styles: 0, links: [], images: [] };

/** The browser evaluates the text through the driver, which the content security policy of the page does not block. */
const readAxe = () => readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rules of each color scheme. The scheme changes only colors, so the second one needs no other rules. */
const RULES = { light: {}, dark: { runOnly: ["color-contrast", "link-in-text-block"] } } as const;

/** Page with the actions of a user. */
export class BrowserPage {
  readonly page: Page;
  /** Errors, warnings, and dialogs that the browser reported. */
  readonly complaints: string[] = [];
  /** URLs of all requests. */
  readonly requests: string[] = [];
  /** Violations of the accessibility rules by name and color scheme. */
  readonly violations: Record<string, readonly string[]> = {};

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

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: typeof name === "string" });
  }

  /** Element with the focus. */
  get focused(): Locator {
    return this.page.locator(":focus");
  }

  /** Goes to a place by its hash. */
  async goTo(hash: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
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

  /** Signs of code that has run, and of content that could run code or load something. */
  attacks(): Promise<unknown> {
    return this.page.evaluate(ATTACKS);
  }

  /** Waits until the page is painted. */
  async settle(): Promise<void> {
    await this.page.evaluate(NEXT_FRAME);
  }

  /** Expects that the policy of the page blocks inline code, code and images of other sites, and requests to them. */
  async expectPolicy(): Promise<void> {
    const blocked = await this.page.evaluate<readonly string[]>(POLICY_PROBE);
    expect(blocked.toSorted()).toEqual([
      "connect-src",
      "img-src",
      "script-src-attr",
      "script-src-elem",
      "style-src-elem",
    ]);
    expect(await this.page.evaluate("window.owned ?? null")).toBeNull();
  }

  /** Requests to other sites. */
  foreignRequests(origin: string): readonly string[] {
    return this.requests.filter((url) => !/^(?:data|blob):/.test(url) && new URL(url).origin !== origin);
  }

  /** Takes a screenshot. */
  async screenshot(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: "disabled" });
  }

  /** Takes screenshots in both color schemes. */
  async screenshots(name: string): Promise<void> {
    for (const scheme of ["dark", "light"] as const) {
      await this.selectScheme(scheme);
      await this.screenshot(`${name}-${scheme}`);
    }
  }

  /** Returns the violations of accessibility rules, with the elements that have them. */
  async audit(rules: object = {}): Promise<readonly string[]> {
    if (!(await this.page.evaluate<boolean>(`"axe" in window`))) await this.page.evaluate(readAxe());
    // Without `preload`, axe does not fetch style sheets and media, which only rules that are off need.
    const options = JSON.stringify({ resultTypes: ["violations"], preload: false, ...rules });
    const { violations } = await this.page.evaluate<AxeResults>(`axe.run(document, ${options})`);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = "" }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
  }

  /** Notes the violations of accessibility rules in both color schemes. */
  async check(name: string): Promise<void> {
    for (const scheme of ["light", "dark"] as const) {
      await this.selectScheme(scheme);
      this.violations[`${name}, ${scheme}`] = await this.audit(RULES[scheme]);
    }
  }

  /** Expects that `check` found no violations, and that the audit finds one that is added to an element. */
  async expectAccessible(selector: string): Promise<void> {
    const none = Object.fromEntries(Object.keys(this.violations).map((name) => [name, []]));
    expect(this.violations).toEqual(none);
    await this.page.evaluate(`void document.querySelector(${JSON.stringify(selector)}).append(new Image())`);
    expect((await this.audit()).join("\n")).toContain("image-alt");
  }
}
