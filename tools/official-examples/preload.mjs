/**
 * @fileoverview Loaded into an example's process before the example. Moves the ports that an example listens on, so that
 * examples can run at the same time, and makes `Math.random` repeatable.
 * @module tools/official-examples/preload
 */
import { Server } from "node:net";

/**
 * Ports to use: the example's own, and its authorization server's. An example that takes no port gets the first one.
 * Without this variable, the example runs unchanged.
 */
const PORTS = process.env["EXAMPLE_PORTS"];
const [main, auth] = (PORTS ?? "").split(",").map(Number);
const isMoved = PORTS !== undefined;

const toPort = (given) => (Number(given) === auth ? auth : main);
const isPort = (given) => typeof given === "number" || (typeof given === "string" && /^\d+$/.test(given));

const { listen } = Server.prototype;
Server.prototype.listen = function listenElsewhere(first, ...rest) {
  this.once("listening", () => process.send?.({ listening: this.address()?.port }));
  if (isMoved && isPort(first)) return listen.call(this, toPort(first), ...rest);
  if (isMoved && isPort(first?.port))
    return listen.call(this, { ...first, port: toPort(first.port) }, ...rest);
  return listen.call(this, first, ...rest);
};

if (isMoved) {
  let state = 1;
  // The generator "mulberry32". Not constant, because the examples' event stores make IDs with it.
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
