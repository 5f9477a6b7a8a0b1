/**
 * @fileoverview The in-memory test client, which is the reference for every transport.
 * @module tests/support/contract/transport-reference
 */
import type { JsonObject } from "@tenon/internal/json";
import type { JsonRpcNotification, SamplingResult } from "tenon/protocol";
import { createClient, type UserAnswer } from "tenon/client";
import type { OpenClient } from "./transport-client.js";
import { createContractServer } from "./transport-server.js";

/** Opens the test client on a new server. */
export const openReference: OpenClient = async ({ revision, people }) => {
  const watchers = new Set<() => void>();
  const client = await createClient(createContractServer(), {
    revision,
    input: (params) => people.input(params) as UserAnswer, // responses from the tests
    sample: (params) => people.sample(params) as unknown as SamplingResult, // as above
    roots: people.roots,
    onNotification: () => {
      for (const watcher of watchers) watcher();
      watchers.clear();
    },
  });
  return {
    revision,
    greeting: client.server,
    get notifications() {
      return client.notifications.map(asObject);
    },
    problems: [],
    request: (method, params, options) => client.request(method, params, options),
    call: async (name, args = {}, options = {}) => ({ ...(await client.callTool(name, args, options)) }),
    notify: (method, params) => client.notify(method, params),
    async heard(method, count = 1) {
      for (;;) {
        const found = client.notifications.filter((one) => one.method === method);
        if (found.length >= count) return found.map(asObject);
        await new Promise<void>((resolve) => watchers.add(resolve));
      }
    },
    async close() {
      await client.close();
    },
  };
};

function asObject(notification: JsonRpcNotification): JsonObject {
  return notification as unknown as JsonObject; // same value, typed as JSON
}
