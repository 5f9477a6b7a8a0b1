/**
 * @fileoverview Keeps an event stream alive, and ends it with the credentials of its client.
 * @module tenon/transport/http/stream-life
 */
import type { Ports } from "@tenon/internal/ports";
import type { SseSink } from "./http-context.js";
import { type CredentialLifetime, onCredentialsEnd } from "./limits/credential-lifetime.js";
import type { ResolvedHttpOptions } from "./options.js";

type KeepAlive = Pick<ResolvedHttpOptions<unknown>, "ports" | "keepAliveMs">;

/** Sends keep-alives until the stream closes. Returns a function that stops them. */
export function startKeepAlive(live: SseSink, { ports, keepAliveMs }: KeepAlive): () => void {
  let stop = () => {};
  const again = () => {
    stop = ports.startTimer(
      () => {
        live.keepAlive();
        again();
      },
      keepAliveMs,
      true,
    );
  };
  again();
  live.onClose(() => stop());
  return () => stop();
}

/** Ends a session's stream with the credentials of its client. The client can resume it with new credentials. */
export function endWithCredentials(
  live: SseSink,
  caller: CredentialLifetime,
  { ports, onEnd }: { readonly ports: Ports; readonly onEnd: () => void },
): void {
  const stop = onCredentialsEnd(caller, ports, () => {
    live.cut();
    // Events from now on belong to the next client. The response may take longer to close.
    onEnd();
  });
  if (stop !== undefined) live.onClose(stop);
}
