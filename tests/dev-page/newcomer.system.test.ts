import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createListener } from "../../packages/cli/tests/support/page/servers/sdk-v1.js";
import { serveHttp } from "../../packages/cli/tests/support/page/inspected.js";
import { startInspect } from "../../packages/cli/tests/support/page/start-inspect.js";
import { ROOT } from "../../tools/source-files.js";
import { describeInBrowser } from "../support/browser-page.js";
import { openDevPage } from "./support/dev-page.js";

/** Runs the last command of the script `start` on a free port, and returns its first line. */
async function firstLineOfStart(): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  const [, ...words] = scripts.start.split("&&").at(-1)?.trim().split(" ") ?? [];
  const child = spawn(process.execPath, [...words, "--port", "0"], { cwd: ROOT });
  const exit = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exit;
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await expect.poll(() => text, { timeout: 60_000 }).toContain("\n");
  return text.slice(0, text.indexOf("\n"));
}

describeInBrowser("someone who sees the page for the first time", () => {
  test("opens the first URL of `npm start`, calls a tool, answers a question, and cancels a call", async () => {
    const [url = ""] = /http:\S+/.exec(await firstLineOfStart()) ?? [];
    const dev = await openDevPage(url);
    const { page } = dev;
    const select = (name: string) => page.getByRole("treeitem", { name }).click();

    await select("list_notes");
    await dev.button("Call tool").click();
    await dev.result.getByText("welcome").first().waitFor();

    await select("delete_note");
    await page.getByRole("textbox", { name: /^name/ }).fill("welcome");
    await dev.button("Call tool").click();
    const question = page.getByRole("complementary", { name: "Question of the server" });
    await question.getByText('Delete the note "welcome"?').waitFor();
    await question.getByRole("switch", { name: /sure/ }).click();
    await question.getByRole("button", { name: "Accept" }).click();
    await dev.result.getByText('Deleted "welcome".').first().waitFor();

    await select("count_slowly");
    await dev.button("Call tool").click();
    await dev.result.getByText(/\d+ of 100/).waitFor();
    await dev.result.getByRole("button", { name: "Cancel" }).click();
    await dev.result.getByText("The call was cancelled.").waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("calls a tool of an official SDK server with `tenon inspect`, and sees its messages", async () => {
    const { url } = await startInspect([`${await serveHttp(createListener())}/mcp`]);
    const dev = await openDevPage(url);
    await dev.tool("add");
    await dev.page.getByRole("textbox", { name: /^a\b/ }).fill("1");
    await dev.page.getByRole("textbox", { name: /^b\b/ }).fill("2");
    await dev.button("Call tool").click();
    await dev.result.getByText("3", { exact: true }).waitFor();
    await dev.page.getByRole("link", { name: "Wire", exact: true }).click();
    await dev.page.getByText("POST tools/call").first().waitFor();
    await dev.page.getByText("mcp-session-id").first().waitFor();
    expect(dev.complaints).toEqual([]);
  });
});
