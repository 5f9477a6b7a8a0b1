/**
 * @fileoverview Reloads a server many times while clients call it, and counts the calls that were lost.
 * @module tools/reload/load
 */
import {
  connectStdio,
  createStatelessClient,
  openSession,
  type ServerMessage,
  type ToolClient,
} from "./clients.js";
import { DevProgram } from "./dev-program.js";
import { Project } from "./project.js";
import { FILE, sourceOf, type TransportName } from "./server-source.js";

/** Outcome of a run. */
export interface LoadOutcome {
  readonly calls: number;
  /** Calls without a response, or with a wrong one. Each is described. */
  readonly lost: readonly string[];
  /** Clients that were disconnected. */
  readonly disconnected: number;
  /** `list_changed` notifications that each client with a session received, at least. */
  readonly notifications: number;
  /** Versions that replied to calls. */
  readonly versions: number;
  /** Maximum number of processes that the program had at the same time. */
  readonly processes: number;
  /** Growth of the program's memory after the first tenth of the reloads, in megabytes. */
  readonly megabytes: number;
  readonly seconds: number;
}

/** Number of calls at the same time, by all clients together, and the maximum duration of a call in milliseconds. */
const CALLERS = 4;
const MAX_MS = 40;

/** Reloads the server under load. */
export async function reloadUnderLoad(transport: TransportName, reloads: number): Promise<LoadOutcome> {
  const project = new Project({ [FILE]: sourceOf(0) });
  const args = [FILE, ...(transport === "http" ? ["--port", "0"] : ["--stdio"])];
  const program = new DevProgram({ project, args: [...args, "--no-tokens"], keepsCalls: false });
  try {
    const url = await program.url();
    const counts: number[] = [];
    const clients = await connect(transport, { program, url, counts });
    const load = new Load(clients);
    const start = performance.now();
    const { processes, megabytes } = await reloadAll(program, project, reloads);
    const calls = await load.stop();
    // Notifications of the last reload may still be on their way.
    await waitFor(() => counts.every((count) => count >= reloads));
    for (const client of clients) client.close();
    return {
      ...calls,
      disconnected: counts.filter((count) => count < reloads).length,
      notifications: Math.min(...counts),
      processes,
      megabytes,
      seconds: (performance.now() - start) / 1_000,
    };
  } finally {
    await program.stop();
    project.remove();
  }
}

interface Target {
  readonly program: DevProgram;
  readonly url: string;
  /** Number of `list_changed` notifications of each client with a session. */
  readonly counts: number[];
}

async function connect(
  transport: TransportName,
  { program, url, counts }: Target,
): Promise<readonly ToolClient[]> {
  const createCounter = () => {
    const index = counts.push(0) - 1;
    return ({ method }: ServerMessage) => {
      if (method === "notifications/tools/list_changed") counts[index] = (counts[index] ?? 0) + 1;
    };
  };
  if (transport === "stdio") return [await connectStdio(program, createCounter())];
  return [
    await openSession(url, createCounter()),
    await openSession(url, createCounter()),
    createStatelessClient(url),
    createStatelessClient(url),
  ];
}

async function reloadAll(
  program: DevProgram,
  project: Project,
  reloads: number,
): Promise<Pick<LoadOutcome, "processes" | "megabytes">> {
  let processes = 0;
  let before = program.megabytes();
  for (let version = 1; version <= reloads; version++) {
    await program.save(project, [FILE, sourceOf(version)]);
    if (version === Math.ceil(reloads / 10)) before = program.megabytes();
    if (version % 10 === 0) processes = Math.max(processes, program.children().length);
    // Events of earlier reloads are not read again.
    program.events.length = 0;
  }
  return { processes, megabytes: program.megabytes() - before };
}

/** Clients that call the server until they are stopped. */
class Load {
  readonly #callers: readonly Promise<void>[];
  readonly #lost: string[] = [];
  readonly #versions = new Set<string>();
  #calls = 0;
  #isStopped = false;

  constructor(clients: readonly ToolClient[]) {
    const count = Math.ceil(CALLERS / clients.length);
    this.#callers = clients.flatMap((client, index) =>
      Array.from({ length: count }, (_, caller) => this.#callUntilStopped(client, `${index}-${caller}`)),
    );
  }

  async stop(): Promise<Pick<LoadOutcome, "calls" | "lost" | "versions">> {
    this.#isStopped = true;
    await Promise.all(this.#callers);
    return { calls: this.#calls, lost: this.#lost, versions: this.#versions.size };
  }

  async #callUntilStopped(client: ToolClient, name: string): Promise<void> {
    for (let count = 0; !this.#isStopped; count++) {
      const text = `${name}-${count}`;
      this.#calls++;
      try {
        const reply = await client.call("echo", { text, ms: (count * 7) % MAX_MS });
        const [echoed, version = ""] = reply.split(" ");
        if (echoed === text) this.#versions.add(version);
        else this.#lost.push(`${text}: got "${reply}"`);
      } catch (error) {
        this.#lost.push(`${text}: ${String(error)}`);
      }
    }
  }
}

const WAIT_MS = 10_000;

async function waitFor(isDone: () => boolean): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!isDone() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
}
