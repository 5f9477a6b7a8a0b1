/**
 * @fileoverview The development page in a browser, with the actions of a user.
 * @module tests/dev-page/support/dev-page
 */
import type { BrowserContextOptions, Locator } from "playwright-core";
import { BrowserPage, openWindow } from "../../support/browser-page.js";

/** Options of `openDevPage`. */
export interface OpenOptions extends BrowserContextOptions {
  /** Place on the page, such as `#/calls`. */
  readonly hash?: string;
  /** False if the page is not expected to connect. @default true */
  readonly isReady?: boolean;
}

/** Opens the page in a window of its own, which closes when the test ends. */
export async function openDevPage(
  url: string,
  { hash = "", isReady = true, ...options }: OpenOptions = {},
): Promise<DevPage> {
  const dev = new DevPage(await openWindow(options));
  await dev.page.goto(`${url}${hash}`);
  if (isReady) await dev.ready();
  return dev;
}

/** The page with the actions of a user. */
export class DevPage extends BrowserPage {
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

  /** Opens a tool. */
  async tool(name: string): Promise<void> {
    await this.goTo(`#/tools/${name}`);
    await this.page.getByRole("form", { name: `Call ${name}` }).waitFor();
  }

  /** Opens a tool without arguments, and calls it. */
  async call(name: string): Promise<void> {
    await this.tool(name);
    await this.button("Call tool").click();
  }

  /** Calls the tool that is open, and waits until the result of this call has replaced an earlier one. */
  async callAgain(): Promise<void> {
    const calls = this.page.locator(".p-history__item");
    const before = await calls.count();
    await this.button("Call tool").click();
    await calls.nth(before).waitFor();
    await this.page.locator(".p-history li:first-child [aria-current]").waitFor();
    await this.page.locator(".p-running").waitFor({ state: "detached" });
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
}
