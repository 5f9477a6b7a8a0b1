/**
 * @fileoverview Action middleware: an audit log and a role check.
 * @module examples/grouped/middleware
 */
import { type ActionMiddleware, error } from "tenon/grouped";
import type { App } from "./app.js";

/** Records the actor and the action. Only middleware receives the discriminator field, which contains the action. */
export const audited: ActionMiddleware<App> = function audited(app, args, next) {
  app.audit.push(`${app.actor.name}: ${String(args["action"])}`);
  return next();
};

/** Rejects callers who are not managers. */
export const managersOnly: ActionMiddleware<App> = function managersOnly(app, _args, next) {
  return app.actor.role === "manager" ? next() : error("Only managers may perform this action.");
};
