import { decode, encode } from "@toon-format/toon";
import { expect, test } from "vitest";
import { readFixtures, type ToonFixture } from "../../../../tools/toon-fixtures/read.js";

/** Long enough to install the fixtures on the first run. */
const TIMEOUT_MS = 300_000;

/** Options that the specification removed in version 4. The library implements version 4. */
const GONE = ["keyFolding", "expandPaths"];

/**
 * Cases that version 4 changed. The fixtures are those of 3.3, the latest in the registry.
 *
 * First case: objects in rows have their own columns. Other cases: text after a bracket is an error there too, which is
 * allowed when decoding is not strict.
 */
const CHANGED = [
  "uses list format for objects with nested values",
  "treats extra brackets after valid array segment as literal key (non-strict)",
  "treats non-integer bracket content as literal key (non-strict)",
  "treats text between bracket segment and colon as literal key (non-strict)",
];

const isOfVersion4 = ({ options = {} }: ToonFixture) => !GONE.some((name) => options[name] === "safe");

/** Returns a case's outcome, or `failed` if it throws. */
function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    return "failed";
  }
}

test(
  "F35: the library that writes TOON passes the specification's public fixtures",
  { timeout: TIMEOUT_MS },
  async (ctx) => {
    const fixtures = await readFixtures();
    if (!fixtures.ok) {
      process.stderr.write(`The TOON fixtures were skipped: ${fixtures.reason}\n`);
      return ctx.skip(fixtures.reason);
    }
    const run = {
      encode: ({ input, options }: ToonFixture) => attempt(() => encode(input, options)),
      decode: ({ input, options }: ToonFixture) => attempt(() => decode(String(input), options)),
    };
    const outcomes = (["encode", "decode"] as const).flatMap((direction) =>
      Object.values(fixtures[direction])
        .flat()
        .filter(isOfVersion4)
        .map((fixture) => ({
          name: fixture.name,
          direction,
          given: run[direction](fixture),
          expected: fixture.shouldError === true ? "failed" : fixture.expected,
        })),
    );
    expect(count(outcomes, "encode")).toBe(142);
    expect(count(outcomes, "decode")).toBe(236);
    const held = outcomes.filter(({ name }) => !CHANGED.includes(name));
    expect(held.map(({ name, given }) => [name, given])).toEqual(
      held.map(({ name, expected }) => [name, expected]),
    );
    // A case that passes again must be removed from the list.
    const changed = outcomes.filter(({ name }) => CHANGED.includes(name));
    expect(changed.map(({ name }) => name)).toEqual(CHANGED);
    for (const { given, expected } of changed) expect(given).not.toEqual(expected);
  },
);

function count(outcomes: readonly { readonly direction: string }[], direction: string): number {
  return outcomes.filter((one) => one.direction === direction).length;
}
