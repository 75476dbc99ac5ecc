import type { Route } from "../route.ts";
import { documentRoutes } from "./documents.ts";
import { engineRoutes } from "./engine.ts";
import { jobRoutes } from "./jobs.ts";
import { noteRoutes } from "./notes.ts";
import { operationRoutes } from "./operations.ts";
import { searchRoutes } from "./search.ts";

/** Every route of the engine's API. */
export const ROUTES: readonly Route[] = [
  ...searchRoutes,
  ...documentRoutes,
  ...noteRoutes,
  ...jobRoutes,
  ...engineRoutes,
  ...operationRoutes,
];
