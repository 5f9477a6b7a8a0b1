/**
 * @fileoverview Parses incomplete JSON while a model is writing it.
 * @module agent/models/partial-json
 */
import { isJsonObject } from "@tenon/internal/json";

/**
 * Parses the beginning of a JSON document. Open strings, arrays, and objects end where the text ends. Incomplete keys,
 * numbers, and literals are omitted. Returns `undefined` if no value has started. Never throws: parsing stops at the
 * first syntax error or below 64 nesting levels. Unescaped control characters in strings are accepted, because models
 * write them.
 *
 * @example completeJson('{"city":"Par') // { city: "Par" }
 */
export function completeJson(text: string): unknown {
  return new PartialReader(text).read();
}

const MAX_DEPTH = 64;

/** Single-pass parser. At the end of the text or at an error, all open values end. */
class PartialReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #isOver = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    this.#skipBlanks();
    return this.#readValue();
  }

  #readValue(): unknown {
    const first = this.#text.charAt(this.#at);
    if (first === "{") return this.#readNested(() => this.#readObject());
    if (first === "[") return this.#readNested(() => this.#readArray());
    if (first === '"') return this.#readString();
    const literal = LITERALS.get(first);
    return literal === undefined ? this.#readNumber() : this.#readLiteral(literal);
  }

  #readNested<T>(read: () => T): T | undefined {
    if (this.#depth === MAX_DEPTH) return this.#end();
    this.#depth++;
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #readObject(): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    if (this.#isClosedBy("}")) return members;
    while (!this.#isOver) {
      this.#skipBlanks();
      const key = this.#text.charAt(this.#at) === '"' ? this.#readString() : this.#end();
      // A key without its closing quote is incomplete.
      if (key === undefined || this.#isOver || !this.#take(":")) break;
      this.#skipBlanks();
      const value = this.#readValue();
      if (value !== undefined && !reachesPrototype(key, value)) members[key] = value;
      if (this.#isOver || this.#isClosedBy("}") || !this.#take(",")) break;
    }
    return members;
  }

  #readArray(): unknown[] {
    const items: unknown[] = [];
    if (this.#isClosedBy("]")) return items;
    while (!this.#isOver) {
      this.#skipBlanks();
      const value = this.#readValue();
      if (value !== undefined) items.push(value);
      if (this.#isOver || this.#isClosedBy("]") || !this.#take(",")) break;
    }
    return items;
  }

  #readString(): string {
    const parts: string[] = [];
    let from = ++this.#at;
    for (;;) {
      const end = this.#findInString();
      parts.push(this.#text.slice(from, end));
      if (end === this.#text.length) break;
      if (this.#text.charAt(end) === '"') {
        this.#at = end + 1;
        return parts.join("");
      }
      const escape = this.#readEscape(end + 1);
      if (escape === undefined) break;
      parts.push(escape);
      from = this.#at;
    }
    this.#end();
    // Drop half of a surrogate pair: the other half has not arrived yet.
    return parts.join("").replace(/[\ud800-\udbff]$/, "");
  }

  /** Returns the position of the next quote or backslash, or the length of the text. */
  #findInString(): number {
    for (let index = this.#at; index < this.#text.length; index++) {
      const code = this.#text.charCodeAt(index);
      if (code === QUOTE || code === BACKSLASH) return index;
    }
    return this.#text.length;
  }

  #readEscape(at: number): string | undefined {
    const letter = this.#text.charAt(at);
    const digits = letter === "u" ? this.#text.slice(at + 1, at + 5) : "";
    this.#at = at + 1 + digits.length;
    if (letter !== "u") return ESCAPES.get(letter);
    return /^[\da-f]{4}$/i.test(digits) ? String.fromCharCode(Number.parseInt(digits, 16)) : undefined;
  }

  #readLiteral(literal: boolean | null): boolean | null | undefined {
    const name = String(literal);
    if (!this.#text.startsWith(name, this.#at)) return this.#end();
    this.#at += name.length;
    return literal;
  }

  /**
   * Reads a number. At the end of the text, a number inside an array or object may be incomplete and is omitted. A
   * number at the top level counts as complete.
   */
  #readNumber(): number | undefined {
    const start = this.#at;
    while (/[-+.\deE]/.test(this.#text.charAt(this.#at))) this.#at++;
    const digits = this.#text.slice(start, this.#at);
    const isHalf = this.#at === this.#text.length && this.#depth > 0;
    return !isHalf && NUMBER.test(digits) ? Number(digits) : this.#end();
  }

  #skipBlanks(): void {
    while (BLANKS.has(this.#text.charAt(this.#at))) this.#at++;
  }

  #isClosedBy(bracket: string): boolean {
    this.#skipBlanks();
    if (this.#text.charAt(this.#at) !== bracket) return false;
    this.#at++;
    return true;
  }

  #take(mark: string): boolean {
    if (this.#isClosedBy(mark)) return true;
    this.#end();
    return false;
  }

  #end(): undefined {
    this.#isOver = true;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANKS: ReadonlySet<string> = /* @__PURE__ */ new Set([" ", "\t", "\n", "\r"]);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LITERALS: ReadonlyMap<string, boolean | null> = /* @__PURE__ */ new Map([
  ["t", true],
  ["f", false],
  ["n", null],
]);
const ESCAPES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Returns true for keys that could pollute a prototype. `readJson` removes the same keys. */
function reachesPrototype(key: string, value: unknown): boolean {
  if (key === "__proto__") return true;
  return key === "constructor" && isJsonObject(value) && Object.hasOwn(value, "prototype");
}
