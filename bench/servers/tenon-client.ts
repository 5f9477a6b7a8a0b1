/**
 * @fileoverview Tenon's in-memory client: `callTool` with arguments as an object.
 * @module bench/servers/tenon-client
 */
import type { ServerLike } from "../../packages/tenon/dist/index.js";
import { createClient } from "../../packages/tenon/dist/client/index.js";
import { MODERN_REVISION, LEGACY_REVISION } from "../lib/cases.js";
import type { Adapter } from "./contract.js";
import { tenonServer } from "./tenon.js";

/** Adapter of Tenon's in-memory client. */
export const adapter: Adapter = {
  async objects(setup) {
    const revision = setup.mode === "modern" ? MODERN_REVISION : LEGACY_REVISION;
    // The tools are added in a loop, so that their names and arguments have no types.
    const server: ServerLike<undefined> = tenonServer(setup).build();
    const client = await createClient(server, { revision });
    return ({ params }) => client.callTool(params?.name ?? "", params?.arguments);
  },
};
