/**
 * @fileoverview Setup for every test file. Validates every message that a server sends in a test against the schema of
 * its protocol revision.
 * @module tests/support/check-every-reply
 */
import { afterEach, expect } from "vitest";
import type { Exchange } from "../../packages/tenon/src/core/wire/exchange.js";
import type { HostedServer } from "../../packages/tenon/src/core/wire/hosted-server.js";
import type { McpResponse } from "../../packages/tenon/src/core/wire/response.js";
import { Server } from "../../packages/tenon/src/core/server.js";
import { PROTOCOL_VERSION } from "tenon";
import { META, REVISIONS, type Revision } from "tenon/protocol";
import { checkError, checkNotification, checkResult, checkServerRequest } from "./wire-schemas.js";

interface Checks {
  readonly problems: string[];
  /** Server classes that are checked already. */
  readonly types: WeakSet<object>;
}

// Test files that share a worker evaluate this module once each, but share the server classes.
const { problems, types } = ((globalThis as { tenonReplyChecks?: Checks }).tenonReplyChecks ??= {
  problems: [],
  types: new WeakSet(),
});

checkRepliesOf(Server);

afterEach(() => {
  const found = problems.splice(0);
  expect(found, "A sent message does not match the specification's schema.").toEqual([]);
});

/**
 * Checks every response that instances of a server class send, and the messages before it. Tests of other server
 * classes call it themselves, so that this file does not load those classes in every test.
 */
export function checkRepliesOf(type: { readonly prototype: Pick<HostedServer<unknown>, "handle"> }): void {
  if (types.has(type)) return;
  types.add(type);
  // Called below on the original server.
  // oxlint-disable-next-line typescript/unbound-method
  const original = type.prototype.handle;
  type.prototype.handle = function handle(this: HostedServer<unknown>, message, context, exchange) {
    const response = original.call(this, message, context, exchange && watched(message, exchange));
    if (response instanceof Promise) {
      return response.then((settled) => {
        checkReply(message, exchange, settled);
        return settled;
      });
    }
    checkReply(message, exchange, response);
    return response;
  };
}

/** Returns the protocol revision of the reply to a message. */
function revisionOf(message: unknown, exchange: Exchange | undefined): Revision {
  if (exchange === undefined) return PROTOCOL_VERSION;
  const { params } = message as { readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> } };
  const named = REVISIONS.find((revision) => revision === params?._meta?.[META.protocolVersion]);
  return exchange.connection.era === "legacy"
    ? exchange.connection.revision
    : (named ?? exchange.connection.revision);
}

function checkReply(message: unknown, exchange: Exchange | undefined, response: McpResponse): void {
  const reply = response.intoJsonRpc();
  if (reply === undefined || reply.id === null) return;
  const { method } = message as { readonly method: string };
  if (reply.error !== undefined) return note(checkError(revisionOf(message, exchange), reply));
  const { protocolVersion } = reply.result as { readonly protocolVersion?: unknown };
  const negotiated = method === "initialize" ? REVISIONS.find((one) => one === protocolVersion) : undefined;
  note(checkResult(negotiated ?? revisionOf(message, exchange), method, reply.result));
}

/** Wraps an exchange and checks the messages that it sends. Uses a proxy, because a copy would lack private members. */
function watched(message: unknown, exchange: Exchange): Exchange {
  const checked: Pick<Exchange, "notify" | "request"> = {
    notify(notification) {
      const plain: unknown = JSON.parse(JSON.stringify(notification));
      // The facade also delivers queued requests of tasks this way.
      const check = isRequest(plain) ? checkServerRequest : checkNotification;
      note(check(revisionOf(message, exchange), plain));
      return exchange.notify?.(notification);
    },
    request(question, signal) {
      note(checkServerRequest(revisionOf(message, exchange), { jsonrpc: "2.0", id: 1, ...question }));
      return (
        exchange.request?.(question, signal) ??
        Promise.reject(new Error("The client does not accept requests."))
      );
    },
  };
  const proxy: Exchange = new Proxy(exchange, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const method: unknown = key === "notify" || key === "request" ? checked[key] : value;
      // Most exchanges are instances of classes, so a method that is called without its exchange fails there too.
      return function call(this: unknown, ...args: readonly unknown[]): unknown {
        if (this !== proxy) throw new TypeError(`\`${String(key)}\` must be called on its exchange.`);
        return Reflect.apply(method as () => unknown, target, args);
      };
    },
  });
  return proxy;
}

function isRequest(message: unknown): boolean {
  return typeof message === "object" && message !== null && "id" in message;
}

function note(problem: string | undefined): void {
  if (problem !== undefined) problems.push(problem);
}
