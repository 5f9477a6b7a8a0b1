/**
 * @fileoverview Nodes of the chaos test: processes that are killed, stopped, and started again.
 * @module tools/chaos/node-group
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../server-process.js";
import type { Journal, JournalLine } from "./journal.js";
import type { NodeSettings } from "./settings.js";

const MAX_STARTS = 10;

/** Kill of one node. */
interface Kill {
  readonly pid: number;
  readonly at: number;
  readonly slot: number;
}

/** One of the nodes. Its port stays the same when its process is replaced. */
export class ChaosNode {
  readonly slot: number;
  readonly #group: NodeGroup;
  #settings: NodeSettings;
  #child: ChildProcess | undefined;
  #starting: Promise<void> | undefined;
  #printed = "";

  constructor(group: NodeGroup, slot: number, settings: NodeSettings) {
    this.#group = group;
    this.slot = slot;
    this.#settings = settings;
  }

  get port(): number {
    return this.#settings.port;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Changes settings of the processes that are started from now on. */
  configure(changes: Partial<GroupSettings>): void {
    this.#settings = { ...this.#settings, ...changes };
  }

  /** Starts the process if it does not run. */
  async restore(): Promise<void> {
    if (this.#running === undefined) await this.start();
    else await this.#starting;
  }

  /** Memory of the process in megabytes. */
  get megabytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /**
   * Starts the process and waits until it serves requests. A process that ends because it cannot reach Redis is started
   * again, as an orchestrator would.
   */
  start(): Promise<void> {
    return (this.#starting = this.#startProcess());
  }

  async #startProcess(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const child = this.#group.fork(this.#settings);
      this.#child = child;
      this.#printed = "";
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding("utf8").on("data", (text: string) => this.#print(text));
      const exited = once(child, "exit").then(() => "exited" as const);
      const outcome = await Promise.race([once(child, "message").then(() => "ready" as const), exited]);
      if (outcome === "ready") void exited.then(() => this.#check(child));
      // Whoever killed it starts the next process.
      if (outcome === "ready" || this.#group.isExpectedExit(child)) return;
      if (attempt >= MAX_STARTS || !this.#printed.includes("is not available"))
        return this.#group.reportCrash(this, this.#printed);
    }
  }

  #check(child: ChildProcess): void {
    if (!this.#group.isExpectedExit(child)) this.#group.reportCrash(this, this.#printed);
  }

  /** Ends the process without a chance to clean up. */
  async kill(): Promise<void> {
    const child = this.#running;
    if (child === undefined) return;
    const exited = once(child, "exit");
    this.#group.expectExit(child, this.slot);
    child.kill("SIGKILL");
    await exited;
  }

  /** Lets the process drain and stop. Returns its exit code, or `null` if it was killed by a signal. */
  async stop(): Promise<number | null> {
    const child = this.#running;
    if (child === undefined) return 0;
    const exited = once(child, "exit");
    this.#group.expectExit(child, this.slot);
    child.kill("SIGTERM");
    await exited;
    return child.exitCode;
  }

  get #running(): ChildProcess | undefined {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null ? undefined : child;
  }

  #print(text: string): void {
    this.#printed = (this.#printed + text).slice(-4_000);
    if (process.env["CHAOS_VERBOSE"] !== undefined) process.stderr.write(`[${this.slot}] ${text}`);
  }
}

/** Settings of all nodes of a group. */
export type GroupSettings = Omit<NodeSettings, "port" | "journal">;

/** Parts that all groups share. */
export interface Shared {
  /** Folder of the programs. */
  readonly folder: string;
  readonly journal: Journal;
  readonly kills: Kill[];
  /** Processes that ended without being killed by the test. */
  readonly crashes: string[];
}

/** Nodes with the same settings. */
export class NodeGroup {
  readonly kills: readonly Kill[];
  readonly crashes: readonly string[];
  protected readonly shared: Shared;
  readonly #nodes: ChaosNode[] = [];
  readonly #expected = new WeakSet<ChildProcess>();

  constructor(shared: Shared) {
    this.shared = shared;
    this.kills = shared.kills;
    this.crashes = shared.crashes;
  }

  /** Starts nodes, and waits until they serve requests. */
  async startNodes(size: number, settings: GroupSettings): Promise<void> {
    for (let slot = 0; slot < size; slot++) {
      const port = await findFreePort("127.0.0.1");
      const node = { ...settings, port, journal: this.shared.journal.path };
      this.#nodes.push(new ChaosNode(this, slot, node));
    }
    await Promise.all(this.#nodes.map((node) => node.start()));
  }

  get nodes(): readonly ChaosNode[] {
    return this.#nodes;
  }

  /** Returns a node by its slot, also if the slot exceeds the number of nodes. */
  node(slot: number): ChaosNode {
    const node = this.#nodes[slot % this.#nodes.length];
    if (node === undefined) throw new Error("The group is empty.");
    return node;
  }

  /** Kills a node and starts it again. */
  async replace(node: ChaosNode): Promise<void> {
    await node.kill();
    await node.start();
  }

  /** Returns everything that handlers have noted so far. */
  readJournal(): readonly JournalLine[] {
    return this.shared.journal.read();
  }

  /** Ends all processes. */
  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.kill()));
  }

  /** Records that the test ends a process. */
  expectExit(child: ChildProcess, slot: number): void {
    this.#expected.add(child);
    this.shared.kills.push({ pid: child.pid ?? 0, at: Date.now(), slot });
  }

  /** Returns true if the test has ended the process. */
  isExpectedExit(child: ChildProcess): boolean {
    return this.#expected.has(child);
  }

  /** Records a process that ended by itself. */
  reportCrash(node: ChaosNode, output: string): void {
    this.shared.crashes.push(`Node ${node.slot} ended: ${output}`);
  }

  /** Starts the process of a node. */
  fork(settings: NodeSettings): ChildProcess {
    // Options of a test runner or of tsx are not meant for the nodes.
    const options = { silent: true, execArgv: [] };
    return fork(join(this.shared.folder, "server.mjs"), [JSON.stringify(settings)], options);
  }
}
