/**
 * @fileoverview Removes the build folder, so that a deleted source file leaves nothing behind in it.
 * @module scripts/clean
 */
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
