/**
 * @fileoverview Starts a server process of the soak test, and sends it commands.
 * @module tools/soak/server-process
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Break } from "./breaks.js";
import type { Reading } from "./probe.js";
import type { Command, LoadPlan, Mode, ProcessSettings, Report } from "./protocol.js";
import type { TallyData } from "./tally.js";

/** Options for a process. */
export interface ServerProcessOptions {
  readonly mode: Mode;
  /** Folder with the bundled program. The process also gets a folder below it. */
  readonly folder: string;
  readonly breaks: readonly Break[];
}

/** Server process with exposed garbage collection. */
export class ServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts a process and waits until it serves requests. */
  static async start({ mode, folder, breaks }: ServerProcessOptions): Promise<ServerProcess> {
    const settings: ProcessSettings = { mode, breaks, folder: mkdtempSync(join(folder, `${mode}-`)) };
    const pipe = mode === "stdio" ? "pipe" : "ignore";
    const child = fork(join(folder, "process.mjs"), [JSON.stringify(settings)], {
      // Options of a test runner or of tsx are not meant for the server.
      execArgv: ["--expose-gc"],
      stdio: [pipe, pipe, "pipe", "ipc"],
    });
    keepErrors(child);
    const ready = await receive(child, "ready");
    return new ServerProcess(child, ready.port);
  }

  /** Standard streams of a process that serves over stdio. */
  get streams(): { readonly input: Readable; readonly output: Writable } {
    const { stdout, stdin } = this.#child;
    if (stdout === null || stdin === null) throw new Error("The standard streams are not pipes.");
    return { input: stdout, output: stdin };
  }

  /** Collects garbage in the process and measures it. */
  async read(): Promise<Reading> {
    return (await this.#ask({ kind: "read" }, "reading")).reading;
  }

  /** Runs the load of in-memory clients inside the process. */
  async load(plan: LoadPlan): Promise<TallyData> {
    return (await this.#ask({ kind: "load", plan }, "loaded")).tally;
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  #ask<Kind extends Report["kind"]>(command: Command, kind: Kind): Promise<ReportOf<Kind>> {
    const answer = receive(this.#child, kind);
    this.#child.send(command);
    return answer;
  }
}

/** Last text that each process wrote to standard error. Adapters of other packages print every broken connection there. */
const errors = new WeakMap<ChildProcess, string>();

function keepErrors(child: ChildProcess): void {
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors.set(child, `${errors.get(child) ?? ""}${text}`.slice(-MAX_ERRORS));
  });
}

const MAX_ERRORS = 4_000;

type ReportOf<Kind extends Report["kind"]> = Extract<Report, { readonly kind: Kind }>;

/** Waits for a message of a process. @throws if the process ends first */
function receive<Kind extends Report["kind"]>(child: ChildProcess, kind: Kind): Promise<ReportOf<Kind>> {
  return new Promise((resolve, reject) => {
    const onMessage = (report: Report) => {
      if (report.kind !== kind) return;
      end();
      resolve(report as ReportOf<Kind>); // Safe: the kind was checked
    };
    const onExit = (code: number | null) => {
      end();
      reject(new Error(`The server process ended with code ${code}: ${errors.get(child) ?? ""}`));
    };
    const end = () => child.off("message", onMessage).off("exit", onExit);
    child.on("message", onMessage).on("exit", onExit);
  });
}
