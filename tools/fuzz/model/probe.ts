/**
 * @fileoverview Regular requests: they open a connection, and show after the hostile frames that the server still works.
 * @module tools/fuzz/model/probe
 */
import { META } from "tenon/protocol";
import type { Problem } from "../block.js";
import { show } from "./check-replies.js";

/** ID of the probe, as JSON text. */
export const PROBE_ID = '"probe"';

/** Envelope that is valid in every era: legacy servers ignore it. */
const ENVELOPE = { [META.protocolVersion]: "2026-07-28", [META.clientCapabilities]: {} };

/** Returns a call that must get the text `city` as its result. */
export function probeText(city: string): string {
  const params = { name: "typed", arguments: { city }, _meta: ENVELOPE };
  return `{"jsonrpc":"2.0","id":${PROBE_ID},"method":"tools/call","params":${JSON.stringify(params)}}`;
}

/** Returns the call of a legacy client, which has no envelope. */
export function legacyProbeText(city: string): string {
  const params = { name: "typed", arguments: { city } };
  return `{"jsonrpc":"2.0","id":${PROBE_ID},"method":"tools/call","params":${JSON.stringify(params)}}`;
}

/** Returns the `initialize` request of a legacy client. */
export function initializeText(protocolVersion: string): string {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "fuzz", version: "1" } };
  return JSON.stringify({ jsonrpc: "2.0", id: "open", method: "initialize", params });
}

/** Returns true if a line is the reply to the probe. */
export function isProbeReply(line: string): boolean {
  return line.startsWith(`{"jsonrpc":"2.0","id":${PROBE_ID},`);
}

/** Checks the reply to the probe. */
export function checkProbe(line: string | undefined, city: string): Problem | undefined {
  if (line?.includes(`"content":[{"type":"text","text":${JSON.stringify(city)}}]`) === true) return undefined;
  return {
    promise: "probe",
    text: `A regular call received ${line === undefined ? "no reply" : show(line)}`,
  };
}
