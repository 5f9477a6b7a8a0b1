/**
 * @fileoverview Prints the hello-world's replies as one line of JSON: for Node, Bun and Deno.
 * @module tools/runtimes/print
 */
import { hello } from "./hello.mjs";

// oxlint-disable-next-line no-console -- the one way to print that all three share
console.log(JSON.stringify(await hello()));
