/**
 * @fileoverview Reads the public fixtures of the TOON specification, after installing them where they are missing.
 * @module tools/toon-fixtures/read
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installOnce } from "../install-once.js";

/** One case of the specification. */
export interface ToonFixture {
  readonly name: string;
  /** A value where it is encoded, text where it is decoded. */
  readonly input: unknown;
  readonly expected: unknown;
  readonly shouldError?: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** The cases of both directions by file, or why there are none. */
export type FixturesOutcome =
  | { readonly ok: true; readonly encode: FixtureFiles; readonly decode: FixtureFiles }
  | { readonly ok: false; readonly reason: string };

/** The cases of each file. */
export type FixtureFiles = Readonly<Record<string, readonly ToonFixture[]>>;

/** Reads every fixture. */
export async function readFixtures(): Promise<FixturesOutcome> {
  const failure = await installOnce(FOLDER, [PACKAGE]);
  if (failure !== undefined) return { ok: false, reason: failure };
  return { ok: true, encode: readFolder("encode"), decode: readFolder("decode") };
}

const FOLDER = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");
const PACKAGE = "@toon-format/spec";

function readFolder(direction: "encode" | "decode"): FixtureFiles {
  const folder = `${FOLDER}/node_modules/${PACKAGE}/tests/fixtures/${direction}`;
  return Object.fromEntries(
    readdirSync(folder).map((file) => {
      const { tests } = JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as {
        readonly tests: readonly ToonFixture[]; // as the package's own schema of fixtures says
      };
      return [file, tests];
    }),
  );
}
