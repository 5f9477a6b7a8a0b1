/**
 * @fileoverview Nodes on a Redis Cluster, and nodes that reach Redis over TLS.
 * @module tools/chaos/scenarios/backends
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createCertificates } from "../../certificates.js";
import { startRedisCluster } from "../../redis-cluster.js";
import { startRedis } from "../../redis-server.js";
import { findFreePort } from "../../server-process.js";
import { createKey } from "../cluster.js";
import type { ScenarioContext } from "../scale.js";
import { underLoad } from "./mixed-load.js";

/** Connections are cut more often than nodes are killed. */
const CUTS_PER_FAULT = 3;

/** Time before a cut in milliseconds in which no reply of Redis arrives. */
const LOST_MS = 200;

/** Kills nodes on a Redis Cluster with three masters. */
export async function onRedisCluster(context: ScenarioContext): Promise<void> {
  const { cluster, scale, random, figures, atEnd } = context;
  const redis = await startRedisCluster();
  atEnd(() => redis.stop());
  const redisNodes = redis.nodes.map(({ host, port }) => ({ host, port }));
  const settings = { redisNodes, prefix: "sharded", keys: [createKey()] };
  const group = await cluster.startGroup(scale.groupSize, settings);
  atEnd(() => group.stop());
  let kills = 0;
  const disturb = async () => {
    while (kills < scale.loadFaults) {
      await sleep(random.between(300, 900));
      await group.replace(random.pick(group.nodes));
      kills++;
    }
  };
  await underLoad({ ...context, cluster: group }, { disturb });
  figures.exactly("kills", kills, scale.loadFaults);
}

/** Cuts the connections between nodes and a Redis with TLS. */
export async function overTls(context: ScenarioContext): Promise<void> {
  const { cluster, scale, random, figures, atEnd } = context;
  const folder = mkdtempSync(join(tmpdir(), "tenon-chaos-tls-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const { key, cert, ca } = await createCertificates(folder);
  const port = await findFreePort("127.0.0.1");
  const files = ["--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no"];
  const redis = await startRedis({ appendFsync: "always", args: ["--tls-port", String(port), ...files] });
  atEnd(() => redis.stop());
  const proxy = await cluster.startProxy(port);
  atEnd(() => proxy.close());
  const redisUrl = `rediss://127.0.0.1:${proxy.port}`;
  const settings = { redisUrl, ca, prefix: "secure", keys: [createKey()] };
  const group = await cluster.startGroup(scale.groupSize, settings);
  atEnd(() => group.stop());
  let cuts = 0;
  const disturb = async () => {
    while (cuts < CUTS_PER_FAULT * scale.loadFaults) {
      await sleep(random.between(300, 900));
      // Commands that Redis has executed, and whose replies are lost with the connection.
      await proxy.loseResponses();
      await sleep(LOST_MS);
      await proxy.cut();
      cuts++;
    }
  };
  await underLoad({ ...context, cluster: group }, { disturb });
  figures.exactly("times that all connections were cut", cuts, CUTS_PER_FAULT * scale.loadFaults);
}
