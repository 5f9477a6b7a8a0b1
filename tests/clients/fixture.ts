/**
 * @fileoverview Server for real clients in a separate process, on stdio.
 * @module tests/clients/fixture
 */
import { serve } from "tenon/node";
import { createFixtureServer } from "./fixture-server.js";

await serve(createFixtureServer());
