import { z } from "zod";
import type { Route } from "./route.ts";

/** A JSON object of the reference. */
type Schema = Record<string, unknown>;

/** Makes the OpenAPI 3.1 reference of the routes from the schemas they check with. */
export function toOpenApi(
  routes: readonly Route[],
  version: string,
): Schema {
  const paths: Record<string, Schema> = {};
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: toOperation(route),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "kbdb",
      version,
      description: "A knowledge base searched by word and by meaning.",
    },
    paths,
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      schemas: { Error: ERROR_SCHEMA },
    },
    security: [{ key: [] }],
  };
}

const ERROR_SCHEMA: Schema = toSchema(z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  }),
  detail: z.string(),
}));

function toOperation(route: Route): Schema {
  const { body, form, answer } = route;
  const request = body !== undefined
    ? { "application/json": { schema: toSchema(body) } }
    : form !== undefined
    ? {
      "multipart/form-data": { schema: toFormSchema(form) },
      "application/json": { schema: toSchema(form) },
    }
    : undefined;
  const media = answer.media ?? "application/json";
  const schema = answer.schema === undefined
    ? { type: "string" }
    : toSchema(answer.schema);
  return {
    summary: route.summary,
    tags: [route.tag],
    ...(route.scope === "none" ? { security: [] } : { "x-scope": route.scope }),
    parameters: [
      ...toParameters(route.params, "path"),
      ...toParameters(route.query, "query"),
    ],
    ...(request === undefined
      ? {}
      : { requestBody: { required: true, content: request } }),
    responses: {
      [String(answer.status)]: {
        description: "Done",
        content: { [media]: { schema } },
      },
      default: {
        description: "An error",
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Error" },
          },
        },
      },
    },
  };
}

function toSchema(schema: z.ZodType): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  }) as Schema;
  return rest;
}

/** In a form the file is bytes. */
function toFormSchema(form: z.ZodObject): Schema {
  const schema = toSchema(form);
  const properties = schema["properties"] as Record<string, Schema>;
  return {
    ...schema,
    properties: {
      ...properties,
      file: { ...properties["file"], format: "binary" },
    },
  };
}

function toParameters(
  object: z.ZodObject | undefined,
  place: "path" | "query",
): Schema[] {
  return Object.entries(object?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: place,
    required: place === "path" || !schema.safeParse(undefined).success,
    schema: toSchema(schema as z.ZodType),
  }));
}
