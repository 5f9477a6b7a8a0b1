/**
 * @fileoverview Waits for the work that a closed server still does.
 * @module tenon/transport/until-idle
 */
import type { HostedServer } from "../core/wire/hosted-server.js";

/** Waits until a closed server's tasks have ended, at most for `ms` milliseconds. */
export async function untilIdle(server: Pick<HostedServer<never>, "idle">, ms: number): Promise<void> {
  if (server.idle === undefined) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(ms, 0));
  });
  await Promise.race([server.idle(), expired]);
  clearTimeout(timer);
}
