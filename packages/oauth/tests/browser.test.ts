import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { startAuthorizationServer } from "../../../examples/mail/authorization-server.js";
import { CHROMIUM_FLAGS, CHROMIUM_INSTALL_MS, findChromium } from "../../../tests/support/chromium.js";
import { ADA, setUp } from "./support/fixture.js";

test(
  "Z14: a user signs in with a real browser and sees the success page",
  { timeout: CHROMIUM_INSTALL_MS + 60_000 },
  async (ctx) => {
    const found = await findChromium();
    if (found.path === undefined) {
      process.stderr.write(`Skipped the login in a real browser: ${found.reason}\n`);
      ctx.skip(found.reason);
      return;
    }
    const profile = mkdtempSync(join(tmpdir(), "tenon-browser-"));
    const server = await startAuthorizationServer();
    const browser = await chromium.launchPersistentContext(profile, {
      executablePath: found.path,
      args: [...CHROMIUM_FLAGS],
    });
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      // Microsoft requires `localhost`, which the browser may resolve to IPv4 or IPv6.
      const provider = { ...server.provider, redirectHost: "localhost" } as const;
      const { adapter } = await setUp(server, {
        config: { provider },
        environment: { openBrowser: async (url) => void (await page.goto(url.href)) },
      });
      const token = adapter.getAccessToken();
      await page.getByRole("textbox").fill(ADA);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.waitForFunction("document.querySelector('input') === null");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.waitForURL(/^http:\/\/localhost:\d+\/callback/);
      expect(await page.getByRole("heading").textContent()).toBe("You are signed in");
      // The page's content security policy allows its own style.
      expect(await page.evaluate("getComputedStyle(document.body).maxWidth")).toBe("512px");
      expect(await token).toMatch(/.{20}/);
      expect(await adapter.getUserEmail()).toBe(ADA);
      expect(complaints.filter((text) => /policy|refused/i.test(text))).toEqual([]);
    } finally {
      await browser.close();
      await server.close();
      rmSync(profile, { recursive: true, force: true });
    }
  },
);
