/**
 * @fileoverview The server for real clients in a process of its own, on stdio.
 * @module tests/clients/fixture
 */
import { serve } from "tenon/node";
import { createFixtureServer } from "./fixture-server.js";

await serve(createFixtureServer());
