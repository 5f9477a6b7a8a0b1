import { randomUUID } from "node:crypto";
import type { EventLogLimits, KeyValueStore, SharedStore } from "tenon/stores";
import { type ContractCase, loadContracts, type SessionRecordLimits, type StoreHarness } from "tenon/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type FaultProxy, startFaultProxy } from "../../../tools/fault-proxy.js";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../tools/redis-server.js";
import { noRedis, openStore } from "./support/fixture.js";

const contracts = await loadContracts();

type Limits = EventLogLimits & SessionRecordLimits;

/** Store of a case, and what it was created with. */
interface Opened {
  readonly prefix: string;
  readonly limits: Limits;
  readonly proxy: FaultProxy;
  readonly close: () => Promise<void>;
}

describe.skipIf(noRedis !== undefined)("the stores on a real Redis", { timeout: 60_000 }, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  }, REDIS_INSTALL_MS);
  afterAll(() => server.stop());

  // Each case has its own stores. Cases about time wait at the same time.
  const run = (title: string, cases: readonly ContractCase[]) =>
    describe.concurrent(title, () => {
      for (const one of cases) test(one.title, () => one.run());
    });

  run("sessions", contracts.keyValue(harness<KeyValueStore>((store) => store.sessions)));
  run("limits of sessions", contracts.sessionRecords(harness((store) => store.sessions)));
  run("values", contracts.keyValue(harness((store) => store.values)));
  run("events", contracts.eventLog(harness((store) => store.events)));
  run("bus", contracts.bus(harness((store) => store.bus)));
  run("rate limits", contracts.rateLimits(harness((store) => store.rateLimits)));

  /** Creates stores behind a proxy each, so that their connections can be cut one by one. */
  function harness<Store extends object>(pick: (store: SharedStore) => Store): StoreHarness<Store, Limits> {
    const opened = new WeakMap<Store, Opened>();
    const open = async (prefix: string, limits: Limits) => {
      const proxy = await startFaultProxy(server);
      const { maxKeys, ...events } = limits;
      const { store, close } = await openStore({
        url: `redis://${proxy.host}:${proxy.port}`,
        prefix,
        events,
        ...(maxKeys === undefined ? {} : { maxSessions: maxKeys }),
      });
      const picked = pick(store);
      opened.set(picked, { prefix, limits, proxy, close });
      return picked;
    };
    return {
      createStore: (limits) => open(randomUUID(), limits),
      createPeer: (store) => open(opened.get(store)?.prefix ?? "", opened.get(store)?.limits ?? {}),
      async closeStore(store) {
        await opened.get(store)?.close();
        await opened.get(store)?.proxy.close();
      },
      interrupt: (store) => opened.get(store)?.proxy.cut(),
    };
  }
});
