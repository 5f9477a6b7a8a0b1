/**
 * @fileoverview Starts the everything client when it is its turn. The suite starts the clients of all scenarios at the
 * same time. On a busy machine, they would slow each other down until their requests time out.
 * @module tools/conformance/client-launcher
 */
import { fileURLToPath } from "node:url";
import { lockFolder } from "../folder-lock.js";

/** Number of clients that run at the same time. */
const TURNS = 3;

/** Time in milliseconds after which the turn of a client that was killed ends. */
const MAX_TURN_MS = 300_000;

const turn = fileURLToPath(new URL(`turn-${process.pid % TURNS}`, import.meta.url));
process.once("exit", await lockFolder(turn, MAX_TURN_MS));
await import(new URL("everything-client.mjs", import.meta.url).href);
