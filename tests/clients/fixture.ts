/**
 * @fileoverview The server for real clients in a process of its own, on stdio.
 * @module tests/clients/fixture
 */
import { serve } from "../../src/transport/node/index.js";
import { createFixtureServer } from "./fixture-server.js";

await serve(createFixtureServer());
