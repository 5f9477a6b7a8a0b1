/**
 * @fileoverview Layers around actions: one that writes down what is done, one that only managers get past.
 * @module examples/grouped/middleware
 */
import { type ActionMiddleware, error } from "tenon/grouped";
import type { App } from "./app.js";

/** Writes down who did what. The action is in the discriminator's field, which handlers do not see. */
export const audited: ActionMiddleware<App> = function audited(app, args, next) {
  app.audit.push(`${app.actor.name}: ${String(args["action"])}`);
  return next();
};

/** Refuses whoever is no manager. */
export const managersOnly: ActionMiddleware<App> = function managersOnly(app, _args, next) {
  return app.actor.role === "manager" ? next() : error("Only a manager may do this.");
};
