/**
 * @fileoverview Converts any value to plain data for logging, with secrets redacted and size limits applied.
 * @module app/logging/redact
 */
import { read } from "@tenon/internal/security/safe-text";
import { createTextRedactor, REDACTED } from "@tenon/internal/security/redact-text";
import { isSecretName } from "@tenon/internal/security/secret-names";

/** Options for `createRedactor`. */
export interface RedactorOptions {
  /** Values to redact wherever they occur, such as the configuration's secrets. */
  readonly secrets?: readonly string[];
  /** Additional words that denote a secret when they occur in a member's name. */
  readonly names?: readonly string[];
  /**
   * Maximum nesting depth.
   * @default 8
   */
  readonly maxDepth?: number;
  /**
   * Maximum number of members per object, map, list, or set.
   * @default 100
   */
  readonly maxMembers?: number;
  /**
   * Maximum total number of values.
   * @default 1000
   */
  readonly maxValues?: number;
  /**
   * Maximum length of each string, in characters.
   * @default 8000
   */
  readonly maxText?: number;
}

/** Creates copies that are safe to log. Its methods never throw. */
export interface Redactor {
  /** Copies a value to plain data with secrets redacted. Omits stack traces if `stacks` is false. */
  value(value: unknown, options?: { readonly stacks?: boolean }): unknown;
  /** Redacts secrets in text. Line breaks are kept. */
  text(text: string): string;
}

/** Creates a redactor. Without options, it detects secrets by member name and by text format. */
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

/** Settings for one copy. */
interface CopyRules {
  readonly text: (text: string) => string;
  readonly names: ReadonlySet<string>;
  readonly maxDepth: number;
  readonly maxMembers: number;
  readonly stacks: boolean;
}

/** Copies one value. Tracks the enclosing objects and the remaining number of values. */
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
      // A proxy or a getter threw, so the value cannot be read.
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
    // Without a prototype, `__proto__` is a plain member name.
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
    // Absent, empty, and boolean values reveal only whether a secret is set, so they are shown.
    const tells = value !== undefined && value !== null && typeof value !== "boolean" && value !== "";
    return tells && isSecretName(name, { more: this.#rules.names }) ? REDACTED : this.copy(value, depth);
  }

  /** Copies an error's standard members. Other members often hold whole requests and sockets. */
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
