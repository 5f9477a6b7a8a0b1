/**
 * @fileoverview Rolling deploy of a version with a new tool. Clients are behind a balancer that checks readiness, so no
 * request may fail, and each of them must learn of the new tool.
 * @module tools/chaos/scenarios/deploys
 */
import { setTimeout as sleep } from "node:timers/promises";
import { startBalancer } from "../../balancer.js";
import { type Target, waitFor } from "../http.js";
import { LegacyClient } from "../legacy-client.js";
import { Listener, untilListening } from "../listener.js";
import type { NodeGroup } from "../node-group.js";
import type { ScenarioContext } from "../scale.js";
import { callTool } from "../task-client.js";

const CLIENTS = 6;
const NEW_TOOL = "brand-new";
const NOTICE = "notifications/tools/list_changed";

/** Time between two checks of readiness, and time for which a node drains, in milliseconds. */
const CHECK_MS = 100;
const DRAIN_MS = 1_000;

/** Time in milliseconds in which all clients must have listed the new tool after the deploy. */
const ARRIVAL_MS = 30_000;

/** Runs the scenario. */
export async function deploys(context: ScenarioContext): Promise<void> {
  const { cluster, scale, figures, print, atEnd } = context;
  const group = await cluster.startGroup(scale.groupSize, {
    ...cluster.settings,
    prefix: "deploys",
    drainMs: DRAIN_MS,
  });
  atEnd(() => group.stop());
  const rotation = new Rotation(group);
  atEnd(() => rotation.stop());
  const balancer = await startBalancer(() => rotation.ports);
  atEnd(() => balancer.close());
  const users = await Promise.all(
    Array.from({ length: CLIENTS }, (_, n) => User.open(balancer, `user-${n}`)),
  );
  atEnd(() => users.map((user) => user.stop()));
  await untilListening(users.map(({ listener }) => listener));
  let unclean = 0;
  for (const node of group.nodes) {
    node.configure({ newTool: NEW_TOOL });
    if ((await node.stop()) !== 0) unclean++;
    await node.start();
    await waitFor("the node is used", ARRIVAL_MS, () => rotation.ports.includes(node.port) || undefined);
  }
  print("the new version is deployed");
  const knowing = () => users.filter(({ knowsNewTool }) => knowsNewTool).length;
  await waitFor("all clients list the new tool", ARRIVAL_MS, () => knowing() === CLIENTS || undefined).catch(
    () => undefined,
  );
  await sleep(scale.pauseMs);
  const reasons = users.flatMap(({ failures, listener }) => [...failures, ...listener.failures]);
  await Promise.all(users.map((user) => user.stop()));
  for (const reason of new Set(reasons)) print(`failed during the deploy: ${reason}`);
  const notices = users.map(({ notices: count }) => count);
  figures.note(
    "requests during the deploy",
    [...balancer.requests.values()].reduce((all, one) => all + one, 0),
  );
  figures.exactly("of them failed", reasons.length, 0);
  figures.exactly("nodes that did not stop cleanly", unclean, 0);
  figures.exactly("clients that were notified", notices.filter((one) => one > 0).length, CLIENTS);
  figures.exactly("clients that know the new tool", knowing(), CLIENTS);
  figures.note("notices for each client", notices.join(", "));
}

/** Nodes that are ready, as a balancer sees them. */
class Rotation {
  ports: readonly number[];
  #isStopped = false;

  constructor(group: NodeGroup) {
    this.ports = group.nodes.map(({ port }) => port);
    void this.#run(this.ports);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #run(ports: readonly number[]): Promise<void> {
    while (!this.#isStopped) {
      const checks = ports.map(async (port) => {
        const check = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        await check?.arrayBuffer();
        return check?.ok === true ? [port] : [];
      });
      this.ports = (await Promise.all(checks)).flat();
      await sleep(CHECK_MS);
    }
  }
}

/** Client that works all the time, and lists the tools after each notice. */
class User {
  readonly listener: Listener;
  readonly failures: string[] = [];
  knowsNewTool = false;
  readonly #client: LegacyClient;
  readonly #balancer: Target;
  readonly #done: Promise<void>;
  #isStopped = false;

  private constructor(balancer: Target, client: LegacyClient) {
    this.#balancer = balancer;
    this.#client = client;
    this.listener = new Listener(client, () => balancer);
    this.#done = this.#run();
  }

  static async open(balancer: Target, principal: string): Promise<User> {
    return new User(balancer, await LegacyClient.open(balancer, principal));
  }

  get notices(): number {
    return this.listener.methods.filter((method) => method === NOTICE).length;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#done, this.listener.stop()]);
  }

  async #run(): Promise<void> {
    await this.#list();
    let seen = 0;
    while (!this.#isStopped) {
      const { notices } = this;
      if (notices > seen) await this.#list();
      seen = notices;
      const params = { name: "echo", arguments: { text: "deploy" } };
      this.#note(await this.#client.request(this.#balancer, "tools/call", params));
      const tool = { name: "echo", args: { text: "deploy" } };
      this.#note(await callTool(this.#balancer, this.#client.principal, tool));
      await sleep(20);
    }
  }

  async #list(): Promise<void> {
    const response = await this.#client.request(this.#balancer, "tools/list", {});
    this.#note(response);
    this.knowsNewTool = JSON.stringify(response.result?.["tools"] ?? []).includes(NEW_TOOL);
  }

  #note({ status, result, error }: Awaited<ReturnType<LegacyClient["request"]>>): void {
    if (result === undefined) this.failures.push(`${status} ${error?.message ?? ""}`);
  }
}
