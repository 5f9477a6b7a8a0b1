import { createAdaptorServer } from "@hono/node-server";
import express from "express";
import { describeTransport } from "../../../tests/support/contract/transport-contract.js";
import {
  mountOnConnect,
  mountOnExpress,
  mountOnFastifyParsed,
  mountOnFastifyUnread,
  mountOnHono,
  mountOnHonoServer,
} from "./support/mounted-apps.js";
import { officialClientOn } from "./support/official-wire.js";

describeTransport(
  "an Express router",
  officialClientOn(() => mountOnExpress()),
);
describeTransport(
  "an Express router behind a body parser",
  officialClientOn(() => mountOnExpress(express.json())),
);
describeTransport("Connect", officialClientOn(mountOnConnect));
describeTransport("Fastify that has parsed the body", officialClientOn(mountOnFastifyParsed));
describeTransport("Fastify that leaves the body alone", officialClientOn(mountOnFastifyUnread));
describeTransport("Hono", officialClientOn(mountOnHono));
describeTransport(
  "Hono on version 2 of its server for Node",
  officialClientOn(() => mountOnHonoServer(createAdaptorServer)),
);
