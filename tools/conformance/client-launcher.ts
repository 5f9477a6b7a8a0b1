/**
 * @fileoverview Starts the everything client when it is its turn. The suite starts the clients of all scenarios at the
 * same time. On a busy machine, they would slow each other down until their requests time out.
 * @module tools/conformance/client-launcher
 */
import { fileURLToPath } from "node:url";
import { withLock } from "@tenon/internal/files/with-lock";

/** Number of clients that run at the same time. */
const TURNS = 3;

const turn = fileURLToPath(new URL(`turn-${process.pid % TURNS}.lock`, import.meta.url));
const runClient = () => import(new URL("everything-client.mjs", import.meta.url).href);
// The suite ends clients that take too long.
await withLock(turn, runClient, { waitMs: Infinity });
