import { decode, encode } from "@toon-format/toon";
import { expect, test } from "vitest";
import { readFixtures, type ToonFixture } from "../../../../tools/toon-fixtures/read.js";

/** The first run of all may have to install the fixtures. */
const TIMEOUT_MS = 300_000;

/** Options that version 4 of the specification, which the library follows, took away. */
const GONE = ["keyFolding", "expandPaths"];

/**
 * Cases that version 4 settles in another way. The fixtures are those of 3.3, the latest that the registry has.
 *
 * The first: objects in rows have columns of their own. The others: what follows a bracket is an error there too, as it
 * may be where decoding is not strict.
 */
const CHANGED = [
  "uses list format for objects with nested values",
  "treats extra brackets after valid array segment as literal key (non-strict)",
  "treats non-integer bracket content as literal key (non-strict)",
  "treats text between bracket segment and colon as literal key (non-strict)",
];

const isOfVersion4 = ({ options = {} }: ToonFixture) => !GONE.some((name) => options[name] === "safe");

/** What a case gives; a case that fails gives `failed`. */
function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    return "failed";
  }
}

test(
  "F35: the library that writes TOON passes the public fixtures of the specification",
  { timeout: TIMEOUT_MS },
  async (ctx) => {
    const fixtures = await readFixtures();
    if (!fixtures.ok) {
      process.stderr.write(`The TOON fixtures were left out: ${fixtures.reason}\n`);
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
    // If one of these is as it was again, it has no place in the list.
    const changed = outcomes.filter(({ name }) => CHANGED.includes(name));
    expect(changed.map(({ name }) => name)).toEqual(CHANGED);
    for (const { given, expected } of changed) expect(given).not.toEqual(expected);
  },
);

function count(outcomes: readonly { readonly direction: string }[], direction: string): number {
  return outcomes.filter((one) => one.direction === direction).length;
}
