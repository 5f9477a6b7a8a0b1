/**
 * @fileoverview Compares `@tenon/sdk` with the official SDK if an application creates a server for every request.
 * @module bench/suites/sdk
 */
import type { CaseName } from "../lib/cases.js";
import { withFleet } from "../lib/fleet.js";
import type { BenchOptions } from "../lib/options.js";
import { REQUEST_COLUMNS, type Row, shareOfFloor, type Table } from "../lib/result.js";
import type { Suite } from "../lib/suite.js";
import type { Mode } from "../servers/contract.js";
import { TOOL_COUNT as tools } from "../servers/sdk/tools.js";
import { measure } from "./http.js";

/** Application of one SDK version, and the requests that it gets. */
interface SdkCase {
  readonly version: "v1" | "v2";
  readonly mode: Mode;
  /** Revision in the table's title. */
  readonly revision: string;
}

const CASES: readonly SdkCase[] = [
  { version: "v1", mode: "stateless", revision: "2025-06-18" },
  { version: "v2", mode: "modern", revision: "2026-07-28" },
  { version: "v2", mode: "stateless", revision: "2025-06-18" },
];

const REQUESTS = [
  { id: "call", name: "order", title: "realistic tools/call" },
  { id: "list", name: "list", title: "tools/list" },
] as const satisfies readonly { readonly id: string; readonly name: CaseName; readonly title: string }[];

const PLACES = [
  { suffix: "-module", title: "schemas of a module" },
  { suffix: "-inline", title: "schemas created for every request" },
] as const;

/** Highest CPU time of Tenon per request, relative to the official SDK. */
const LIMIT = 1;

/** The suite of the drop-ins. */
export const sdk: Suite = {
  name: "sdk",
  title: "Drop-ins for the official SDK, one server per request",
  async *run(options) {
    for (const one of CASES) {
      for (const place of PLACES) yield* measureCase(one, place, options);
    }
  },
};

async function* measureCase(
  { version, mode, revision }: SdkCase,
  { suffix, title }: (typeof PLACES)[number],
  options: BenchOptions,
): AsyncGenerator<Table> {
  const wanted = REQUESTS.map((request) => ({
    ...request,
    tableId: `${version}-${mode}-${request.id}${suffix}`,
  })).filter(({ tableId }) => options.wants("sdk", tableId));
  if (wanted.length === 0) return;
  const pair = [`official-${version}${suffix}`, `tenon-${version}${suffix}`];
  const setup = { wire: "http", family: "sdk", mode, tools } as const;
  yield* withFleet(pair, setup, options, async function* (fleet) {
    for (const { name, tableId, title: request } of wanted) {
      const table = await measure({ name, connections: 32 }, { mode, tools }, fleet, options);
      const id = tableId;
      const heading = `One server per request, ${version}, ${request}, ${revision}, ${tools} tools, ${title}`;
      yield besideOfficial({ ...table, id, title: heading, floor: pair[0] ?? "" });
    }
  });
}

/** Adds the ratio to the official SDK, and a note if it is above the limit. */
function besideOfficial(table: Table): Table {
  return {
    ...table,
    columns: { ratio: "ratio", limit: "limit", ...REQUEST_COLUMNS },
    rows: table.rows.map((row): Row => {
      if (row.server === table.floor) return { ...row, figures: { ...row.figures, ratio: 1 } };
      const ratio = 1 / shareOfFloor(table, row);
      const figures = { ...row.figures, ratio, limit: LIMIT };
      return ratio > LIMIT ? { ...row, figures, note: row.note ?? "above the limit" } : { ...row, figures };
    }),
  };
}
