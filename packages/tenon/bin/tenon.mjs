#!/usr/bin/env node
/**
 * @fileoverview Runs the command line of `@tenon/cli`, or explains how to install it. Without this file, `npx tenon`
 * would report that the package has no executable.
 * @module tenon/bin
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const program = findCommandLine();
if (program === undefined) {
  process.stderr.write(
    'The tenon command requires the package "@tenon/cli". Install it:\n' +
      "  npm install --save-dev @tenon/cli\n" +
      "Or run it without installing:\n" +
      "  npx @tenon/cli <command>\n",
  );
  process.exitCode = 1;
} else {
  // Import instead of spawning: arguments, streams, signals and exit code stay the same.
  await import(pathToFileURL(program).href);
}

function findCommandLine() {
  let manifest;
  try {
    manifest = createRequire(join(process.cwd(), "package.json")).resolve("@tenon/cli/package.json");
  } catch {
    return undefined;
  }
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  return join(dirname(manifest), bin.tenon);
}
