/**
 * @fileoverview Middleware for actions: an audit log and a check for managers.
 * @module examples/grouped/middleware
 */
import { type ActionMiddleware, error } from "tenon/grouped";
import type { App } from "./app.js";

/** Records the actor and the action. The action is in the discriminator field, which handlers do not receive. */
export const audited: ActionMiddleware<App> = function audited(app, args, next) {
  app.audit.push(`${app.actor.name}: ${String(args["action"])}`);
  return next();
};

/** Rejects callers who are not managers. */
export const managersOnly: ActionMiddleware<App> = function managersOnly(app, _args, next) {
  return app.actor.role === "manager" ? next() : error("Only a manager may do this.");
};
