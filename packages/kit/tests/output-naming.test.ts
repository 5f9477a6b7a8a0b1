import * as v from "valibot";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkOutputNaming, outputVocabulary } from "../src/index.js";
import { TOOLS } from "./support/note-modules.js";

const { branchedOutput, columnsOutput, itemOutput, itemsOutput, rowsOutput, shapedOutput, valuesOutput } =
  outputVocabulary(z);
const Message = z.object({ id: z.string() });
const success = { type: z.literal("success") };
const find = (name: string, outputSchema: unknown) =>
  checkOutputNaming({ name, outputSchema }).map(({ rule, at }) => `${rule} ${at}`);

describe("Z30: a tool that follows the vocabulary", () => {
  test.each<[string, unknown]>([
    ["message-search", itemsOutput(Message)],
    ["files-search", itemsOutput(Message)],
    ["message-list", branchedOutput(itemsOutput(Message))],
    ["message-get", itemOutput(Message)],
    ["columns-get", columnsOutput()],
    ["csv-get-columns", columnsOutput()],
    ["sheet-columns-get", columnsOutput()],
    ["rows-get", rowsOutput()],
    ["rows-append", rowsOutput()],
    ["sheet-rows-get", rowsOutput()],
    ["rows-get", rowsOutput().extend({ columns: z.array(z.string()) })],
    ["contact-search", branchedOutput(shapedOutput(Message))],
    ["cells-find", valuesOutput(Message)],
    ["account-me", z.object({ ...success, email: z.string(), scopes: z.array(z.string()) })],
    ["message-get", z.object({ result: branchedOutput(itemOutput(Message)) })],
    ["anything", undefined],
  ])("%s has no findings", (name, outputSchema) => {
    expect(find(name, outputSchema)).toEqual([]);
  });
});

describe("Z26, Z27, Z30: other names are found", () => {
  test.each<[string, unknown, readonly string[]]>([
    ["message-search", z.object({ ...success, messages: z.array(Message) }), ["items messages"]],
    [
      "folder-list",
      z.object({ ...success, folders: z.array(z.union([Message, Message])) }),
      ["items folders"],
    ],
    ["message-get", z.object({ ...success, id: z.string(), subject: z.string() }), ["item id, subject"]],
    ["message-get", z.object({ ...success, message: Message }), ["item message"]],
    ["columns-get", z.object({ ...success, headers: z.array(z.string()) }), ["columns headers"]],
    ["rows-get", z.object({ ...success, cells: z.array(z.array(z.string())) }), ["rows cells"]],
    ["rows-get", z.object({ ...success, values: z.array(z.array(z.string())) }), ["values values"]],
    ["message-list", z.object({ items: z.array(Message) }), ["success-type type"]],
    ["message-list", itemsOutput(Message).extend({ nextCursor: z.string() }), ["page-token nextCursor"]],
    [
      "message-list",
      itemsOutput(Message).extend({ next_page_token: z.string() }),
      ["page-token next_page_token"],
    ],
    ["listMessages", itemsOutput(Message), ["tool-name listMessages"]],
    ["message-get", itemsOutput(Message), ["tool-name message-get"]],
    ["message-search", itemOutput(Message), ["tool-name message-search"]],
    ["headers-read", columnsOutput(), ["tool-name headers-read"]],
    ["rows-read", rowsOutput(), ["tool-name rows-read"]],
  ])("%s", (name, outputSchema, found) => {
    expect(find(name, outputSchema)).toEqual(found);
  });

  test("a finding is a sentence with a recommendation", () => {
    expect(checkOutputNaming({ name: "listMessages", outputSchema: itemsOutput(Message) })).toEqual([
      {
        tool: "listMessages",
        rule: "tool-name",
        at: "listMessages",
        message:
          'Tool "listMessages": rename the tool to {resource}-search or {resource}-list, because it returns "items".',
      },
    ]);
    const [{ message } = { message: "" }] = checkOutputNaming({
      name: "message-list",
      outputSchema: z.object({ ...success, messages: z.array(Message) }),
    });
    expect(message).toBe('Tool "message-list": "messages" is a list of objects; rename it to "items".');
  });

  test("ignores error and login branches", () => {
    const failure = z.object({ type: z.literal("error"), causes: z.array(Message), cursor: z.string() });
    expect(find("message-list", z.union([itemsOutput(Message), failure]))).toEqual([]);
  });
});

describe("any kind of schema", () => {
  test("is read as clients see it: JSON Schema, other libraries, references", () => {
    const definition = {
      type: "object",
      properties: { type: { const: "success" }, files: { $ref: "#/$defs/files" } },
      $defs: { files: { type: "array", items: { $ref: "#/$defs/file" } }, file: { type: "object" } },
    };
    expect(find("file-list", definition)).toEqual(["items files"]);
    const valibot = toStandardJsonSchema(
      v.object({ type: v.literal("success"), files: v.array(v.object({ id: v.string() })) }),
    );
    expect(find("file-list", valibot)).toEqual(["items files"]);
  });

  test.each<[string, unknown]>([
    ["text", "object"],
    ["null", null],
    ["a list", []],
    ["a schema without JSON Schema", v.object({})],
    ["a schema that cannot be converted", z.object({ at: z.date() })],
  ])("%s is reported as unreadable", (_, outputSchema) => {
    expect(find("message-list", outputSchema)).toEqual(["unreadable outputSchema"]);
  });

  test("handles circular and hostile schemas", () => {
    const circle = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
    expect(find("message-list", circle)).toEqual(["success-type type"]);
    const nested: Record<string, unknown> = {};
    nested["oneOf"] = Array.from({ length: 50 }, () => nested);
    expect(() => find("message-list", nested)).not.toThrow();
    expect(() =>
      find("x-get", { properties: JSON.parse('{"__proto__":{"type":"array"}}') as unknown }),
    ).not.toThrow();
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.string(), fc.anything({ withNullPrototype: true }), (name, outputSchema) => {
        expect(Array.isArray(checkOutputNaming({ name, outputSchema }))).toBe(true);
      }),
    );
  });

  test("accepts modules directly", () => {
    expect(TOOLS.flatMap(checkOutputNaming).map(({ message }) => message)).toEqual([
      'Tool "breaks": rename the tool to {resource}-get, because it returns "item".',
    ]);
  });
});
