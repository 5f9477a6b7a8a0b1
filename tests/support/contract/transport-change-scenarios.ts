/**
 * @fileoverview Scenarios for server-initiated notifications, run over every transport: changed lists and updated
 * resources.
 * @module tests/support/contract/transport-change-scenarios
 */
import { expect } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { META, type Traits } from "tenon/protocol";
import type { TransportClient } from "./transport-client.js";
import { inResult, isLegacy, isModern, type Scenario, scenario, textOf } from "./transport-scenario.js";
import { NEWS } from "./transport-server.js";

/** Scenarios for server-initiated notifications. The last one ends all of its server's subscriptions. */
export const CHANGE_SCENARIOS: readonly Scenario[] = [
  scenario(
    "a subscriber receives resource updates until it unsubscribes",
    async (client) => {
      const counts: number[] = [];
      const count = () => client.notifications.filter(({ method }) => method === UPDATED).length;
      await client.call("touch", { uri: NEWS });
      await client.request("resources/subscribe", { uri: NEWS });
      counts.push(count());
      await client.call("touch", { uri: NEWS });
      const [update] = await client.heard(UPDATED);
      await client.call("touch", { uri: "contract://dot" });
      await client.request("resources/unsubscribe", { uri: NEWS });
      await client.call("touch", { uri: NEWS });
      await client.request("ping");
      counts.push(count());
      return { update, counts };
    },
    ({ update, counts }) => {
      expect(update).toEqual({ jsonrpc: "2.0", method: UPDATED, params: { uri: NEWS } });
      expect(counts).toEqual([0, 1]);
    },
    isLegacy,
  ),
  scenario(
    "every connection is notified of changed lists, and the new entries work",
    async (client) => {
      await client.call("grow");
      const heard = await Promise.all(
        ["tools", "resources", "prompts"].map((kind) => client.heard(changed(kind))),
      );
      return { heard, text: await textOf(client.call("grown")) };
    },
    ({ heard, text }) => {
      expect(heard.map((list) => list.map(({ method }) => method))).toEqual([
        [changed("tools")],
        [changed("resources")],
        [changed("prompts")],
      ]);
      expect(text).toBe("here I am");
    },
    isLegacy,
  ),
  scenario(
    "a subscription stream sends the requested changes under its own ID until it is closed",
    async (client) => {
      const tools = await listen(client, { toolsListChanged: true, resourceSubscriptions: [NEWS] });
      await client.call("touch", { uri: "contract://dot" });
      await client.call("touch", { uri: NEWS });
      await client.call("grow");
      const seen = await tools.seen(changed("tools"), 1);
      tools.stop();
      return { seen, ended: await tools.ended, text: await textOf(client.call("grown")) };
    },
    ({ seen, ended, text }) => {
      expect(seen.map(({ method }) => method)).toEqual([
        "notifications/subscriptions/acknowledged",
        UPDATED,
        changed("tools"),
      ]);
      const ids = seen.map(
        ({ params }) => ((params as JsonObject)["_meta"] as JsonObject)[META.subscriptionId],
      );
      expect(new Set(ids).size).toBe(1);
      expect(typeof ids[0]).toBe("number");
      expect(seen[0]).toMatchObject({
        params: { notifications: { toolsListChanged: true, resourceSubscriptions: [NEWS] } },
      });
      expect(ended).toBe("stopped");
      expect(text).toBe("here I am");
    },
    isModern,
  ),
  scenario(
    "a subscription stream ends gracefully when the server closes",
    async (client) => {
      const { ended } = await listen(client, { promptsListChanged: true });
      await client.call("end_subscriptions");
      return ended;
    },
    (ended, traits: Traits) => {
      const { _meta, ...rest } = inResult(traits);
      const subscription = { [META.subscriptionId]: expect.any(Number) };
      expect(ended).toEqual({ ...rest, _meta: { ...(_meta as JsonObject), ...subscription } });
    },
    isModern,
  ),
];

/** Opens a subscription stream. Returns its notifications, starting with the acknowledgment. */
async function listen(client: TransportClient, filter: JsonObject) {
  const before = client.notifications.length;
  const controller = new AbortController();
  const acknowledged = "notifications/subscriptions/acknowledged";
  const count = client.notifications.filter(({ method }) => method === acknowledged).length + 1;
  const ended = client
    .request("subscriptions/listen", { notifications: filter }, { signal: controller.signal })
    .catch((error: unknown) => (controller.signal.aborted ? "stopped" : String(error)));
  await client.heard(acknowledged, count);
  return {
    ended,
    stop: () => controller.abort(new Error("stopped")),
    /** Waits for `total` notifications with a method, then returns all notifications since the start. */
    async seen(method: string, total: number) {
      await client.heard(method, total);
      return client.notifications.slice(before);
    },
  };
}

const changed = (kind: string) => `notifications/${kind}/list_changed`;
const UPDATED = "notifications/resources/updated";
