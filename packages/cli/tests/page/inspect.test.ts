import { describe, expect, onTestFinished, test } from "vitest";
import { toNodeHandler } from "tenon/node";
import { onLines } from "../../../../tools/reload/dev-program.js";
import { fixtures, startTenon, tenon } from "../../../../tests/support/program.js";
import { serveHttp, textOf } from "../support/page/inspected.js";
import { PageClient } from "../support/page/page-client.js";
import { createShop } from "../support/page/shop.js";
import { startInspect, stopInspect } from "../support/page/start-inspect.js";

describe("tenon inspect", () => {
  test("serves the page for a URL, and stops", async () => {
    const origin = await serveHttp(toNodeHandler(createShop()));
    const { child, url } = await startInspect([`${origin}/mcp`]);
    const page = await PageClient.open(url);
    expect(page.last("launch")?.launch).toMatchObject({
      mode: "inspect",
      target: `${origin}/mcp`,
      endpoint: `${origin}/mcp`,
    });
    await page.connectedTwice();
    const { id } = await page.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era: "legacy" });
    expect(await page.call(id)).toMatchObject({ outcome: "ok" });
    expect(await stopInspect(child)).toBe(0);
  });

  test("serves the page for a module, whose endpoint other clients can use", async () => {
    const { url, stderr } = await startInspect(["calculator.mjs"]);
    const page = await PageClient.open(url);
    const { endpoint = "" } = page.last("launch")?.launch ?? {};
    expect(endpoint).toBe(`${page.origin}/mcp`);
    await page.connectedTwice();
    const { id } = await page.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era: "modern" });
    await page.call(id);
    const { result, snippets } = await page.detail(id);
    expect(textOf(result)).toBe("3");
    expect(snippets.cli).toBe(`tenon call calculator.mjs add --args '{"a":1,"b":2}'`);
    expect((await tenon(["call", endpoint, "add", "a=1", "b=2"])).stdout).toBe("3\n");
    // The module prints a line, which must not mix with the JSON.
    expect(stderr).toContain("the calculator is loaded");
  });

  test("serves the page for a program, and shows its output", async () => {
    const { url } = await startInspect(["--", process.execPath, `${fixtures()}/sdk-v1-program.mjs`]);
    const page = await PageClient.open(url);
    expect((await page.connected()).revisions).toMatchObject({ legacy: expect.any(String) });
    expect((await page.server()).name).toBe("official-v1");
  });

  test("sends a bearer token from an environment variable, and never shows it", async () => {
    const handler = toNodeHandler(createShop());
    const origin = await serveHttp((request, response) => {
      if (request.headers.authorization === "Bearer s3cret") handler(request, response);
      else response.writeHead(401).end();
    });
    const { url, stderr } = await startInspect([`${origin}/mcp?api_key=hidden`, "--bearer-env", "TOKEN"], {
      TOKEN: "s3cret",
    });
    const page = await PageClient.open(url);
    await page.connectedTwice();
    const { id } = await page.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era: "modern" });
    expect(await page.call(id)).toMatchObject({ outcome: "ok" });
    const shown = JSON.stringify([page.events, await page.detail(id), stderr]);
    expect(shown).not.toContain("s3cret");
    expect(shown).not.toContain("hidden");
    await expect(page.command("sign-out", {})).rejects.toThrow("409");
  });

  test.each<[readonly string[], string]>([
    [[], "No server specified. Pass a file or a URL with --server, or a program after --."],
    [["a.ts", "--server", "b.ts"], "The server is specified twice. Use either the argument or --server."],
    [["a.ts", "--port", "x"], '--port must be an integer from 0 to 65535; got "x".'],
    [
      ["a.ts", "--token", "x"],
      "Unknown flag --token. Put the token in an environment variable, and pass its name with --bearer-env.",
    ],
    [
      ["a.ts", "--revision", "x"],
      "Unknown flag --revision. The page uses each protocol era that the server supports.",
    ],
    [["none.mjs"], 'File "none.mjs" not found.'],
  ])("rejects %j", async (args, problem) => {
    const { code, stdout, stderr } = await tenon(["inspect", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(problem);
  });

  test("shows its flags and examples", async () => {
    const { code, stdout } = await tenon(["inspect", "--help"]);
    expect(code).toBe(0);
    for (const text of [
      "--port",
      "--open",
      "--server",
      "--header",
      "--bearer-env",
      "--json",
      "tenon inspect -- npx some-server",
    ])
      expect(stdout).toContain(text);
  });

  test("prints the URL as text, and does not open a browser without a terminal", async () => {
    const child = startTenon(["inspect", "calculator.mjs", "--port", "0"]);
    onTestFinished(async () => void (await stopInspect(child)));
    const line = await new Promise<string>((resolve) => onLines(child.stdout, resolve));
    expect(line).toMatch(
      /^Open http:\/\/127\.0\.0\.1:\d+\/_dev\?token=[\w-]{43} in a browser\. Press Ctrl\+C to stop\.$/,
    );
  });
});
