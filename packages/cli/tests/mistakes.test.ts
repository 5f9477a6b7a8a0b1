import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../../tools/source-files.js";
import { temporaryFolder, tenonInProcess } from "../../../tests/support/program.js";

/** Creates a project with tsx and these files. */
function project(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  mkdirSync(`${folder}/node_modules`);
  for (const name of ["tsx", "tenon"])
    symlinkSync(`${ROOT}/node_modules/${name}`, `${folder}/node_modules/${name}`);
  writeFileSync(`${folder}/package.json`, '{"name":"weather","version":"1.0.0","type":"module"}');
  for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text);
  return folder;
}

describe("beginner's mistakes are reported in one line", () => {
  test.each([["run"], ["list"], ["tokens"], ["publish"]])(
    "tenon %s shows the place of a syntax error in TypeScript",
    async (command) => {
      const cwd = project({ "server.ts": "const a: number = 1;\nexport default foo(;\n" });
      expect(await tenonInProcess([command, "server.ts"], { cwd })).toEqual({
        code: 1,
        stdout: "",
        stderr: 'Could not load "server.ts": SyntaxError: Unexpected ";" (server.ts:2:20).\n',
      });
    },
  );

  test("tenon list package.json", async () => {
    expect(await tenonInProcess(["list", "package.json"], { cwd: project({}) })).toEqual({
      code: 2,
      stdout: "",
      stderr:
        '"package.json" is not a module. Pass a module such as src/server.ts.\nRun tenon list --help for usage.\n',
    });
  });

  test.each([["list"], ["tokens"]])("tenon %s with a program that is not a server", async (command) => {
    expect(await tenonInProcess([command, "--", process.execPath, "-e", ""])).toEqual({
      code: 1,
      stdout: "",
      stderr: "The program exited with code 0. Check that the program is an MCP server over stdio.\n",
    });
  });

  test.each<[string, number, string, string]>([
    [
      "a web page",
      200,
      "text/html",
      "The server's response does not contain a JSON-RPC message. Check that the URL is an MCP endpoint.\n",
    ],
    [
      "another path",
      404,
      "text/plain",
      "The URL is not an MCP endpoint (HTTP 404). Check its path, which is usually /mcp.\n",
    ],
  ])("tenon list with the URL of %s", async (_title, status, type, stderr) => {
    const http = createServer((_request, response) => {
      response.writeHead(status, { "content-type": type }).end("<html></html>");
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    onTestFinished(() => void http.close());
    const { port } = http.address() as AddressInfo; // Safe: the server listens on a port
    expect(await tenonInProcess(["list", `http://127.0.0.1:${port}/`])).toEqual({
      code: 1,
      stdout: "",
      stderr,
    });
  });
});
