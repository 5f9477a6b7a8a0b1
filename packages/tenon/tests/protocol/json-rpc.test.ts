import { describe, expect, test } from "vitest";
import {
  describeInvalidMessage,
  isRequestId,
  type JsonRpcRequest,
  type JsonRpcResponse,
  messageKind,
  salvageId,
} from "../../src/protocol/json-rpc.js";

/** Parses JSON text, because some values can only be written as JSON. */
const parse = (text: string): unknown => JSON.parse(text);

describe("an ID", () => {
  test.each([
    ["text", '"abc"', true],
    ["empty text", '""', true],
    ["zero", "0", true],
    ["a negative integer", "-7", true],
    ["an integer written with a fraction of zero", "4.0", true],
    ["the largest safe integer", "9007199254740991", true],
    ["the smallest safe integer", "-9007199254740991", true],
    ["an unsafe integer", "9007199254740992", false],
    ["an unsafe negative integer", "-9007199254740992", false],
    ["a number past all doubles", "1e400", false],
    ["a number below all doubles", "-1e400", false],
    ["a fraction", "1.5", false],
    ["null", "null", false],
    ["true", "true", false],
    ["an object", "{}", false],
    ["an array", "[1]", false],
  ])("can be %s: %s → %s", (_case, text, expected) => {
    expect(isRequestId(parse(text))).toBe(expected);
  });

  test("cannot be undefined or NaN", () => {
    expect(isRequestId(undefined)).toBe(false);
    expect(isRequestId(Number.NaN)).toBe(false);
  });
});

describe("a message's kind is", () => {
  test.each([
    ["request", '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ["request", '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}}'],
    ["request", '{"jsonrpc":"2.0","id":0,"method":""}'],
    ["request", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}'],
    ["request", '{"jsonrpc":"2.0","id":1,"method":"ping","extra":true}'],
    ["notification", '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ["notification", '{"jsonrpc":"2.0","method":"ping","params":{}}'],
    ["response", '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ["response", '{"jsonrpc":"2.0","id":1,"result":null}'],
    ["response", '{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"no"}}'],
    ["invalid", "null"],
    ["invalid", "1"],
    ["invalid", '"ping"'],
    ["invalid", "[]"],
    ["invalid", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'],
    ["invalid", "{}"],
    ["invalid", '{"id":1,"method":"ping"}'],
    ["invalid", '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ["invalid", '{"jsonrpc":2.0,"id":1,"method":"ping"}'],
    ["invalid", '{"jsonrpc":"2.0","id":1}'],
    ["invalid", '{"jsonrpc":"2.0","id":1,"method":7}'],
    ["invalid", '{"jsonrpc":"2.0","id":1,"method":null,"result":{}}'],
    ["invalid", '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
    ["invalid", '{"jsonrpc":"2.0","id":1e400,"method":"ping"}'],
    ["invalid", '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'],
    ["invalid", '{"jsonrpc":"2.0","id":1,"error":"no"}'],
    ["invalid", '{"jsonrpc":"2.0","id":1,"error":null}'],
    ["invalid", '{"jsonrpc":"2.0","id":null,"result":{}}'],
    ["invalid", '{"jsonrpc":"2.0","result":{}}'],
    ["invalid", '{"JSONRPC":"2.0","id":1,"method":"ping"}'],
    ["invalid", '{"jsonrpc":"2.0","id":1,"Method":"ping"}'],
    ["notification", '{"jsonrpc":"2.0","ID":1,"method":"ping"}'],
  ])("%s: %s", (kind, text) => {
    expect(messageKind(parse(text))).toBe(kind);
  });

  // A peer that could not read our ID responds without one. Responding with an error could start an endless
  // exchange.
  test.each([
    '{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}',
  ])("response, for an error without an id: %s", (text) => {
    expect(messageKind(parse(text))).toBe("response");
  });

  test("R7: a request can omit id and params, and its params are not read", () => {
    const bare: JsonRpcRequest = { jsonrpc: "2.0", method: "ping" };
    expect(messageKind(bare)).toBe("notification");
    const sealed = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      get params(): never {
        throw new Error("params were read");
      },
    };
    expect(messageKind(sealed)).toBe("request");
    expect(salvageId(sealed)).toBe(1);
  });

  test("R9: a peer's response is a JsonRpcResponse with a result or an error", () => {
    const replies: readonly JsonRpcResponse[] = [
      { jsonrpc: "2.0", id: 1, result: { roots: [] } },
      { jsonrpc: "2.0", id: "a", error: { code: -32601, message: "no", data: { why: "none" } } },
    ];
    expect(replies.map(messageKind)).toEqual(["response", "response"]);
  });
});

describe("the reason a message is invalid", () => {
  test.each([
    ["null", "The message must be a JSON object."],
    ["[]", "The message must be a JSON object."],
    ['"ping"', "The message must be a JSON object."],
    ['{"id":1,"method":"ping"}', "jsonrpc must be '2.0'"],
    ['{"jsonrpc":"1.0","id":null}', "jsonrpc must be '2.0'"],
    ['{"jsonrpc":"2.0","id":1}', "`method` must be a string."],
    ['{"jsonrpc":"2.0","id":1,"method":{}}', "`method` must be a string."],
    ['{"jsonrpc":"2.0","result":{}}', "`method` must be a string."],
  ])("%s: %s", (text, reason) => {
    expect(describeInvalidMessage(parse(text))).toBe(reason);
  });

  test.each(["null", "1.5", "1e400", "9007199254740992", "true", "{}"])("names an invalid `id`: %s", (id) => {
    expect(describeInvalidMessage(parse(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`))).toBe(
      "`id` must be a string or a safe integer.",
    );
  });
});

describe("an invalid message's ID", () => {
  test.each([
    ['{"id":1}', 1],
    ['{"jsonrpc":"1.0","id":"a","method":7}', "a"],
    ['{"jsonrpc":"2.0","method":"ping"}', null],
    ['{"id":null}', null],
    ['{"id":1e400}', null],
    ['{"id":{}}', null],
    ["[1]", null],
    ["null", null],
    ["7", null],
  ])("%s: %j", (text, id) => {
    expect(salvageId(parse(text))).toBe(id);
  });
});
