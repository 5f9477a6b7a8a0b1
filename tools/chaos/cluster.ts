/**
 * @fileoverview Redis, a proxy that fails on demand, and the nodes of the chaos test, all on loopback.
 * @module tools/chaos/cluster
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundlePrograms } from "../bundle-programs.js";
import { type RedisServer, startRedis } from "../redis-server.js";
import { Journal } from "./journal.js";
import { type GroupSettings, NodeGroup, type Shared } from "./node-group.js";
import { RemoteProxy } from "./remote-proxy.js";

/** Redis, the proxy, and the nodes. */
export class Cluster extends NodeGroup {
  readonly redis: RedisServer;
  readonly proxy: RemoteProxy;
  /** Settings of its nodes. */
  readonly settings: GroupSettings;
  readonly #others: NodeGroup[] = [];

  private constructor(shared: Shared, parts: Pick<Cluster, "redis" | "proxy">) {
    super(shared);
    this.redis = parts.redis;
    this.proxy = parts.proxy;
    this.settings = {
      redisUrl: `redis://127.0.0.1:${parts.proxy.port}`,
      prefix: "chaos",
      keys: [createKey()],
    };
  }

  /** Starts everything. The nodes run a bundle, so that they start fast. */
  static async start(size: number): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), "tenon-chaos-"));
    await bundlePrograms(["tools/chaos/server.ts", "tools/chaos/proxy-process.ts"], folder);
    const redis = await startRedis({ appendFsync: "always" });
    const proxy = await RemoteProxy.start(folder, redis.port);
    const journal = new Journal(join(folder, "journal.log"));
    const cluster = new Cluster({ folder, journal, kills: [], crashes: [] }, { redis, proxy });
    await cluster.startNodes(size, cluster.settings);
    return cluster;
  }

  get prefix(): string {
    return this.settings.prefix;
  }

  /** Starts further nodes with other settings. They end with the cluster at the latest. */
  async startGroup(size: number, settings: GroupSettings): Promise<NodeGroup> {
    const group = new NodeGroup(this.shared);
    this.#others.push(group);
    await group.startNodes(size, settings);
    return group;
  }

  /** Starts a proxy before another port. */
  startProxy(port: number): Promise<RemoteProxy> {
    return RemoteProxy.start(this.shared.folder, port);
  }

  /** Lets the calls of the tool `hold` with this key return. */
  release(key: string): void {
    writeFileSync(`${this.shared.journal.path}.${key}`, "");
  }

  /** Starts the nodes that do not run, which a scenario that failed may have left. */
  async heal(): Promise<void> {
    this.redis.resume();
    await this.proxy.delay(0);
    await this.proxy.accept();
    await Promise.all(this.nodes.map((node) => node.restore()));
  }

  /** Ends all processes and deletes all files. */
  override async stop(): Promise<void> {
    await Promise.all([super.stop(), ...this.#others.map((group) => group.stop())]);
    await this.proxy.close();
    await this.redis.stop();
    this.shared.journal.close();
    rmSync(this.shared.folder, { recursive: true, force: true });
  }
}

/** Creates a secret for the records. */
export function createKey(): string {
  return randomBytes(32).toString("base64url");
}
