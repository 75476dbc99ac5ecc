import assert from "node:assert/strict";
import fc from "fast-check";
import {
  cutToJson,
  type Group,
  jsonLength,
  share,
  takeInTurn,
} from "../../lib/compose/budget.ts";

Deno.test("share() gives no more than there is, nobody more than needed, and leaves nothing needed", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_000)),
      fc.nat(5_000),
      (needs, budget) => {
        const shares = share(needs, budget);
        const sum = shares.reduce((a, b) => a + b, 0);
        const needed = needs.reduce((a, b) => a + b, 0);
        assert.equal(sum, Math.min(needed, budget));
        shares.forEach((it, i) => assert.ok(it <= (needs[i] ?? 0)));
      },
    ),
  );
});

Deno.test("cutToJson() takes the longest start that fits and cuts no pair", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, max) => {
      const cut = cutToJson(text, max);
      assert.ok(text.startsWith(cut));
      assert.ok(cut.isWellFormed());
      assert.ok(jsonLength(cut) <= max);
      const next = text.slice(cut.length);
      const more = cut + String.fromCodePoint(next.codePointAt(0) ?? 0x20);
      assert.ok(next === "" || jsonLength(more) > max);
    }),
  );
});

Deno.test("takeInTurn() takes one of each group in turn and ends a group that does not fit", () => {
  const group = (...items: number[]): Group<number> => ({
    items,
    total: items.length,
    taken: [],
    cost: (item) => item,
  });
  const groups = [group(5, 9, 1), group(2, 2, 2), group()];
  assert.equal(takeInTurn(groups, 12), 11);
  assert.deepEqual(groups.map(({ taken }) => taken), [[5], [2, 2, 2], []]);
});
