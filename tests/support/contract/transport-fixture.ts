/**
 * @fileoverview Runs the contract server over stdio, in its own process.
 * @module tests/support/contract/transport-fixture
 */
import { serve } from "tenon/node";
import { createContractServer } from "./transport-server.js";

await serve(createContractServer());
