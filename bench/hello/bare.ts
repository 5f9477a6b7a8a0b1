/**
 * @fileoverview Node and nothing else: a fixed line for the first line that comes.
 * @module bench/hello/bare
 */
import { stdin, stdout } from "node:process";

stdin.once("data", () => {
  stdout.write('{"jsonrpc":"2.0","id":0,"result":{}}\n');
});
