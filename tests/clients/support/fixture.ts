/**
 * @fileoverview Runs the fixture server for real clients over stdio, in its own process.
 * @module tests/clients/support/fixture
 */
import { serve } from "tenon/node";
import { createFixtureServer } from "./fixture-server.js";

await serve(createFixtureServer());
