/**
 * @fileoverview Checks regular expressions with recheck, which computes the time that the worst input takes.
 * @module tools/attack/redos/check
 */
import type { checkSync as CheckSync } from "recheck";
import type { FoundRegex } from "./collect.js";

/** Outcome for one regular expression. */
export interface RegexVerdict {
  readonly regex: FoundRegex;
  readonly status: "safe" | "vulnerable" | "unknown";
  /** Complexity, or the reason why there is no verdict. */
  readonly detail: string;
  /** Returns the worst known input of at most this length. */
  readonly attack: (maxLength: number) => string;
}

/** Time limit for one expression in milliseconds. */
const TIMEOUT_MS = 120_000;

/** Checks expressions one after the other. */
export async function checkRegexes(
  regexes: readonly FoundRegex[],
  print: (line: string) => void,
): Promise<readonly RegexVerdict[]> {
  // Runs in this process on every platform. The default is a Java program or a binary, if one is found.
  process.env["RECHECK_BACKEND"] = "pure";
  const { checkSync } = await import("recheck");
  const verdicts: RegexVerdict[] = [];
  for (const regex of regexes) {
    const found = checkSync(regex.pattern, regex.flags, { timeout: TIMEOUT_MS, randomSeed: 1 });
    verdicts.push(toVerdict(regex, found));
    if (verdicts.length % 50 === 0) {
      print(`${verdicts.length} of ${regexes.length} expressions`);
      // Lets the time limit of the attack run.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return verdicts;
}

type Diagnostics = ReturnType<typeof CheckSync>;
type Vulnerable = Extract<Diagnostics, { readonly status: "vulnerable" }>;

function toVerdict(regex: FoundRegex, found: Diagnostics): RegexVerdict {
  if (found.status === "safe") return { regex, status: "safe", detail: "", attack: () => "" };
  if (found.status === "unknown")
    return { regex, status: "unknown", detail: found.error.kind, attack: (length) => "a".repeat(length) };
  const { complexity, checker } = found;
  const attack = (maxLength: number) => createAttack(found, maxLength);
  // The fuzzer takes a limited number of repetitions, such as `{0,127}`, for an unlimited one.
  const isEstimate = checker === "fuzz" && complexity.type === "polynomial";
  const status = isEstimate && isFast(regex, attack) ? "safe" : "vulnerable";
  return { regex, status, detail: `${complexity.summary}, for example ${found.attack.pattern}`, attack };
}

/** Creates the worst known input of at most this length. */
function createAttack({ attack }: Vulnerable, maxLength: number): string {
  const fixed = attack.pumps.reduce((sum, { prefix }) => sum + prefix.length, attack.suffix.length);
  const pumped = attack.pumps.reduce((sum, { pump }) => sum + pump.length, 0);
  const times = Math.max(1, Math.floor((maxLength - fixed) / Math.max(1, pumped)));
  return attack.pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join("") + attack.suffix;
}

/** Lengths that are tried one after the other, so that a slow expression ends the measurement early. */
const LENGTHS = [500, 2_000, 8_000, 32_000];

/** Maximum time for each length in milliseconds. With a quadratic expression, 32,000 characters take seconds. */
const MAX_MS = 100;

/** Returns true if the worst known input is fast in every length. */
function isFast({ pattern, flags }: FoundRegex, attack: (length: number) => string): boolean {
  return LENGTHS.every((length) => {
    const text = attack(length);
    // The fastest of three runs, because the machine may be busy.
    return [1, 2, 3].some(() => {
      const start = performance.now();
      new RegExp(pattern, flags).exec(text);
      return performance.now() - start <= MAX_MS;
    });
  });
}
