/**
 * @fileoverview Fault proxy in its own process, so that the work of the test does not delay the traffic of the nodes.
 * Its only argument is the port to forward to. It receives the names of the proxy's methods as messages.
 * @module tools/chaos/proxy-process
 */
import { startFaultProxy } from "../fault-proxy.js";

/** Method of the proxy and its argument. */
export type ProxyFault =
  readonly [name: "cut" | "refuse" | "accept" | "loseResponses"] | readonly [name: "delay", ms: number];

const proxy = await startFaultProxy({ port: Number(process.argv[2]) });
process.on("disconnect", () => process.exit(1));
process.on("message", ([name, ms = 0]: ProxyFault) => {
  proxy[name](ms);
  process.send?.("done");
});
process.send?.(proxy.port);
