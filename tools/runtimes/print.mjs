/**
 * @fileoverview Prints the responses of the hello-world as one line of JSON, on Node.js, Bun and Deno.
 * @module tools/runtimes/print
 */
import { hello } from "./hello.mjs";

// oxlint-disable-next-line no-console -- the only way to print on all three
console.log(JSON.stringify(await hello()));
