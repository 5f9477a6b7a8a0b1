/**
 * @fileoverview Results and thrown values that fail when they are read or serialized. Tests check how a server handles
 * them.
 * @module tests/support/hostile-values
 */
import { McpError } from "tenon/protocol";

/** Creates a hostile result from a valid one. */
export type HostileResult = (base: object) => unknown;

/** Results that cannot be converted to JSON, or that run their own code during the conversion. */
export const HOSTILE_RESULTS: Readonly<Record<string, HostileResult>> = {
  "toJSON returns undefined": (base) => ({ ...base, toJSON: () => undefined }),
  "toJSON returns a string": (base) => ({ ...base, toJSON: () => "text" }),
  "toJSON returns a number": (base) => ({ ...base, toJSON: () => 7 }),
  "toJSON returns null": (base) => ({ ...base, toJSON: () => null }),
  "toJSON returns an array": (base) => ({ ...base, toJSON: () => [base] }),
  "toJSON throws": (base) => ({ ...base, toJSON: () => explode() }),
  "toJSON throws a revoked proxy": (base) => ({
    ...base,
    toJSON() {
      throw revoked();
    },
  }),
  "toJSON returns undefined, and _meta is set": (base) => ({ ...base, _meta: {}, toJSON: () => undefined }),
  "toJSON itself cannot be read": (base) => withGetter(base, "toJSON", explode),
  "a getter throws": (base) => withGetter(base, "extra", explode),
  "a getter throws a revoked proxy": (base) =>
    withGetter(base, "extra", () => {
      throw revoked();
    }),
  "_meta cannot be read": (base) => withGetter(base, "_meta", explode),
  "a BigInt": (base) => ({ ...base, extra: 1n }),
  "a cycle": (base) => {
    const cycle: Record<string, unknown> = { ...base };
    cycle["extra"] = cycle;
    return cycle;
  },
  "huge nesting": (base) => ({ ...base, extra: nested(100_000) }),
  "a revoked proxy": () => revoked(),
  "a proxy whose members cannot be read": (base) => new Proxy(base, { get: explode }),
  "a proxy whose prototype cannot be read": (base) =>
    new Proxy({ ...base, extra: 1 }, { getPrototypeOf: explode, ownKeys: explode }),
  "then cannot be read": (base) => withGetter(base, "then", explode),
  "then throws": () => toThenable(() => explode()),
  "then rejects with a revoked proxy": () =>
    toThenable((_resolve, reject) => {
      reject(revoked());
    }),
  "then resolves synchronously with a BigInt": (base) =>
    toThenable((resolve) => {
      resolve({ ...base, extra: 1n });
    }),
};

/** Values that a handler may throw and that are not safe to read. */
export const HOSTILE_THROWN: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  undefined: () => undefined,
  "an object without a prototype": () => Object.create(null),
  "a symbol": () => Symbol("thrown"),
  "a revoked proxy": () => revoked(),
  "a revoked function": () => {
    const { proxy, revoke } = Proxy.revocable(() => undefined, {});
    revoke();
    return proxy;
  },
  "a proxy whose prototype cannot be read": () => new Proxy({}, { getPrototypeOf: explode }),
  "an error whose prototype cannot be read": () =>
    new Proxy(new Error("hidden"), {
      getPrototypeOf() {
        throw revoked();
      },
    }),
  "an error whose message cannot be read": () => withGetter(new Error("hidden"), "message", explode),
  "an error whose message is an object": () => Object.assign(new Error("hidden"), { message: { a: 1n } }),
  "an McpError whose message cannot be read": () => withGetter(mcpError(), "message", explode),
  "an McpError whose message is a number": () => Object.assign(mcpError(), { message: 7 }),
  "an McpError whose code is unknown": () => Object.assign(mcpError(), { code: "constructor" }),
  "an McpError whose code cannot be read": () => withGetter(mcpError(), "code", explode),
  "an McpError whose members cannot be read": () => new Proxy(mcpError(), { get: explode }),
};

/** Error details that cannot be serialized. The error's message may still be sent. */
export const HOSTILE_DETAILS: Readonly<Record<string, unknown>> = {
  "a BigInt": { a: 1n },
  "a revoked proxy": revoked(),
  "toJSON throws": { toJSON: explode },
  "toJSON returns a symbol": { toJSON: () => Symbol("details") },
  "a getter throws": withGetter({}, "a", explode),
};

function explode(): never {
  throw new Error("hostile");
}

function mcpError(): McpError {
  return new McpError("NOT_FOUND", "hidden");
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function withGetter(base: object, key: string, get: () => unknown): object {
  const copy = base instanceof Error ? base : { ...base };
  return Object.defineProperty(copy, key, { enumerable: true, configurable: true, get });
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

type Then = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void;

/** Creates an object with a custom `then`. */
export function toThenable(then: Then): object {
  // oxlint-disable-next-line unicorn/no-thenable -- handlers may return one, such as a database query builder
  return { then };
}
