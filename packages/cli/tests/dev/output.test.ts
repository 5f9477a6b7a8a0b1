import { describe, expect, onTestFinished, test, vi } from "vitest";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { modernCall } from "../../../../tests/support/http-messages.js";
import { programFile } from "../../../../tests/support/program.js";
import { Project } from "../../../../tools/reload/project.js";
import { plain } from "../support/pseudo-terminal.js";
import { startDev, textOf, toEndpoint } from "../support/dev/dev-run.js";

const source = (version: number) => `
import { defineServer } from "tenon";
console.log("loaded \\u001b[31m${version}");
console.error("warned ${version}");
export default defineServer({ name: "talkative", version: "${version}.0.0" })
  .tool("add", { description: "Adds two numbers", handler: () => "${version}" })
  .tool("boom", { handler: () => { throw new Error("kaboom"); } })
  .resource("motd", { uri: "text://motd", handler: () => "hello" });
`;

describe("the output", () => {
  test("is JSON in a pipe: start, tools with their tokens, calls, and the output of the code", async () => {
    const { program } = startDev({ "server.ts": source(1) });
    const url = await program.url();
    const started = await program.next("started");
    expect(started).toMatchObject({ name: "talkative", version: "1.0.0", url, files: 1 });
    expect(Date.parse(started.time)).not.toBeNaN();
    const tools = await program.next("tools");
    expect(tools).toMatchObject({ tools: [{ name: "add" }, { name: "boom" }], resources: 1, prompts: 0 });
    const costs = tools.tools.map(({ tokens = 0 }) => tokens);
    expect(Math.min(...costs)).toBeGreaterThan(5);
    expect(tools.tokens).toBe(costs.reduce((sum, tokens) => sum + tokens, 0));
    await textOf(toEndpoint(url).fetch(modernCall("add")));
    const call = await program.next("call");
    expect(call).toMatchObject({ method: "tools/call", name: "add", outcome: "ok" });
    expect(call.ms).toBeGreaterThanOrEqual(0);
    expect(await program.next("output", { matches: ({ stream }) => stream === "stdout" })).toMatchObject({
      text: "loaded \u001b[31m1",
    });
    expect(await program.next("output", { matches: ({ stream }) => stream === "stderr" })).toMatchObject({
      text: "warned 1",
    });
  });

  test("does not contain tokens with --no-tokens", async () => {
    const { program } = startDev(
      { "server.ts": source(1) },
      { args: ["server.ts", "--port", "0", "--no-tokens"] },
    );
    const { tokens, tools } = await program.next("tools");
    expect({ tokens, tools }).toEqual({ tools: [{ name: "add" }, { name: "boom" }] });
  });

  test("is colored text on a terminal", async () => {
    const project = new Project({ "server.ts": source(1) });
    onTestFinished(() => project.remove());
    const command = `exec '${process.execPath}' '${programFile("tenon")}' dev server.ts --port 0`;
    const child = spawn("script", ["-qefc", command, "/dev/null"], {
      cwd: project.folder,
      env: { PATH: process.env["PATH"] ?? "", TERM: "xterm" },
      stdio: "pipe",
    });
    const ended = once(child, "exit");
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    const shown = (pattern: RegExp) =>
      vi.waitFor(() => {
        expect(plain(output)).toMatch(pattern);
        return pattern.exec(plain(output));
      });
    const [, url = ""] = (await shown(/^Serving talkative 1\.0\.0 on (http:\S+)$/m)) ?? [];
    await shown(/^Watching 1 file\. Press Ctrl\+C to stop\.$/m);
    await shown(/^ {2}Tool +Tokens\n {2}add +\d+\n {2}boom +\d+\n {2}2 tools, 1 resource +\d+$/m);
    expect(output).toContain("\u001b[36mhttp://");
    await shown(/^\| loaded \[31m1$/m);
    await textOf(toEndpoint(url).fetch(modernCall("add")));
    await shown(/^\d\d:\d\d:\d\d\.\d{3} {2}tools\/call add +\d+(\.\d)? ms {2}ok$/m);
    await textOf(toEndpoint(url).fetch(modernCall("boom")));
    await shown(/tools\/call boom failed\n {4}kaboom\n {4}server\.ts:7:42\n/);
    await shown(/^ {4}> 7 \| {3}\.tool\("boom"/m);
    await shown(/tools\/call boom +\d+(\.\d)? ms {2}error {2}kaboom$/m);
    project.save("server.ts", source(2).replace('"add"', '"sum"'));
    await shown(/reloaded in \d+ ms\n {4}\+ tool sum {2}\d+ tokens\n {4}- tool add$/m);
    project.save("server.ts", "export default (;\n");
    await shown(
      /The code could not be compiled\n {4}Unexpected ";"\n {4}server\.ts:1:17\n {4}> 1 \| export default \(;\n/,
    );
    await shown(/^ {4}The last good version keeps serving\.$/m);
    child.stdin.write("\u0003");
    expect(await ended).toEqual([0, null]);
  });
});
