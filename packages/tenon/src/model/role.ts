/**
 * @fileoverview The two parties of a conversation, by name.
 * @module model/role
 */
import type { Role as WireRole } from "../protocol/index.js";

/** Who is speaking, or who should see something, for those who rather name it than spell it. */
export const Role = { USER: "user", ASSISTANT: "assistant" } as const satisfies Record<string, WireRole>;

/** Who is speaking, or who should see something. */
export type Role = WireRole;
