import { z } from "zod";
import { KbError, LIMITS } from "../../core/mod.ts";
import {
  ENGINE_MEDIA,
  ENGINE_PATH,
  FILES_PATH,
  fromWire,
  STOP_PATH,
} from "../../wire/mod.ts";
import { readParts, readText } from "../body.ts";
import { answerCall, type Operation, OPERATIONS } from "../operations/mod.ts";
import { type Route, route, type RouteRequest } from "../route.ts";
import { countParam } from "../schemas.ts";
import { check } from "../validate.ts";

const TAG = "Client";

const callSchema = z.strictObject({ args: z.array(z.unknown()).max(8) });

/** One route for each operation of the facade; kbdb's own client calls them, nobody else should. */
export const operationRoutes: readonly Route[] = [
  ...Object.values(OPERATIONS).map((operation) =>
    toRoute(operation as Operation)
  ),
  route({
    method: "POST",
    path: STOP_PATH,
    scope: "admin",
    tag: TAG,
    isPrivate: true,
    ownerOnly: true,
    summary: "Stop the engine",
    answer: { status: 200, media: ENGINE_MEDIA },
    handle(request): Response {
      return answer(request, () => request.state.askToStop());
    },
  }),
  route({
    method: "POST",
    path: FILES_PATH,
    scope: "write",
    tag: TAG,
    isPrivate: true,
    summary: "Receive a file that a job is to take in",
    query: z.strictObject({
      maxBytes: countParam({ min: 1, max: LIMITS.uploadBytes }).optional(),
    }),
    answer: { status: 200, media: ENGINE_MEDIA },
    handle: (request) => {
      const { kb, raw, state, query } = request;
      const maxBytes = Math.min(
        query.maxBytes ?? LIMITS.uploadBytes,
        state.settings.maxUploadBytes,
      );
      return answer(request, () => kb.jobs.receive(readParts(raw), maxBytes));
    },
  }),
];

function toRoute(operation: Operation): Route {
  const { name, scope, ownerOnly } = operation;
  return route({
    method: "POST",
    path: `${ENGINE_PATH}/${name}`,
    scope,
    tag: TAG,
    isPrivate: true,
    ownerOnly,
    summary: `Call ${name} of the facade`,
    answer: { status: 200, media: ENGINE_MEDIA },
    async handle(request): Promise<Response> {
      const { kb, raw } = request;
      const text = await readText(raw, LIMITS.engineCallBytes);
      const call = check(callSchema, parse(text), "call");
      const args = check(operation.args, call.args, name) as never;
      return answer(request, (call) => operation.run(kb, args, call));
    },
  });
}

function answer(
  { raw, state }: RouteRequest<unknown, unknown, unknown>,
  run: Parameters<typeof answerCall>[0],
): Response {
  return answerCall(run, {
    gone: raw.signal,
    stopping: state.stopping,
    onFault: (error) => state.fault(error),
  });
}

function parse(text: string): unknown {
  try {
    return fromWire(text);
  } catch (error) {
    throw new KbError(
      "invalid_input",
      `The call is no JSON: ${
        error instanceof Error ? error.message : String(error)
      }`,
    );
  }
}
