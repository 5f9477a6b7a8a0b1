/**
 * @fileoverview Plain Node.js: prints a fixed line for the first line of input.
 * @module bench/hello/bare
 */
import { stdin, stdout } from "node:process";

stdin.once("data", () => {
  stdout.write('{"jsonrpc":"2.0","id":0,"result":{}}\n');
});
