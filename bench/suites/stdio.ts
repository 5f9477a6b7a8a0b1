/**
 * @fileoverview Measures 2,000 calls written to a server's input in one go, until the last response.
 * @module bench/suites/stdio
 */
import { type Case, INITIALIZE, INITIALIZED, makeCase } from "../lib/cases.js";
import { Checker } from "../lib/check.js";
import { type Fleet, withFleet } from "../lib/fleet.js";
import { interleave, type Pace, type Sample } from "../lib/interleave.js";
import { REQUEST_COLUMNS, requestRow, type Row, type Table } from "../lib/result.js";
import type { ServerProcess } from "../lib/server-process.js";
import { type Suite, SERVERS, serversFor } from "../lib/suite.js";
import { WITH_ORDER } from "../servers/tools.js";

const CALLS = 2_000;
const PATIENCE_MS = 30_000;

const CASES = [
  { name: "order", tools: WITH_ORDER, title: "pipelined realistic calls" },
  { name: "call", tools: 2, title: "pipelined calls" },
] as const;

/** The stdio suite. */
export const stdio: Suite = {
  name: "stdio",
  title: "stdio, 2,000 pipelined calls",
  async *run(options) {
    for (const { name, tools, title } of CASES) {
      for (const era of ["legacy", "modern"] as const) {
        const id = `${name}-${era}`;
        if (!options.wants("stdio", id)) continue;
        const mode = era === "modern" ? "modern" : "session";
        const load = makeCase(name, mode, tools, CALLS);
        const setup = { wire: "stdio", mode, tools } as const;
        yield* withFleet(serversFor(SERVERS.stdio[era], name), setup, options, async function* (fleet) {
          const rows = await measure(fleet, load, { greets: era === "legacy", pace: options.pace });
          yield {
            id,
            title: `stdio, ${CALLS} ${title}, ${era}`,
            metric: "cpu",
            floor: "raw-zod",
            columns: { cpu: REQUEST_COLUMNS.cpu, rate: REQUEST_COLUMNS.rate },
            rows,
          } satisfies Table;
        });
      }
    }
  },
};

async function measure(
  { servers, absent }: Fleet,
  load: Case,
  { greets, pace }: { readonly greets: boolean; readonly pace: Pace },
): Promise<readonly Row[]> {
  const pipes = new Map(servers.map((server) => [server.name, new Pipe(server, load)]));
  if (greets) for (const pipe of pipes.values()) await pipe.greet();
  const contestants = [...pipes].map(([name, pipe]) => ({ name, slice: () => pipe.slice() }));
  const samples = await interleave(contestants, pace);
  return [
    ...absent,
    ...[...samples].map(([name, list]) => requestRow(name, list, pipes.get(name)?.firstWrong)),
  ];
}

/** Measures calls on the streams of one server. */
export class Pipe {
  readonly #server: ServerProcess;
  readonly #checker: Checker;
  readonly #text: string;
  readonly #firstId: number;
  #rest = "";
  #onLine: (line: string) => void = () => {};

  constructor(server: ServerProcess, load: Case) {
    this.#server = server;
    this.#checker = new Checker(load.variants);
    this.#firstId = load.firstId;
    this.#text = load.variants.map(({ text }) => `${text}\n`).join("");
    server.child.stdout?.setEncoding("utf8").on("data", (chunk: string) => this.#take(chunk));
  }

  get firstWrong(): string | undefined {
    return this.#checker.firstWrong;
  }

  async greet(): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.#onLine = () => resolve();
    });
    this.#server.child.stdin?.write(`${INITIALIZE}\n`);
    await answered;
    this.#server.child.stdin?.write(`${INITIALIZED}\n`);
  }

  async slice(): Promise<Sample> {
    const before = await this.#server.cpuUs();
    const start = performance.now();
    let done = 0;
    let errors = 0;
    const answered = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      this.#onLine = (line) => {
        if (!this.#checker.takesText(idOf(line) - this.#firstId, line)) errors++;
        if (++done < CALLS) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#server.child.stdin?.write(this.#text);
    await answered;
    const wallMs = performance.now() - start;
    const cpuUs = (await this.#server.cpuUs()) - before;
    return { cpuUs, done, errors: errors + CALLS - done, wallMs };
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#onLine(line);
  }
}

/** Finds the id in a response. Responses arrive in any order, and each server puts the id in another place. */
function idOf(line: string): number {
  const at = line.indexOf('"id":');
  return Number.parseInt(line.slice(at + 5, at + 16), 10);
}
