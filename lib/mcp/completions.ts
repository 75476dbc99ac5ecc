import type { CompleteResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { LIMITS } from "../core/mod.ts";
import type { McpBase } from "./base.ts";
import type { PromptSource } from "./prompts.ts";

/** Ids that are counted before `total` is left out. */
const COUNTED = 1_000;

/** Parameters of `completion/complete`. */
export const completeParams: z.ZodType<CompleteParams> = z.looseObject({
  ref: z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("ref/prompt"), name: z.string() }),
    z.looseObject({ type: z.literal("ref/resource"), uri: z.string() }),
  ]),
  argument: z.looseObject({ name: z.string(), value: z.string() }).optional(),
});

/** What is to be completed. */
export interface CompleteParams {
  /** Of what. */
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  /** The argument that is being typed. */
  readonly argument?:
    | { readonly name: string; readonly value: string }
    | undefined;
}

/**
 * Completes the name of a prompt, or a kbid or docid: as the argument of a prompt, of a URI
 * template, or at the end of a URI.
 */
export async function complete(
  { ref, argument }: CompleteParams,
  kb: McpBase,
  prompts: readonly PromptSource[],
): Promise<CompleteResult> {
  if (ref.type === "ref/resource") {
    const [, kind, rest = ""] =
      /^kbdb:\/\/(section|document)\/(.*)$/su.exec(ref.uri) ?? [];
    const isTemplate = rest.startsWith("{");
    const prefix = isTemplate ? argument?.value ?? "" : rest;
    if (kind === "section") return await completeId(kb, "kbid", prefix);
    return kind === "document"
      ? await completeId(kb, "docid", prefix)
      : toResult([]);
  }
  const lists = await Promise.all(prompts.map((source) => source.list()));
  const all = lists.flat();
  const known = all.find(({ name }) => name === ref.name);
  const isOwn = known?.arguments?.some(({ name }) => name === argument?.name);
  if (argument !== undefined && isOwn === true) {
    return argument.name === "kbid" || argument.name === "docid"
      ? await completeId(kb, argument.name, argument.value)
      : toResult([]);
  }
  const prefix = ref.name === "" ? argument?.value ?? "" : ref.name;
  const names = new Set(all.map(({ name }) => name));
  return toResult([...names].filter((name) => name.startsWith(prefix)));
}

async function completeId(
  kb: McpBase,
  kind: "kbid" | "docid",
  prefix: string,
): Promise<CompleteResult> {
  return toResult(await kb.findIds(kind, prefix, COUNTED + 1));
}

function toResult(values: readonly string[]): CompleteResult {
  return {
    completion: {
      values: values.slice(0, LIMITS.completions),
      hasMore: values.length > LIMITS.completions,
      ...(values.length > COUNTED ? {} : { total: values.length }),
    },
  };
}
