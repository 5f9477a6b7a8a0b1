import { describe, expect, test } from "vitest";
import { defineServer, type LogEntry } from "../../src/index.js";
import { createClient } from "../../src/testing/index.js";

const INFO = { name: "a", version: "1" };

describe("a handler that returns an unsupported value", () => {
  const wrong = (value: unknown) => (): never => value as never;

  test.each([
    [
      "prompts/get",
      { name: "p" },
      'Prompt "p": the handler must return a string, an array of messages, or a prompt result; got a number.',
    ],
    [
      "resources/read",
      { uri: "test://one" },
      'Resource "test://one": the handler must return a string, a Uint8Array, or resource contents; got undefined.',
    ],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "q" }, argument: { name: "city", value: "" } },
      'The completer for "city" must return an array of strings or an object with `values`; got null.',
    ],
  ])("is logged with its definition and the kind of value: %s", async (method, params, message) => {
    const entries: LogEntry[] = [];
    const server = defineServer({ ...INFO, log: (entry) => entries.push(entry) })
      .prompt("p", { handler: wrong(7) })
      .prompt("q", { arguments: [{ name: "city" }], complete: { city: wrong(null) }, handler: () => "" })
      .resource("one", { uri: "test://one", handler: wrong(undefined) })
      .build();
    const client = await createClient(server);
    await expect(client.request(method, params)).rejects.toMatchObject({ message: "Internal error" });
    expect(entries.filter(({ level }) => level === "error")).toMatchObject([{ error: { message } }]);
  });
});

describe("an invalid option", () => {
  test.each<[string, unknown, string]>([
    ["pageSize", 0, "`pageSize` must be a positive integer; got 0."],
    ["pageSize", "10", '`pageSize` must be a positive integer; got "10".'],
    ["pageSize", [10], "`pageSize` must be a positive integer; got an array."],
    ["listTtlMs", "5m", '`listTtlMs` must be a non-negative integer (milliseconds); got "5m".'],
    ["listTtlMs", true, "`listTtlMs` must be a non-negative integer (milliseconds); got true."],
  ])("is rejected with its value: %s %j", (name, value, message) => {
    expect(() => defineServer({ ...INFO, [name]: value })).toThrow(new TypeError(`defineServer: ${message}`));
  });
});
