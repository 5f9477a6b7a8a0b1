/**
 * @fileoverview Anything, as plain data that may be written to a log: bounded, and without secrets.
 * @module app/logging/redact
 */
import { read } from "@tenon/internal/security/safe-text";
import { createTextRedactor, REDACTED } from "@tenon/internal/security/redact-text";
import { isSecretName } from "./secret-names.js";

/** Options of `createRedactor`: secrets, and bounds of what is shown. */
export interface RedactorOptions {
  /** Values that must never be seen, whatever they stand in: those of the configuration, for example. */
  readonly secrets?: readonly string[];
  /** More words that promise a secret when they are part of a name. */
  readonly names?: readonly string[];
  /** @default 8 */
  readonly maxDepth?: number;
  /**
   * Most members of one object, map, list or set.
   * @default 100
   */
  readonly maxMembers?: number;
  /**
   * Most values in all.
   * @default 1000
   */
  readonly maxValues?: number;
  /**
   * Most characters of a text.
   * @default 8000
   */
  readonly maxText?: number;
}

/** Makes log-safe copies. It never throws, whatever it is given. */
export interface Redactor {
  /** A copy as plain data. */
  value(value: unknown, options?: { readonly stacks?: boolean }): unknown;
  /** Text without secrets, on as many lines as it has. */
  text(text: string): string;
}

/** Creates a redactor. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const { maxDepth = 8, maxMembers = 100, maxValues = 1_000, maxText = 8_000 } = options;
  const text = createTextRedactor({ limit: maxText, secrets: options.secrets ?? [] });
  const names = new Set(options.names?.map((name) => name.toLowerCase()));
  return {
    text,
    value(value, { stacks = true } = {}) {
      return new Copier({ text, names, maxDepth, maxMembers, stacks }, maxValues).copy(value, 0);
    },
  };
}

/** The rules of one copy. */
interface CopyRules {
  readonly text: (text: string) => string;
  readonly names: ReadonlySet<string>;
  readonly maxDepth: number;
  readonly maxMembers: number;
  readonly stacks: boolean;
}

/** One copy under way: what it stands in, and how much it may still take. */
class Copier {
  readonly #path = new Set<object>();
  readonly #rules: CopyRules;
  #left: number;

  constructor(rules: CopyRules, left: number) {
    this.#rules = rules;
    this.#left = left;
  }

  copy(value: unknown, depth: number): unknown {
    if (this.#left-- <= 0) return TRUNCATED;
    switch (typeof value) {
      case "string":
        return this.#rules.text(value);
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "bigint":
        return this.#rules.text(String(value));
      case "symbol":
        return this.#rules.text(String(value));
      case "function":
        return "[Function]";
      case "object":
        return value === null ? null : this.#copyObject(value, depth);
      default:
        return value;
    }
  }

  #copyObject(value: object, depth: number): unknown {
    if (this.#path.has(value)) return "[Circular]";
    if (depth >= this.#rules.maxDepth) return TRUNCATED;
    this.#path.add(value);
    try {
      return this.#copyMembers(value, depth + 1);
    } catch {
      // A proxy or a getter that throws: there is nothing to be learned from it.
      return UNREADABLE;
    } finally {
      this.#path.delete(value);
    }
  }

  #copyMembers(value: object, depth: number): unknown {
    if (value instanceof Error) return this.#copyError(value, depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    if (value instanceof URL) return this.#rules.text(value.href);
    if (value instanceof RegExp) return this.#rules.text(String(value));
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value)) return this.#copyList(value, value.length, depth);
    if (value instanceof Set) return this.#copyList(value, value.size, depth);
    if (value instanceof Map) return this.#copyMap(value, depth);
    const names = Object.keys(value);
    return this.#copyNamed(
      names.slice(0, this.#rules.maxMembers).map((name) => [name, () => Reflect.get(value, name)] as const),
      names.length,
      depth,
    );
  }

  #copyList(values: Iterable<unknown>, size: number, depth: number): unknown {
    const shown: unknown[] = [];
    for (const value of values) {
      if (shown.length >= this.#rules.maxMembers) break;
      shown.push(this.copy(value, depth) ?? null);
    }
    if (size > shown.length) shown.push(`… ${size - shown.length} more`);
    return shown;
  }

  #copyMap(map: ReadonlyMap<unknown, unknown>, depth: number): unknown {
    const members: (readonly [string, () => unknown])[] = [];
    for (const [key, value] of map) {
      if (members.length >= this.#rules.maxMembers) break;
      const name = typeof key === "string" ? key : String(this.copy(key, this.#rules.maxDepth));
      members.push([name, () => value]);
    }
    return this.#copyNamed(members, map.size, depth);
  }

  #copyNamed(members: readonly (readonly [string, () => unknown])[], size: number, depth: number): unknown {
    // Without a prototype every name is just a name, `__proto__` too.
    const copy: Record<string, unknown> = Object.create(null);
    for (const [name, get] of members) {
      const shown = this.#rules.text(name).slice(0, MAX_NAME);
      copy[shown] = this.#copyMember(name, get, depth);
    }
    if (size > members.length) copy["…"] = `${size - members.length} more`;
    return copy;
  }

  #copyMember(name: string, get: () => unknown, depth: number): unknown {
    let value: unknown;
    try {
      value = get();
    } catch {
      return UNREADABLE;
    }
    // Whether there is a secret may be told; what it is may not.
    const tells = value !== undefined && value !== null && typeof value !== "boolean" && value !== "";
    return tells && isSecretName(name, this.#rules.names) ? REDACTED : this.copy(value, depth);
  }

  /** What is known of errors; other members of theirs are whole requests and sockets more often than not. */
  #copyError(error: Error, depth: number): unknown {
    const names = this.#rules.stacks ? [...ERROR_MEMBERS, "stack"] : ERROR_MEMBERS;
    const members = names
      .map((name) => [name, read(error, name)] as const)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, () => value] as const);
    return this.#copyNamed(members, members.length, depth);
  }
}

const MAX_NAME = 256;
const TRUNCATED = "[Truncated]";
const UNREADABLE = "[Unreadable]";
const ERROR_MEMBERS = [
  "name",
  "message",
  "code",
  "status",
  "statusCode",
  "syscall",
  "details",
  "errors",
  "cause",
];
