/**
 * @fileoverview Runs the built `tenon dev` as a process, and reads the events that it prints.
 * @module tools/reload/dev-program
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { CallEvent, DevEvent } from "../../packages/cli/src/dev/log/events.js";
import type { Project } from "./project.js";

const PROGRAM = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));

/** Event with the time at which it was printed. */
export type PrintedEvent = DevEvent & { readonly time: string };

/** Kind of event, such as `reloaded`. */
export type EventName = DevEvent["event"];

/** Event of one kind. */
export type EventOf<Name extends EventName> = EventIn<PrintedEvent, Name>;

type EventIn<Event extends PrintedEvent, Name> = Event extends PrintedEvent
  ? Name extends Event["event"]
    ? Event
    : never
  : never;

/** Options for `DevProgram`. */
export interface DevOptions {
  readonly project: Project;
  /** File and flags. @default ["server.ts", "--port", "0"] */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** False to count calls without keeping them. @default true */
  readonly keepsCalls?: boolean;
}

/** Running `tenon dev`. */
export class DevProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** Events so far. */
  readonly events: PrintedEvent[] = [];
  /** Lines of the log that are not JSON. */
  readonly otherLines: string[] = [];
  /** Exit code and signal. */
  readonly exited: Promise<readonly [number | null, string | null]>;
  readonly #watchers = new Set<() => void>();
  #hasExited = false;

  constructor({ project, args = ["server.ts", "--port", "0"], env = {}, keepsCalls = true }: DevOptions) {
    const child = spawn(process.execPath, [PROGRAM, "dev", ...args], {
      cwd: project.folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
      stdio: "pipe",
    });
    this.child = child;
    const isStdio = args.includes("--stdio");
    const log = isStdio ? child.stderr : child.stdout;
    onLines(log, (line) => this.#take(line, keepsCalls));
    if (!isStdio) onLines(child.stderr, (line) => this.otherLines.push(line));
    child.stdin.on("error", () => undefined); // the program may have exited
    this.exited = once(child, "exit").then((end) => {
      this.#hasExited = true;
      this.#wake();
      return end as [number | null, string | null]; // Safe: the arguments of the event
    });
  }

  /** URL of the endpoint, when the first version serves. */
  async url(): Promise<string> {
    return (await this.next("started")).url ?? "";
  }

  /** Waits for an event of a kind: the first one at or after a position in `events`. @throws if the program exits */
  next<Name extends EventName>(
    name: Name,
    { from = 0, matches = () => true }: NextOptions<EventOf<Name>> = {},
  ): Promise<EventOf<Name>> {
    return this.until(() => {
      const isWanted = (event: PrintedEvent): event is EventOf<Name> => event.event === name;
      return this.events.slice(from).filter(isWanted).find(matches);
    }, name);
  }

  /** Saves a file, and waits for the next event of a kind. */
  async save<Name extends EventName = "reloaded">(
    project: Project,
    [name, text]: readonly [name: string, text: string],
    event?: Name,
  ): Promise<EventOf<Name>> {
    const from = this.events.length;
    project.save(name, text);
    return this.next<Name>(event ?? ("reloaded" as Name), { from }); // Safe: the default of the type
  }

  /** Waits until `find` returns a value. @throws if the program exits before */
  async until<T>(find: () => T | undefined, wanted: string): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.#hasExited) throw new Error(`The program exited before "${wanted}": ${this.describe()}`);
      await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  /** Describes the last events, for error messages. */
  describe(): string {
    return [...this.events.slice(-10).map((event) => JSON.stringify(event)), ...this.otherLines].join("\n");
  }

  /** Calls so far. */
  get calls(): readonly CallEvent[] {
    return this.events.filter((event): event is EventOf<"call"> => event.event === "call");
  }

  /** IDs of the processes that the program has started. */
  children(): readonly number[] {
    return childrenOf(this.child.pid ?? -1);
  }

  /** Resident memory of the program in megabytes, without its children. */
  megabytes(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Stops the program, and waits until it has exited. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<readonly [number | null, string | null]> {
    if (!this.#hasExited) this.child.kill(signal);
    return this.exited;
  }

  #take(line: string, keepsCalls: boolean): void {
    try {
      const event = JSON.parse(line) as PrintedEvent; // Safe: the program prints only events
      if (keepsCalls || event.event !== "call") this.events.push(event);
    } catch {
      this.otherLines.push(line);
    }
    this.#wake();
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }
}

/** Options for `DevProgram.next`. */
export interface NextOptions<Event> {
  readonly from?: number;
  readonly matches?: (event: Event) => boolean;
}

/** Returns true if a process exists. A process that has ended, but was not collected by its parent, does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
      } catch {
        return false; // the process has ended meanwhile
      }
    });
}

/** Calls `take` with each complete line of a stream of UTF-8 text. */
export function onLines(input: Readable, take: (line: string) => void): void {
  let rest = "";
  input.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
}
