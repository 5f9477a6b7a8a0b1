/**
 * @fileoverview Reads the public fixtures of the TOON specification. Installs them if they are missing.
 * @module tools/toon-fixtures/read
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installOnce } from "../install-once.js";

/** One case of the specification. */
export interface ToonFixture {
  readonly name: string;
  /** A value to encode, or text to decode. */
  readonly input: unknown;
  readonly expected: unknown;
  readonly shouldError?: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Cases of both directions by file, or the reason they are missing. */
export type FixturesOutcome =
  | { readonly ok: true; readonly encode: FixtureFiles; readonly decode: FixtureFiles }
  | { readonly ok: false; readonly reason: string };

/** Cases by file. */
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
        readonly tests: readonly ToonFixture[]; // defined by the package's schema of fixtures
      };
      return [file, tests];
    }),
  );
}
