/**
 * @fileoverview Cases in which callers repeat the idempotency key of a call that was not theirs. They run on every store.
 * @module tests/tenon/support/isolation/keyed-calls
 */
import { expect, onTestFinished } from "vitest";
import { defineServer } from "../../../src/core/define-server.js";
import { createTool } from "../../../src/grouped/index.js";
import { idempotency, type SharedStore } from "../../../src/stores/index.js";
import { FETCH, read } from "../../../../../tests/support/http-faces.js";
import { modernPost } from "../../../../../tests/support/http-messages.js";
import { as, authenticate } from "./servers.js";

const KEYS = ["a key of the operator with 32 bytes"];
const ADA = as("ada", "admin");

/** Starts a server whose tools need a scope, and returns a function that calls one of them with an idempotency key. */
async function start(store: SharedStore, name: string, scopes: readonly string[] = ["admin"]) {
  let runs = 0;
  const handler = () => `${name} ran ${++runs}`;
  const server = defineServer({ name, version: "1.0.0", log: () => undefined, state: { keys: KEYS } })
    .use(idempotency({ store }))
    .tool("secret", { scopes: [...scopes], handler })
    .tools(
      createTool("users")
        .action({ name: "list", handler: () => "none" })
        .action({ name: "ban", scopes: [...scopes], handler }),
    )
    .build();
  const endpoint = await FETCH.open(server, { authenticate, store });
  onTestFinished(() => server.close());
  return async (headers: Readonly<Record<string, string>>, tool = "secret") => {
    const params = { name: tool, arguments: tool === "users" ? { action: "ban" } : {} };
    const request = modernPost("tools/call", params, { headers: { ...headers, "idempotency-key": "k" } });
    return JSON.stringify((await read(await endpoint.fetch(request))).body);
  };
}

/** Repeats keys with a token without the scope, as another principal, and on a server with another name. */
export async function expectResultsApart(store: SharedStore): Promise<void> {
  const one = await start(store, "one");
  for (const [index, tool] of ["secret", "users"].entries()) {
    const ran = (times: number) => `one ran ${2 * index + times}`;
    for (const _repeated of [1, 2]) expect(await one(ADA, tool)).toContain(ran(1));
    for (const headers of [as("ada"), as("eve"), as("ada", "other")])
      expect(await one(headers, tool)).toMatch(/^(?!.* ran ).*requires these scopes: admin\./);
    expect(await one(as("eve", "admin"), tool)).toContain(ran(2));
    expect(await one(ADA, tool)).toContain(ran(1));
  }
  const two = await start(store, "two");
  for (const [index, tool] of ["secret", "users"].entries())
    expect(await two(ADA, tool)).toContain(`two ran ${index + 1}`);
}

/** Repeats a key after the tool got a scope in a newer version of the server. */
export async function expectNewScopesApply(store: SharedStore): Promise<void> {
  const old = await start(store, "one", []);
  expect(await old(as("ada"))).toContain("one ran 1");
  const next = await start(store, "one");
  expect(await next(as("ada"))).toMatch(/^(?!.* ran ).*requires these scopes: admin\./);
  expect(await next(ADA)).toContain("one ran 1");
}
