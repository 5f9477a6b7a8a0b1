import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { createByteFunctions } from "../../src/transport/node-buffer.js";
import { modernCall } from "../../../../tests/support/http-messages.js";
import { readSourceFiles } from "../../../../tools/source-files.js";
import { buildFixture, StdioChild } from "../../../../tests/support/stdio-child.js";

const NODE = createByteFunctions(globalThis.Buffer);
const WEB = createByteFunctions(undefined);

/** Removes `Buffer` before anything is loaded. */
const NODE_MAJOR = Number(process.versions.node.split(".", 1)[0]);

const WITHOUT_BUFFER = ["--import", "data:text/javascript,delete globalThis.Buffer"];

describe.each([
  ["Node's Buffer", NODE],
  ["web standards", WEB],
])("bytes on %s", (_name, bytes) => {
  test.each([
    ["", 0],
    ["hello", 5],
    ["漢字 😀", 11],
    ["\ufeffmark", 7],
    ["half a pair: \ud83d", 16],
  ])("%j takes %i bytes", (value, length) => {
    expect(bytes.byteLength(value)).toBe(length);
    expect(bytes.encode(value)).toHaveLength(length);
  });

  test.each([
    ["ASCII", [0x61, 0x62], "ab"],
    ["a byte order mark", [0xef, 0xbb, 0xbf, 0x61], "\ufeffa"],
    ["a stray byte", [0x61, 0xff, 0x62], "a\ufffdb"],
    ["a truncated sequence", [0xe6, 0xbc], "\ufffd"],
    ["a lone surrogate", [0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"],
  ])("decodes %s", (_what, given, expected) => {
    expect(bytes.decode(Uint8Array.from(given))).toBe(expected);
  });

  test("wraps bytes without a copy, and allocates the given length", () => {
    const whole = Uint8Array.of(1, 2, 3, 4);
    const view = bytes.wrap(whole.subarray(1, 3));
    expect([view.buffer, view.byteOffset, view.length]).toEqual([whole.buffer, 1, 2]);
    expect(bytes.wrap(view)).toBe(view);
    expect(bytes.allocate(10)).toHaveLength(10);
  });
});

test("both return the same for any text and any bytes (property)", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.uint8Array(), (value, given) => {
      expect(WEB.byteLength(value)).toBe(NODE.byteLength(value));
      expect(Array.from(WEB.encode(value))).toEqual(Array.from(NODE.encode(value)));
      expect(WEB.decode(given)).toBe(NODE.decode(given));
    }),
  );
});

test("a Buffer that lacks a function is not used", () => {
  const partial = Object.create(Buffer, { allocUnsafeSlow: { value: undefined } }) as BufferConstructor;
  expect(createByteFunctions(partial).allocate(1)).not.toBeInstanceOf(Buffer);
  expect(createByteFunctions(Buffer).allocate(1)).toBeInstanceOf(Buffer);
});

test("no other module reads Buffer from the globals", () => {
  const users = readSourceFiles()
    .filter(({ text: code }) => /globalThis[.[\s]*["']?Buffer|\bBuffer\b[^=;]*\} = globalThis/.test(code))
    .map(({ path }) => path);
  expect(users).toEqual(["tenon/transport/node-buffer.ts"]);
});

describe("a process without Buffer", () => {
  test("serves over stdio", async () => {
    const child = new StdioChild("2025-11-25", undefined, { flags: WITHOUT_BUFFER });
    onTestFinished(() => void child.process.kill());
    await child.initialize();
    const said = "漢字 😀 ".repeat(1_000);
    expect((await child.call("echo", { text: "ASCII" })).result?.["content"]).toEqual([
      { type: "text", text: "ASCII" },
    ]);
    expect((await child.call("echo", { text: said })).result?.["content"]).toEqual([
      { type: "text", text: said },
    ]);
    child.sendRaw(Uint8Array.of(0x22, 0xff, 0x22, 0x0a));
    expect((await child.replyTo(null)).error?.message).toBe("The message is not valid UTF-8.");
    expect(await child.end()).toMatchObject({ code: 0 });
    expect(child.problems).toEqual([]);
  });

  // Since version 22, `node:http` itself needs the global.
  test.skipIf(NODE_MAJOR >= 22)("serves on HTTP", async () => {
    const child = spawn(process.execPath, [...WITHOUT_BUFFER, buildFixture("../../tools/load/server.ts")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill());
    const [url] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    for (const said of ["ASCII", "漢字 😀", "é".repeat(700_000)]) {
      const response = await fetch(url.trim(), modernCall("echo", { text: said }));
      const body = (await response.json()) as { readonly result: { readonly content: unknown } };
      expect(body.result.content).toEqual([{ type: "text", text: said }]);
    }
    child.kill("SIGTERM");
    expect(await text(child.stdout)).toBe("");
    await (child.exitCode ?? once(child, "exit"));
    expect(child.exitCode).toBe(0);
  });
});
