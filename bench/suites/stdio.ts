/**
 * @fileoverview Measures 2,000 calls written to a server's input in one go, until the last response.
 * @module bench/suites/stdio
 */
import { type Case, INITIALIZE, INITIALIZED, makeCase } from "../lib/cases.js";
import { Checker } from "../lib/check.js";
import { withFleet } from "../lib/fleet.js";
import { interleave, type Sample } from "../lib/interleave.js";
import { REQUEST_COLUMNS, requestRow, type Table } from "../lib/result.js";
import type { ServerProcess } from "../lib/server-process.js";
import { type Suite, SERVERS } from "../lib/suite.js";

const CALLS = 2_000;
const PATIENCE_MS = 30_000;

/** The stdio suite. */
export const stdio: Suite = {
  name: "stdio",
  title: "stdio, 2,000 pipelined calls",
  async *run(options) {
    for (const era of ["legacy", "modern"] as const) {
      if (!options.wants("stdio", `call-${era}`)) continue;
      const mode = era === "modern" ? "modern" : "session";
      const load = makeCase("call", mode, 2, CALLS);
      const setup = { wire: "stdio", mode, tools: 2 } as const;
      yield* withFleet(SERVERS.stdio[era], setup, options, async function* ({ servers, absent }) {
        const pipes = new Map(servers.map((server) => [server.name, new Pipe(server, load)]));
        if (era === "legacy") for (const pipe of pipes.values()) await pipe.greet();
        const contestants = [...pipes].map(([name, pipe]) => ({ name, slice: () => pipe.slice() }));
        const samples = await interleave(contestants, options.pace);
        yield {
          id: `call-${era}`,
          title: `stdio, ${CALLS} pipelined calls, ${era}`,
          metric: "cpu",
          floor: "raw-zod",
          columns: { cpu: REQUEST_COLUMNS.cpu, rate: REQUEST_COLUMNS.rate },
          rows: [
            ...absent,
            ...[...samples].map(([name, list]) => requestRow(name, list, pipes.get(name)?.firstWrong)),
          ],
        } satisfies Table;
      });
    }
  },
};

/** Measures calls on the streams of one server. */
export class Pipe {
  readonly #server: ServerProcess;
  readonly #checker: Checker;
  readonly #text: string;
  #rest = "";
  #onLine: (line: string) => void = () => {};

  constructor(server: ServerProcess, load: Case) {
    this.#server = server;
    this.#checker = new Checker(load.variants);
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
        if (!this.#checker.takesText(idOf(line) - 1, line)) errors++;
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
  return Number.parseInt(line.slice(at + 5, at + 12), 10);
}
