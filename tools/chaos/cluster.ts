/**
 * @fileoverview Redis, a proxy that fails on demand, and the nodes of the chaos test, all on loopback.
 * @module tools/chaos/cluster
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundlePrograms } from "../bundle-programs.js";
import { type RedisServer, startRedis } from "../redis-server.js";
import { findFreePort } from "../server-process.js";
import { Journal, type JournalLine } from "./journal.js";
import { RemoteProxy } from "./remote-proxy.js";
import type { NodeSettings } from "./settings.js";

const MAX_STARTS = 10;

/** Kill of one node. */
export interface Kill {
  readonly pid: number;
  readonly at: number;
  readonly slot: number;
}

/** One of the nodes. Its port stays the same when its process is replaced. */
export class ChaosNode {
  readonly slot: number;
  readonly port: number;
  readonly #start: () => ChildProcess;
  readonly #cluster: Cluster;
  #child: ChildProcess | undefined;
  #starting: Promise<void> | undefined;
  #printed = "";

  constructor(cluster: Cluster, slot: number, start: { readonly port: number; fork(): ChildProcess }) {
    this.#cluster = cluster;
    this.slot = slot;
    this.port = start.port;
    this.#start = () => start.fork();
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts the process if it does not run. */
  async restore(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) await this.start();
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
      const child = this.#start();
      this.#child = child;
      this.#printed = "";
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding("utf8").on("data", (text: string) => this.#print(text));
      const exited = once(child, "exit").then(() => "exited" as const);
      const outcome = await Promise.race([once(child, "message").then(() => "ready" as const), exited]);
      if (outcome === "ready") void exited.then(() => this.#check(child));
      // Whoever killed it starts the next process.
      if (outcome === "ready" || this.#cluster.isExpectedExit(child)) return;
      if (attempt >= MAX_STARTS || !this.#printed.includes("is not available"))
        return this.#cluster.reportCrash(this, this.#printed);
    }
  }

  #check(child: ChildProcess): void {
    if (!this.#cluster.isExpectedExit(child)) this.#cluster.reportCrash(this, this.#printed);
  }

  /** Ends the process without a chance to clean up. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    this.#cluster.expectExit(child, this.slot);
    child.kill("SIGKILL");
    await exited;
  }

  #print(text: string): void {
    this.#printed = (this.#printed + text).slice(-4_000);
    if (process.env["CHAOS_VERBOSE"] !== undefined) process.stderr.write(`[${this.slot}] ${text}`);
  }
}

/** Redis, the proxy, and the nodes. */
export class Cluster {
  readonly redis: RedisServer;
  readonly proxy: RemoteProxy;
  readonly prefix: string;
  readonly kills: Kill[] = [];
  /** Processes that ended without being killed by the test. */
  readonly crashes: string[] = [];
  readonly #folder: string;
  readonly #journal: Journal;
  readonly #nodes: ChaosNode[] = [];
  readonly #expected = new WeakSet<ChildProcess>();

  private constructor(parts: Pick<Cluster, "redis" | "proxy" | "prefix">, folder: string) {
    this.redis = parts.redis;
    this.proxy = parts.proxy;
    this.prefix = parts.prefix;
    this.#folder = folder;
    this.#journal = new Journal(join(folder, "journal.log"));
  }

  /** Starts everything. The nodes run a bundle, so that they start fast. */
  static async start(size: number): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), "tenon-chaos-"));
    await bundlePrograms(["tools/chaos/server.ts", "tools/chaos/proxy-process.ts"], folder);
    const redis = await startRedis({ appendFsync: "always" });
    const proxy = await RemoteProxy.start(join(folder, "proxy-process.mjs"), redis.port);
    const cluster = new Cluster({ redis, proxy, prefix: "chaos" }, folder);
    const secret = randomBytes(32).toString("base64url");
    for (let slot = 0; slot < size; slot++) {
      const port = await findFreePort("127.0.0.1");
      const node = new ChaosNode(cluster, slot, { port, fork: () => cluster.#fork(port, secret) });
      cluster.#nodes.push(node);
    }
    await Promise.all(cluster.#nodes.map((node) => node.start()));
    return cluster;
  }

  get nodes(): readonly ChaosNode[] {
    return this.#nodes;
  }

  /** Returns a node by its slot, also if the slot exceeds the number of nodes. */
  node(slot: number): ChaosNode {
    const node = this.#nodes[slot % this.#nodes.length];
    if (node === undefined) throw new Error("The cluster is empty.");
    return node;
  }

  /** Starts the nodes that do not run, which a scenario that failed may have left. */
  async heal(): Promise<void> {
    this.redis.resume();
    await this.proxy.accept();
    await Promise.all(this.#nodes.map((node) => node.restore()));
  }

  /** Kills a node and starts it again. */
  async replace(node: ChaosNode): Promise<void> {
    await node.kill();
    await node.start();
  }

  /** Returns everything that handlers have noted so far. */
  readJournal(): readonly JournalLine[] {
    return this.#journal.read();
  }

  /** Ends all processes and deletes all files. */
  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.kill()));
    await this.proxy.close();
    await this.redis.stop();
    this.#journal.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Records that the test ends a process. */
  expectExit(child: ChildProcess, slot: number): void {
    this.#expected.add(child);
    this.kills.push({ pid: child.pid ?? 0, at: Date.now(), slot });
  }

  /** Returns true if the test has ended the process. */
  isExpectedExit(child: ChildProcess): boolean {
    return this.#expected.has(child);
  }

  /** Records a process that ended by itself. */
  reportCrash(node: ChaosNode, output: string): void {
    this.crashes.push(`Node ${node.slot} ended: ${output}`);
  }

  #fork(port: number, secret: string): ChildProcess {
    const { prefix, proxy } = this;
    const redisUrl = `redis://127.0.0.1:${proxy.port}`;
    const settings: NodeSettings = { port, redisUrl, prefix, secret, journal: this.#journal.path };
    // Options of a test runner or of tsx are not meant for the nodes.
    return fork(join(this.#folder, "server.mjs"), [JSON.stringify(settings)], { silent: true, execArgv: [] });
  }
}
