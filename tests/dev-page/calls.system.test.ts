import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Recording } from "../../packages/cli/src/page/protocol.js";
import { describeInBrowser } from "../support/browser-page.js";
import { type DevPage, openDevPage } from "./support/dev-page.js";
import { DevServer } from "./support/dev-server.js";

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));

describeInBrowser("calls on the development page", () => {
  let server: DevServer;

  const open = (hash = "") => openDevPage(server.pageUrl, { hash });

  /** Calls a tool as a client of the official SDK. */
  const callAsClient = async (name: string) => {
    const client = new Client({ name: "other-client", version: "1.0.0" });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(server.endpoint)));
    await client.callTool({ name, arguments: {} });
  };

  /** Copies a snippet of the call that is shown. */
  const copy = async (dev: DevPage, item: string) => {
    await dev.button("Copy").click();
    await dev.page.getByRole("menuitem", { name: item }).click();
    await dev.page.getByText("Copied.").last().waitFor();
    return dev.clipboard();
  };

  /** Runs a line in a shell that finds the built command. */
  const shell = async (line: string) => {
    const script = `tenon() { '${process.execPath}' '${PROGRAM}' "$@"; }\n${line}\n`;
    const { stdout } = await run("sh", ["-c", script], { cwd: server.project.folder });
    return stdout;
  };

  beforeAll(async () => {
    server = await DevServer.start("workshop-server");
  });

  afterAll(async () => {
    await server.close();
  });

  test("of all clients are in a timeline with their phases, and can be filtered", async () => {
    const dev = await open();
    await dev.call("show_error");
    await dev.result.getByText("The saw is blunt.").waitFor();
    await dev.call("show_json");
    await dev.result.getByText("OK").first().waitFor();
    await callAsClient("show_text");
    await dev.area("Calls");
    const list = dev.page.getByRole("listbox", { name: "Calls, newest first" });
    const other = list.getByRole("option", { name: /other-client/ }).filter({ hasText: "show_text" });
    await other.getByRole("img", { name: /Queue.*Validat.*Handler.*Serializ/i }).waitFor();
    await list.getByRole("option").filter({ hasText: "show_json" }).first().waitFor();
    await other.click();
    await dev.page.getByText(/^From other-client/).waitFor();
    await dev.page.getByRole("tab", { name: "Timing" }).click();
    const phases = dev.page.locator(".t-waterfall-detail__label");
    await expect.poll(() => phases.count()).toBeGreaterThanOrEqual(4);
    await dev.screenshot("calls");
    await dev.page.getByRole("tab", { name: "Arguments" }).click();
    await dev.page.getByRole("tree", { name: "Arguments" }).waitFor();

    const search = dev.page.getByLabel("Search calls");
    await search.fill("show_json");
    await expect.poll(() => other.count()).toBe(0);
    await list.getByRole("option").filter({ hasText: "show_json" }).first().waitFor();
    await search.fill("");
    await dev.page.getByLabel("Client", { exact: true }).selectOption({ label: "other-client" });
    await expect.poll(() => list.getByRole("option").filter({ hasText: "show_json" }).count()).toBe(0);
    await other.waitFor();
    await dev.page.getByLabel("Outcome").selectOption({ label: "Error" });
    await dev.page.getByText("No call matches the filter").waitFor();
    await dev.button("Clear the filter").click();
    await other.waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("show their progress, can be cancelled, and can be repeated", async () => {
    const dev = await open();
    for (const era of ["Modern", "Legacy"] as const) {
      await dev.selectEra(era);
      await dev.call("saw");
      await dev.result.getByText("First cut").waitFor();
      const bar = dev.result.getByRole("progressbar", { name: "Progress of the call" });
      expect(await bar.getAttribute("aria-valuenow")).toBe("25");
      expect(await bar.getAttribute("aria-valuemax")).toBe("100");
      await dev.result.getByRole("button", { name: "Cancel", exact: true }).click();
      await dev.result.getByText("The call was cancelled.").waitFor();
    }
    await dev.selectEra("Modern");
    await dev.call("show_text");
    await dev.result.getByText("Hello, Ada.").waitFor();
    await dev.result.getByRole("link", { name: "Details" }).click();
    const { pathname, hash } = new URL(dev.page.url());
    expect(pathname).toBe("/_dev");
    await dev.button("Repeat").click();
    await expect.poll(() => new URL(dev.page.url()).hash).not.toBe(hash);
    await dev.page.getByRole("tabpanel").getByText("Hello, Ada.").waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("can be copied as curl, as a command line, and as a test, which all work", async () => {
    const dev = await open();
    for (const era of ["Modern", "Legacy"] as const) {
      await dev.selectEra(era);
      await dev.tool("show_text");
      await dev.page.getByRole("textbox", { name: /^name/ }).fill("it's $HOME");
      await dev.button("Call tool").click();
      await dev.result.getByText("Hello, it's $HOME.").waitFor();
      await dev.result.getByText(era, { exact: true }).waitFor();
      await dev.result.getByRole("link", { name: "Details" }).click();
      const curl = await copy(dev, "Copy as curl");
      expect(await shell(curl)).toContain("Hello, it's $HOME.");
      const line = await copy(dev, "Copy as command line");
      expect(line).toMatch(/^tenon call /);
      expect(await shell(line)).toContain("Hello, it's $HOME.");
      const code = await copy(dev, "Copy as TypeScript test");
      expect(code).toContain('import { expect, test } from "vitest";');
      expect(code).toContain('client.callTool("show_text", {"name":"it\'s $HOME"})');
    }
    expect(dev.complaints).toEqual([]);
  });

  test("are exported to a file and replayed, and differences are found", async () => {
    const dev = await open();
    await dev.call("show_json");
    await dev.result.getByText("OK").first().waitFor();
    await dev.area("Calls");
    await dev.button("Clear").click();
    await dev.page.getByRole("dialog").getByRole("button", { name: "Clear", exact: true }).click();
    await dev.page.getByText("No calls yet").waitFor();
    await dev.call("show_text");
    await dev.result.getByText("Hello, Ada.").waitFor();
    await dev.call("show_error");
    await dev.result.getByText("The saw is blunt.").waitFor();
    await dev.area("Calls");
    await dev.button("Export").first().click();
    const [download] = await Promise.all([
      dev.page.waitForEvent("download"),
      dev.page.getByRole("menuitem", { name: "Export all calls" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^tenon-recording-.*\.json$/);
    const file = server.project.path("recording.json");
    await download.saveAs(file);
    const recording = JSON.parse(readFileSync(file, "utf8")) as Recording; // Safe: checked below
    expect(recording).toMatchObject({ format: "tenon-recording", version: 1 });
    expect(recording.calls.map(({ outcome }) => outcome)).toEqual(["ok", "tool-error"]);

    const input = dev.page.getByLabel("Recording to replay");
    await input.setInputFiles(file);
    await dev.page.getByText("Replayed 2 calls: no differences").waitFor();
    const [first, ...rest] = recording.calls;
    const changed = { ...recording, calls: [{ ...first, outcome: "tool-error" }, ...rest] };
    writeFileSync(file, JSON.stringify(changed));
    await input.setInputFiles(file);
    await dev.page.getByText("Replayed 2 calls: 1 difference").waitFor();
    await dev.page.getByText('was "Tool error", and is "OK" now').waitFor();
    await input.setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    await dev.page.getByText("The file is not a recording.").waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("have their exact messages and headers, in both eras side by side, with the checks", async () => {
    const dev = await open("#/tools/show_text/wire");
    await dev.button("Call in both eras").click();
    const legacy = dev.page.getByRole("region", { name: "Legacy era" });
    const modern = dev.page.getByRole("region", { name: "Modern era" });
    for (const era of [legacy, modern]) {
      await era.getByText("Hello, Ada.").first().waitFor();
      await era.getByLabel("Passed", { exact: true }).first().waitFor();
      expect(await era.getByLabel("Failed", { exact: true }).count()).toBe(0);
      await era.getByText("content-type").first().waitFor();
      await era.getByText("200").first().waitFor();
    }
    const left = await legacy.boundingBox();
    const right = await modern.boundingBox();
    expect(left?.y).toBe(right?.y);
    expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0);
    await legacy.getByText("mcp-session-id").first().waitFor();
    await modern.getByText("mcp-method").first().waitFor();
    expect(await modern.getByText("mcp-session-id").count()).toBe(0);
    await dev.screenshot("wire");
    await modern.getByText("Exact", { exact: true }).click();
    const sent = await modern.getByRole("group", { name: "Modern message 1, sent" }).innerText();
    expect(sent).not.toContain("\n");
    expect(JSON.parse(sent)).toMatchObject({ method: "tools/call", params: { name: "show_text" } });
    expect(await dev.overflow()).toEqual([]);
    expect(dev.complaints).toEqual([]);
  });
});
