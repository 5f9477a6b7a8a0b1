/**
 * @fileoverview Tests texts against the patterns of a JSON Schema. The schema may come from an untrusted server, so a
 * pattern is used only if the number of steps that it can take is known to be small.
 * @module agent/tools/json-schema/match-pattern
 */

/**
 * Tests a text against a pattern. Returns `undefined` if the pattern is not a valid regular expression, or if the test
 * could take too long.
 */
export function matchPattern(pattern: string, text: string): boolean | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  const expression = compile(pattern);
  if (expression === undefined || countSteps(pattern, text.length) > MAX_STEPS) return undefined;
  return expression.test(text);
}

const MAX_PATTERN = 500;
const MAX_STEPS = 1_000_000;

function compile(pattern: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Patterns from other languages may be valid only without the flag.
    }
  }
  return undefined;
}

/** Cost of matching a part of a pattern. */
interface Cost {
  /** Number of ways in which the part can match. Backtracking tries all of them. */
  readonly ways: number;
  /** Number of characters and classes in the part. */
  readonly size: number;
}

/** Returns an upper bound for the steps that a valid pattern takes on a text. */
function countSteps(pattern: string, length: number): number {
  const { ways, size } = new CostReader(pattern, length).readChoices();
  // A pattern that does not start with `^` is tried at every position.
  const starts = pattern.startsWith("^") && !pattern.includes("|") ? 1 : length + 1;
  return ways * Math.max(1, size) * starts;
}

class CostReader {
  readonly #pattern: string;
  readonly #length: number;
  #at = 0;

  constructor(pattern: string, length: number) {
    this.#pattern = pattern;
    this.#length = length;
  }

  /** Reads alternatives up to a closing parenthesis or the end. */
  readChoices(): Cost {
    let { ways, size } = this.#readSequence();
    while (this.#pattern[this.#at] === "|") {
      this.#at++;
      const next = this.#readSequence();
      ways += next.ways;
      size += next.size;
    }
    return { ways, size };
  }

  #readSequence(): Cost {
    let ways = 1;
    let size = 0;
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at] ?? "")) {
      const atom = this.#readAtom();
      const repeated = this.#repeat(atom);
      ways *= repeated.ways;
      size += repeated.size;
    }
    return { ways, size };
  }

  #readAtom(): Cost {
    const start = this.#pattern[this.#at++];
    if (start === "(") return this.#readGroup();
    if (start === "[") this.#skipClass();
    if (start !== "\\") return ONE;
    const escaped = this.#pattern[this.#at++] ?? "";
    // The text that a backreference matches is not known in advance.
    if (/[1-9k]/.test(escaped)) return { ways: Number.POSITIVE_INFINITY, size: 1 };
    if (/[pPu]/.test(escaped) && this.#pattern[this.#at] === "{") {
      this.#at = this.#pattern.indexOf("}", this.#at) + 1;
    }
    return ONE;
  }

  #readGroup(): Cost {
    const [prefix = ""] = /^\?(?:[:=!]|<[=!]|<[^>]*>)/.exec(this.#pattern.slice(this.#at)) ?? [];
    this.#at += prefix.length;
    const inner = this.readChoices();
    this.#at++; // the closing parenthesis
    return inner;
  }

  #skipClass(): void {
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== "]") {
      this.#at += this.#pattern[this.#at] === "\\" ? 2 : 1;
    }
    this.#at++;
  }

  /** Reads the quantifier after an atom, if any. */
  #repeat({ ways, size }: Cost): Cost {
    const [text, least, comma, most] =
      /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (text === undefined) return { ways, size };
    this.#at += text.length;
    if (this.#pattern[this.#at] === "?") this.#at++;
    const min = text === "+" ? 1 : Number(least ?? 0);
    const max = text === "?" ? 1 : toMost({ least, comma, most });
    const choices = Math.min(max, this.#length) - Math.min(min, this.#length) + 1;
    const repeatedSize = size * Math.max(1, Math.min(min, this.#length));
    if (ways === 1) return { ways: choices, size: repeatedSize };
    // Repeating a part that can match in several ways multiplies them.
    return { ways: ways ** Math.min(max, MAX_POWER) * choices, size: repeatedSize };
  }
}

const ONE: Cost = { ways: 1, size: 1 };
/** Exponent that exceeds the limit for every part with at least two ways. */
const MAX_POWER = 100;

/** Returns the upper limit of a quantifier such as `{2}`, `{2,}`, or `{2,5}`. */
function toMost(parts: {
  readonly least: string | undefined;
  readonly comma: string | undefined;
  readonly most: string | undefined;
}): number {
  const { least, comma, most } = parts;
  if (least === undefined) return Number.POSITIVE_INFINITY;
  if (comma === undefined) return Number(least);
  return most === undefined || most === "" ? Number.POSITIVE_INFINITY : Number(most);
}
