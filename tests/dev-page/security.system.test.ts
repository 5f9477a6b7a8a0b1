import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser, NO_ATTACKS, openWindow } from "../support/browser-page.js";
import { type DevPage, openDevPage } from "./support/dev-page.js";
import { DevServer } from "./support/dev-server.js";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const INERT = { ...NO_ATTACKS, scripts: ["/_dev/app.js"] };

/** Sends a request with headers that `fetch` does not allow. */
async function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const outgoing = request(url, { method, headers });
  outgoing.end(method === "POST" ? "{}" : undefined);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage]; // Safe: the arguments of the event
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) body += String(chunk);
  return { status: response.statusCode, body };
}

describeInBrowser("the development page and a hostile server", () => {
  let server: DevServer;

  beforeAll(async () => {
    server = await DevServer.start("hostile-server");
  });

  afterAll(async () => {
    await server.close();
  });

  const expectInert = async (dev: DevPage, place: string) => {
    expect(await dev.attacks(), place).toEqual(INERT);
    expect(await dev.overflow(), place).toEqual([]);
    expect(dev.foreignRequests(server.origin), place).toEqual([]);
  };

  test("names, descriptions, schemas, and results stay inert, and do not break the layout", async () => {
    const dev = await openDevPage(server.pageUrl);
    const tree = dev.page.getByRole("tree", { name: "Tools" });
    const items = tree.getByRole("treeitem");
    await items.first().waitFor();
    await expectInert(dev, "list");
    const count = await items.count();
    expect(count).toBeGreaterThanOrEqual(8);
    for (let index = 0; index < count; index++) {
      await items.nth(index).click();
      await dev.page.getByRole("tab", { name: "What the model sees" }).waitFor();
      await expectInert(dev, `tool ${index}`);
    }
    await items.first().click();
    await dev.button("Call tool").click();
    const anyway = dev.button("Call anyway");
    const content = dev.result.getByRole("region", { name: "Content", exact: true });
    await anyway.or(content).first().waitFor();
    if ((await anyway.count()) > 0) await anyway.click();
    await content.waitFor();
    await expectInert(dev, "result");
    await dev.screenshot("hostile-result");
    // Each view of each text.
    for (const view of ["Markdown", "Text", "JSON", "Table"]) {
      for (const option of await dev.result.getByText(view, { exact: true }).all()) {
        await option.click();
        await expectInert(dev, view);
      }
    }
    await dev.page.getByRole("tab", { name: "What the model sees" }).click();
    await dev.page.getByText("invisible characters").waitFor();
    await expectInert(dev, "model");
    await dev.page.getByRole("tab", { name: "Wire" }).click();
    await dev.button("Call and show the messages").click();
    await dev.page.getByText("POST tools/call").first().waitFor();
    await expectInert(dev, "wire");
    await dev.area("Calls");
    await expectInert(dev, "calls");
    await dev.area("Resources");
    const resources = dev.page.getByRole("listbox", { name: "Resources" }).getByRole("option");
    await expect.poll(() => resources.count()).toBe(2);
    for (const resource of await resources.all()) {
      await resource.click();
      await dev.button("Read").click();
      await dev.button("Read again").waitFor();
      await dev.page.getByText("image/svg+xml").first().waitFor();
      await expectInert(dev, "resource");
    }
    await dev.area("Prompts");
    await dev.button("Get prompt").click();
    await dev.page.locator(".p-message").waitFor();
    await expectInert(dev, "prompt");
    await dev.page.setViewportSize({ width: 360, height: 740 });
    for (const area of ["tools", "resources", "prompts", "calls", "log"]) {
      await dev.goTo(`#/${area}`);
      await expectInert(dev, `narrow ${area}`);
    }
    expect(dev.complaints).toEqual([]);
    // The check finds attacks.
    await dev.page.evaluate(
      `{ const link = document.createElement("a"); link.href = "javascript:1"; document.body.append(link); }`,
    );
    expect(await dev.attacks()).toEqual({ ...INERT, links: ["javascript:1"] });
  });

  test("a missing or wrong token gets 403 and no content", async () => {
    const { origin } = server;
    for (const path of [
      "/_dev",
      "/_dev?token=wrong",
      "/_dev/app.js",
      "/_dev/api/events",
      "/_dev/api/calls/1",
    ]) {
      const response = await fetch(`${origin}${path}`, { redirect: "manual" });
      expect(response.status, path).toBe(403);
      expect(response.headers.get("set-cookie"), path).toBeNull();
      expect((await response.text()).length, path).toBeLessThan(600);
    }
    const dev = await openDevPage(`${origin}/_dev?token=wrong`, { isReady: false });
    expect(await dev.page.locator("body").innerText()).toMatch(/terminal|token/i);
    expect(await dev.page.locator("#app, script").count()).toBe(0);
  });

  test("requests of other hosts and other pages are rejected", async () => {
    const { origin, pageUrl } = server;
    const signIn = await fetch(pageUrl, { redirect: "manual" });
    const cookie = (signIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
    expect(signIn.status).toBe(303);
    expect(signIn.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict/);
    const page = new URL("/_dev", origin);
    const { host } = page;
    const own = await send(page, { host, cookie });
    expect(own.status).toBe(200);
    expect((await send(page, { host: "evil.example", cookie })).status).toBe(403);
    expect((await send(new URL(pageUrl), { host: `evil.example:${page.port}` })).status).toBe(403);
    const command = new URL("/_dev/api/refresh", origin);
    const type = { "content-type": "application/json" };
    expect((await send(command, { ...type, host, cookie, origin }, "POST")).status).toBe(200);
    for (const other of ["https://evil.example", "http://127.0.0.1:1", "null"]) {
      const { status } = await send(command, { ...type, host, cookie, origin: other }, "POST");
      expect(status, other).toBe(403);
    }
    expect((await send(command, { host, cookie, origin, "content-type": "text/plain" }, "POST")).status).toBe(
      415,
    );
  });

  test("the page has a strict content security policy, and its URL does not keep the token", async () => {
    const page = await openWindow();
    const response = await page.goto(server.pageUrl);
    expect(response?.headers()["content-security-policy"]).toBe(POLICY);
    expect(response?.headers()["x-content-type-options"]).toBe("nosniff");
    expect(response?.headers()["referrer-policy"]).toBe("no-referrer");
    expect(page.url()).toBe(`${server.origin}/_dev`);
  });
});
