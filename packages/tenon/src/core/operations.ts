/**
 * @fileoverview Functions of a server for the transports that run it on several nodes.
 * @module tenon/core/operations
 */
import type { Services } from "./call/incoming.js";
import type { Snapshot } from "./snapshot/snapshot.js";
import type { ServerOperations } from "./wire/hosted-server.js";

/** Returns the operations of a server with its current definitions. */
export function readOperations({ lists, plan }: Snapshot, services: Services): ServerOperations {
  return {
    logCounts: services.events,
    digestLists: () =>
      Object.fromEntries(Object.entries(lists).map(([method, { digest }]) => [method, digest])),
    beginsOutage: () => services.outage.begins(),
    warn(event, message) {
      if (event === "store-restored") services.outage.end();
      services.log?.({ level: "warning", event, operation: "nodes", name: plan.info.name, message });
    },
  };
}
