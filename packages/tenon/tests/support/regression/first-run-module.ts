import { defineServer } from "../../../src/index.js";

/** Server of a module that a test passes instead of its export. */
export const server = defineServer({ name: "a", version: "1" });
