import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHttpMcpRouter } from "@tenon/kit";
import { toNodeHandler } from "tenon/node";
import { programFile, tenonInProcess } from "../../../../tests/support/program.js";
import createOfficial from "../fixtures/sdk-elicit-factory.js";
import { app, context } from "../fixtures/shop.js";
import { onTerminal, plain } from "../support/pseudo-terminal.js";

const ERAS = ["2025-11-25", "2026-07-28"];
let http: Server;
let origin = "";

beforeAll(async () => {
  const shop = toNodeHandler(app, { context });
  const official = createHttpMcpRouter({ serverFactory: createOfficial });
  http = createServer((request, response) => (request.url === "/sdk" ? official : shop)(request, response));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  origin = `http://127.0.0.1:${(http.address() as { port: number }).port}`;
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});

const program = (file: string) => ["--", process.execPath, programFile("tenon"), "run", file];
const ORDER = ["call", "order", "pizza=funghi"];

describe.each(ERAS)("--answer in revision %s", (revision) => {
  const flags = ["--revision", revision, "--answer", "street=Main St", "--answer", "tip=2.5"];
  test.each<[string, () => readonly string[]]>([
    ["a file", () => ["--server", "shop.mjs"]],
    ["a program", () => program("shop.mjs")],
    ["a URL", () => ["--server", `${origin}/mcp`]],
  ])("first-run-e: `call` answers a form of %s", async (_target, target) => {
    const ended = await tenonInProcess([...ORDER, ...flags, ...target()]);
    expect(ended).toEqual({ code: 0, stdout: "1 funghi to Main St, tip 2.5.\n", stderr: "" });
  });

  test.each<[readonly string[], string]>([
    [["order", "pizza=funghi", "--answer", '{"street":"Elm St","tip":1}'], "1 funghi to Elm St, tip 1.\n"],
    [["order", "pizza=funghi", "--answer", "decline"], "Nothing was ordered (decline).\n"],
    [["order", "pizza=funghi", "--answer", "cancel"], "Nothing was ordered (cancel).\n"],
    [["pay", "--answer", "accept"], "Payment: accept.\n"],
  ])("first-run-e: %j", async (args, stdout) => {
    const ended = await tenonInProcess(["call", ...args, "--server", "shop.mjs", "--revision", revision]);
    expect(ended).toEqual({ code: 0, stdout, stderr: "" });
  });

  test.each<[readonly string[], string]>([
    [
      ["--answer", "stret=Elm"],
      "The server asks: Where should it be delivered?\n" +
        "Answer with --answer street=<text>. Did you mean street instead of stret?\n",
    ],
    [["--answer", "street=x"], "--answer street=x is not valid: street must have at least 3 characters.\n"],
    [
      ["--answer", "street=Elm St", "--answer", "tip=much"],
      "--answer tip=much is not valid: tip must be a number.\n",
    ],
  ])("first-run-e: invalid answers are explained: %j", async (answers, stderr) => {
    const ended = await tenonInProcess([
      ...ORDER,
      ...answers,
      "--server",
      "shop.mjs",
      "--revision",
      revision,
    ]);
    expect(ended).toEqual({ code: 1, stdout: "", stderr });
  });

  test("first-run-e: without a terminal and answers, the call fails and explains how to answer", async () => {
    const { code, stderr } = await tenonInProcess([...ORDER, "--server", "shop.mjs", "--revision", revision]);
    expect(code).toBe(1);
    expect(stderr).toContain("Run the command in a terminal, or answer with --answer name=value.\n");
  });
});

describe("an official SDK server", () => {
  test.each<[string, () => readonly string[]]>([
    ["in a file", () => ["--server", "sdk-elicit-factory.mjs"]],
    ["on stdio", () => program("sdk-elicit-factory.mjs")],
    ["over HTTP, where the request arrives in a separate stream", () => ["--server", `${origin}/sdk`]],
  ])("first-run-e: `call --answer` answers its request for input %s", async (_where, target) => {
    const answers = ["--answer", "name=Ada", "--answer", "color=2"];
    const { code, stdout } = await tenonInProcess(["call", "ask", ...answers, ...target()]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'accept {"name":"Ada","color":"green"}\n' });
  });
});

describe.each(ERAS)("in a terminal in revision %s", (revision) => {
  const words = [...ORDER, "--server", "shop.mjs", "--revision", revision];

  test("first-run-e: `call` asks for each field, again if it is invalid, and then to send", async () => {
    const { code, output } = await onTerminal([...words, "--timeout", "60"], {
      dialog: [
        ["street (text): ", "x\r"],
        ["street (text): ", "Main St\r"],
        ["tip (number, optional): ", "\r"],
        ["Send this answer?", "e\r"],
        ["street (text) [Main St]: ", "\r"],
        ["tip (number, optional): ", "4\r"],
        ["Send this answer?", "y\r"],
      ],
    });
    expect(code).toBe(0);
    const text = plain(output);
    expect(text).toContain("Where should it be delivered?");
    expect(text).toContain("street must have at least 3 characters.");
    expect(text).toMatch(/\n1 funghi to Main St, tip 4\.\n$/);
  });

  test("first-run-e: the user can decline", async () => {
    const { output } = await onTerminal(words, {
      dialog: [
        ["street (text): ", "Main St\r"],
        ["tip (number, optional): ", "\r"],
        ["Send this answer?", "d\r"],
      ],
    });
    expect(plain(output)).toContain("Nothing was ordered (decline).");
  });

  test("first-run-e: the user is asked only for fields that --answer does not contain", async () => {
    const { output } = await onTerminal([...words, "--answer", "tip=1"], {
      dialog: [
        ["street (text): ", "Main St\r"],
        ["Send this answer?", "\r"],
      ],
    });
    expect(plain(output)).toContain("1 funghi to Main St, tip 1.");
  });

  test("first-run-e: Ctrl+C ends the dialog and the call", async () => {
    const { code, output } = await onTerminal(words, { dialog: [["street (text): ", "\u0003"]] });
    expect(code).toBe(130);
    expect(plain(output)).toContain("Interrupted.");
  });

  test("first-run-e: a URL is shown, and the user confirms", async () => {
    const { output } = await onTerminal(["call", "pay", "--server", "shop.mjs", "--revision", revision], {
      dialog: [
        ["Open this URL in a browser: https://pay.example/1", ""],
        ["Continue?", "y\r"],
      ],
    });
    expect(plain(output)).toContain("Payment: accept.");
  });
});

test("first-run-e: an answer that the server did not ask for is reported", async () => {
  const ended = await tenonInProcess(["call", "shop.mjs", "owner", "--answer", "street=Elm"]);
  expect(ended).toEqual({
    code: 0,
    stdout: "ada\n",
    stderr: "--answer street was not used: the server did not ask for it.\n",
  });
});

describe("progress", () => {
  test("first-run-e: a terminal shows a bar, which is removed at the end", async () => {
    const { code, output } = await onTerminal(["call", "shop.mjs", "steps"]);
    expect(code).toBe(0);
    expect(output).toContain("\r\u001b[2K[######------------------] 25% mixing");
    expect(output).toContain("\r\u001b[2K[########################] 100% baking");
    expect(output.replaceAll("\r\n", "\n").endsWith("\r\u001b[2Kdone\n")).toBe(true);
  });

  test("first-run-e: the bar never goes to stdout", async () => {
    const { output } = await onTerminal(["call", "shop.mjs", "steps"], { redirect: "2>/dev/null" });
    expect(plain(output)).toBe("done\n");
  });
});
